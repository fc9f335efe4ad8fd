/**
 * The output folder: one folder per domain, and `.collect` with unfinished files and the state. The state has one JSON object
 * per line, of which only current ones are kept at the next start. A domain's folder is replaced as a whole.
 */
import { Clock, Effect, FileSystem, Option, Schema } from "effect"
import type { PlatformError, Scope } from "effect"
import * as path from "node:path"
import { hasEnded } from "../ProcessId.ts"
import * as WholeFile from "../WholeFile.ts"
import { CollectError } from "./CollectError.ts"
import { isValidator } from "./PoliteFetch.ts"
import type { Validators } from "./PoliteFetch.ts"

const Validator = Schema.String.check(Schema.isPattern(isValidator))

const Saved = Schema.Struct({
  type: Schema.Literal("saved"),
  domain: Schema.String,
  file: Schema.String,
  etag: Schema.NullOr(Validator),
  last_modified: Schema.NullOr(Validator),
  at: Schema.Finite
})
type Saved = typeof Saved.Type

const Entry = Schema.fromJsonString(
  Schema.Union([
    Saved,
    /** The saved files have replaced the folder of the domain. */
    Schema.Struct({ type: Schema.Literal("collected"), domain: Schema.String }),
    /** A run has finished: the next one begins again. */
    Schema.Struct({ type: Schema.Literal("finished") })
  ])
)
type Entry = typeof Entry.Type
const decodeEntry = Schema.decodeUnknownOption(Entry)

/** Of one file of a store. */
export const maxFileBytes = 2 ** 25
const maxLockBytes = 100
/** Some 200 bytes for each file of a store. */
const maxStateBytes = 2 ** 28

/** How long files of an interrupted run are used: the pages of a store belong together. */
const freshMillis = 6 * 3_600_000

interface DomainState {
  /** The files in the domain's folder, and those of an unfinished collection. */
  readonly placed: Map<string, Saved>
  readonly underWay: Map<string, Saved>
}

export interface CollectFolder {
  /** Whether the interrupted run has collected the domain. */
  readonly isCollected: (domain: string) => boolean
  readonly of: (domain: string) => DomainFolder
  /** Ends the run, and writes the domains that failed to a list for the next run. */
  readonly finish: (failed: ReadonlyArray<string>) => Effect.Effect<void, CollectError>
  readonly failedPath: string
}

export interface DomainFolder {
  /** Removes files of an interrupted run that are too old. */
  readonly begin: Effect.Effect<void, CollectError>
  /** Deletes unfinished files, which are of no further use. */
  readonly discard: Effect.Effect<void, CollectError>
  /** Reads a file that the interrupted run saved. */
  readonly underWay: (file: string) => Effect.Effect<Uint8Array | undefined, CollectError>
  /** Reads a file of the domain's folder, with the validators for a conditional request. */
  readonly placed: (
    file: string
  ) => Effect.Effect<{ readonly body: Uint8Array; readonly validators: Validators } | undefined, CollectError>
  readonly save: (file: string, body: Uint8Array, validators: Validators) => Effect.Effect<void, CollectError>
  /** Replaces the domain's folder by the saved files. */
  readonly place: Effect.Effect<void, CollectError>
}

/**
 * Allows one run at a time in a folder, by a file with the process id that is removed with the run. The file of a process that
 * was killed does not count.
 */
const lockFolder = Effect.fnUntraced(function* (folder: string, file: string) {
  const files = yield* FileSystem.FileSystem
  const write = files.writeFileString(file, String(process.pid), { flag: "wx" })
  const taken = Effect.catchIf(
    write,
    ({ reason }) => reason._tag === "AlreadyExists",
    () =>
      Effect.gen(function* () {
        // This process runs one collect.
        if (!hasEnded(Number(yield* WholeFile.text(file, maxLockBytes)), false)) {
          return yield* new CollectError({
            message: `Another collect is running into ${folder}. Wait until it has finished, or collect into another folder with --to. If none is running, remove ${file}.`
          })
        }
        yield* files.remove(file)
        yield* write
      })
  )
  yield* Effect.acquireRelease(
    Effect.andThen(files.makeDirectory(path.dirname(file), { recursive: true }), taken).pipe(
      Effect.mapError((error) => (error instanceof CollectError ? error : unusable(folder, error)))
    ),
    () => Effect.ignore(files.remove(file))
  )
})

export const open = Effect.fn("CollectFolder.open")(function* (
  folder: string
): Effect.fn.Return<CollectFolder, CollectError, FileSystem.FileSystem | Scope.Scope> {
  const files = yield* FileSystem.FileSystem
  const inner = path.join(folder, ".collect")
  yield* lockFolder(folder, path.join(inner, "running"))
  const statePath = path.join(inner, "state.ndjson")
  const failedPath = path.join(inner, "failed.txt")

  const write = Effect.fnUntraced(function* (file: string, content: Uint8Array) {
    yield* files.writeFile(`${file}.tmp`, content)
    yield* files.rename(`${file}.tmp`, file)
  })
  const append = (entry: Entry) =>
    files.writeFile(statePath, utf8.encode(`${JSON.stringify(entry)}\n`), { flag: "a" }).pipe(namingFolder(folder))

  const domains = new Map<string, DomainState>()
  const collected = new Set<string>()
  const stateOf = (domain: string): DomainState =>
    domains.getOrInsertComputed(domain, () => ({ placed: new Map(), underWay: new Map() }))
  const take = (entry: Entry): void => {
    switch (entry.type) {
      case "saved":
        stateOf(entry.domain).underWay.set(entry.file, entry)
        return
      case "collected":
        domains.set(entry.domain, { placed: stateOf(entry.domain).underWay, underWay: new Map() })
        collected.add(entry.domain)
        return
      case "finished":
        return collected.clear()
    }
  }
  /** The entries that restore the current state. */
  const entries = function* (): Generator<Entry> {
    const remembered = new Set(collected)
    for (const [domain, { placed }] of domains) {
      if (placed.size === 0 || remembered.has(domain)) continue
      yield* placed.values()
      yield { type: "collected", domain }
    }
    yield { type: "finished" }
    for (const domain of remembered) {
      yield* stateOf(domain).placed.values()
      yield { type: "collected", domain }
    }
    for (const { underWay } of domains.values()) yield* underWay.values()
  }

  yield* Effect.gen(function* () {
    yield* files.makeDirectory(inner, { recursive: true })
    const state = yield* WholeFile.bytesIfThere(statePath, maxStateBytes)
    // A line that is truncated, or that someone changed, is ignored.
    for (const line of state?.toString("utf8").split("\n") ?? []) Option.map(decodeEntry(line), take)
    const kept = Array.from(entries(), (entry) => `${JSON.stringify(entry)}\n`)
    yield* write(statePath, utf8.encode(kept.join("")))
  }).pipe(namingFolder(folder))

  const of = (domain: string): DomainFolder => {
    const place = path.join(folder, domain)
    const part = path.join(inner, domain)
    const before = path.join(inner, `${domain}.before`)
    const readIfThere = (file: string) => WholeFile.bytesIfThere(file, maxFileBytes).pipe(namingFolder(folder))

    return {
      begin: Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const { underWay } = stateOf(domain)
        const isFresh = Array.from(underWay.values()).every(({ at }) => now - at < freshMillis)
        if (!isFresh || underWay.size === 0) {
          underWay.clear()
          yield* files.remove(part, { recursive: true, force: true })
        }
        // The run was interrupted between the two renames of `place`.
        if (!(yield* files.exists(place)) && (yield* files.exists(before))) yield* files.rename(before, place)
        yield* files.makeDirectory(part, { recursive: true })
        const unsaved = (yield* files.readDirectory(part)).filter((name) => !underWay.has(name))
        yield* Effect.forEach(unsaved, (name) => files.remove(path.join(part, name), { recursive: true }))
      }).pipe(namingFolder(folder)),
      discard: Effect.suspend(() => {
        stateOf(domain).underWay.clear()
        return files.remove(part, { recursive: true, force: true }).pipe(namingFolder(folder))
      }),
      underWay: Effect.fnUntraced(function* (file) {
        return stateOf(domain).underWay.has(file) ? yield* readIfThere(path.join(part, file)) : undefined
      }),
      placed: Effect.fnUntraced(function* (file) {
        const saved = stateOf(domain).placed.get(file)
        if (saved === undefined || (saved.etag === null && saved.last_modified === null)) return undefined
        const body = yield* readIfThere(path.join(place, file))
        return body === undefined
          ? undefined
          : { body, validators: { etag: saved.etag, lastModified: saved.last_modified } }
      }),
      save: Effect.fnUntraced(function* (file, body, { etag, lastModified }) {
        yield* write(path.join(part, file), body).pipe(namingFolder(folder))
        const at = yield* Clock.currentTimeMillis
        const saved: Saved = { type: "saved", domain, file, etag, last_modified: lastModified, at }
        yield* append(saved)
        take(saved)
      }),
      place: Effect.gen(function* () {
        yield* Effect.gen(function* () {
          yield* files.remove(before, { recursive: true, force: true })
          if (yield* files.exists(place)) yield* files.rename(place, before)
          yield* files.rename(part, place)
          yield* files.remove(before, { recursive: true, force: true })
        }).pipe(namingFolder(folder))
        yield* append({ type: "collected", domain })
        take({ type: "collected", domain })
      })
    }
  }

  return {
    isCollected: (domain) => collected.has(domain),
    of,
    failedPath,
    finish: Effect.fnUntraced(function* (failed) {
      const text = failed.map((line) => `${line}\n`).join("")
      yield* (
        failed.length === 0 ? files.remove(failedPath, { force: true }) : write(failedPath, utf8.encode(text))
      ).pipe(namingFolder(folder))
      yield* append({ type: "finished" })
    })
  }
})

const utf8 = new TextEncoder()

const namingFolder = (folder: string) =>
  Effect.mapError((error: PlatformError.PlatformError | WholeFile.UnreadableFile) => unusable(folder, error))

const unusable = (folder: string, error: PlatformError.PlatformError | WholeFile.UnreadableFile) =>
  new CollectError({
    message:
      error._tag === "UnreadableFile"
        ? `${folder} cannot be used: ${error.message}.`
        : `${folder} cannot be written to: ${error.message}.`
  })

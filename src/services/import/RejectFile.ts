/** The file of rejected records, created with the first: one object per line, `{"file", "line", "item", "field", "reason"}`. */
import * as ThirdPartyText from "../../domain/catalog/ThirdPartyText.ts"
import { Effect, FileSystem, Option, Schema, Scope } from "effect"
import { randomUUID } from "node:crypto"
import { UnwritableRejects } from "./ImportError.ts"
import type { Reject } from "./ImportSource.ts"

export interface RejectFile {
  readonly path: string
  readonly write: (rejects: ReadonlyArray<Reject>) => Effect.Effect<void, UnwritableRejects>
  /** Removes the file of an earlier import, if nothing was written now. Returns whether there was one. */
  readonly removeOld: Effect.Effect<boolean>
}

export interface RejectFileOptions {
  readonly path: string
  /** Whether the user named the file; otherwise the name is derived. */
  readonly isNamed: boolean
  /** Input files, which must not be overwritten; "-" is standard input. */
  readonly inputs: ReadonlyArray<string>
}

/** Replaces the file of an earlier run. The path is checked before anything is imported. */
export const make = Effect.fn("RejectFile.make")(function* (
  options: RejectFileOptions
): Effect.fn.Return<RejectFile, UnwritableRejects, FileSystem.FileSystem | Scope.Scope> {
  const { path } = options
  const fs = yield* FileSystem.FileSystem
  const scope = yield* Effect.scope
  yield* check(options)

  const utf8 = new TextEncoder()
  let file: FileSystem.File | undefined

  const write = Effect.fnUntraced(
    function* (rejects: ReadonlyArray<Reject>) {
      if (rejects.length === 0) return
      file ??= yield* Effect.provideService(openNew(fs, path), Scope.Scope, scope)
      yield* file.writeAll(
        utf8.encode(
          rejects
            .map(({ field, file, item, line, reason }) => `${JSON.stringify({ file, line, item, field, reason })}\n`)
            .join("")
        )
      )
    },
    Effect.mapError((cause) => unwritable(path, cause.message, cause))
  )
  const removeOld = Effect.gen(function* () {
    if (file !== undefined || !(yield* isRejectFile(fs, path))) return false
    yield* fs.remove(path)
    return true
  }).pipe(Effect.orElseSucceed(() => false))
  return { path, write, removeOld }
})

/** Longer than the first line of any reject file. */
const maxFirstLine = 65_536
const FirstLine = Schema.fromJsonString(
  Schema.Struct({ line: Schema.Finite, field: Schema.String, reason: Schema.String })
)

/** Whether a regular file, and no link, begins as reject files do. */
const isRejectFile = Effect.fnUntraced(function* (fs: FileSystem.FileSystem, path: string) {
  if (Option.isSome(yield* Effect.option(fs.readLink(path))) || (yield* fs.stat(path)).type !== "File") return false
  const file = yield* fs.open(path, { flag: "r" })
  const head = new TextDecoder().decode(Option.getOrElse(yield* file.readAlloc(maxFirstLine), () => new Uint8Array()))
  return Option.isSome(Schema.decodeOption(FirstLine)(head.slice(0, Math.max(0, head.indexOf("\n")))))
}, Effect.scoped)

/** Creates a new file and renames it, because opening an existing file would truncate it or, through a link, another file. */
const openNew = Effect.fnUntraced(function* (fs: FileSystem.FileSystem, path: string) {
  const draft = `${path}.${randomUUID()}.tmp`
  const file = yield* fs.open(draft, { flag: "wx" })
  yield* Effect.onError(fs.rename(draft, path), () => Effect.ignore(fs.remove(draft)))
  return file
})

const check = Effect.fnUntraced(function* ({ inputs, isNamed, path }: RejectFileOptions) {
  const fs = yield* FileSystem.FileSystem
  // Errors here are ignored: opening the file reports them.
  const identity = Effect.fnUntraced(function* (path: string) {
    const stat = yield* Effect.option(fs.stat(path))
    const realPath = yield* Effect.option(fs.realPath(path))
    return { stat, realPath }
  })
  const target = yield* identity(path)
  for (const input of inputs) {
    const source = yield* identity(input === "-" ? "/dev/stdin" : input)
    if (isSame(source, target)) {
      return yield* unwritable(
        path,
        `it is the same file as the input ${input === "-" ? "on standard input" : ThirdPartyText.line(input)}`
      )
    }
  }
  const isLink = Option.isSome(yield* Effect.option(fs.readLink(path)))
  if (isNamed && (isLink || Option.exists(target.stat, ({ type }) => type !== "File"))) {
    return yield* unwritable(path, "it exists and is no regular file")
  }
  if (Option.exists(target.stat, ({ type }) => type === "Directory") && !isLink) {
    return yield* unwritable(path, "it is a folder")
  }
})

interface Identity {
  readonly stat: Option.Option<FileSystem.File.Info>
  readonly realPath: Option.Option<string>
}

/** Different paths may be one file: a hard link, or a file system that ignores case. */
const isSame = (one: Identity, other: Identity): boolean => {
  if (Option.isNone(one.stat) || Option.isNone(other.stat)) return false
  if (Option.isSome(one.realPath) && one.realPath.value === Option.getOrUndefined(other.realPath)) return true
  const [a, b] = [one.stat.value, other.stat.value]
  return a.dev === b.dev && Option.isSome(a.ino) && a.ino.value === Option.getOrUndefined(b.ino)
}

const unwritable = (path: string, reason: string, cause?: unknown): UnwritableRejects =>
  new UnwritableRejects({
    message: `The rejected records cannot be written to ${ThirdPartyText.line(path)}: ${reason}. Name another file with --rejects.`,
    ...(cause === undefined ? {} : { cause })
  })

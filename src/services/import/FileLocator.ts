/**
 * Finds the files of an import by their names. `-` is standard input. A folder, a pattern or a zip archive stands for the files in
 * it.
 */
import * as NodeStream from "@effect/platform-node/NodeStream"
import { Effect, FileSystem, Result, Stdio, Stream } from "effect"
import type { Cause, PlatformError, Scope } from "effect"
import { createReadStream } from "node:fs"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import * as yauzl from "yauzl"
import * as ThirdPartyText from "../../domain/catalog/ThirdPartyText.ts"
import type { UnreadableInput } from "./ImportError.ts"
import { chunkBytes, kindOf, unpacked, unreadable, withHead } from "./InputFile.ts"
import type { LocatedFile } from "./InputFile.ts"
import * as OtherFiles from "./OtherFiles.ts"
import * as UnnamedFile from "./UnnamedFile.ts"
import type { Unpacking } from "./Unpacking.ts"

export const standardInput = "standard input"
/** The file extension of a map that `import --explain` writes. */
export const mapEnding = ".map.json"

const maxZipEntries = 10_000

const reason = (error: PlatformError.PlatformError): string => {
  switch (error.reason._tag) {
    case "NotFound":
      return "does not exist"
    case "PermissionDenied":
      return "may not be read"
    default:
      return `cannot be read: ${error.message}`
  }
}

type Locate = Effect.fn.Return<
  ReadonlyArray<LocatedFile>,
  UnreadableInput,
  FileSystem.FileSystem | Stdio.Stdio | Scope.Scope
>

/** Finds the files that a name stands for, in the order of their names. */
export const locate = Effect.fn("FileLocator.locate")(function* (name: string, unpacking: Unpacking): Locate {
  const locateEach = (names: ReadonlyArray<string>) =>
    Effect.map(
      Effect.forEach(names, (each) => locate(each, unpacking)),
      (files) => files.flat()
    )
  if (name === "-") return yield* locateStandardInput(unpacking)
  const files = yield* FileSystem.FileSystem
  const stat = yield* Effect.result(files.stat(name))
  if (Result.isFailure(stat)) {
    const matches = /[*?[{]/u.test(name) ? yield* Effect.filter(yield* glob(name), isFileOrFolder) : []
    if (matches.length === 0) return yield* unreadable(name, reason(stat.failure), stat.failure)
    return yield* locateEach(matches)
  }
  const info = stat.success
  if (info.type === "Directory") {
    const inside = yield* glob("**/*", name)
    const regular = yield* Effect.filter(inside, (file) => Effect.map(typeOf(file), (type) => type === "File"))
    // Files that commands have written beside their input are left out.
    const isOurs = (file: string) => file.endsWith(".rejects.ndjson") || file.endsWith(mapEnding)
    const wanted = regular.filter((file) => !path.basename(file).startsWith(".") && !isOurs(file))
    if (wanted.length === 0) return yield* unreadable(name, "is a folder without files")
    return yield* locateEach(wanted)
  }
  // A pipe such as `<(...)` or /dev/stdin has no size and is not seekable. A device has no end.
  if (info.type !== "File" && info.type !== "FIFO") {
    return yield* unreadable(name, "is a device or a socket; name a file, a folder or a pipe")
  }
  if (info.type === "FIFO")
    return yield* spooledIfZip({ name, totalBytes: null, unpacking, bytes: readable(name, name) })
  const totalBytes = Number(info.size)
  if (totalBytes === 0) return yield* unreadable(name, "is empty")
  if (yield* startsAsZip(name)) {
    const zip = Effect.tryPromise(() => yauzl.openPromise(name, { autoClose: false }))
    unpacking.addPacked(totalBytes)
    return yield* zipEntries(
      { name, unpacking },
      Effect.acquireRelease(zip, (zip) => Effect.sync(() => zip.close()))
    )
  }
  const bytes = Stream.mapError(files.stream(name, { chunkSize: chunkBytes }), (error) =>
    unreadable(name, reason(error), error)
  )
  return [{ name, totalBytes, unpacking, bytes, version: versionOf(name) }]
})

const locateStandardInput = Effect.fnUntraced(function* (unpacking: Unpacking): Locate {
  const stdio = yield* Stdio.Stdio
  const name = standardInput
  if (yield* stdio.stdinIsTerminal) {
    return yield* unreadable(name, "is the terminal; name a file, or send one with: ... < file")
  }
  const bytes = Stream.mapError(stdio.stdin, (error) => unreadable(name, reason(error), error))
  return yield* spooledIfZip({ name, totalBytes: null, unpacking, bytes })
})

const typeOf = (file: string) =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const stat = yield* Effect.option(files.stat(file))
    return stat._tag === "Some" ? stat.value.type : undefined
  })

/** A pipe or a device is read only if it is named itself. */
const isFileOrFolder = (file: string) => Effect.map(typeOf(file), (type) => type === "File" || type === "Directory")

/** `page-10` comes after `page-9`. */
const byName = new Intl.Collator("en", { numeric: true }).compare

/** A folder is not part of the pattern, because its name may have characters of patterns. */
const glob = (pattern: string, folder = "."): Effect.Effect<ReadonlyArray<string>> =>
  Effect.promise(async () => {
    const found: Array<string> = []
    for await (const file of fs.glob(pattern, { cwd: folder })) {
      found.push(path.isAbsolute(file) ? file : path.join(folder, file))
    }
    return found.sort(byName)
  })

const readable = (file: string, name: string): Stream.Stream<Uint8Array, UnreadableInput> =>
  NodeStream.fromReadable<Uint8Array, UnreadableInput>({
    evaluate: () => createReadStream(file, { highWaterMark: chunkBytes }),
    onError: (cause) => unreadable(name, "cannot be read", cause)
  })

const versionOf = (file: string): Effect.Effect<string, UnreadableInput> =>
  Effect.tryPromise({
    try: async () => {
      const { ino, mtimeNs, size } = await fs.stat(file, { bigint: true })
      return `${ino} ${mtimeNs} ${size}`
    },
    catch: (cause) => unreadable(file, "cannot be read", cause)
  })

const startsAsZip = (file: string): Effect.Effect<boolean, UnreadableInput> =>
  Effect.tryPromise({
    try: async () => {
      const handle = await fs.open(file)
      try {
        const { buffer } = await handle.read(Buffer.alloc(4), 0, 4, 0)
        return kindOf(buffer) === "zip"
      } finally {
        await handle.close()
      }
    },
    catch: (cause) => unreadable(file, "cannot be read", cause)
  })

/** A zip archive has its directory at the end, so that one from a pipe is copied to a temporary file first. */
const spooledIfZip = Effect.fnUntraced(function* (file: LocatedFile): Locate {
  const [head, bytes] = yield* withHead(file.bytes, 4)
  if (kindOf(head) !== "zip") return [{ ...file, bytes }]
  const failed = (cause: unknown) => unreadable(file.name, "cannot be unpacked", cause)
  const spool = yield* Effect.mapError(UnnamedFile.make, failed)
  // A write stream would keep the file from being closed.
  yield* Stream.runForEach(bytes, (chunk) => {
    file.unpacking.addPacked(chunk.length)
    const problem = file.unpacking.addCopied(chunk.length)
    return problem === undefined
      ? Effect.tryPromise({ try: () => spool.writeFile(chunk), catch: failed })
      : Effect.fail(unreadable(file.name, problem))
  })
  return yield* zipEntries(
    file,
    Effect.tryPromise(() => yauzl.fromFdPromise(spool.fd, { autoClose: false }))
  )
})

const zipEntries = Effect.fnUntraced(function* (
  { name, unpacking }: Pick<LocatedFile, "name" | "unpacking">,
  open: Effect.Effect<yauzl.ZipFile, Cause.UnknownError, Scope.Scope>
): Locate {
  const damaged = (cause: unknown) =>
    unreadable(
      name,
      `is a zip archive that cannot be read (${cause instanceof Error ? cause.message : "damaged"})`,
      cause
    )
  const zip = yield* Effect.mapError(open, ({ cause }) => damaged(cause))
  const entries = yield* Effect.tryPromise({
    try: async () => {
      const found: Array<yauzl.Entry> = []
      for await (const entry of zip.eachEntry()) {
        if (found.length >= maxZipEntries) throw new Error(`it has more than ${maxZipEntries} files`)
        const base = path.posix.basename(entry.fileName)
        if (!entry.fileName.endsWith("/") && !entry.fileName.startsWith("__MACOSX/") && !base.startsWith("."))
          found.push(entry)
      }
      return found
    },
    catch: damaged
  })
  if (entries.length === 0) return yield* unreadable(name, "is a zip archive without files")
  const other = OtherFiles.inArchive(entries.map(({ fileName }) => fileName))
  if (other !== undefined) return yield* unreadable(name, other)
  const located = (entry: yauzl.Entry): LocatedFile => {
    // It is printed, and stored with the import.
    const file = {
      name: `${name}:${ThirdPartyText.line(entry.fileName).trim()}`,
      totalBytes: entry.uncompressedSize,
      unpacking
    }
    const bytes = Effect.map(
      Effect.tryPromise({ try: () => zip.openReadStreamPromise(entry), catch: damaged }),
      (stream) => NodeStream.fromReadable<Uint8Array, UnreadableInput>({ evaluate: () => stream, onError: damaged })
    )
    return { ...file, bytes: Stream.tap(Stream.unwrap(bytes), (part) => unpacked(file, part)) }
  }
  entries.sort((a, b) => byName(a.fileName, b.fileName))
  const byPath = new Map(entries.map((entry) => [entry.fileName, entry]))
  return entries.map((entry) => {
    const meta = byPath.get(path.posix.join(path.posix.dirname(entry.fileName), "meta.json"))
    return { ...located(entry), archive: { name, ...(meta === undefined ? {} : { meta: located(meta) }) } }
  })
})

/**
 * The input files of an import: their text as UTF-8, decompressed if they are gzip, zstd or zip, and how far they have been
 * read. `-` is standard input. A folder or a zip archive stands for the files in it.
 */
import * as NodeStream from "@effect/platform-node/NodeStream"
import { Effect, FileSystem, Result, Sink, Stdio, Stream } from "effect"
import type { PlatformError, Scope } from "effect"
import { createHash } from "node:crypto"
import { createReadStream, createWriteStream } from "node:fs"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { pipeline } from "node:stream/promises"
import * as zlib from "node:zlib"
import * as yauzl from "yauzl"
import { UnreadableInput } from "./ImportError.ts"

/** The compressed data is truncated or damaged; what was read before is valid. */
export interface Damage {
  readonly damage: string
}

/** A file that exists and is not opened yet. */
export interface LocatedFile {
  /** For messages. */
  readonly name: string
  /** The archive that contains the file. */
  readonly archive?: string
  /** The length of `bytes`; `null` if it is unknown. */
  readonly totalBytes: number | null
  readonly bytes: Stream.Stream<Uint8Array, UnreadableInput>
}

export interface InputFile {
  readonly name: string
  readonly totalBytes: number | null
  readonly bytesRead: () => number
  /** SHA-256 of the stored bytes that were read so far, in hexadecimal. */
  readonly sha256: () => string
  /** The beginning of the text, for detecting its format; its last character may be truncated. */
  readonly head: string
  /** Whether `head` is the whole text. */
  readonly isWhole: boolean
  readonly content: Stream.Stream<Uint8Array | Damage, UnreadableInput>
}

export const standardInput = "standard input"
/** The file extension of a map that `import --explain` writes. */
export const mapEnding = ".map.json"

const chunkBytes = 262_144
/** Enough for the first record of any format. */
const headBytes = 262_144
const maxZipEntries = 10_000

const unreadable = (name: string, message: string, cause?: unknown) =>
  new UnreadableInput({ message: `${name} ${message}.`, ...(cause === undefined ? {} : { cause }) })

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
export const locate = Effect.fn("InputFile.locate")(function* (name: string): Locate {
  if (name === "-") return yield* locateStandardInput
  const files = yield* FileSystem.FileSystem
  const found = yield* Effect.result(files.stat(name))
  if (Result.isFailure(found)) {
    const matches = /[*?[{]/u.test(name) ? yield* glob(name) : []
    if (matches.length === 0) return yield* unreadable(name, reason(found.failure), found.failure)
    return (yield* Effect.forEach(matches, locate)).flat()
  }
  const info = found.success
  if (info.type === "Directory") {
    const inside = yield* glob(path.join(name, "**", "*"))
    const regular = yield* Effect.filter(inside, (file) =>
      Effect.map(Effect.option(files.stat(file)), (stat) => stat._tag === "Some" && stat.value.type === "File")
    )
    // Files that commands have written beside their input are left out.
    const isOurs = (file: string) => file.endsWith(".rejects.ndjson") || file.endsWith(mapEnding)
    const wanted = regular.filter((file) => !path.basename(file).startsWith(".") && !isOurs(file))
    if (wanted.length === 0) return yield* unreadable(name, "is a folder without files")
    return (yield* Effect.forEach(wanted, locate)).flat()
  }
  // A pipe such as `<(...)` or /dev/stdin has no size and is not seekable.
  if (info.type !== "File") return yield* spooledIfZip({ name, totalBytes: null, bytes: readable(name, name) })
  const totalBytes = Number(info.size)
  if (totalBytes === 0) return yield* unreadable(name, "is empty")
  if (yield* startsAsZip(name)) return yield* zipEntries(name, name)
  const bytes = Stream.mapError(files.stream(name, { chunkSize: chunkBytes }), (error) =>
    unreadable(name, reason(error), error)
  )
  return [{ name, totalBytes, bytes }]
})

const locateStandardInput: ReturnType<typeof locate> = Effect.gen(function* () {
  const stdio = yield* Stdio.Stdio
  const name = standardInput
  if (yield* stdio.stdinIsTerminal) {
    return yield* unreadable(name, "is the terminal; name a file, or send one with: ... < file")
  }
  const bytes = Stream.mapError(stdio.stdin, (error) => unreadable(name, reason(error), error))
  return yield* spooledIfZip({ name, totalBytes: null, bytes })
})

const glob = (pattern: string): Effect.Effect<ReadonlyArray<string>> =>
  Effect.promise(async () => {
    const found: Array<string> = []
    for await (const file of fs.glob(pattern)) found.push(file)
    // `page-10` comes after `page-9`.
    return found.sort(new Intl.Collator("en", { numeric: true }).compare)
  })

const readable = (file: string, name: string): Stream.Stream<Uint8Array, UnreadableInput> =>
  NodeStream.fromReadable<Uint8Array, UnreadableInput>({
    evaluate: () => createReadStream(file, { highWaterMark: chunkBytes }),
    onError: (cause) => unreadable(name, "cannot be read", cause)
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
  const files = yield* FileSystem.FileSystem
  const folder = yield* Effect.mapError(files.makeTempDirectoryScoped({ prefix: "discovery-import-" }), (error) =>
    unreadable(file.name, "cannot be unpacked", error)
  )
  const spool = path.join(folder, "archive.zip")
  const source = yield* Stream.toAsyncIterableEffect(bytes)
  yield* Effect.tryPromise({
    try: () => pipeline(source, createWriteStream(spool)),
    catch: (cause) => unreadable(file.name, "cannot be unpacked", cause)
  })
  return yield* zipEntries(spool, file.name)
})

const zipEntries = Effect.fnUntraced(function* (file: string, name: string): Locate {
  const damaged = (cause: unknown) =>
    unreadable(
      name,
      `is a zip archive that cannot be read (${cause instanceof Error ? cause.message : "damaged"})`,
      cause
    )
  const zip = yield* Effect.acquireRelease(
    Effect.tryPromise({ try: () => yauzl.openPromise(file, { lazyEntries: true, autoClose: false }), catch: damaged }),
    (zip) => Effect.sync(() => zip.close())
  )
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
  return entries.map((entry) => ({
    name: `${name}:${entry.fileName}`,
    archive: name,
    totalBytes: entry.uncompressedSize,
    bytes: Stream.unwrap(
      Effect.map(Effect.tryPromise({ try: () => zip.openReadStreamPromise(entry), catch: damaged }), (stream) =>
        NodeStream.fromReadable<Uint8Array, UnreadableInput>({ evaluate: () => stream, onError: damaged })
      )
    )
  }))
})

/** Opens a file and reads its beginning. */
export const open = Effect.fn("InputFile.open")(function* ({
  bytes,
  name,
  totalBytes
}: LocatedFile): Effect.fn.Return<InputFile, UnreadableInput, Scope.Scope> {
  let bytesRead = 0
  const hash = createHash("sha256")
  const counted = Stream.map(bytes, (chunk) => {
    bytesRead += chunk.length
    hash.update(chunk)
    return chunk
  })
  const text = yield* toText(name, counted, 0)
  const [head, content, isWhole] = yield* withHead(text, headBytes)
  if (head.length === 0) return yield* unreadable(name, "is empty")
  return {
    name,
    totalBytes,
    bytesRead: () => bytesRead,
    sha256: () => hash.copy().digest("hex"),
    head: new TextDecoder("utf-8").decode(head),
    isWhole,
    content
  }
})

type Kind = "text" | "gzip" | "zstd" | "zip" | "utf-16le" | "utf-16be" | "bzip2" | "xz"

const signatures: ReadonlyArray<readonly [Kind, ReadonlyArray<number>]> = [
  ["gzip", [0x1f, 0x8b]],
  ["zstd", [0x28, 0xb5, 0x2f, 0xfd]],
  ["zip", [0x50, 0x4b, 0x03, 0x04]],
  ["utf-16le", [0xff, 0xfe]],
  ["utf-16be", [0xfe, 0xff]],
  ["bzip2", [0x42, 0x5a, 0x68]],
  ["xz", [0xfd, 0x37, 0x7a, 0x58]]
]

const kindOf = (head: Uint8Array): Kind =>
  signatures.find(([, bytes]) => bytes.every((byte, at) => head[at] === byte))?.[0] ?? "text"

/** How many bytes are searched for NUL, which no text contains. */
const searchedBytes = 4_096
/** A compressed file may contain another compressed file. */
const maxPacking = 2

const toText = (
  name: string,
  bytes: Stream.Stream<Uint8Array | Damage, UnreadableInput>,
  depth: number
): Effect.Effect<Stream.Stream<Uint8Array | Damage, UnreadableInput>, UnreadableInput, Scope.Scope> =>
  Effect.gen(function* () {
    const [head, whole] = yield* withHead(bytes, searchedBytes)
    const kind = kindOf(head)
    switch (kind) {
      case "gzip":
      case "zstd":
        if (depth >= maxPacking) return yield* unreadable(name, "is packed more than twice; unpack it once")
        return yield* toText(name, unpack(name, whole, kind), depth + 1)
      case "utf-16le":
      case "utf-16be":
        return transcode(whole, kind)
      case "zip":
        return yield* unreadable(name, "is a zip archive within another file; unpack it once")
      case "bzip2":
      case "xz":
        return yield* unreadable(name, `is compressed by ${kind}; unpack it first, or use gzip, zstd or zip`)
      case "text":
        if (head.includes(0)) {
          return yield* unreadable(
            name,
            "holds bytes that no text has; it is binary, or UTF-16 without a byte order mark"
          )
        }
        return whole
    }
  })

/** Converts UTF-16 to UTF-8. An unpaired surrogate becomes U+FFFD. */
const transcode = (
  bytes: Stream.Stream<Uint8Array | Damage, UnreadableInput>,
  encoding: "utf-16le" | "utf-16be"
): Stream.Stream<Uint8Array | Damage, UnreadableInput> =>
  Stream.suspend(() => {
    const decoder = new TextDecoder(encoding)
    const encoder = new TextEncoder()
    return bytes.pipe(
      Stream.map((part) => ("damage" in part ? part : encoder.encode(decoder.decode(part, { stream: true })))),
      Stream.concat(Stream.sync(() => encoder.encode(decoder.decode())))
    )
  })

/** Returns the first bytes, the stream including them, and whether they are the whole stream. */
const withHead = <A extends Uint8Array | Damage, E, R>(stream: Stream.Stream<A, E, R>, wanted: number) =>
  Effect.suspend(() => {
    let seen = 0
    const head = Sink.takeUntil((part: A) => "damage" in part || (seen += part.length) >= wanted)
    return Effect.map(Stream.peel(stream, head), ([parts, rest]) => {
      const bytes = Buffer.concat(parts.flatMap((part): ReadonlyArray<Uint8Array> => ("damage" in part ? [] : [part])))
      return [bytes.subarray(0, wanted), Stream.concat(Stream.fromIterable(parts), rest), seen < wanted] as const
    })
  })

const unpack = (
  name: string,
  bytes: Stream.Stream<Uint8Array | Damage, UnreadableInput>,
  kind: "gzip" | "zstd"
): Stream.Stream<Uint8Array | Damage, UnreadableInput> =>
  bytes.pipe(
    Stream.mapEffect((part) =>
      "damage" in part ? Effect.fail(unreadable(name, `cannot be unpacked: ${part.damage}`)) : Effect.succeed(part)
    ),
    NodeStream.pipeThroughDuplex({
      evaluate: () =>
        kind === "gzip"
          ? zlib.createGunzip({ chunkSize: chunkBytes })
          : zlib.createZstdDecompress({ chunkSize: chunkBytes }),
      // Decompression can refill the buffer during a pull: more reads per pull would hold more data in memory.
      chunkSize: 1,
      onError: (cause): Damage => ({
        damage: `the packed data ends early or is damaged (${cause instanceof Error ? cause.message : "unknown"})`
      })
    }),
    Stream.catch((error) => ("damage" in error ? Stream.succeed(error) : Stream.fail(error)))
  )

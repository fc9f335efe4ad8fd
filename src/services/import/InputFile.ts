/** A file, or standard input as `-`: its bytes, unpacked if gzip, and how many have been read. */
import * as NodeStream from "@effect/platform-node/NodeStream"
import { Effect, FileSystem, Result, Sink, Stdio, Stream } from "effect"
import type { PlatformError } from "effect"
import { createReadStream } from "node:fs"
import * as zlib from "node:zlib"
import { UnreadableInput } from "./ImportError.ts"

/** The packed data ends early or is damaged; the bytes before are valid. */
export interface Damage {
  readonly damage: string
}

export interface InputFile {
  /** For messages. */
  readonly name: string
  /** Packed size; `null` when unknown. */
  readonly totalBytes: number | null
  readonly bytesRead: () => number
  readonly content: Stream.Stream<Uint8Array | Damage, UnreadableInput>
}

const chunkBytes = 262_144

export const open = Effect.fn("InputFile.open")(function* (
  path: string
): Effect.fn.Return<InputFile, UnreadableInput, FileSystem.FileSystem | Stdio.Stdio> {
  const fs = yield* FileSystem.FileSystem
  const stdio = yield* Stdio.Stdio
  const isStdin = path === "-"
  const name = isStdin ? "standard input" : path
  const unreadable = (message: string, cause?: unknown) =>
    new UnreadableInput({ message: `${name} ${message}.`, ...(cause === undefined ? {} : { cause }) })

  let totalBytes: number | null = null
  let isPipe = false
  if (isStdin) {
    if (yield* stdio.stdinIsTerminal) {
      return yield* unreadable("is the terminal; name a file, or send one with: ... < file")
    }
  } else {
    const info = yield* Effect.mapError(fs.stat(path), (error) => unreadable(reason(error), error))
    if (info.type === "Directory") return yield* unreadable("is a folder; name a file in it")
    // A pipe such as `<(...)` or /dev/stdin has no size, and no positions to read at.
    isPipe = info.type !== "File"
    totalBytes = isPipe ? null : Number(info.size)
    if (totalBytes === 0) return yield* unreadable("is empty")
  }

  let bytesRead = 0
  const stored = isStdin ? stdio.stdin : fs.stream(path, { chunkSize: chunkBytes })
  const piped = NodeStream.fromReadable<Uint8Array, UnreadableInput>({
    evaluate: () => createReadStream(path, { highWaterMark: chunkBytes }),
    onError: (cause) => unreadable("cannot be read", cause)
  })
  const raw = (isPipe ? piped : Stream.mapError(stored, (error) => unreadable(reason(error), error))).pipe(
    Stream.map((bytes) => {
      bytesRead += bytes.length
      return bytes
    })
  )
  const content = Stream.unwrap(
    Effect.gen(function* () {
      const [head, bytes] = yield* withHead(raw)
      if (head.length === 0) return yield* unreadable("is empty")
      const kind = inputKind(head)
      if (Result.isFailure(kind)) return yield* unreadable(kind.failure)
      if (kind.success === "text") return bytes
      const [inner, unpacked] = yield* withHead(unpack(bytes))
      const innerKind = inputKind(inner)
      if (Result.isFailure(innerKind)) return yield* unreadable(`(unpacked) ${innerKind.failure}`)
      if (innerKind.success === "gzip") return yield* unreadable("is packed twice; unpack it once")
      return unpacked
    })
  )
  return { name, totalBytes, bytesRead: () => bytesRead, content }
})

/** The longest signature below. */
const headBytes = 4

const starts = (head: Uint8Array, ...signature: ReadonlyArray<number>) =>
  signature.every((byte, index) => head[index] === byte)

/** How many bytes are searched for NUL. */
const searchedBytes = 4_096

/** The kind of the input by its first bytes, or what is wrong with it and what to do. */
const inputKind = (head: Uint8Array): Result.Result<"text" | "gzip", string> => {
  if (starts(head, 0x1f, 0x8b)) return Result.succeed("gzip")
  if (starts(head, 0xff, 0xfe) || starts(head, 0xfe, 0xff)) {
    return Result.fail("is UTF-16 text; save it as UTF-8, for example with: iconv -f UTF-16 -t UTF-8")
  }
  if (starts(head, 0x50, 0x4b, 0x03, 0x04)) return Result.fail("is a zip archive; unpack it first")
  if (starts(head, 0x28, 0xb5, 0x2f, 0xfd)) return Result.fail("is compressed by zstd; unpack it first, or use gzip")
  if (starts(head, 0x42, 0x5a, 0x68)) return Result.fail("is compressed by bzip2; unpack it first, or use gzip")
  if (starts(head, 0xfd, 0x37, 0x7a, 0x58)) return Result.fail("is compressed by xz; unpack it first, or use gzip")
  if (head.subarray(0, searchedBytes).includes(0)) {
    return Result.fail("holds bytes that no UTF-8 text has; it is binary, or UTF-16 that must be saved as UTF-8")
  }
  return Result.succeed("text")
}

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

/** The first bytes, and the whole stream. */
const withHead = <A extends Uint8Array | Damage, E, R>(stream: Stream.Stream<A, E, R>) =>
  Effect.suspend(() => {
    let seen = 0
    const head = Sink.takeUntil((part: A) => "damage" in part || (seen += part.length) >= headBytes)
    return Effect.map(Stream.peel(stream, head), ([parts, rest]) => {
      const bytes = parts.flatMap((part) => ("damage" in part ? [] : Array.from(part.subarray(0, searchedBytes))))
      return [Uint8Array.from(bytes), Stream.concat(Stream.fromIterable(parts), rest)] as const
    })
  })

const unpack = (
  bytes: Stream.Stream<Uint8Array, UnreadableInput>
): Stream.Stream<Uint8Array | Damage, UnreadableInput> =>
  bytes.pipe(
    NodeStream.pipeThroughDuplex({
      evaluate: () => zlib.createGunzip({ chunkSize: chunkBytes }),
      // Larger chunks would hold more unpacked data in memory.
      chunkSize: 1,
      onError: (cause): Damage => ({
        damage: `the packed data ends early or is damaged (${cause instanceof Error ? cause.message : "unknown"})`
      })
    }),
    Stream.catch((error) => ("damage" in error ? Stream.succeed(error) : Stream.fail(error)))
  )

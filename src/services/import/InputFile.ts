/** The input files of an import: their text as UTF-8, decompressed if they are gzip or zstd, and how far they have been read. */
import * as NodeStream from "@effect/platform-node/NodeStream"
import { Effect, Sink, Stream } from "effect"
import type { Scope } from "effect"
import { createHash } from "node:crypto"
import * as zlib from "node:zlib"
import * as ThirdPartyText from "../../domain/catalog/ThirdPartyText.ts"
import { UnreadableInput } from "./ImportError.ts"
import * as OtherFiles from "./OtherFiles.ts"
import type { Unpacking } from "./Unpacking.ts"

/** The compressed data is truncated or damaged; what was read before is valid. */
export interface Damage {
  readonly damage: string
}

export interface Archive {
  readonly name: string
  /** The file `meta.json` in the same folder of the archive, if there is one. */
  readonly meta?: LocatedFile
}

/** A file that exists and is not opened yet. */
export interface LocatedFile {
  /** The path, where there is one. To be shown or stored, it is cleaned. */
  readonly name: string
  /** The archive that contains the file. */
  readonly archive?: Archive
  /** The length of `bytes`; `null` if it is unknown. */
  readonly totalBytes: number | null
  readonly bytes: Stream.Stream<Uint8Array, UnreadableInput>
  readonly unpacking: Unpacking
  /** Of a file whose `bytes` can be read again, as those of a pipe cannot: another one after each change. */
  readonly version?: Effect.Effect<string, UnreadableInput>
}

export interface InputFile {
  readonly name: string
  readonly archive?: Archive
  readonly totalBytes: number | null
  readonly unpacking: Unpacking
  readonly bytesRead: () => number
  /** SHA-256 of the stored bytes that were read so far, in hexadecimal. */
  readonly sha256: () => string
  /** The beginning of the text, for detecting its format; its last character may be truncated. */
  readonly head: string
  /** Whether `head` is the whole text. */
  readonly isWhole: boolean
  readonly content: Stream.Stream<Uint8Array | Damage, UnreadableInput>
  /** The content once more, where it needs no unpacking. Fails at its end if the file has changed since it was opened. */
  readonly again?: Stream.Stream<Uint8Array, UnreadableInput>
}

export const chunkBytes = 262_144
/** Enough for most first records. */
const headBytes = 262_144
/** As much as the largest item of a JSON document has. */
const longHeadBytes = 16_777_216

/** `name` as it is: a name of a file may have any character, and the message none but visible ones. */
export const unreadable = (name: string, message: string, cause?: unknown) =>
  new UnreadableInput({
    message: `${ThirdPartyText.line(name)} ${message}.`,
    ...(cause === undefined ? {} : { cause })
  })

/** Opens a file and reads its beginning. */
export const open = Effect.fn("InputFile.open")(function* (
  located: LocatedFile
): Effect.fn.Return<InputFile, UnreadableInput, Scope.Scope> {
  const { archive, bytes, name, totalBytes, unpacking, version } = located
  const opened = version === undefined ? undefined : { version, before: yield* version }
  let bytesRead = 0
  const hash = createHash("sha256")
  const counted = Stream.map(bytes, (chunk) => {
    bytesRead += chunk.length
    hash.update(chunk)
    return chunk
  })
  const [text, isStored] = yield* toText(located, counted, 0)
  const [head, content, isWhole] = yield* withHead(text, headBytes)
  if (head.length === 0) return yield* unreadable(name, "is empty")
  const decoded = new TextDecoder("utf-8").decode(head)
  const other = OtherFiles.ofText(decoded)
  if (other !== undefined) return yield* unreadable(name, other)
  return {
    name,
    ...(archive === undefined ? {} : { archive }),
    totalBytes,
    unpacking,
    bytesRead: () => bytesRead,
    sha256: () => hash.copy().digest("hex"),
    head: decoded,
    isWhole,
    content,
    ...(opened === undefined || !isStored ? {} : { again: Stream.onEnd(bytes, unchanged(name, opened)) })
  }
})

const unchanged = (
  name: string,
  { before, version }: { readonly before: string; readonly version: Effect.Effect<string, UnreadableInput> }
): Effect.Effect<void, UnreadableInput> =>
  Effect.flatMap(version, (now) =>
    now === before ? Effect.void : Effect.fail(unreadable(name, "has changed while it was read; import it again"))
  )

/** The file with a longer beginning, for one whose first record is not in the usual one. */
export const withLongHead = Effect.fn("InputFile.withLongHead")(function* (
  file: InputFile
): Effect.fn.Return<InputFile, UnreadableInput, Scope.Scope> {
  const [head, content, isWhole] = yield* withHead(file.content, longHeadBytes)
  return { ...file, head: new TextDecoder("utf-8").decode(head), isWhole, content }
})

type Kind = "text" | "gzip" | "zstd" | "zip" | "utf-16le" | "utf-16be" | "bzip2" | "xz" | keyof typeof OtherFiles.ofKind

const signatures: ReadonlyArray<readonly [Kind, ReadonlyArray<number>]> = [
  ["gzip", [0x1f, 0x8b]],
  ["zstd", [0x28, 0xb5, 0x2f, 0xfd]],
  ["zip", [0x50, 0x4b, 0x03, 0x04]],
  ["utf-16le", [0xff, 0xfe]],
  ["utf-16be", [0xfe, 0xff]],
  ["bzip2", [0x42, 0x5a, 0x68]],
  ["xz", [0xfd, 0x37, 0x7a, 0x58]],
  ["pdf", [0x25, 0x50, 0x44, 0x46, 0x2d]],
  ["ole", [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]]
]

export const kindOf = (head: Uint8Array): Kind =>
  signatures.find(([, bytes]) => bytes.every((byte, at) => head[at] === byte))?.[0] ?? "text"

/** How many bytes are searched for NUL, which no text contains. */
const searchedBytes = 4_096
/** A compressed file may contain another compressed file. */
const maxPacking = 2

type Text = readonly [text: Stream.Stream<Uint8Array | Damage, UnreadableInput>, isStored: boolean]

/** `isStored`: whether the text is the bytes of the file. */
const toText = (
  located: LocatedFile,
  bytes: Stream.Stream<Uint8Array | Damage, UnreadableInput>,
  depth: number
): Effect.Effect<Text, UnreadableInput, Scope.Scope> =>
  Effect.gen(function* () {
    const { name } = located
    const [head, whole] = yield* withHead(bytes, searchedBytes)
    const kind = kindOf(head)
    switch (kind) {
      case "gzip":
      case "zstd":
        if (depth >= maxPacking) return yield* unreadable(name, "is packed more than twice; unpack it once")
        return yield* toText(located, unpack(located, whole, kind, depth), depth + 1)
      case "utf-16le":
      case "utf-16be":
        return [transcode(whole, kind), false]
      case "zip":
        return yield* unreadable(name, "is a zip archive within another file; unpack it once")
      case "bzip2":
      case "xz":
        return yield* unreadable(name, `is compressed by ${kind}; unpack it first, or use gzip, zstd or zip`)
      case "pdf":
      case "ole":
        return yield* unreadable(name, OtherFiles.ofKind[kind])
      case "text":
        if (head.includes(0)) {
          return yield* unreadable(
            name,
            "holds bytes that no text has; it is binary, or UTF-16 without a byte order mark"
          )
        }
        return [whole, depth === 0]
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
export const withHead = <A extends Uint8Array | Damage, E, R>(stream: Stream.Stream<A, E, R>, wanted: number) =>
  Effect.suspend(() => {
    let seen = 0
    const head = Sink.takeUntil((part: A) => "damage" in part || (seen += part.length) >= wanted)
    return Effect.map(Stream.peel(stream, head), ([parts, rest]) => {
      const bytes = Buffer.concat(parts.flatMap((part): ReadonlyArray<Uint8Array> => ("damage" in part ? [] : [part])))
      return [bytes.subarray(0, wanted), Stream.concat(Stream.fromIterable(parts), rest), seen < wanted] as const
    })
  })

/** Counts unpacked bytes, and fails if there are too many. */
export const unpacked = (
  { name, unpacking }: Pick<LocatedFile, "name" | "unpacking">,
  { length }: Uint8Array
): Effect.Effect<void, UnreadableInput> => {
  const problem = unpacking.addUnpacked(length)
  return problem === undefined ? Effect.void : Effect.fail(unreadable(name, problem))
}

const unpack = (
  located: LocatedFile,
  bytes: Stream.Stream<Uint8Array | Damage, UnreadableInput>,
  kind: "gzip" | "zstd",
  depth: number
): Stream.Stream<Uint8Array | Damage, UnreadableInput> =>
  bytes.pipe(
    Stream.mapEffect((part) => {
      if ("damage" in part) return Effect.fail(unreadable(located.name, `cannot be unpacked: ${part.damage}`))
      // Of a file in an archive, the bytes of the archive count.
      if (depth === 0 && located.archive === undefined) located.unpacking.addPacked(part.length)
      return Effect.succeed(part)
    }),
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
    Stream.catch((error) => ("damage" in error ? Stream.succeed(error) : Stream.fail(error))),
    Stream.tap((part) => ("damage" in part ? Effect.void : unpacked(located, part)))
  )

/**
 * The snapshot file: an index in the bytes that it has in memory, so that a start need not rebuild it.
 *
 *     prologue    32 bytes: magic, format version, offset, length and checksum of the directory, its own checksum
 *     arrays      each aligned to 64 bytes
 *     directory   JSON: identity, niches, spellings, and the name, kind, length, offset and checksum of each array
 *
 * The prologue is written last, so a truncated file has none. A CRC-32 covers every byte that is read: of the prologue, of the
 * directory with the checksums of the arrays, and of each array. The byte order is the machine's; the magic detects another one.
 * A checksum proves nothing of who wrote a file, so that places and values are checked as well before they are used.
 */
import { Effect, Result, Schema } from "effect"
import type { Scope } from "effect"
import * as fs from "node:fs/promises"
import { crc32 } from "node:zlib"
import { openRegular } from "../../WholeFile.ts"
import { SegmentBuilder } from "../index/Build.ts"
import * as Bounds from "../index/Bounds.ts"
import { Spellings } from "../index/IndexedRecords.ts"
import { spellingKinds } from "../../../domain/search/CatalogQuery.ts"
import { constructors, kindOf, record, shared } from "../index/Segment.ts"
import type { TypedArray } from "../index/Segment.ts"
import { Identity } from "./IndexState.ts"
import { Niche } from "../../../domain/search/CatalogAnswer.ts"
import type { IndexState } from "./IndexState.ts"
import { arraysOf, mapArrays } from "./SegmentArrays.ts"

/** A view without rows: the names and kinds of the arrays of every view. */
const template = new SegmentBuilder(new Spellings()).finish()

/** Increase it when the meaning of the arrays' values changes, or the form of the directory. */
const layoutVersion = 6

/** Of another version of the arrays, by their names and kinds, a file is not read. */
export const formatVersion = crc32(
  JSON.stringify([layoutVersion, arraysOf(template).map(({ array, name }) => [name, kindOf(array)])])
)

const prologueBytes = 32
const alignment = 64
/** Written as a number, so that a machine with the other byte order reads another value. */
const magic = 0x58_44_49_44
/** Bytes between two awaits, so that the event loop is blocked for a few milliseconds at most. */
const chunkBytes = 8 * 2 ** 20
/** A directory has some hundred kilobytes. A larger claim means damage. */
const maxDirectoryBytes = 2 ** 30

/** Why this program cannot use a file as a snapshot. */
export class UnusableSnapshot extends Schema.TaggedError<UnusableSnapshot>()("UnusableSnapshot", {
  file: Schema.String,
  message: Schema.String
}) {}

export class SnapshotFailed extends Schema.TaggedError<SnapshotFailed>()("SnapshotFailed", {
  message: Schema.String,
  cause: Schema.Defect()
}) {}

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))
const Kind = Schema.Literals(["Uint8Array", "Uint16Array", "Int32Array", "Uint32Array", "Float64Array"])

const Entry = Schema.Struct({
  /** `<view>.<name>` */
  name: Schema.String,
  kind: Kind,
  length: Count,
  offset: Count,
  crc: Count
})
type Entry = typeof Entry.Type

const Directory = Schema.Struct({
  identity: Identity,
  niches: Schema.Array(Niche),
  spellings: Schema.Struct(record(spellingKinds, () => Schema.Array(Schema.String))),
  bases: Count,
  /** For each view, the number of pseudo-stores in its segment. */
  views: Schema.Array(Count),
  arrays: Schema.Array(Entry)
})
type Directory = typeof Directory.Type

const decodeDirectory = Schema.decodeUnknownResult(Schema.fromJsonString(Directory))

const aligned = (offset: number): number => Math.ceil(offset / alignment) * alignment

const bytesOf = (array: TypedArray) => new Uint8Array(array.buffer, array.byteOffset, array.byteLength)

/** Opens a new or a regular file for the length of a scope. */
const open = (file: string, flags: "r" | "wx"): Effect.Effect<fs.FileHandle, SnapshotFailed, Scope.Scope> =>
  Effect.acquireRelease(
    attempt(`cannot open ${file}`, () => (flags === "r" ? openRegular(file) : fs.open(file, flags))),
    (handle) => Effect.ignore(attempt(`cannot close ${file}`, () => handle.close()))
  )

const attempt = <A>(message: string, evaluate: () => Promise<A>): Effect.Effect<A, SnapshotFailed> =>
  Effect.tryPromise({ try: evaluate, catch: (cause) => new SnapshotFailed({ message, cause }) })

/** Writes a snapshot to a new file, and syncs it to the disk. */
export const write = (file: string, state: IndexState): Effect.Effect<void, SnapshotFailed> =>
  Effect.scoped(
    Effect.gen(function* () {
      const handle = yield* open(file, "wx")
      const put = Effect.fnUntraced(function* (bytes: Uint8Array, offset: number) {
        let crc = 0
        for (let at = 0; at < bytes.length;) {
          const chunk = bytes.subarray(at, at + chunkBytes)
          const { bytesWritten } = yield* attempt(`cannot write ${file}`, () =>
            handle.write(chunk, 0, chunk.length, offset + at)
          )
          crc = crc32(chunk.subarray(0, bytesWritten), crc)
          at += bytesWritten
        }
        return crc
      })

      let end = prologueBytes
      const arrays: Array<Entry> = []
      for (const [index, view] of state.list.entries()) {
        for (const { array, name } of arraysOf(view)) {
          const offset = aligned(end)
          const crc = yield* put(bytesOf(array), offset)
          arrays.push({ name: `${index}.${name}`, kind: kindOf(array), length: array.length, offset, crc })
          end = offset + array.byteLength
        }
      }
      const directory: Directory = {
        identity: state.identity,
        niches: state.niches,
        spellings: state.spellings,
        bases: state.bases,
        views: state.list.map(({ segment }) => segment.pseudoStores),
        arrays
      }
      const text = Buffer.from(JSON.stringify(directory))
      const crc = yield* put(text, end)
      yield* put(prologueOf({ offset: end, length: text.length, crc }), 0)
      yield* attempt(`cannot sync ${file}`, () => handle.sync())
    })
  )

interface Place {
  readonly offset: number
  readonly length: number
  readonly crc: number
}

const prologueOf = ({ crc, length, offset }: Place): Uint8Array => {
  const bytes = Buffer.alloc(prologueBytes)
  new Uint32Array(bytes.buffer, bytes.byteOffset, 1)[0] = magic
  bytes.writeUint32LE(formatVersion, 4)
  bytes.writeDoubleLE(offset, 8)
  bytes.writeUint32LE(length, 16)
  bytes.writeUint32LE(crc, 20)
  bytes.writeUint32LE(crc32(bytes.subarray(0, 24)), 24)
  return bytes
}

/** The directory of a file, without its arrays. */
export interface Opened {
  readonly directory: Directory
  readonly read: Effect.Effect<IndexState, UnusableSnapshot | SnapshotFailed>
}

export const openSnapshot = Effect.fnUntraced(
  function* (file: string): Effect.fn.Return<Opened, UnusableSnapshot | SnapshotFailed, Scope.Scope> {
    const unusable = (message: string) => new UnusableSnapshot({ file, message })
    const handle = yield* open(file, "r")
    const { size } = yield* attempt(`cannot read ${file}`, () => handle.stat())

    /** Fills `bytes` from the file. */
    const fill = Effect.fnUntraced(function* (bytes: Uint8Array, offset: number) {
      let crc = 0
      for (let at = 0; at < bytes.length;) {
        const length = Math.min(chunkBytes, bytes.length - at)
        const { bytesRead } = yield* attempt(`cannot read ${file}`, () => handle.read(bytes, at, length, offset + at))
        if (bytesRead === 0) return yield* unusable("it was cut short")
        crc = crc32(bytes.subarray(at, at + bytesRead), crc)
        at += bytesRead
      }
      return crc
    })

    const prologue = Buffer.alloc(prologueBytes)
    if (size < prologueBytes) return yield* unusable("it was cut short")
    yield* fill(prologue, 0)
    if (new Uint32Array(prologue.buffer, prologue.byteOffset, 1)[0] !== magic) {
      return yield* unusable("it is no snapshot, or one of a machine of the other byte order")
    }
    const format = prologue.readUint32LE(4)
    if (prologue.readUint32LE(24) !== crc32(prologue.subarray(0, 24))) return yield* unusable("its prologue is damaged")
    if (format !== formatVersion) return yield* unusable(`it has format ${format}, not ${formatVersion}`)
    const place = {
      offset: prologue.readDoubleLE(8),
      length: prologue.readUint32LE(16),
      crc: prologue.readUint32LE(20)
    }
    if (place.length > maxDirectoryBytes || place.offset + place.length !== size) {
      return yield* unusable("it was cut short, or something was added to it")
    }
    const text = Buffer.alloc(place.length)
    if ((yield* fill(text, place.offset)) !== place.crc) return yield* unusable("its directory is damaged")
    const decoded = decodeDirectory(text.toString("utf8"))
    if (Result.isFailure(decoded)) return yield* unusable("its directory is of another form")
    const directory = decoded.success

    const read = Effect.gen(function* () {
      const arrays = new Map<string, TypedArray>()
      let end = prologueBytes
      for (const { crc, kind, length, name, offset } of directory.arrays) {
        const bytes = length * constructors[kind].BYTES_PER_ELEMENT
        // As they were written, one after another, so that all together are no larger than the file.
        if (offset !== aligned(end) || offset + bytes > place.offset)
          return yield* unusable(`its array ${name} is out of place`)
        end = offset + bytes
        const array: TypedArray = shared(kind, length)
        if ((yield* fill(bytesOf(array), offset)) !== crc) return yield* unusable(`its array ${name} is damaged`)
        arrays.set(name, array)
      }
      const state = yield* Effect.try({
        try: (): IndexState => ({
          identity: directory.identity,
          niches: directory.niches,
          spellings: directory.spellings,
          bases: directory.bases,
          list: directory.views.map((pseudoStores, index) => {
            const view = mapArrays(template, ({ array, name }) => {
              const found = arrays.get(`${index}.${name}`)
              if (found === undefined || kindOf(found) !== kindOf(array))
                throw new Error(`it has no ${name} of its kind`)
              return found
            })
            return { ...view, segment: { ...view.segment, pseudoStores } }
          })
        }),
        catch: (cause) => unusable(messageOf(cause))
      })
      yield* Effect.try({ try: () => checkNames(state), catch: (cause) => unusable(messageOf(cause)) })
      for (const view of state.list) {
        yield* Effect.yieldNow
        yield* Effect.try({
          try: () => Bounds.check(view, state.spellings),
          catch: (cause) => unusable(messageOf(cause))
        })
      }
      return state
    }).pipe(Effect.catchDefect((defect) => Effect.fail(unusable(messageOf(defect)))))
    return { directory, read }
  },
  (effect, file) =>
    Effect.catchDefect(effect, (defect) => Effect.fail(new UnusableSnapshot({ file, message: messageOf(defect) })))
)

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

/** Checks what holds for the list as a whole: each store is live once, and the niches are a tree. */
const checkNames = ({ bases, list, niches }: IndexState): void => {
  if (bases > list.length) throw new RangeError("the number of its bases is out of bounds")
  const live = new Set<number>()
  for (const view of list) {
    for (const [row, id] of view.segment.storeIds.entries()) {
      if (view.live[row] !== 1) continue
      if (live.has(id)) throw new RangeError(`store ${id} is live twice`)
      live.add(id)
    }
  }
  const parents = new Map(niches.map(({ id, parentId }) => [id, parentId]))
  if (parents.size !== niches.length) throw new RangeError("a niche is there twice")
  for (const { id } of niches) {
    let at = parents.get(id) ?? null
    for (let steps = 0; at !== null; steps++) {
      if (steps > niches.length || at === id) throw new RangeError(`niche ${id} is above itself`)
      at = parents.get(at) ?? null
    }
  }
}

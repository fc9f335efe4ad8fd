import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { crc32 } from "node:zlib"
import { differences } from "../../../../src/services/search/index/Compare.ts"
import { Spellings } from "../../../../src/services/search/index/IndexedRecords.ts"
import { constructors } from "../../../../src/services/search/index/Segment.ts"
import { namesOf, publish } from "../../../../src/services/search/runtime/IndexState.ts"
import type { IndexState } from "../../../../src/services/search/runtime/IndexState.ts"
import { runJob } from "../../../../src/services/search/runtime/SearchThread.ts"
import type { Job } from "../../../../src/services/search/runtime/SearchThread.ts"
import { openSnapshot, write } from "../../../../src/services/search/runtime/Snapshot.ts"
import { Snapshots } from "../../../../src/services/search/runtime/Snapshots.ts"
import { generate } from "../../../oracle/NaiveCatalog.ts"
import * as Random from "../../../oracle/Random.ts"
import { segmentOf } from "../../../oracle/segments.ts"
import { temporaryFolder } from "../../../support/PrivatePostgres.ts"

const stateOf = (seed: number, shops: number, version = 7): IndexState => {
  const catalog = generate(seed, shops)
  const spellings = new Spellings()
  const list = [
    segmentOf(catalog, spellings, (id) => id % 2 === 0),
    segmentOf(catalog, spellings, (id) => id % 2 !== 0)
  ]
  return {
    identity: { catalogId: "5e3f", version, token: `token ${version}` },
    niches: catalog.niches.map(({ id, name, parent_id }) => ({ id, parentId: parent_id, name })),
    spellings: namesOf(spellings),
    bases: 1,
    list
  }
}

/** What a reader of the file would search; none where it is refused. */
const read = (file: string) =>
  Effect.scoped(Effect.flatMap(openSnapshot(file), ({ read }) => read)).pipe(
    Effect.asSome,
    Effect.catchTag("UnusableSnapshot", () => Effect.succeed(Option.none<IndexState>()))
  )

const isSame = (a: IndexState, b: IndexState) =>
  JSON.stringify([a.identity, a.niches, a.spellings, a.bases]) ===
    JSON.stringify([b.identity, b.niches, b.spellings, b.bases]) && differences(a, b, ["a", "b"]).length === 0

const all = () => Effect.succeed(true)

describe("a snapshot", () => {
  it.live("gives back what was written", () =>
    Effect.gen(function* () {
      const file = path.join(yield* temporaryFolder, "a.index")
      const state = stateOf(3, 40)
      yield* write(file, state)
      const found = Option.getOrThrow(yield* read(file))
      assert.deepStrictEqual(differences(state, found, ["a", "b"]), [])
      assert.isTrue(isSame(state, found))
      assert.deepStrictEqual(found.list, state.list)
      assert.instanceOf(found.list[0]?.segment.storeIds.buffer, SharedArrayBuffer)
    }).pipe(Effect.scoped)
  )

  it.live(
    "every byte that is flipped is noticed or harmless",
    () =>
      Effect.gen(function* () {
        const file = path.join(yield* temporaryFolder, "a.index")
        const both = stateOf(1, 2)
        const state = { ...both, list: both.list.slice(0, 1) }
        yield* write(file, state)
        const whole = fs.readFileSync(file)
        let refused = 0
        for (let at = 0; at < whole.length; at++) {
          const broken = Buffer.from(whole)
          broken[at] = (broken[at] ?? 0) ^ (1 << (at % 8))
          fs.writeFileSync(file, broken)
          const found = yield* read(file)
          if (Option.isNone(found)) refused++
          else assert.isTrue(isSame(state, found.value), `byte ${at}`)
        }
        // All but the gaps between arrays.
        assert.isAbove(refused, whole.length / 3)
      }).pipe(Effect.scoped),
    120_000
  )

  it.live("cut anywhere, or with something behind it, it is refused", () =>
    Effect.gen(function* () {
      const file = path.join(yield* temporaryFolder, "a.index")
      yield* write(file, stateOf(1, 10))
      const whole = fs.readFileSync(file)
      const random = Random.make(1)
      const lengths = Array.from({ length: 200 }, () => random.int(0, whole.length - 1))
      for (const length of [...lengths, 0, 31, 32, whole.length - 1]) {
        fs.writeFileSync(file, whole.subarray(0, length))
        assert.isTrue(Option.isNone(yield* read(file)), `cut at ${length}`)
      }
      fs.writeFileSync(file, Buffer.concat([whole, Buffer.from("x")]))
      assert.isTrue(Option.isNone(yield* read(file)))
    }).pipe(Effect.scoped)
  )
})

interface ArrayEntry {
  readonly name: string
  readonly kind: keyof typeof constructors
  length: number
  offset: number
  crc: number
}

interface Forged {
  readonly bytes: Buffer
  readonly directory: { readonly arrays: Array<ArrayEntry>; niches: Array<object>; bases: number; views: Array<number> }
}

/** A file with other contents and right checksums. */
const forge = (whole: Buffer, change: (forged: Forged) => void): Buffer => {
  const at = whole.readDoubleLE(8)
  const forged: Forged = {
    bytes: Buffer.from(whole.subarray(0, at)),
    directory: JSON.parse(whole.toString("utf8", at))
  }
  change(forged)
  const { bytes, directory } = forged
  for (const entry of directory.arrays) {
    const length = entry.length * constructors[entry.kind].BYTES_PER_ELEMENT
    entry.crc = crc32(bytes.subarray(entry.offset, entry.offset + length))
  }
  const text = Buffer.from(JSON.stringify(directory))
  bytes.writeUInt32LE(text.length, 16)
  bytes.writeUInt32LE(crc32(text), 20)
  bytes.writeUInt32LE(crc32(bytes.subarray(0, 24)), 24)
  return Buffer.concat([bytes, text])
}

/** One search of each kind and order, and the numbers of a filter form and of an overview. */
const jobs: ReadonlyArray<Job> = [
  ...(["visits", "growth", "created"] as const).flatMap((figure) =>
    (["stores", "products", "ads"] as const).map((subject): Job => ({
      kind: "search",
      query: {
        subject,
        stores: [],
        words: figure === "growth" ? [["a", "s="]] : [],
        order: { _tag: "ByStore", figures: [figure], isDescending: true },
        offset: 0,
        limit: 25
      }
    }))
  ),
  ...(["score", "price", "created", "started"] as const).flatMap((column) =>
    [true, false].map((isDescending): Job => ({
      kind: "search",
      query: {
        subject: column === "started" ? "ads" : "products",
        stores: [],
        words: isDescending ? [["s"]] : [],
        order: { _tag: "ByItem", column, isDescending },
        offset: 0,
        limit: 25
      }
    }))
  ),
  {
    kind: "search",
    query: { subject: "ads", stores: [], words: [], order: { _tag: "Grouped" }, offset: 0, limit: 25 }
  },
  { kind: "facets", query: { subject: "stores", stores: [], words: [] } }
]

/** Searches of a thread that would never end. */
const maxChecks = 100_000

const searchAll = (state: IndexState, what: string) => {
  const { leaders } = publish(state, new Spellings(state.spellings))
  for (const job of jobs) {
    let checks = 0
    const outcome = runJob({ list: state.list, leaders }, job, {
      check: () => {
        if (++checks > maxChecks) throw new Error("it does not end")
      }
    })
    assert.strictEqual(outcome._tag, "Done", `${what}: ${outcome._tag === "Failed" ? String(outcome.error) : ""}`)
    if (outcome._tag !== "Done" || !("page" in outcome.answer)) continue
    for (const { id } of outcome.answer.page) assert.isTrue(Number.isSafeInteger(id) && id > 0, what)
  }
}

describe("a forged snapshot", () => {
  it.live("that claims more than it has is refused before memory is taken", () =>
    Effect.gen(function* () {
      const file = path.join(yield* temporaryFolder, "a.index")
      yield* write(file, stateOf(1, 5))
      const whole = fs.readFileSync(file)
      const changes: ReadonlyArray<(entry: ArrayEntry, all: Array<ArrayEntry>) => void> = [
        (entry) => (entry.length = 2 ** 33),
        (entry) => (entry.length = Number.MAX_SAFE_INTEGER),
        (entry) => (entry.offset = 2 ** 40),
        (entry) => (entry.offset = 0),
        (entry, all) => (entry.offset = all[0]?.offset ?? 0),
        (_, all) => void all.splice(0, all.length, ...all.toReversed()),
        (entry, all) => void all.push(...Array.from({ length: 1_000 }, (_, at) => ({ ...entry, name: `9.${at}` })))
      ]
      for (const [number, change] of changes.entries()) {
        fs.writeFileSync(
          file,
          forge(whole, ({ directory }) => {
            const entry = directory.arrays[5]
            if (entry !== undefined) change(entry, directory.arrays)
          })
        )
        const failure = yield* Effect.flip(Effect.scoped(Effect.flatMap(openSnapshot(file), ({ read }) => read)))
        assert.strictEqual(failure._tag, "UnusableSnapshot", `${number}: ${failure.message}`)
        assert.match(failure.message, /out of place/, String(number))
      }
    }).pipe(Effect.scoped)
  )

  it.live("with words out of order, or hits behind the last row, is refused", () =>
    Effect.gen(function* () {
      const file = path.join(yield* temporaryFolder, "a.index")
      const state = stateOf(4, 12)
      yield* write(file, state)
      const whole = fs.readFileSync(file)
      const { gaps, textOffsets } = state.list[1]?.segment.ads.words ?? assert.fail()
      const changes = [
        // The second word begins with the character 0.
        { array: "words.text", byte: 2 * (textOffsets[1] ?? 0), value: [0, 0] },
        // The first word is greater than any other.
        { array: "words.text", byte: 0, value: [255, 255] },
        { array: "words.gaps", byte: gaps.length - 1, value: [127] },
        // A byte that says that another one follows.
        { array: "words.gaps", byte: gaps.length - 1, value: [128] }
      ]
      for (const { array, byte, value } of changes) {
        const forged = forge(whole, ({ bytes, directory }) => {
          const entry = directory.arrays.find(({ name }) => name.startsWith("1.") && name.endsWith(`ads.${array}`))
          bytes.set(value, (entry?.offset ?? assert.fail(array)) + byte)
        })
        fs.writeFileSync(file, forged)
        const failure = yield* Effect.flip(Effect.scoped(Effect.flatMap(openSnapshot(file), ({ read }) => read)))
        assert.match(failure.message, /ads\.words is out of bounds/u, `${array} ${byte}`)
      }
    }).pipe(Effect.scoped)
  )

  it.live(
    "with any value in any of its arrays is refused, or is searched to its end",
    () =>
      Effect.gen(function* () {
        const file = path.join(yield* temporaryFolder, "a.index")
        const state = stateOf(4, 12)
        yield* write(file, state)
        searchAll(state, "as it was written")
        const whole = fs.readFileSync(file)
        const random = Random.make(5)
        let refused = 0
        let tried = 0
        const arrays: ReadonlyArray<ArrayEntry> = JSON.parse(whole.toString("utf8", whole.readDoubleLE(8))).arrays
        for (const { kind, length, name, offset } of arrays) {
          const size = constructors[kind].BYTES_PER_ELEMENT
          for (const fill of [0, 1, 127, 255, undefined]) {
            if (length === 0) continue
            const at = offset + size * random.int(0, length - 1)
            const value = Array.from({ length: size }, () => fill ?? random.int(0, 255))
            const forged = forge(whole, ({ bytes }) => bytes.set(value, at))
            fs.writeFileSync(file, forged)
            tried++
            const found = yield* read(file)
            if (Option.isNone(found)) refused++
            else searchAll(found.value, `${name} at ${at}: ${value.join(" ")}`)
          }
        }
        assert.isAbove(refused, tried / 2)
      }).pipe(Effect.scoped),
    120_000
  )

  it.live("with other numbers or niches in its directory is refused", () =>
    Effect.gen(function* () {
      const file = path.join(yield* temporaryFolder, "a.index")
      yield* write(file, stateOf(1, 5))
      const whole = fs.readFileSync(file)
      const changes: ReadonlyArray<(directory: Forged["directory"]) => void> = [
        (directory) => (directory.bases = 3),
        (directory) => (directory.views = [99, 0]),
        (directory) => directory.views.push(0),
        (directory) => void directory.arrays.pop(),
        (directory) => directory.niches.push({ id: 7_001, parentId: 7_001, name: "A" }),
        (directory) =>
          directory.niches.push({ id: 7_001, parentId: 7_002, name: "A" }, { id: 7_002, parentId: 7_001, name: "B" }),
        (directory) =>
          directory.niches.push({ id: 7_001, parentId: null, name: "A" }, { id: 7_001, parentId: null, name: "B" })
      ]
      for (const [number, change] of changes.entries()) {
        fs.writeFileSync(
          file,
          forge(whole, ({ directory }) => change(directory))
        )
        assert.isTrue(Option.isNone(yield* read(file)), String(number))
      }
    }).pipe(Effect.scoped)
  )
})

describe("snapshots of a folder", () => {
  const filesOf = (folder: string) => fs.readdirSync(path.join(folder, "5e3f")).sort()
  const withFolder = <A, E>(use: (folder: string) => Effect.Effect<A, E, Snapshots>) =>
    Effect.flatMap(temporaryFolder, (folder) => Effect.provide(use(folder), Snapshots.layer(folder))).pipe(
      Effect.scoped
    )

  it.live("the newest two are kept, and what runs that are dead left half-written goes", () =>
    withFolder((folder) =>
      Effect.gen(function* () {
        const snapshots = yield* Snapshots
        fs.mkdirSync(path.join(folder, "5e3f"))
        // No process has this id: it is above what the system gives.
        fs.writeFileSync(path.join(folder, "5e3f", "0000000001.999999999.part"), "half")
        // In a container, the process that was killed had the id of this one.
        for (const sequence of [1, 9]) {
          fs.writeFileSync(path.join(folder, "5e3f", `000000000${sequence}.${process.pid}.part`), "half")
        }
        fs.writeFileSync(path.join(folder, "5e3f", "0000000001.0.part"), "half")
        const ofRunning = `0000000001.${process.ppid}.part`
        fs.writeFileSync(path.join(folder, "5e3f", ofRunning), "half")
        for (const version of [5, 6, 3]) yield* snapshots.save(stateOf(1, 5, version))
        assert.deepStrictEqual(filesOf(folder), [ofRunning, "0000000002-v6.index", "0000000003-v3.index"])
      })
    )
  )

  it.live("one that is damaged, foreign or of another history is left aside for the next older one", () =>
    withFolder((folder) =>
      Effect.gen(function* () {
        const snapshots = yield* Snapshots
        const state = stateOf(1, 5, 5)
        yield* snapshots.save(state)
        yield* snapshots.save(stateOf(1, 5, 6))
        const newest = () => snapshots.newest("5e3f", all)
        assert.strictEqual(Option.getOrThrow(yield* newest()).identity.version, 6)

        const isOld = yield* snapshots.newest("5e3f", ({ version }) => Effect.succeed(version < 6))
        assert.strictEqual(Option.getOrThrow(isOld).identity.version, 5)
        assert.isTrue(Option.isNone(yield* snapshots.newest("another", all)))

        const file = path.join(folder, "5e3f", "0000000002-v6.index")
        const bytes = fs.readFileSync(file)
        fs.writeFileSync(file, bytes.subarray(0, bytes.length / 2))
        assert.strictEqual(Option.getOrThrow(yield* newest()).identity.version, 5)

        yield* snapshots.save({ ...state, identity: { ...state.identity, version: 9 } })
        const copied = path.join(folder, "other")
        fs.mkdirSync(copied)
        fs.copyFileSync(path.join(folder, "5e3f", "0000000003-v9.index"), path.join(copied, "0000000001-v9.index"))
        assert.isTrue(Option.isNone(yield* snapshots.newest("other", all)))
      })
    )
  )

  it.live(
    "a process that is killed while it writes leaves the last whole one, and what it left half-written goes",
    () =>
      withFolder((folder) =>
        Effect.gen(function* () {
          const snapshots = yield* Snapshots
          const program = fileURLToPath(new URL("../../../support/SaveForever.ts", import.meta.url))
          const random = Random.make(1)
          for (let round = 0; round < 3; round++) {
            const told = yield* Effect.promise(() => killedAfter(program, folder, random.int(2, 8), random.int(0, 20)))
            const newest = Option.getOrThrow(yield* snapshots.newest("5e3f", all))
            // It may have been killed between giving the last one its name and telling so.
            assert.include([told, told + 1], newest.identity.version)
            yield* snapshots.save(newest)
            assert.lengthOf(
              filesOf(folder).filter((name) => name.endsWith(".part")),
              0
            )
          }
        })
      )
  )
})

/** Runs the program until it has told of so many snapshots, and some milliseconds more; gives the last that it told of. */
const killedAfter = (program: string, folder: string, snapshots: number, millis: number) =>
  new Promise<number>((resolve) => {
    let told = 0
    const child = spawn(process.execPath, [program, folder], { stdio: ["ignore", "pipe", "inherit"] })
    child.stdout.on("data", (chunk: Buffer) => {
      const before = told
      told = Number(chunk.toString("utf8").trim().split("\n").at(-1))
      if (before < snapshots && told >= snapshots) setTimeout(() => child.kill("SIGKILL"), millis)
    })
    child.on("close", () => resolve(told))
  })

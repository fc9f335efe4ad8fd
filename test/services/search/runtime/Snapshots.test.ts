import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { differences } from "../../../../src/services/search/index/Compare.ts"
import { Spellings } from "../../../../src/services/search/index/Records.ts"
import { namesOf } from "../../../../src/services/search/runtime/IndexState.ts"
import type { IndexState } from "../../../../src/services/search/runtime/IndexState.ts"
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

/** Files that are read as a whole, and what may be in their place. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Result, Stdio, Stream } from "effect"
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import * as CollectFolder from "../../src/services/collect/CollectFolder.ts"
import * as DomainList from "../../src/services/collect/DomainList.ts"
import * as Signatures from "../../src/services/collect/Signatures.ts"
import * as DataFolder from "../../src/services/database/DataFolder.ts"
import * as FileLocator from "../../src/services/import/FileLocator.ts"
import * as Mapping from "../../src/services/import/formats/Mapping.ts"
import * as StorefrontShop from "../../src/services/import/formats/StorefrontShop.ts"
import { Unpacking } from "../../src/services/import/Unpacking.ts"
import { Snapshots } from "../../src/services/search/runtime/Snapshots.ts"
import * as WholeFile from "../../src/services/WholeFile.ts"
import { oakline } from "../support/FileImports.ts"
import { temporaryFolder } from "../support/PrivatePostgres.ts"

const messageOf = <A, E extends { readonly message: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.result(effect), (result) => (Result.isFailure(result) ? result.failure.message : "was read"))

/** What is no regular file, and a link to each. */
const others: ReadonlyArray<readonly [what: string, make: (file: string) => void]> = [
  ["a pipe", (file) => void execFileSync("mkfifo", [file])],
  ["a folder", (file) => fs.mkdirSync(file)],
  ["a device", (file) => fs.symlinkSync("/dev/zero", file)],
  [
    "a link to a pipe",
    (file) => {
      execFileSync("mkfifo", [`${file}.pipe`])
      fs.symlinkSync(`${file}.pipe`, file)
    }
  ]
]

describe("a file that is read as a whole", () => {
  it.live("is read up to its limit, and no byte more", () =>
    Effect.gen(function* () {
      const file = path.join(yield* temporaryFolder, "a")
      for (const length of [0, 1, 65_536, 65_537, 200_000]) {
        const content = Buffer.alloc(length, "a")
        fs.writeFileSync(file, content)
        assert.isTrue((yield* WholeFile.bytes(file, length)).equals(content))
        if (length === 0) continue
        assert.match(yield* messageOf(WholeFile.bytes(file, length - 1)), /a is larger than \d+ bytes$/)
      }
      fs.symlinkSync(file, `${file}.link`)
      assert.lengthOf(yield* WholeFile.text(`${file}.link`, 200_000), 200_000)
      assert.isUndefined(yield* WholeFile.bytesIfThere(`${file}.none`, 1))
      assert.match(yield* messageOf(WholeFile.bytes(`${file}.none`, 1)), /a\.none does not exist$/)
    }).pipe(Effect.scoped)
  )

  it.live.each(others)("is refused if it is %s", ([, make]) =>
    Effect.gen(function* () {
      const file = path.join(yield* temporaryFolder, "a")
      make(file)
      assert.strictEqual(yield* messageOf(WholeFile.bytesIfThere(file, 9)), `${file} is no regular file`)
    }).pipe(Effect.scoped)
  )

  it.live.each(others)("is refused by every reader if it is %s", ([, make]) =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const at = (name: string) => {
        const file = path.join(folder, name)
        fs.mkdirSync(path.dirname(file), { recursive: true })
        make(file)
        return file
      }
      const meta = at("store/meta.json")
      const products = path.join(folder, "store", "products.json")
      const messages = [
        yield* messageOf(StorefrontShop.describe({ name: products }, { ...oakline, metaPath: undefined })),
        yield* messageOf(StorefrontShop.describe({ name: "a.json" }, { ...oakline, metaPath: meta })),
        yield* messageOf(Mapping.load(at("map.json"))),
        yield* messageOf(Signatures.load(at("signatures.json"))),
        yield* messageOf(DomainList.read([at("domains.txt")])),
        yield* messageOf(CollectFolder.open(path.dirname(path.dirname(at("one/.collect/state.ndjson"))))),
        yield* messageOf(CollectFolder.open(path.dirname(path.dirname(at("two/.collect/running")))))
      ]
      for (const message of messages) assert.include(message, "is no regular file")
      const lock = messageOf(DataFolder.removeStaleLock(path.dirname(at("data/postmaster.pid"))))
      assert.match(yield* lock, /cannot be read or removed/)

      at("index/5e3f/0000000001-v7.index")
      const newest = Effect.flatMap(Snapshots, (snapshots) => snapshots.newest("5e3f", () => Effect.succeed(true)))
      assert.isTrue(Option.isNone(yield* Effect.provide(newest, Snapshots.layer(path.join(folder, "index")))))
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )
})

describe("the files of an import", () => {
  it.live("are no devices, and in a folder or by a pattern no pipes either", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      fs.writeFileSync(path.join(folder, "a.ndjson"), "{}")
      execFileSync("mkfifo", [path.join(folder, "b.ndjson")])
      fs.symlinkSync("/dev/zero", path.join(folder, "c.ndjson"))
      for (const name of [folder, path.join(folder, "*.ndjson")]) {
        const located = yield* FileLocator.locate(name, new Unpacking())
        assert.deepStrictEqual(
          located.map((file) => path.basename(file.name)),
          ["a.ndjson"]
        )
      }
      for (const name of ["/dev/zero", path.join(folder, "c.ndjson")]) {
        assert.include(yield* messageOf(FileLocator.locate(name, new Unpacking())), "is a device or a socket")
      }
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )
})

describe("standard input with domains", () => {
  it.effect("has a limit", () => {
    const part = Buffer.alloc(2 ** 20, "#\n")
    const stdin = Stream.fromIterable(Array.from({ length: 33 }, () => part))
    return messageOf(DomainList.read(["-"])).pipe(
      Effect.map((message) => assert.include(message, "Standard input has more than 33554432 bytes")),
      Effect.provide(Stdio.layerTest({ stdin }))
    )
  })
})

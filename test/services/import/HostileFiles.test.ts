/** Files that an attacker writes: what a storefront sends, or a list of stores that someone offers. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Stdio, Stream } from "effect"
import * as FileReader from "../../../src/services/import/FileReader.ts"
import { Importer } from "../../../src/services/import/Importer.ts"
import type { ImportChunk } from "../../../src/services/import/ImportSource.ts"
import { join, nothing } from "../../../src/services/import/formats/Reading.ts"
import * as Random from "../../oracle/Random.ts"
import { defaults, oakline } from "../../support/FileImports.ts"
import { samples, values, worseValues } from "../../support/HostileFiles.ts"
import type { Path, Sample, Value } from "../../support/HostileFiles.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { zipOf } from "../../support/Zip.ts"

const read = (file: string | Uint8Array, options: FileReader.ReadOptions) =>
  Effect.gen(function* () {
    const set = yield* FileReader.read(["-"], options)
    const chunks = yield* Stream.runCollect(set.chunks)
    const { files, kept } = set.outcome()
    return {
      chunks,
      formats: files.map(({ format }) => format),
      names: files.map(({ name }) => name),
      records: chunks.flatMap(({ rows }) => rows.map(({ record }) => record)),
      rejects: chunks.flatMap(({ rejects }) => rejects),
      kept
    }
  }).pipe(Effect.scoped, Effect.provide(Stdio.layerTest({ stdin: Stream.make(Buffer.from(file)) })))

/** The texts in a value that PostgreSQL refuses. */
const unstorable = (value: unknown): ReadonlyArray<string> => {
  if (typeof value === "string") return value.isWellFormed() && !value.includes("\0") ? [] : [JSON.stringify(value)]
  return typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([name, inner]) => [...unstorable(name), ...unstorable(inner)])
    : []
}

/** Reads a file to its end, unless it is refused. Nothing else ends it, and nothing is read that cannot be stored. */
const survive = Effect.fnUntraced(function* (sample: Sample, records: ReadonlyArray<string>, what: string) {
  const found = yield* read(sample.fileOf(records), sample.options).pipe(
    Effect.catchTag("UnreadableInput", ({ message }) => Effect.succeed(message)),
    Effect.catchDefect((defect) => Effect.sync(() => assert.fail(`${sample.name}, ${what}: ${String(defect)}`)))
  )
  if (typeof found === "string") return undefined
  assert.deepStrictEqual(unstorable([found.records, found.kept]), [], `${sample.name}, ${what}`)
  return found
})

const only = (sample: Sample, number: number, path: Path, value: Value) => sample.recordWith(number, [[path, value]])

const first = 5_000
const last = 8_888

/** Where a file of U+0000 is refused as a whole, because it seems to be no text. */
const searchedBytes = 4_096

const packed = samples.filter(({ hasRecords }) => hasRecords)

const goodRecords = (sample: Sample) => {
  const count = Math.ceil(searchedBytes / sample.recordWith(first, []).length)
  return Array.from({ length: count }, (_, at) => sample.recordWith(first - at, []))
}

/** A file for each place, with every value in it, between good records. */
const filesOf = (sample: Sample) => {
  const good = goodRecords(sample)
  return sample.paths.map((path) => ({
    what: `at .${path.join(".")}`,
    records: [
      ...good,
      ...values.map((value, at) => only(sample, first + 1 + at, path, value)),
      sample.recordWith(last, [])
    ]
  }))
}

layer(NodeServices.layer, { excludeTestServices: true })("a hostile file", (it) => {
  it.effect.each(packed.map((sample) => [sample.name, sample] as const))(
    "is read to its end, whatever is in any place of a record: %s",
    ([, sample]) =>
      Effect.gen(function* () {
        for (const { records, what } of filesOf(sample)) {
          const found = yield* survive(sample, records, what)
          assert.deepStrictEqual(found?.formats, [sample.format], `${sample.name}, ${what}`)
          assert.include(JSON.stringify(found?.records), String(last), `${sample.name}, ${what}`)
          for (const { line, reason } of found?.rejects ?? []) assert.isTrue(line > 0 && reason !== "")
        }
      })
  )

  it.effect("is read to its end or refused, with any values in several places of its first record or its header", () =>
    Effect.gen(function* () {
      const random = Random.make(1)
      for (let number = 0; number < 400; number++) {
        const sample = random.pick(samples)
        const places = random.some(sample.paths, 1, 4).map((path) => [path, random.pick(values)] as const)
        const what = places.map(([path, { what }]) => `${what} at .${path.join(".")}`).join(", ")
        yield* survive(sample, [sample.recordWith(1, places), sample.recordWith(last, [])], what)
      }
    })
  )

  it.effect("is read to its end or refused, with values that are nested deeply, cut off or long", () =>
    Effect.gen(function* () {
      const random = Random.make(2)
      for (const sample of samples) {
        for (const value of worseValues) {
          const inner = random.pick(sample.paths)
          for (const path of new Set([[], inner])) {
            yield* survive(
              sample,
              [only(sample, 1, path, value), sample.recordWith(last, [])],
              `${value.what} at .${path.join(".")}`
            )
          }
        }
      }
    })
  )

  it.effect("is refused at its line for a handle or an id of an ad that has no address", () =>
    Effect.gen(function* () {
      const reason = "must not contain control characters"
      const variants = [{ price: "1.00" }]
      const page = (...handles: ReadonlyArray<string>) =>
        JSON.stringify({ products: handles.map((handle) => ({ id: 7, title: "A", handle, variants })) })
      const ad = (ids: object) => JSON.stringify({ snapshot: {}, page_name: "A", start_date: 1_772_323_200, ...ids })
      const options = { ...defaults, store: oakline }
      assert.deepStrictEqual((yield* read(page("tray", "\uD800"), options)).rejects, [
        { line: 2, field: "key", reason, file: "standard input", sourceRows: 1 }
      ])
      const bad = ad({ ad_archive_id: "\uDC00", page_id: "\u0000", is_active: true })
      const good = ad({ ad_archive_id: "9", page_id: "8", is_active: true })
      const { records, rejects } = yield* read(`[${good},${bad},${good}]`, options)
      assert.deepStrictEqual(
        rejects.map(({ field, line, reason }) => [line, field, reason]),
        // The other ids are optional: such a value is unknown, and no reason to reject the record.
        [[2, "key", reason]]
      )
      assert.lengthOf(records, 2)
    })
  )

  it("may have one item with more rejected records than a call has arguments", () => {
    const kept = Array.from({ length: 200_000 }, () => ({ shop: null, key: "9" }))
    assert.lengthOf(join([{ ...nothing, kept }]).kept ?? [], kept.length)
  })

  it.effect.each(["", "a.b", "."])("is refused if its records are in a list called %j, which no path has", (name) =>
    Effect.gen(function* () {
      const products = [{ id: 7, title: "A", handle: "a", variants: [{ price: "1.00" }] }]
      const options = { ...defaults, store: oakline }
      const { message } = yield* Effect.flip(read(JSON.stringify({ [name]: { products } }), options))
      assert.include(message, "is of no format that is known")
    })
  )

  it.effect("has a name without hidden characters, in whatever archive it comes", () =>
    Effect.gen(function* () {
      const archive = zipOf({ "a\u0000\u001B[2J\u202E.csv": "domain,month,visits\na.com,2026-05,5\n" })
      assert.deepStrictEqual((yield* read(archive, defaults)).names, ["standard input:a[2J.csv"])
    })
  )

  it.effect("leaves what can be stored, and nothing that the database refuses", () =>
    Effect.gen(function* () {
      const importer = yield* Importer
      const chunks: Array<ImportChunk> = []
      for (const sample of packed) {
        const some = sample.paths.flatMap((path, at) =>
          [at, at + 13, at + 26].map((value) => [path, values[value % values.length] ?? values[0]] as const)
        )
        const records = some.flatMap(([path, value], at) =>
          value === undefined ? [] : [only(sample, first + 1 + at, path, value)]
        )
        const found = yield* survive(sample, [...goodRecords(sample), ...records], "in several places")
        chunks.push(...(found?.chunks ?? []))
      }
      const rejects: Array<string> = []
      const { tallies } = yield* importer.run(Stream.fromIterable(chunks), {
        provenance: { source: "hostile", license: null, asOf: defaults.asOf },
        maxRejects: Infinity,
        onRejects: (more) => Effect.sync(() => void rejects.push(...more.map(({ reason }) => reason))),
        onProgress: () => Effect.void
      })
      assert.deepStrictEqual(
        rejects.filter((reason) => reason.startsWith("the database")),
        []
      )
      for (const { added } of Object.values(tallies)) assert.isAbove(added, 10)
    }).pipe(Effect.provide(Importer.layer.pipe(Layer.provideMerge(TestDatabase.layer))))
  )
})

/**
 * Reads the files in `test/fixtures/import`, as the command `import` does. Each has beside it what is expected of it:
 * `<folder>/<trap>.<extension>`, or a folder of files that are read by one command, and `<folder>/<trap>.expected.json`. The name of the
 * folder is the format that must be detected; files in `refused` are no input. A file that needs a map has `<trap>.map.json`.
 * The files `every-…` have all columns and names that a format reads, and no others.
 *
 * `-u` writes the expectations. Read the difference.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, expect, it, layer } from "@effect/vitest"
import { Effect, Equal, FileSystem, Layer, Predicate, Result, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { recorded } from "../../../src/domain/catalog/Figures.ts"
import * as fs from "node:fs"
import * as FileReader from "../../../src/services/import/FileReader.ts"
import { layoutOf } from "../../../src/services/import/CsvRows.ts"
import { formats } from "../../../src/services/import/formats/Format.ts"
import { fieldsOf, recordNames } from "../../../src/services/import/formats/MapFields.ts"
import * as Mapping from "../../../src/services/import/formats/Mapping.ts"
import * as CatalogFeed from "../../../src/services/import/formats/CatalogFeed.ts"
import * as ProductCsv from "../../../src/services/import/formats/ProductCsv.ts"
import * as ShopCsv from "../../../src/services/import/formats/ShopCsv.ts"
import * as WooCommerce from "../../../src/services/import/formats/WooCommerce.ts"
import * as ColumnMeanings from "../../../src/services/import/formats/ColumnMeanings.ts"
import { nothingLoaded } from "../../../src/services/import/LoadedBatch.ts"
import { Importer } from "../../../src/services/import/Importer.ts"
import { defaults, nobody, run, runNames } from "../../support/FileImports.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const root = "test/fixtures/import"
const refused = "refused"
const expectedEnding = ".expected.json"
const mapEnding = ".map.json"

const folders = fs.readdirSync(root)
const entries = folders.flatMap((folder) => fs.readdirSync(`${root}/${folder}`).map((name) => `${folder}/${name}`))
const inputs = entries.filter((entry) => !entry.endsWith(expectedEnding) && !entry.endsWith(mapEnding))
/** Without the ending of the file; a trap has no point in its name. */
const trapOf = (entry: string) => entry.replace(/\..*$/u, "")
const trapsOf = (ending: string) => entries.filter((entry) => entry.endsWith(ending)).map(trapOf)

/** A merchant's export does not name its store. */
const store = { ...nobody, domain: "oakline.example.com" }

const mappingOf = Effect.fnUntraced(function* (entry: string) {
  const map = `${root}/${trapOf(entry)}${mapEnding}`
  return fs.existsSync(map) ? yield* Mapping.load(map) : undefined
})

/** `at`: the folder of the file. */
const read = Effect.fnUntraced(function* (entry: string, at: string = root) {
  const folder = entry.slice(0, entry.indexOf("/") + 1)
  const short = (name: string) => name.replaceAll(`${at}/${folder}`, "")
  const mapping = yield* mappingOf(entry)
  const set = yield* FileReader.read([`${at}/${entry}`], { ...defaults, mapping, store })
  const chunks = yield* Stream.runCollect(set.chunks)
  const { files, kept, wholeStores } = set.outcome()
  const sum = (count: "otherCurrencies" | "archiveAds") => chunks.reduce((sum, { [count]: of = 0 }) => sum + of, 0)
  const place = ({ file = "", line }: { readonly file?: string; readonly line: number }) =>
    files.length > 1 ? { file: short(file), line } : { line }
  /** The lines of a bulk operation are sorted by product, so that their order is open. */
  const inOrder = <A extends { readonly file?: string; readonly line: number }>(found: ReadonlyArray<A>) =>
    files.flatMap(({ name }) => found.filter(({ file }) => file === name).toSorted((a, b) => a.line - b.line))
  const leftOut = Map.groupBy(
    chunks.flatMap((chunk) => chunk.leftOut ?? []),
    (reason) => reason
  )
  const invalidFields = Map.groupBy(
    chunks.flatMap((chunk) => chunk.invalidFields ?? []),
    (field) => field
  )
  const others = {
    files: files.length > 1 ? files.map(({ name }) => short(name)) : [],
    leftOut: Array.from(leftOut, ([reason, { length }]) => `${reason} ${length}`),
    otherCurrencies: sum("otherCurrencies"),
    archiveAds: sum("archiveAds"),
    invalidFields: Array.from(invalidFields, ([field, { length }]) => `${field} ${length}`),
    wholeStores,
    kept,
    lacksAds: set.outcome().lacksAds
  }
  const isKnown = (value: unknown) => value !== 0 && value !== false && !(Array.isArray(value) && value.length === 0)
  return {
    formats: files.map(({ format }) => format),
    found: {
      ...Object.fromEntries(Object.entries(others).filter(([, value]) => isKnown(value))),
      rejects: inOrder(chunks.flatMap(({ rejects }) => rejects)).map(({ field, reason, ...of }) => ({
        ...place(of),
        field,
        reason
      })),
      records: inOrder(chunks.flatMap(({ rows }) => rows)).map(({ category, currencies = [], record, ...of }) => ({
        ...place(of),
        ...(category === undefined ? {} : { category }),
        ...(currencies.length === 0 ? {} : { currencies }),
        record
      }))
    }
  }
}, Effect.scoped)

/** JSON with each record and each reject on a line of its own. */
const written = (found: object): string => {
  const list = (items: ReadonlyArray<unknown>) =>
    items.length === 0 ? "[]" : `[\n${items.map((item) => `    ${JSON.stringify(item)}`).join(",\n")}\n  ]`
  const lines = Object.entries(found).map(
    ([name, value]: readonly [string, unknown]) =>
      `  ${JSON.stringify(name)}: ${Array.isArray(value) ? list(value) : JSON.stringify(value)}`
  )
  return `{\n${lines.join(",\n")}\n}\n`
}

const compare = (entry: string, found: object) =>
  Effect.promise(() =>
    expect(written(found)).toMatchFileSnapshot(`../../fixtures/import/${trapOf(entry)}${expectedEnding}`)
  )

describe("the files of fixtures", () => {
  it("have each what is expected of it beside it, and no other files are there", () => {
    assert.deepStrictEqual(trapsOf(expectedEnding).toSorted(), inputs.map(trapOf).toSorted())
    const traps = new Set(inputs.map(trapOf))
    assert.deepStrictEqual(
      trapsOf(mapEnding).filter((trap) => !traps.has(trap)),
      []
    )
  })

  it("are of every format", () => {
    assert.sameMembers(folders, [...Object.keys(formats), refused])
  })
})

layer(NodeServices.layer)("each file of fixtures", (it) => {
  it.effect.each(inputs)("is read as expected: %s", (entry) =>
    Effect.gen(function* () {
      if (entry.startsWith(`${refused}/`)) {
        const { message } = yield* Effect.flip(read(entry))
        return yield* compare(entry, { error: message.replaceAll(`${root}/`, "") })
      }
      const { formats, found } = yield* read(entry)
      const format = entry.slice(0, entry.indexOf("/"))
      assert.include(formats, format)
      // Texts that stand in the files for tokens and for the data of persons.
      assert.notMatch(JSON.stringify(found), /SECRET|PERSON/)
      yield* compare(entry, found)
    })
  )
})

/** The names in a JSON document, such as `variants` and `variants.price`. */
const namesIn = (value: unknown, before = ""): ReadonlyArray<string> => {
  if (Array.isArray(value)) return value.flatMap((item) => namesIn(item, before))
  if (!Predicate.isObject(value)) return []
  return Object.entries(value).flatMap(([name, inner]) => [before + name, ...namesIn(inner, `${before}${name}.`)])
}

/** The document without the values of a name. */
const lacking = (value: unknown, path: ReadonlyArray<string>): unknown => {
  if (Array.isArray(value)) return value.map((item) => lacking(item, path))
  if (!Predicate.isObject(value)) return value
  const [first, ...others] = path
  return Object.fromEntries(
    Object.entries(value).flatMap(([own, inner]) => {
      if (own !== first) return [[own, inner] as const]
      return others.length === 0 ? [] : [[own, lacking(inner, others)] as const]
    })
  )
}

const linesOf = (content: string) => content.trimEnd().split("\n")
const isTable = (entry: string) => entry.endsWith(".csv")
const documentsOf = (entry: string, content: string): ReadonlyArray<unknown> =>
  (entry.endsWith(".jsonl") ? linesOf(content) : [content]).map((text): unknown => JSON.parse(text))

/** The columns of a table, or the names in a document. */
const columnsOf = (entry: string): ReadonlyArray<string> => {
  const content = fs.readFileSync(`${root}/${entry}`, "utf8")
  if (isTable(entry)) return layoutOf(content).header
  return Array.from(new Set(namesIn(documentsOf(entry, content))))
}

const contentWithout = (entry: string, column: string): string => {
  const content = fs.readFileSync(`${root}/${entry}`, "utf8")
  if (isTable(entry)) {
    const place = layoutOf(content).header.indexOf(column)
    const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`
    return linesOf(content)
      .map((line) => layoutOf(line).header.toSpliced(place, 1).map(quoted).join(","))
      .join("\n")
  }
  return documentsOf(entry, content)
    .map((document) => JSON.stringify(lacking(document, column.split("."))))
    .join("\n")
}

const complete = inputs.filter((entry) => entry.includes("/every-"))

layer(NodeServices.layer)("every column", (it) => {
  it.effect.each(complete)("of a file changes what is read of it: %s", (entry) =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const folder = yield* files.makeTempDirectoryScoped()
      yield* files.makeDirectory(`${folder}/${entry.slice(0, entry.indexOf("/"))}`)
      const readWithout = Effect.fnUntraced(function* (column: string) {
        yield* files.writeFileString(`${folder}/${entry}`, contentWithout(entry, column))
        return yield* Effect.result(read(entry, folder))
      })
      const whole = yield* Effect.result(read(entry))
      const columns = columnsOf(entry)
      assert.isNotEmpty(columns)
      const unread = yield* Effect.filter(columns, (column) =>
        Effect.map(readWithout(column), (found) => Equal.equals(found, whole))
      )
      assert.deepStrictEqual(unread, [])
    })
  )

  it("that a format reads is in one of these files", () => {
    const missing = (format: string, names: ReadonlyArray<string>) => {
      const found = complete.filter((entry) => entry.startsWith(`${format}/`)).flatMap(columnsOf)
      const known = new Set(found.map((name) => name.toLowerCase().replace(/^(?:products|data)\./u, "")))
      return names.filter((name) => !known.has(name.toLowerCase())).map((name) => `${format}: ${name}`)
    }
    // The status of a store only shows that a table is a list of stores.
    const { status: _, ...shopColumns } = ShopCsv.columns
    // The figures are read alike, by their units.
    const figures = recorded.filter(({ unit }, at) => recorded.findIndex((other) => other.unit === unit) < at)
    const others = Object.entries(shopColumns).filter(([name]) => !figures.some(({ field }) => field === name))
    const networks = ShopCsv.networkColumns.map(([, name]) => name)
    assert.deepStrictEqual(
      [
        ...Object.entries({
          storefront: ColumnMeanings.storefront,
          bulk: ColumnMeanings.bulk,
          meta: ColumnMeanings.meta,
          ads: ColumnMeanings.ads
        }).flatMap(([format, meanings]) =>
          missing(
            format,
            meanings.map(([name]) => name)
          )
        ),
        ...missing("products", Object.values(ProductCsv.names).flat()),
        ...missing("woocommerce", Object.values(WooCommerce.names).flat()),
        ...missing("catalog", Object.values(CatalogFeed.names).flat()),
        ...missing("shops", [...others.flatMap(([, names]) => names), ...networks])
      ],
      []
    )
    const mapped = complete.flatMap((entry) => {
      const map = `${root}/${trapOf(entry)}${mapEnding}`
      if (!fs.existsSync(map)) return []
      const { fields, record } = Result.getOrThrow(Mapping.decode(JSON.parse(fs.readFileSync(map, "utf8"))))
      return Object.keys(fields).map((field) => `${record}.${field}`)
    })
    const fields = recordNames.flatMap((record) => Object.keys(fieldsOf[record]).map((field) => `${record}.${field}`))
    const alike = new Set(figures.map(({ field }) => `shop.${field}`))
    const isNeeded = (field: string) => !alike.has(field)
    assert.sameMembers(mapped.filter(isNeeded), fields.filter(isNeeded))
  })
})

/** The tables that an import writes, except for those of the imports themselves. */
const tables =
  "ad catalog catalog_version category niche page_store product shop shop_change source traffic_month".split(" ")

const rows = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const each = tables.map((name) => `SELECT '${name}' AS name, to_jsonb(t) AS row FROM ${name} t`)
  return yield* sql.unsafe(`${each.join(" UNION ALL ")} ORDER BY 1, 2`)
})

const stores = ["oakline", "lamp", "desk"].map((name) =>
  JSON.stringify({ type: "partial_shop", domain: `${name}.example.com`, country: "DE", currency: "EUR" })
)

const Services = Layer.effectDiscard(run({ "stores.ndjson": stores.join("\n") })).pipe(
  Layer.provideMerge(Importer.layer),
  Layer.provideMerge(TestDatabase.layer),
  Layer.provideMerge(NodeServices.layer)
)

layer(Services, { excludeTestServices: true })("each file of fixtures, imported again", (it) => {
  it.effect.each(inputs.filter((entry) => !entry.startsWith(`${refused}/`)))("D58 changes nothing: %s", (entry) =>
    Effect.gen(function* () {
      const mapping = yield* mappingOf(entry)
      const imported = runNames([`${root}/${entry}`], {
        store,
        source: entry,
        ...(mapping === undefined ? {} : { mapping })
      })
      const first = yield* imported
      const before = yield* rows
      const second = yield* imported
      assert.deepStrictEqual([second.tallies, second.rejects], [nothingLoaded.tallies, first.rejects])
      assert.deepStrictEqual(yield* rows, before)
    })
  )
})

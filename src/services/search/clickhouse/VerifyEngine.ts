/**
 * Compares what is published in ClickHouse with the records, row by row and value by value (D109).
 *
 * The rows that the records of a page of stores make are compared with the rows that hold between the page before and the end of this
 * one, so that rows of stores without records are found as well, and no more than a page is in memory. Words are compared by a digest.
 */
import { Duration, Effect, Schedule, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import { createHash } from "node:crypto"
import { adIdsOf } from "../../../domain/catalog/StorelessAds.ts"
import { Spellings } from "../index/IndexedRecords.ts"
import type { PseudoStoreContent, StoreContent } from "../index/IndexedRecords.ts"
import { record } from "../index/Segment.ts"
import { CatalogReader } from "../runtime/CatalogReader.ts"
import type { CatalogView, Head, Page } from "../runtime/CatalogReader.ts"
import { nichesText } from "../runtime/VerifyIndex.ts"
import { ClickHouse } from "./ClickHouse.ts"
import type { ClickHouseError } from "./ClickHouseErrors.ts"
import { draft, gather, live, select } from "./Conditions.ts"
import { placeOf, subjectOf } from "./EngineCatalog.ts"
import * as EngineRows from "./EngineRows.ts"
import * as EngineState from "./EngineState.ts"
import type { PlacedState } from "./EngineState.ts"
import { kinds } from "./EngineTables.ts"
import type { Cluster, Kind } from "./EngineTables.ts"
import { readSettings } from "./EngineWrites.ts"
import type { Row, Value } from "./InsertBody.ts"
import { keepVersions } from "./ProjectorLock.ts"

/** ClickHouse has no version, or another one than the records. */
export class EngineBehind extends Schema.TaggedError<EngineBehind>()("EngineBehind", { message: Schema.String }) {}

export interface Verified {
  readonly version: number
  /** For people: how many of each kind, and the first ones. */
  readonly differences: ReadonlyArray<string>
}

export interface Options {
  /** How often the versions are looked at, until both are the same. */
  readonly attempts: number
  /** Rows of one answer. */
  readonly readRows: number
}

const defaults: Options = { attempts: 60, readRows: 10_000 }
const pause = Duration.seconds(1)
const statementTime = Duration.minutes(5)

const faults = ["missing", "additional", "twice", "different"] as const
type Fault = (typeof faults)[number]

const textOf: Readonly<Record<Fault, string>> = {
  missing: "in the records only",
  additional: "in ClickHouse only",
  twice: "in ClickHouse more than once",
  different: "with other values"
}

const maxExamples = 5
const maxExampleLength = 300

interface Found {
  count: number
  readonly examples: Array<string>
}

/** Counts the differences, and keeps the first ones of each kind. */
const makeReport = () => {
  const found = record(kinds, () => record(faults, (): Found => ({ count: 0, examples: [] })))
  return {
    add: (kind: Kind, fault: Fault, example: string): void => {
      const all = found[kind][fault]
      all.count++
      if (all.examples.length < maxExamples) all.examples.push(example.slice(0, maxExampleLength))
    },
    lines: (): ReadonlyArray<string> =>
      kinds.flatMap((kind) =>
        faults.flatMap((fault) => {
          const { count, examples } = found[kind][fault]
          if (count === 0) return []
          return [
            `${subjectOf[kind]} ${textOf[fault]}: ${count}${count > examples.length ? ", such as" : ""}`,
            ...examples.map((example) => `  ${example}`)
          ]
        })
      )
  }
}

const digest = "word_digest"

/** The columns that are compared, in the order of a row. */
const compared = record(kinds, (kind) =>
  EngineRows.namesOf(kind).flatMap((name, at) =>
    name === "from_version" || name === "until_version" ? [] : [{ at, name: name === "words" ? digest : name }]
  )
)

/** In the order in which they are: the same records make the same one. */
const digestOf = (words: Value | undefined): string => {
  const list = Array.isArray(words) ? words : []
  return `${list.length} ${createHash("sha256").update(list.join("\n")).digest("hex")}`
}

const digestSql = `concat(toString(length(words)), ' ', lower(hex(SHA256(arrayStringConcat(words, '\\n'))))) AS ${digest}`

const Held = Schema.Record(Schema.String, Schema.Union([Schema.Finite, Schema.String, Schema.Array(Schema.String)]))
type Held = typeof Held.Type

const keys: Readonly<Record<Kind, ReadonlyArray<string>>> = {
  store: ["id"],
  product: ["shop_id", "id"],
  ad: ["shop_id", "id"]
}

/** Above the first one, up to the last one. */
interface Range {
  readonly after: number | undefined
  readonly to: number | undefined
}

const between = (column: string, { after, to }: Range): ReadonlyArray<string> => [
  ...(after === undefined ? [] : [`${column} > ${after}`]),
  ...(to === undefined ? [] : [`${column} <= ${to}`])
]

/** The ads of pseudo-stores, whose ids descend as those of their ads ascend. */
const storeless = ({ after, to }: Range): ReadonlyArray<string> => [
  `shop_id = ${EngineRows.noStore}`,
  ...(after === undefined ? [] : [`id < ${adIdsOf(after)[0]}`]),
  ...(to === undefined ? [] : [`id >= ${adIdsOf(to)[0]}`])
]

/** One content after the other: the words of a page are much more than their digests. */
function* each<A>(contents: ReadonlyArray<A>, rowsOf: (content: A) => ReadonlyArray<Row>): Generator<Row> {
  for (const content of contents) yield* rowsOf(content)
}

/** Compares the rows of a version, page by page. */
const makeComparison = (client: ClickHouse["Service"], cluster: Cluster, state: PlacedState, readRows: number) => {
  const place = placeOf(state, cluster, new Spellings())
  const report = makeReport()
  const highest = { ...EngineState.nothing }

  const stores = (content: StoreContent) => [EngineRows.ofContent(content, state.version)]
  const products = (content: StoreContent) => EngineRows.ofProducts(content, state.version)
  const ads = (content: StoreContent | PseudoStoreContent) => EngineRows.ofAds(content, state.version)

  /** The next rows of a range. Those with the key of the last one are among them. */
  const read = (kind: Kind, range: ReadonlyArray<string>, last: Held | undefined) => {
    const of = draft(place)
    const key = keys[kind].join(", ")
    const values = last === undefined ? [] : keys[kind].map((name) => Number(last[name]))
    const behind = last === undefined ? [] : [`${keys[kind][0]} >= ${values[0]}`, `(${key}) > (${values.join(", ")})`]
    const names = compared[kind].map(({ name }) => (name === digest ? digestSql : name)).join(", ")
    const first = `ORDER BY ${key} LIMIT ${readRows} WITH TIES`
    const shard = `${select(names, of.tables[subjectOf[kind]], [live(of), ...range, ...behind])} ${first}`
    const sql = `SELECT * FROM ${gather(of, shard)} ${first}`
    const options = { name: "verify", time: statementTime, settings: readSettings(cluster) }
    return client.query({ ...options, sql, params: of.parameters.values }, Held)
  }

  const nameOf = (kind: Kind, id: number, shop: unknown) =>
    `${kind} ${id}${kind === "store" || shop === EngineRows.noStore ? "" : ` of store ${String(shop)}`}`

  const compareRange = Effect.fnUntraced(function* (
    kind: Kind,
    range: ReadonlyArray<string>,
    rows: Iterable<Row>
  ): Effect.fn.Return<void, ClickHouseError> {
    const expected = new Map<number, Readonly<Record<string, Value | undefined>>>()
    for (const row of rows) {
      const values = compared[kind].map(({ at, name }) => [name, name === digest ? digestOf(row[at]) : row[at]])
      const byName: Readonly<Record<string, Value | undefined>> = Object.fromEntries(values)
      expected.set(Number(byName["id"]), byName)
    }
    const seen = new Set<number>()
    let last: Held | undefined
    for (;;) {
      const held: ReadonlyArray<Held> = yield* read(kind, range, last)
      for (const row of held) {
        const id = Number(row["id"])
        const name = nameOf(kind, id, row["shop_id"])
        const values = expected.get(id)
        if (values === undefined) {
          report.add(kind, "additional", name)
          continue
        }
        if (seen.has(id)) report.add(kind, "twice", name)
        else {
          const texts = Object.entries(values).flatMap(([column, value]) => {
            const [one, other] = [JSON.stringify(row[column]), JSON.stringify(value)]
            return one === other ? [] : [`${column} is ${one} in ClickHouse, ${other} in the records`]
          })
          if (texts.length > 0) report.add(kind, "different", `${name}: ${texts.join("; ")}`)
        }
        seen.add(id)
      }
      if (held.length < readRows) break
      last = held.at(-1)
    }
    for (const [id, values] of expected) {
      highest[kind] = Math.max(highest[kind], id)
      if (!seen.has(id)) report.add(kind, "missing", nameOf(kind, id, values["shop_id"]))
    }
  })

  const compareStoreless = (range: Range, contents: Page["pseudoStores"]) =>
    compareRange("ad", storeless(range), each(contents, ads))

  const compareStores = (range: Range, contents: Page["stores"]) =>
    Effect.all(
      [
        compareRange("store", between("id", range), each(contents, stores)),
        compareRange("product", between("shop_id", range), each(contents, products)),
        compareRange("ad", [`shop_id != ${EngineRows.noStore}`, ...between("shop_id", range)], each(contents, ads))
      ],
      { concurrency: "unbounded", discard: true }
    )

  return Effect.fnUntraced(function* (
    view: CatalogView
  ): Effect.fn.Return<ReadonlyArray<string>, ClickHouseError | SqlError.SqlError> {
    let [pseudoStore, store]: [number | undefined, number | undefined] = [undefined, undefined]
    yield* view.pages("all", (page) =>
      Effect.gen(function* () {
        const [lastPseudoStore, lastStore] = [page.pseudoStores.at(-1)?.id, page.stores.at(-1)?.store.id]
        if (lastPseudoStore !== undefined) {
          yield* compareStoreless({ after: pseudoStore, to: lastPseudoStore }, page.pseudoStores)
          pseudoStore = lastPseudoStore
        }
        if (lastStore !== undefined) {
          yield* compareStores({ after: store, to: lastStore }, page.stores)
          store = lastStore
        }
      })
    )
    yield* compareStoreless({ after: pseudoStore, to: undefined }, [])
    yield* compareStores({ after: store, to: undefined }, [])
    const published = EngineState.highestOf(state)
    return [
      ...(nichesText(state.niches) === nichesText(yield* view.niches) ? [] : ["the niches differ"]),
      ...kinds.flatMap((kind) =>
        published[kind] >= highest[kind]
          ? []
          : [
              `the highest id of ${subjectOf[kind]} is ${published[kind]} in ClickHouse, ${highest[kind]} in the records`
            ]
      ),
      ...report.lines()
    ]
  })
}

const behind = (state: PlacedState | undefined, head: Head): EngineBehind => {
  const has = state === undefined ? "no version" : `version ${state.version}`
  const isOther = state !== undefined && (state.catalog_id !== head.catalogId || state.version >= head.version)
  return new EngineBehind({
    message:
      `ClickHouse has ${has} of the catalog${isOther ? ", of another history" : ""}; the records have version ${head.version}. ` +
      "Try again when no import runs; `discovery engine project --once` brings ClickHouse up to date."
  })
}

/** Waits until ClickHouse has the version of the records, of which nothing is swept meanwhile. */
export const verify = Effect.fn("VerifyEngine.verify")(function* (
  cluster: Cluster,
  options: Partial<Options> = {}
): Effect.fn.Return<
  Verified,
  ClickHouseError | SqlError.SqlError | EngineBehind,
  CatalogReader | ClickHouse | SqlClient.SqlClient
> {
  const { attempts, readRows } = { ...defaults, ...options }
  const client = yield* ClickHouse
  const reader = yield* CatalogReader
  const sql = yield* SqlClient.SqlClient
  return yield* reader
    .use((view, head) =>
      Effect.gen(function* () {
        yield* keepVersions(sql)
        const state = yield* EngineState.read(client, cluster)
        if (state?.version !== head.version || state.token !== head.token || state.catalog_id !== head.catalogId) {
          return yield* behind(state, head)
        }
        const compare = makeComparison(client, cluster, state, readRows)
        return { version: state.version, differences: yield* compare(view) }
      })
    )
    .pipe(
      Effect.retry({
        while: ({ _tag }) => _tag === "EngineBehind",
        schedule: Schedule.spaced(pause),
        times: attempts - 1
      })
    )
})

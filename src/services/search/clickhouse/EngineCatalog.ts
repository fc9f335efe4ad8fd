/**
 * What is published in ClickHouse: the newest version, with its niches and its open vocabularies. Every query names the version, so
 * that it sees whole transactions.
 */
import { Duration, Effect, Schema } from "effect"
import { byStores, foldName } from "../../../domain/search/FoldName.ts"
import type { Catalog, VocabularyEntry } from "../../../domain/search/CatalogAnswer.ts"
import { spellingKinds } from "../../../domain/search/CatalogQuery.ts"
import type { SpellingKind, Subject } from "../../../domain/search/CatalogQuery.ts"
import type { Spellings } from "../index/IndexedRecords.ts"
import { record } from "../index/Segment.ts"
import { Int64 } from "./ClickHouse.ts"
import type { ClickHouse } from "./ClickHouse.ts"
import type { ClickHouseError } from "./ClickHouseErrors.ts"
import { draft, gather, live, select, storeRows } from "./Conditions.ts"
import type { Draft, Place } from "./Conditions.ts"
import { readSettings } from "./EngineWrites.ts"
import type { PlacedState } from "./EngineState.ts"
import { localTableOf } from "./EngineTables.ts"
import type { Cluster, Kind } from "./EngineTables.ts"
import { appNames } from "./GroupSql.ts"

/** A version of the catalog, and where its rows are. */
export interface EngineCatalog extends Catalog {
  readonly place: Place
}

export const subjectOf = { store: "stores", product: "products", ad: "ads" } as const satisfies Record<Kind, Subject>

/** Where the rows of a state are. */
export const placeOf = (state: PlacedState, cluster: Cluster, spellings: Spellings): Place => {
  const tableOf = (kind: Kind) => `\`${state.database}\`.${localTableOf(kind, state.generation, cluster)}`
  return {
    tables: { stores: tableOf("store"), products: tableOf("product"), ads: tableOf("ad") },
    ...(cluster === undefined ? {} : { cluster }),
    version: state.version,
    spellings
  }
}

const parts = [...spellingKinds, "niche", "stores", "products", "ads"] as const
const CountedName = Schema.Struct({ part: Schema.Literals(parts), name: Schema.String, stores: Int64 })

const countNames = (of: Draft): string => {
  const each = (part: (typeof parts)[number], name: string) => `'${part}' AS part, ${name} AS name, count() AS stores`
  const ofStores = (part: "theme" | "extension" | "niche", none: string) =>
    `${storeRows(of, [`${part} != ${none}`], each(part, `toString(${part})`))} GROUP BY name`
  const apps = storeRows(of, [], "arrayJoin(arrayDistinct(apps)) AS app")
  const statements = [
    ofStores("theme", "''"),
    ofStores("extension", "''"),
    ofStores("niche", "0"),
    `SELECT ${each("app", "toString(app)")} FROM (${apps}) GROUP BY name`,
    ...(["stores", "products", "ads"] as const).map((table) => select(each(table, "''"), of.tables[table], [live(of)]))
  ]
  return `SELECT part, name, sum(r.stores) AS stores FROM ${gather(of, statements.join(" UNION ALL "))} AS r GROUP BY part, name`
}

/** Stores of names that have several spellings, of which a store may have several. */
const countApps = (of: Draft, firsts: ReadonlyArray<string>): string => {
  const each = storeRows(of, [], `arrayJoin(${appNames(of)}) AS name`)
  const wanted = of.parameters.add("Array(String)", firsts)
  const shard = `SELECT 'app' AS part, name, count() AS stores FROM (${each}) WHERE name IN ${wanted} GROUP BY name`
  return `SELECT part, name, sum(r.stores) AS stores FROM ${gather(of, shard)} AS r GROUP BY part, name`
}

/** As index/NameCounts.ts has them. `ofName` has the stores of names for which the sum over spellings is too high. */
const entriesOf = (
  { leaders, names }: Spellings[SpellingKind],
  counts: ReadonlyMap<number, number>,
  ofName: ReadonlyMap<number, number>
): ReadonlyArray<VocabularyEntry> => {
  const byLeader = Map.groupBy(
    Array.from(counts.keys()).toSorted((one, other) => one - other),
    (id) => leaders[id] ?? id
  )
  const textOf = (id: number) => names[id - 1] ?? ""
  const storesOf = (id: number) => counts.get(id) ?? 0
  return Array.from(byLeader, ([id, ids]) => {
    const [best = id] = ids.toSorted((a, b) => storesOf(b) - storesOf(a) || (textOf(a) < textOf(b) ? -1 : 1))
    const name = textOf(best)
    const stores = ofName.get(id) ?? ids.reduce((sum, one) => sum + storesOf(one), 0)
    return { id, name, folded: foldName(name), stores, ids }
  }).sort(byStores)
}

/** The vocabularies of a large catalog take longer to count than a search. */
export const loadLimit = Duration.seconds(30)

/** `spellings` gets the names that are new; its codes stay, so that versions of one process agree. Ends within {@link loadLimit}. */
export const loadCatalog = Effect.fnUntraced(function* (
  engine: ClickHouse["Service"],
  state: PlacedState,
  cluster: Cluster,
  spellings: Spellings
): Effect.fn.Return<EngineCatalog, ClickHouseError> {
  const place = placeOf(state, cluster, spellings)
  const ask = (name: string, sql: (of: Draft) => string) => {
    const of = draft(place)
    const statement = {
      name,
      sql: sql(of),
      params: of.parameters.values,
      settings: readSettings(cluster),
      time: loadLimit
    }
    return engine.query(statement, CountedName)
  }
  const rows = (yield* ask("names", countNames)).toSorted((one, other) => (one.name < other.name ? -1 : 1))
  const counts = record(spellingKinds, (kind) => {
    const own = rows.filter(({ part }) => part === kind)
    return new Map(own.map(({ name, stores }) => [spellings[kind].intern(name), stores]))
  })
  const { leaders, names } = spellings.app
  const ambiguous = new Set(Array.from(counts.app.keys()).filter((id) => leaders[id] !== id))
  const firsts = Array.from(new Set(Array.from(ambiguous, (id) => leaders[id] ?? id)))
  const apps =
    firsts.length === 0
      ? []
      : yield* ask("apps", (of) =>
          countApps(
            of,
            firsts.map((id) => names[id - 1] ?? "")
          )
        )
  const ofName = new Map(apps.map(({ name, stores }) => [spellings.app.intern(name), stores]))
  const countOf = (part: "stores" | "products" | "ads") => rows.find((row) => row.part === part)?.stores ?? 0
  return {
    place,
    version: state.version,
    niches: state.niches,
    highestIds: { stores: state.highest_store, products: state.highest_product, ads: state.highest_ad },
    vocabulary: {
      ...record(spellingKinds, (kind) => entriesOf(spellings[kind], counts[kind], kind === "app" ? ofName : new Map())),
      niches: new Map(rows.flatMap(({ name, part, stores }) => (part === "niche" ? [[Number(name), stores]] : []))),
      stores: countOf("stores"),
      products: countOf("products"),
      ads: countOf("ads")
    }
  }
})

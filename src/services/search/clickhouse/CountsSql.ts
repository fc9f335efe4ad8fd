/**
 * What a search counts besides its page: one statement of several parts, whose rows are added up over the shards. A store is on one
 * shard with its items, so that distinct stores add up, too.
 */
import { Schema } from "effect"
import type { CurrencyCount, SearchResult } from "../../../domain/search/CatalogAnswer.ts"
import type { Filter, Query, StoreCondition } from "../../../domain/search/CatalogQuery.ts"
import { comparedIn, moneyOf, withoutPrice } from "../index/Currencies.ts"
import type { ComparingQuery } from "../index/Currencies.ts"
import { isOfItemsAlone } from "../index/ItemsAlone.ts"
import { Int64 } from "./ClickHouse.ts"
import { figureColumn, gather, itemRows, storeConditions, storeCondition, storeRows } from "./Conditions.ts"
import type { Draft } from "./Conditions.ts"

export const CountRow = Schema.Struct({
  part: Schema.Literals(["total", "known", "currency"]),
  key: Int64,
  items: Int64,
  stores: Int64,
  storeless: Int64
})
export type CountRow = typeof CountRow.Type

const asksStores = (query: Filter | Query): boolean => !("order" in query && isOfItemsAlone(query))

const totals = (draft: Draft, query: Filter | Query): string => {
  if (query.subject === "stores") {
    const counted = "'total' AS part, toInt64(0) AS key, count() AS items, count() AS stores, toUInt64(0) AS storeless"
    return storeRows(draft, storeConditions(draft, query), counted)
  }
  const stores = asksStores(query) ? "uniqExactIf(shop_id, shop_id != 0)" : "toUInt64(0)"
  const counted = `count() AS items, ${stores} AS stores, countIf(shop_id = 0) AS storeless`
  return itemRows(draft, query, `'total' AS part, toInt64(0) AS key, ${counted}`)
}

const idsIn = (conditions: ReadonlyArray<StoreCondition>): ReadonlyArray<number> =>
  conditions.flatMap((condition) => (condition._tag === "AnyId" ? Array.from(new Set(condition.ids)) : []))

const known = (draft: Draft, ids: ReadonlyArray<number>): string => {
  const counted =
    "'known' AS part, toInt64(id) AS key, toUInt64(1) AS items, toUInt64(0) AS stores, toUInt64(0) AS storeless"
  return storeRows(draft, [`id IN ${draft.parameters.add("Array(Int32)", ids)}`], counted)
}

/** The stores whose money is compared, by currency (index/Currencies.ts). */
const currencies = (draft: Draft, query: ComparingQuery): ReadonlyArray<string> => {
  const { figures, price } = comparedIn(query)
  const isOne = query.stores.some(
    (condition) => condition._tag === "AnyOf" && condition.column === "currency" && condition.values.length === 1
  )
  if (isOne || (figures.length === 0 && !price)) return []
  const { item, ...filter } = query
  const others = filter.stores.filter((condition) => moneyOf(condition).length === 0)
  const isKnown = price ? [] : [`(${figures.map((figure) => `NOT isNaN(${figureColumn(figure)})`).join(" OR ")})`]
  const ofStores =
    query.subject === "stores"
      ? storeConditions(draft, { ...filter, stores: others })
      : [
          ...others.map((condition) => storeCondition(draft, condition)),
          `id IN (${itemRows(draft, { ...filter, stores: [], ...withoutPrice(item) }, "shop_id")})`
        ]
  const counted =
    "'currency' AS part, toInt64(currency) AS key, count() AS items, toUInt64(0) AS stores, toUInt64(0) AS storeless"
  return [`${storeRows(draft, [...ofStores, ...isKnown], counted)} GROUP BY currency`]
}

export interface Counted {
  /** Whether to count what matches. */
  readonly hasTotals: boolean
  /** Conditions with ids of stores besides those of the query. */
  readonly more?: ReadonlyArray<StoreCondition>
}

/** `undefined` if there is nothing to count. */
export const counts = (draft: Draft, query: ComparingQuery, { hasTotals, more = [] }: Counted): string | undefined => {
  const ids = idsIn([...query.stores, ...more])
  const parts = [
    ...(hasTotals ? [totals(draft, query)] : []),
    ...(ids.length === 0 ? [] : [known(draft, ids)]),
    ...currencies(draft, query)
  ]
  if (parts.length === 0) return undefined
  const sums = ["items", "stores", "storeless"].map((column) => `sum(r.${column}) AS ${column}`).join(", ")
  return `SELECT part, key, ${sums} FROM ${gather(draft, parts.join(" UNION ALL "))} AS r GROUP BY part, key`
}

export type Counts = Omit<SearchResult, "page">

export const readCounts = (
  rows: ReadonlyArray<CountRow>,
  query: Filter | Query,
  more: ReadonlyArray<StoreCondition> = []
): Counts => {
  const total = rows.find(({ part }) => part === "total")
  const found = new Set(rows.flatMap(({ key, part }) => (part === "known" ? [key] : [])))
  const compared = rows.flatMap(({ items, key, part }): ReadonlyArray<CurrencyCount> =>
    part === "currency" ? [{ currency: key, stores: items }] : []
  )
  return {
    total: total?.items ?? 0,
    ...(asksStores(query) ? { stores: total?.stores ?? 0 } : {}),
    storeless: total?.storeless ?? 0,
    unknownIds: idsIn([...query.stores, ...more]).filter((id) => !found.has(id)),
    currencies: compared.toSorted((one, other) => one.currency - other.currency)
  }
}

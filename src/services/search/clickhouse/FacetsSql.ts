/**
 * For each value of each filter, the results with that filter left out (index/Facets.ts): a store that fails no condition counts in
 * every filter, one that fails exactly one counts in that one.
 */
import { Schema } from "effect"
import { flagKinds } from "../../../domain/search/CatalogAnswer.ts"
import type { Facets } from "../../../domain/search/CatalogAnswer.ts"
import { codes, masks } from "../../../domain/search/CatalogQuery.ts"
import type { Filter } from "../../../domain/search/CatalogQuery.ts"
import * as AdKey from "../index/AdKey.ts"
import { facetOf, storeFacets } from "../index/Facets.ts"
import type { StoreFacet } from "../index/Facets.ts"
import type { Spellings } from "../index/IndexedRecords.ts"
import { record } from "../index/Segment.ts"
import { Int64 } from "./ClickHouse.ts"
import { codeColumn, gather, itemRows, storeCondition, storeConditions, storeRows } from "./Conditions.ts"
import type { Draft } from "./Conditions.ts"
import { appNames, bits, groupOfCode } from "./GroupSql.ts"

export const FacetRow = Schema.Struct({
  facet: Schema.Literals(storeFacets),
  code: Schema.Int,
  name: Schema.String,
  results: Int64
})

/** The values of a store in one filter: tuples of filter, code and name. */
const valuesOf = (draft: Draft, facet: StoreFacet): string => {
  const number = `toUInt8(${storeFacets.indexOf(facet)})`
  if (facet === "app") return `arrayMap(app -> (${number}, toUInt32(0), app), ${appNames(draft)})`
  if (facet === "languages" || facet === "pixels" || facet === "networks") {
    return `arrayMap(bit -> (${number}, bit, ''), ${bits(facet)})`
  }
  const { isNamed } = codeColumn(facet)
  const { sql } = groupOfCode(draft, facet)
  return isNamed ? `[(${number}, toUInt32(0), ${sql})]` : `[(${number}, ${sql}, '')]`
}

export const facets = (draft: Draft, filter: Filter): string => {
  const tested = filter.stores.filter((condition) => facetOf(condition) !== undefined)
  const others = filter.stores.filter((condition) => facetOf(condition) === undefined)
  const fails = tested.map((condition) => `NOT (${storeCondition(draft, condition)})`)
  const failed = fails.length === 0 ? "0" : `multiIf(${fails.map((fail, at) => `${fail}, ${at + 1}`).join(", ")}, 0)`
  const nearly = fails.length < 2 ? [] : [`${fails.map((fail) => `(${fail})`).join(" + ")} <= 1`]
  const isOfStores = filter.subject === "stores"
  const stores = storeRows(
    draft,
    [
      ...(isOfStores
        ? storeConditions(draft, { ...filter, stores: others })
        : others.map((condition) => storeCondition(draft, condition))),
      ...nearly
    ],
    `id, ${[...codes, ...masks].join(", ")}, apps, toUInt8(${failed}) AS failed`
  )
  const items = itemRows(draft, { ...filter, stores: [] }, "shop_id, count() AS results", ["shop_id != 0"])
  const counted = isOfStores
    ? `SELECT *, toUInt64(1) AS results FROM (${stores})`
    : `SELECT s.*, i.results AS results FROM (${items} GROUP BY shop_id) AS i INNER JOIN (${stores}) AS s ON s.id = i.shop_id`
  const values = storeFacets.map((facet) => {
    const position = tested.findIndex((condition) => facetOf(condition) === facet)
    const values = valuesOf(draft, facet)
    if (fails.length === 0) return values
    return `if(failed = 0${position === -1 ? "" : ` OR failed = ${position + 1}`}, ${values}, [])`
  })
  const each = `SELECT results, arrayJoin(arrayConcat(${values.join(", ")})) AS value FROM (${counted})`
  const shard =
    `SELECT value.1 AS facet, value.2 AS code, value.3 AS name, sum(results) AS results FROM (${each}) AS v ` +
    "GROUP BY facet, code, name"
  const names = `[${storeFacets.map((facet) => `'${facet}'`).join(", ")}]`
  return (
    `SELECT ${names}[facet + 1] AS facet, code, name, sum(r.results) AS results FROM ${gather(draft, shard)} AS r ` +
    "GROUP BY r.facet, code, name"
  )
}

/** Ads by all of their flags, without a condition on these: some hundred rows. */
export const flags = (draft: Draft, { item, ...filter }: Filter): string => {
  const asked = item?._tag === "Ad" ? { ...filter, item: { ...item, criteria: AdKey.anyAd } } : filter
  const columns = "running, partnership, media, cta"
  const shard = `${itemRows(draft, asked, `${columns}, count() AS results`)} GROUP BY ${columns}`
  return `SELECT ${columns}, sum(r.results) AS results FROM ${gather(draft, shard)} AS r GROUP BY ${columns}`
}

export const FlagRow = Schema.Struct({
  running: Schema.Int,
  partnership: Schema.Int,
  media: Schema.Int,
  cta: Schema.Int,
  results: Int64
})
type FlagRow = typeof FlagRow.Type

/** The bitmap of each kind that ads with these flags are in; none for an ad without the flag. */
const bitmapsOf = ({ cta, media, partnership, running }: FlagRow) => ({
  status: AdKey.bitmapsOf("status")[running === 1 ? 0 : 1],
  partnership: partnership === 1 ? AdKey.bitmapsOf("partnership")[0] : undefined,
  media: AdKey.bitmapsOf("media")[media],
  cta: AdKey.bitmapsOf("cta")[cta - 1]
})

/** Each kind without the criteria for that kind. */
const countFlags = (rows: ReadonlyArray<FlagRow>, { item }: Filter): ReadonlyMap<number, number> => {
  const criteria = AdKey.wantedBitmaps(item?._tag === "Ad" ? item.criteria : AdKey.anyAd)
  const counts = new Map<number, number>()
  for (const row of rows) {
    const own = bitmapsOf(row)
    const isIn = Object.values(own)
    for (const kind of flagKinds) {
      const { [kind]: _, ...groups } = criteria
      const bitmap = own[kind]
      if (bitmap === undefined) continue
      if (!Object.values(groups).every((group) => group.some((one) => isIn.includes(one)))) continue
      counts.set(bitmap, (counts.get(bitmap) ?? 0) + row.results)
    }
  }
  return counts
}

export const readFacets = (
  rows: ReadonlyArray<typeof FacetRow.Type>,
  flagRows: ReadonlyArray<FlagRow>,
  filter: Filter,
  spellings: Spellings
): Facets => {
  const counts = record(storeFacets, () => new Map<number, number>())
  for (const { code, facet, name, results } of rows) {
    const isNamed = facet === "theme" || facet === "app" || facet === "extension"
    if (isNamed ? name !== "" : code !== 0 || facet in maskNames) {
      counts[facet].set(isNamed ? spellings[facet].intern(name) : code, results)
    }
  }
  const ofFlags = countFlags(flagRows, filter)
  return {
    codes: record([...codes, "app"] as const, (name) => counts[name]),
    masks: record(masks, (mask) => Array.from({ length: 32 }, (_, bit) => counts[mask].get(bit) ?? 0)),
    ...(filter.subject === "ads"
      ? { flags: record(flagKinds, (kind) => AdKey.bitmapsOf(kind).map((bitmap) => ofFlags.get(bitmap) ?? 0)) }
      : {})
  }
}

const maskNames = record(masks, () => true)

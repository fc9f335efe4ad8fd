/** Numbers of matching ads and of their stores in groups (index/AdGroups.ts): by a value of the ad, or by a code of its store. */
import { Schema } from "effect"
import type { AdGroupKind, AdGroupsQuery } from "../../../domain/search/CatalogQuery.ts"
import { Int64 } from "./ClickHouse.ts"
import { gather, itemRows, storeRows } from "./Conditions.ts"
import type { Draft } from "./Conditions.ts"
import { groupOfCode, readGroup } from "./GroupSql.ts"

export const AdGroupRow = Schema.Struct({ name: Schema.String, ads: Int64, stores: Int64 })

const ofFlag = { cta: "cta", media: "media + 1", status: "if(running = 1, 1, 2)" } as const

const counted = "count() AS ads, uniqExactIf(shop_id, shop_id != 0) AS stores"

const shardOf = (draft: Draft, { grouping, ...filter }: AdGroupsQuery): string => {
  if (grouping._tag === "Flag") {
    return `${itemRows(draft, filter, `toUInt32(${ofFlag[grouping.flag]}) AS name, ${counted}`)} GROUP BY name`
  }
  const { isNamed, sql } = groupOfCode(draft, grouping.column, grouping.groups)
  const ads = itemRows(draft, filter, "shop_id, count() AS ads")
  const stores = storeRows(draft, [], `id, ${sql} AS name`)
  return (
    `SELECT if(a.shop_id = 0, ${isNamed ? "''" : "toUInt32(0)"}, s.name) AS name, sum(a.ads) AS ads, ` +
    `countIf(a.shop_id != 0) AS stores FROM (${ads} GROUP BY shop_id) AS a ANY LEFT JOIN (${stores}) AS s ` +
    "ON s.id = a.shop_id GROUP BY name"
  )
}

export const adGroups = (draft: Draft, query: AdGroupsQuery): string =>
  `SELECT toString(r.name) AS name, sum(r.ads) AS ads, sum(r.stores) AS stores ` +
  `FROM ${gather(draft, shardOf(draft, query))} AS r GROUP BY r.name`

/** Without a value, a row is of group 0. */
export const readAdGroups = (
  draft: Pick<Draft, "spellings">,
  grouping: AdGroupKind,
  rows: ReadonlyArray<typeof AdGroupRow.Type>
) =>
  rows.map(({ ads, name, stores }) => {
    const group = grouping._tag === "Flag" ? Number(name) : name === "" ? 0 : readGroup(draft, grouping, name)
    return { group, ads, stores }
  })

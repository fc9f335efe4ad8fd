/** SQL that reads stores by id, with the fields that all tools return. */
import { Schema, Struct } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import type { Mover } from "../../domain/catalog/Movers.ts"
import { ShopFacts } from "../../domain/catalog/ShopItem.ts"
import type { FoundShop } from "../../domain/catalog/ShopItem.ts"
import { rowsOf } from "../database/Rows.ts"
import { allShown, changeIn } from "./ShopFigures.ts"
import type { FiguresOf } from "./ShopFigures.ts"

type Sql = SqlClient.SqlClient

/** Whether the account tracks or owns the store `s`. */
export const isOfKind = (
  sql: Sql,
  account: Statement.Fragment,
  kind: "tracked" | "own"
): Statement.Fragment => sql`EXISTS (
  SELECT FROM tracked_shop k WHERE k.account_id = ${account} AND k.shop_id = s.id AND k.kind = ${kind}
)`

const facts = ["id", "name", "domain", "country", "currency", "niche", "languages"] as const
export const ShopRow = Schema.Struct({
  version: Schema.Int,
  ...Struct.pick(ShopFacts.fields, [...facts, "created_on", "is_tracked"])
})
type ShopRow = typeof ShopRow.Type
const decodeShops = rowsOf(Schema.Struct({ request: Schema.Int, ...ShopRow.fields }))

/** The columns of {@link ShopRow}, from the store `s`. */
export const columns = (sql: Sql, account: Statement.Fragment): Statement.Fragment => sql`
  s.version, s.id, s.name, s.domain, s.country, s.currency,
  (SELECT json_build_object('id', n.id, 'name', n.name) FROM niche n WHERE n.id = s.niche_id) AS niche,
  s.languages, s.created_on::text AS created_on, ${isOfKind(sql, account, "tracked")} AS is_tracked`

/** For `SearchRunner.reader`. */
export const read = (sql: Sql) => (wanted: Statement.Fragment) =>
  decodeShops(sql`SELECT w.request, ${columns(sql, sql`w.account_id`)} FROM ${wanted} JOIN shop s ON s.id = w.id`)

/** In the order of the answer. */
export const toFacts =
  (figuresOf: FiguresOf) =>
  ({ country, created_on, currency, domain, id, is_tracked, languages, name, niche }: ShopRow): ShopFacts => ({
    id,
    name,
    domain,
    country,
    currency,
    niche,
    languages,
    ...allShown(figuresOf(id)),
    created_on,
    is_tracked
  })

/** Of a search, with the change that orders it. */
export const toFound =
  (figuresOf: FiguresOf, mover: Mover | undefined) =>
  (row: ShopRow): FoundShop => ({ ...toFacts(figuresOf)(row), ...changeIn(figuresOf(row.id), mover) })

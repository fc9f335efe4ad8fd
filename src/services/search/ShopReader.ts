/** Reads the complete records of stores for `get_shop`. */
import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Statement } from "effect/sql"
import type { AccountId } from "../../domain/access/Account.ts"
import { ShopExtras } from "../../domain/catalog/ShopItem.ts"
import type { ShopDetails } from "../../domain/catalog/ShopItem.ts"
import { echo } from "../../domain/ArgumentDecoder.ts"
import * as StoreDomain from "../../domain/catalog/StoreDomain.ts"
import type { StoreAt } from "../../domain/search/Warnings.ts"
import type { NotFound } from "../../domain/ToolError.ts"
import { rowsOf } from "../database/Rows.ts"
import { CatalogSearch } from "./CatalogSearch.ts"
import { SearchPermits } from "../limits/SearchPermits.ts"
import type { SearchFailure } from "../limits/SearchPermits.ts"
import { SearchRunner } from "./SearchRunner.ts"
import * as NearDomains from "./NearDomains.ts"
import { figuresIn } from "./ShopFigures.ts"
import * as ShopSql from "./ShopSql.ts"
import * as ToolErrorMessages from "../../domain/ToolErrorMessages.ts"

/** Ten years. */
const maxMonths = 120
/** More than any tree of niches has; ends the traversal if the data has a cycle. */
const maxDepth = 32

const decodeRows = rowsOf(Schema.Struct({ request: Schema.Int, ...ShopSql.ShopRow.fields, details: ShopExtras }))

const decodeDomains = rowsOf(Schema.Struct({ id: Schema.Int, domain: Schema.String }))

const read = (sql: SqlClient.SqlClient) => (wanted: Statement.Fragment) =>
  sql`
  SELECT w.request, ${ShopSql.columns(sql, sql`w.account_id`)}, (
    SELECT to_json(d) FROM (
      SELECT ${ShopSql.isOfKind(sql, sql`w.account_id`, "own")} AS is_own,
        (
          WITH RECURSIVE up AS (
            SELECT n.id, n.parent_id, n.name, 1 AS depth FROM niche n WHERE n.id = s.niche_id
            UNION ALL
            SELECT n.id, n.parent_id, n.name, up.depth + 1
            FROM up JOIN niche n ON n.id = up.parent_id WHERE up.depth < ${maxDepth}::int
          )
          SELECT coalesce(json_agg(json_build_object('id', up.id, 'name', up.name) ORDER BY up.depth), '[]') FROM up
        ) AS niches,
        s.theme, s.apps, s.pixels, s.social_networks,
        (
          SELECT coalesce(json_agg(
            json_build_object('month', to_char(t.month, 'YYYY-MM'), 'visits', t.visits) ORDER BY t.month
          ), '[]')
          FROM (
            SELECT m.month, m.visits FROM traffic_month m WHERE m.shop_id = s.id
            ORDER BY m.month DESC LIMIT ${maxMonths}::int
          ) t
        ) AS traffic
    ) d
  ) AS details
  FROM ${wanted} JOIN shop s ON s.id = w.id`.pipe(decodeRows)

export class ShopReader extends Context.Service<
  ShopReader,
  {
    /** `accountId` affects only `is_tracked` and `is_own`. */
    get(shopId: number, accountId: AccountId): Effect.Effect<ShopDetails, NotFound | SearchFailure>
    /** Those that exist, in the order of the ids. */
    all(shopIds: ReadonlyArray<number>, accountId: AccountId): Effect.Effect<ReadonlyArray<ShopDetails>, SearchFailure>
    /** The stores at these domains or addresses; those at which none is are left out. */
    at(addresses: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<StoreAt>, SearchFailure>
    /** The id of the store with a domain, or with the address of one of its pages, also through a redirector. */
    idOf(domain: string): Effect.Effect<number, NotFound | SearchFailure>
  }
>()("discovery/search/ShopReader") {
  static readonly layer = Layer.effect(
    ShopReader,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const index = yield* CatalogSearch
      const runner = yield* SearchRunner
      const permits = yield* SearchPermits
      const records = runner.reader(read(sql))

      const attempt = Effect.fnUntraced(function* (shopIds: ReadonlyArray<number>, accountId: AccountId) {
        const rows = yield* records(shopIds, { accountId })
        const { catalog, figures } = yield* index.figures(rows.map(({ id }) => id))
        const toFacts = ShopSql.toFacts(figuresIn(figures))
        return {
          answer: rows.map((row) => ({ ...toFacts(row), ...row.details })),
          isCurrent: rows.every((row) => row.version <= catalog.version && figures.has(row.id))
        }
      })
      const all = (shopIds: ReadonlyArray<number>, accountId: AccountId) => runner.fresh(attempt(shopIds, accountId))

      /** None while there is no index: suggestions need not have all of them. */
      const extensions = index.current.pipe(
        Effect.map(({ vocabulary }) => vocabulary.extension.toSorted((one, other) => other.stores - one.stores)),
        Effect.map((known) => known.map(({ name }) => name)),
        Effect.orElseSucceed(() => [])
      )

      /** By one statement for all domains: what finds the id of the store at the first of some of them that has one. */
      const lookUp = Effect.fnUntraced(function* (domains: ReadonlyArray<string>) {
        const rows = yield* decodeDomains(sql`SELECT id, domain FROM shop WHERE domain = ANY(${domains}::text[])`)
        const ids = new Map(rows.map(({ domain, id }) => [domain, id]))
        return (wanted: ReadonlyArray<string>) => wanted.map((domain) => ids.get(domain)).find((id) => id !== undefined)
      })

      const idOf = Effect.fn("ShopReader.idOf")(
        function* (domain: string) {
          const known = StoreDomain.candidates(domain)
          const wanted = [...known, ...StoreDomain.carried(domain)]
          const id = (yield* lookUp(wanted))(wanted)
          if (id !== undefined) return id
          const host = known.at(-1) ?? ""
          // A text that is no domain is repeated as it came: `1` would be `0.0.0.1`, and `.` nothing.
          const given = StoreDomain.extension(host) === null ? domain.trim() : host
          return yield* ToolErrorMessages.noStoreAt(echo(given), yield* NearDomains.near(sql, known, yield* extensions))
        },
        (effect) => permits.query(effect)
      )

      const at = Effect.fn("ShopReader.at")(function* (addresses: ReadonlyArray<string>) {
        if (addresses.length === 0) return []
        const known = addresses.map((address) => ({ address, domains: StoreDomain.candidates(address) }))
        const idAt = yield* permits.query(lookUp(known.flatMap(({ domains }) => domains)))
        return known.flatMap(({ address, domains }) => {
          const id = idAt(domains)
          return id === undefined ? [] : [{ address, id }]
        })
      })

      return ShopReader.of({
        idOf,
        at,
        all: Effect.fn("ShopReader.all")(all),
        get: Effect.fn("ShopReader.get")(function* (shopId, accountId) {
          const [shop] = yield* all([shopId], accountId)
          return shop ?? (yield* ToolErrorMessages.noStore(shopId))
        })
      })
    })
  ).pipe(Layer.provide(SearchPermits.layer))
}

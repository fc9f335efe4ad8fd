/** One store with all that is on record of it: `get_shop`. */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountId } from "../../domain/access/Account.ts"
import type { ShopDetails } from "../../domain/catalog/ShopItem.ts"
import { NotFound } from "../../domain/ToolError.ts"
import * as ShopSql from "./ShopSql.ts"
import { SearchPermits } from "./SearchPermits.ts"
import type { SearchFailure } from "./SearchPermits.ts"

/** Ten years. */
const maxMonths = 120
/** Deeper than any tree of niches; ends the walk should the data ever hold a cycle. */
const maxDepth = 32

const read = (sql: SqlClient.SqlClient, shopId: number, accountId: AccountId) =>
  sql<{ readonly shop: ShopDetails }>`
  SELECT to_json(f) AS shop FROM (
    SELECT ${ShopSql.facts(sql, accountId)}, ${ShopSql.isOfKind(sql, accountId, "own")} AS is_own,
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
    FROM shop s JOIN shop_search x ON x.id = s.id
    WHERE s.id = ${shopId}::int
  ) f`

export class ShopReader extends Context.Service<
  ShopReader,
  {
    /** `accountId` decides `is_tracked` and `is_own`, nothing else. */
    get(shopId: number, accountId: AccountId): Effect.Effect<ShopDetails, NotFound | SearchFailure>
  }
>()("discovery/search/ShopReader") {
  static readonly layer: Layer.Layer<ShopReader, never, SqlClient.SqlClient> = Layer.effect(
    ShopReader,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const permits = yield* SearchPermits

      const get = Effect.fn("ShopReader.get")(
        function* (shopId: number, accountId: AccountId) {
          const [row] = yield* read(sql, shopId, accountId)
          return row === undefined
            ? yield* new NotFound({
                message: `There is no store ${shopId}.`,
                hint: "Take the id of a store from search_shops, or `shop.id` from search_ads or search_products."
              })
            : row.shop
        },
        (effect) => permits.query(effect)
      )

      return ShopReader.of({ get })
    })
  ).pipe(Layer.provide(SearchPermits.layer))
}

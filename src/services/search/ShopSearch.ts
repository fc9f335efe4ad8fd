/** The search behind `search_shops`. */
import { Context, Effect, Layer, Option, Result } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountId } from "../../domain/access/Account.ts"
import type { ShopFacts } from "../../domain/catalog/ShopItem.ts"
import * as Narrowing from "../../domain/search/Narrowing.ts"
import * as Page from "../../domain/search/Page.ts"
import type { Pagination } from "../../domain/search/Page.ts"
import type { ShopQuery } from "../../domain/search/ShopQuery.ts"
import { InvalidArguments } from "../../domain/ToolError.ts"
import { Catalogue } from "./Catalogue.ts"
import type { Snapshot } from "./Catalogue.ts"
import { ofOneVersion } from "./OneVersion.ts"
import * as ShopRequest from "./ShopRequest.ts"
import * as ShopSql from "./ShopSql.ts"
import * as StorePredicate from "./StorePredicate.ts"
import { SearchPermits } from "./SearchPermits.ts"
import type { SearchFailure } from "./SearchPermits.ts"

export interface ShopPage {
  readonly shops: ReadonlyArray<ShopFacts>
  readonly pagination: Pagination
}

export class ShopSearch extends Context.Service<
  ShopSearch,
  {
    /** `accountId` decides `is_tracked`, nothing else. */
    search(query: ShopQuery, accountId: AccountId): Effect.Effect<ShopPage, InvalidArguments | SearchFailure>
  }
>()("discovery/search/ShopSearch") {
  static readonly layer: Layer.Layer<ShopSearch, never, SqlClient.SqlClient | Catalogue> = Layer.effect(
    ShopSearch,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const permits = yield* SearchPermits
      const catalogue = yield* Catalogue

      /** None: another version was seen on the way. */
      const attempt = Effect.fnUntraced(function* (query: ShopQuery, accountId: AccountId, snapshot: Snapshot) {
        const isCurrent = Effect.map(catalogue.latest, ({ version }) => version === snapshot.version)
        const resolved = ShopRequest.fromShopQuery(query, snapshot.names)
        if (Result.isFailure(resolved)) {
          if (!(yield* isCurrent)) return Option.none()
          return yield* InvalidArguments.fromIssues(resolved.failure, StorePredicate.hint(resolved.failure))
        }
        if (ShopRequest.isEmpty(resolved.success)) {
          return (yield* isCurrent) ? Option.some({ shops: [], total: 0 }) : Option.none()
        }
        const [row] = yield* ShopSql.search(sql, resolved.success, accountId).unprepared
        return row === undefined || row.version !== snapshot.version
          ? Option.none()
          : Option.some({ shops: row.shops ?? [], total: row.total })
      })

      const search = Effect.fn("ShopSearch.search")(
        function* (query: ShopQuery, accountId: AccountId) {
          const window = Page.window(query)
          const { shops, total } = yield* ofOneVersion(sql, catalogue, (snapshot) =>
            attempt(query, accountId, snapshot)
          )
          return {
            shops,
            pagination: {
              page: window.page,
              per_page: window.perPage,
              total,
              has_more: Page.hasMore(window, total)
            }
          }
        },
        (effect, query) => permits.query(effect, () => Narrowing.hint(query))
      )

      return ShopSearch.of({ search })
    })
  ).pipe(Layer.provide(SearchPermits.layer))
}

/** The search behind `search_shops`. */
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import type { AccountId } from "../../domain/access/Account.ts"
import type { ShopFacts } from "../../domain/catalog/ShopItem.ts"
import * as Narrowing from "../../domain/search/Narrowing.ts"
import * as Page from "../../domain/search/Page.ts"
import type { Pagination } from "../../domain/search/Page.ts"
import type { ShopQuery } from "../../domain/search/ShopQuery.ts"
import type { InvalidArguments } from "../../domain/ToolError.ts"
import { Catalogue } from "./Catalogue.ts"
import type { Snapshot } from "./Catalogue.ts"
import { ofOneVersion } from "./OneVersion.ts"
import * as Estimates from "./Estimates.ts"
import * as Planner from "./Planner.ts"
import * as ShopRequest from "./ShopRequest.ts"
import * as ShopSql from "./ShopSql.ts"
import * as VersionCache from "./VersionCache.ts"
import { SearchPermits } from "./SearchPermits.ts"
import type { SearchFailure } from "./SearchPermits.ts"

export interface ShopPage {
  readonly shops: ReadonlyArray<ShopFacts>
  readonly pagination: Pagination
}

interface Found {
  readonly shops: ReadonlyArray<ShopFacts>
  readonly total: number
}

/** A key is some hundred bytes. */
const maxCached = 2_000

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

      const estimates = Estimates.make(sql)
      const totals = VersionCache.make<number>(maxCached)

      const planOf = Effect.fnUntraced(function* (
        { counts, version }: Snapshot,
        request: ShopRequest.ShopRequest
      ): Effect.fn.Return<ShopSql.ShopPlan, SqlError.SqlError> {
        const { store, words } = request
        if (words.length > 0) {
          const hits = yield* estimates.hits(version, "shop_search", words)
          return { access: Planner.chooseStoreAccess(counts.shops, hits), page: "pass" }
        }
        const matching = store.length === 0 ? counts.shops : yield* estimates.stores(version, store)
        return { access: "scan", page: Planner.chooseShopPage(request, { stores: counts.shops, matching }) }
      })

      /** None: another version was seen on the way. The first page of a search counts, further ones do not. */
      const answer = Effect.fnUntraced(function* (
        request: ShopRequest.ShopRequest,
        snapshot: Snapshot,
        accountId: AccountId,
        ifCurrent: (found: Found) => Effect.Effect<Option.Option<Found>, SqlError.SqlError>
      ): Effect.fn.Return<Option.Option<Found>, SqlError.SqlError> {
        if (ShopRequest.isEmpty(request)) return yield* ifCurrent({ shops: [], total: 0 })
        const key = ShopRequest.countKey(request)
        const total = totals.get(snapshot.version, key)
        const plan = yield* planOf(snapshot, request)
        const [row] = yield* ShopSql.search(sql, request, accountId, plan, total).unprepared
        if (row === undefined || row.version !== snapshot.version) return Option.none()
        totals.set(snapshot.version, key, row.total)
        return Option.some({ shops: row.shops ?? [], total: row.total })
      })

      const search = Effect.fn("ShopSearch.search")(
        function* (query: ShopQuery, accountId: AccountId) {
          const window = Page.window(query)
          const { shops, total } = yield* ofOneVersion<ShopRequest.ShopRequest, Found>(sql, catalogue, {
            resolve: (names) => ShopRequest.fromShopQuery(query, names),
            answer: (request, snapshot, ifCurrent) => answer(request, snapshot, accountId, ifCurrent)
          })
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

/** The search behind `search_ads` and the Ads page. */
import { Context, DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { FoundAd } from "../../domain/catalog/AdItem.ts"
import * as AdQuery from "../../domain/search/AdQuery.ts"
import * as Narrowing from "../../domain/search/Narrowing.ts"
import * as Page from "../../domain/search/Page.ts"
import type { AdPagination } from "../../domain/search/Page.ts"
import type { InvalidArguments } from "../../domain/ToolError.ts"
import * as AdSql from "./AdSql.ts"
import { SearchPermits } from "./SearchPermits.ts"
import type { SearchFailure } from "./SearchPermits.ts"
import * as SearchRequest from "./SearchRequest.ts"
import { SearchRunner } from "./SearchRunner.ts"

export interface AdPage {
  readonly ads: ReadonlyArray<FoundAd>
  readonly pagination: AdPagination
}

export class AdSearch extends Context.Service<
  AdSearch,
  {
    search(query: AdQuery.AdQuery): Effect.Effect<AdPage, InvalidArguments | SearchFailure>
  }
>()("discovery/search/AdSearch") {
  static readonly layer: Layer.Layer<AdSearch, never, SqlClient.SqlClient | SearchRunner> = Layer.effect(
    AdSearch,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const runner = yield* SearchRunner
      const permits = yield* SearchPermits

      const search = Effect.fn("AdSearch.search")(
        function* (query: AdQuery.AdQuery) {
          const today = DateTime.formatIsoDateUtc(yield* DateTime.now)
          const found = yield* runner.run({
            resolve: (names) => SearchRequest.fromAdQuery(query, names, today),
            hydrate: AdSql.hydrate(sql)
          })
          const mode = AdQuery.mode(query)
          const isGrouped = mode === "grouped_by_shop"
          return {
            ads: found.rows.map(AdSql.toFound),
            pagination: {
              page: found.window.page,
              per_page: found.window.perPage,
              total: found.total,
              has_more: Page.hasMore(found.window, isGrouped ? found.stores : found.total),
              mode,
              ...(isGrouped ? { matching_shops: found.stores } : {})
            }
          }
        },
        (effect, query) => permits.query(effect, () => Narrowing.hint(query))
      )

      return AdSearch.of({ search })
    })
  ).pipe(Layer.provide(SearchPermits.layer))
}

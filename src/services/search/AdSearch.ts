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
import * as Queries from "./Queries.ts"
import type { SearchFailure } from "../limits/SearchPermits.ts"
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
  static readonly layer = Layer.effect(
    AdSearch,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const runner = yield* SearchRunner

      const search = Effect.fn("AdSearch.search")(function* (query: AdQuery.AdQuery) {
        const today = DateTime.formatIsoDateUtc(yield* DateTime.now)
        const found = yield* runner.run({
          names: query,
          query: (names) => Queries.fromAdQuery(query, names, today),
          hint: () => Narrowing.hint(query),
          read: AdSql.read(sql)
        })
        const mode = AdQuery.mode(query)
        const isGrouped = mode === "grouped_by_shop"
        return {
          ads: found.rows.map(AdSql.toFound(found.list)),
          pagination: {
            ...Page.pagination(query, found.total, isGrouped ? found.stores : found.total),
            mode,
            ...(isGrouped ? { matching_shops: found.stores } : {})
          }
        }
      })

      return AdSearch.of({ search })
    })
  )
}

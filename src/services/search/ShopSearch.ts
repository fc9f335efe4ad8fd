/** The search behind `search_shops`. */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountId } from "../../domain/access/Account.ts"
import type { ShopFacts } from "../../domain/catalog/ShopItem.ts"
import * as Narrowing from "../../domain/search/Narrowing.ts"
import * as Page from "../../domain/search/Page.ts"
import type { Pagination } from "../../domain/search/Page.ts"
import type { ShopQuery } from "../../domain/search/ShopQuery.ts"
import type { InvalidArguments } from "../../domain/ToolError.ts"
import * as Queries from "./Queries.ts"
import type { SearchFailure } from "../limits/SearchPermits.ts"
import { SearchRunner } from "./SearchRunner.ts"
import * as ShopSql from "./ShopSql.ts"

export interface ShopPage {
  readonly shops: ReadonlyArray<ShopFacts>
  readonly pagination: Pagination
}

export class ShopSearch extends Context.Service<
  ShopSearch,
  {
    /** `accountId` affects only `is_tracked`. */
    search(query: ShopQuery, accountId: AccountId): Effect.Effect<ShopPage, InvalidArguments | SearchFailure>
  }
>()("discovery/search/ShopSearch") {
  static readonly layer = Layer.effect(
    ShopSearch,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const runner = yield* SearchRunner

      const search = Effect.fn("ShopSearch.search")(function* (query: ShopQuery, accountId: AccountId) {
        const found = yield* runner.run({
          names: query,
          query: (names) => Queries.fromShopQuery(query, names),
          hint: () => Narrowing.hint(query),
          read: ShopSql.read(sql, accountId)
        })
        return {
          shops: found.rows.map(ShopSql.toFacts(found.list)),
          pagination: Page.pagination(query, found.total)
        }
      })

      return ShopSearch.of({ search })
    })
  )
}

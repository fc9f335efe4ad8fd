/**
 * The searches of the catalogue, answered by the streaming replica as long as it is fit.
 *
 * There are two whole sets of them, one on each database, each with its own snapshot of the catalogue and its own cached
 * counts: so no answer is of both databases, and a replica that is some versions behind empties nobody's cache.
 */
import { Context, Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import { InvalidArguments } from "../../domain/ToolError.ts"
import { ReadReplica } from "../database/ReadReplica.ts"
import { AdSearch } from "./AdSearch.ts"
import { ProductSearch } from "./ProductSearch.ts"
import { ReservedConnections } from "./SearchPermits.ts"
import { ShopSearch } from "./ShopSearch.ts"
import { Vocabulary } from "./Vocabulary.ts"

export type Searches = AdSearch | ProductSearch | ShopSearch | Vocabulary

/** `searches` on `pool`, the replica's, first; then those that are required, on the primary. */
export const layer = <E>(
  searches: Layer.Layer<Searches, never, SqlClient.SqlClient>,
  pool: Layer.Layer<SqlClient.SqlClient, E>
): Layer.Layer<Searches, E, Searches | ReadReplica> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const replica = yield* ReadReplica
      const there = yield* Layer.build(
        Layer.fresh(searches.pipe(Layer.provide(pool), Layer.provide(Layer.succeed(ReservedConnections, 0))))
      )
      const ads = { here: yield* AdSearch, there: Context.get(there, AdSearch) }
      const products = { here: yield* ProductSearch, there: Context.get(there, ProductSearch) }
      const shops = { here: yield* ShopSearch, there: Context.get(there, ShopSearch) }
      const vocabulary = { here: yield* Vocabulary, there: Context.get(there, Vocabulary) }

      return Context.make(AdSearch, {
        search: (query) => replica.first(ads.there.search(query), ads.here.search(query))
      }).pipe(
        Context.add(ProductSearch, {
          search: (query, accountId) =>
            replica.first(products.there.search(query, accountId), products.here.search(query, accountId))
        }),
        Context.add(ShopSearch, {
          search: (query, accountId) =>
            replica.first(shops.there.search(query, accountId), shops.here.search(query, accountId))
        }),
        Context.add(Vocabulary, {
          list: (kind, query) => replica.first(vocabulary.there.list(kind, query), vocabulary.here.list(kind, query)),
          popular: replica.first(vocabulary.there.popular, vocabulary.here.popular),
          issues: (args) =>
            replica.first(
              // A refusal like any other: the name may have come to the primary since.
              Effect.filterOrFail(
                vocabulary.there.issues(args),
                (issues) => issues.length === 0,
                (issues) => InvalidArguments.fromIssues(issues)
              ),
              vocabulary.here.issues(args)
            )
        })
      )
    })
  )

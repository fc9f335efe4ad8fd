/** The same searches in process, and the statements that they send: what a program without our path would send by hand. */
import { Console, Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import { Statement } from "effect/sql"
import type { AccountId } from "../../src/domain/access/Account.ts"
import { AdSearch } from "../../src/services/search/AdSearch.ts"
import { Catalogue } from "../../src/services/search/Catalogue.ts"
import { ProductSearch } from "../../src/services/search/ProductSearch.ts"
import { SearchRunner } from "../../src/services/search/SearchRunner.ts"
import { ShopSearch } from "../../src/services/search/ShopSearch.ts"
import type { Answer, SearchCase } from "./SearchCase.ts"

export interface Sent {
  readonly sql: string
  readonly parameters: ReadonlyArray<unknown>
}

export interface Recording {
  readonly answer: Answer
  readonly statements: ReadonlyArray<Sent>
}

type SearchFailure = Effect.Error<ReturnType<AdSearch["Service"]["search"]>>

const searches = Layer.mergeAll(AdSearch.layer, ProductSearch.layer, ShopSearch.layer).pipe(
  Layer.provide(SearchRunner.layer),
  Layer.provideMerge(Catalogue.layer)
)

/** Services of its own: what they remember from case to case is what a server remembers that is asked the same cases. */
export class Recorder extends Context.Service<
  Recorder,
  {
    readonly record: (searchCase: SearchCase, accountId: AccountId) => Effect.Effect<Recording, SearchFailure>
  }
>()("discovery/bench/Recorder") {
  static readonly layer: Layer.Layer<Recorder, SqlError.SqlError, SqlClient.SqlClient> = Layer.effect(
    Recorder,
    Effect.gen(function* () {
      // A server reads the names once, with its first search; no later one sends this.
      yield* Effect.flatMap(Catalogue, ({ latest }) => latest)
      const ads = yield* AdSearch
      const products = yield* ProductSearch
      const shops = yield* ShopSearch

      const answer = (searchCase: SearchCase, accountId: AccountId): Effect.Effect<Answer, SearchFailure> => {
        switch (searchCase.tool) {
          case "search_ads":
            return Effect.map(ads.search(searchCase.arguments), (page) => ({
              ids: page.ads.map(({ id }) => id),
              total: page.pagination.total,
              ...(page.pagination.matching_shops === undefined ? {} : { stores: page.pagination.matching_shops })
            }))
          case "search_products":
            return Effect.map(products.search(searchCase.arguments, accountId), (page) => ({
              ids: page.products.map(({ id }) => id),
              total: page.pagination.total
            }))
          case "search_shops":
            return Effect.map(shops.search(searchCase.arguments, accountId), (page) => ({
              ids: page.shops.map(({ id }) => id),
              total: page.pagination.total
            }))
        }
      }

      return Recorder.of({
        record: Effect.fnUntraced(function* (searchCase, accountId) {
          const statements: Array<Sent> = []
          const found = yield* Effect.provideService(
            answer(searchCase, accountId),
            Statement.CurrentTransformer,
            (statement) =>
              Effect.sync(() => {
                const [sql, parameters] = statement.compile()
                statements.push({ sql, parameters })
                return statement
              })
          )
          return { answer: found, statements }
        })
      })
    })
  ).pipe(Layer.provide(searches))
}

const PlanRow = Schema.Struct({ "QUERY PLAN": Schema.String })

/** Lines of PostgreSQL's own account of a statement; of what only asks for an estimate there is none. */
export const explain = Effect.fnUntraced(function* ({
  parameters,
  sql: text
}: Sent): Effect.fn.Return<ReadonlyArray<string>, SqlError.SqlError | Schema.SchemaError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  if (text.startsWith("EXPLAIN")) return []
  const rows = yield* sql.unsafe(`EXPLAIN (ANALYZE, BUFFERS) ${text}`, parameters).unprepared
  const lines = yield* Schema.decodeUnknownEffect(Schema.Array(PlanRow))(rows)
  return lines.map((line) => line["QUERY PLAN"])
})

/** None, and a line that says so: a search that takes longer than any may. The latency pass counts it as a failure. */
export const recordIfAnswered = Effect.fnUntraced(function* (searchCase: SearchCase, accountId: AccountId) {
  const recorder = yield* Recorder
  return yield* recorder.record(searchCase, accountId).pipe(
    Effect.asSome,
    Effect.catch((error) =>
      Effect.as(Console.log(`${searchCase.id} is left out: ${error.message}`), Option.none<Recording>())
    )
  )
})

/** About how many documents have the words of a query, from the statistics of the token index. Nothing is read. */
import { Effect, Option, Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import * as FilterSql from "./FilterSql.ts"
import * as VersionCache from "./VersionCache.ts"

export type Documents = "ad_search" | "product_search" | "shop_search"

const Explained = Schema.Struct({
  "QUERY PLAN": Schema.TupleWithRest(
    Schema.Tuple([Schema.Struct({ Plan: Schema.Struct({ "Plan Rows": Schema.Finite }) })]),
    [Schema.Unknown]
  )
})

const decode = (row: unknown): number =>
  Option.match(Schema.decodeUnknownOption(Explained)(row), {
    onNone: () => 0,
    onSome: (explained) => explained["QUERY PLAN"][0].Plan["Plan Rows"]
  })

const maxCached = 2_000

/** Asks the database once in each version of the catalogue. */
export const make = (sql: SqlClient.SqlClient) => {
  const cache = VersionCache.make<number>(maxCached)
  return Effect.fnUntraced(function* (
    version: number,
    documents: Documents,
    words: ReadonlyArray<string>
  ): Effect.fn.Return<number, SqlError.SqlError> {
    const key = JSON.stringify([documents, words])
    const cached = cache.get(version, key)
    if (cached !== undefined) return cached
    const [row] = yield* sql`EXPLAIN (FORMAT JSON) SELECT FROM ${sql(documents)} i
      WHERE search_words(i.doc) @@ ${FilterSql.tsquery(words)}::tsquery`.unprepared
    const hits = decode(row)
    cache.set(version, key, hits)
    return hits
  })
}

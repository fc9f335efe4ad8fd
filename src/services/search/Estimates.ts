/** What PostgreSQL's planner expects, by its statistics. Nothing is read. */
import { Effect, Option, Schema } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import * as FilterSql from "./FilterSql.ts"
import type { StorePredicate } from "./StorePredicate.ts"
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
  const rows = Effect.fnUntraced(function* (
    version: number,
    key: string,
    query: Statement.Fragment
  ): Effect.fn.Return<number, SqlError.SqlError> {
    const cached = cache.get(version, key)
    if (cached !== undefined) return cached
    const [row] = yield* sql`EXPLAIN (FORMAT JSON) ${query}`.unprepared
    const expected = decode(row)
    cache.set(version, key, expected)
    return expected
  })
  return {
    /** About how many documents have the words. */
    hits: (version: number, documents: Documents, words: ReadonlyArray<string>) =>
      rows(
        version,
        JSON.stringify([documents, words]),
        sql`SELECT FROM ${sql(documents)} i WHERE search_words(i.doc) @@ ${FilterSql.tsquery(words)}::tsquery`
      ),
    /** About how many stores match. */
    stores: (version: number, predicate: StorePredicate) =>
      rows(
        version,
        JSON.stringify(predicate),
        sql`SELECT FROM shop_search s WHERE ${sql.and(FilterSql.store(sql, predicate))}`
      )
  }
}

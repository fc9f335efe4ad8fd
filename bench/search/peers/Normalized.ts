/** A plain normalized schema with joins, in the same PostgreSQL as ours and with the same settings. */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import * as Database from "../../../src/services/database/Database.ts"
import { PeerError } from "../Peer.ts"
import type { MakePeer } from "../Peer.ts"
import * as NormalizedSchema from "./NormalizedSchema.ts"
import * as NormalizedSql from "./NormalizedSql.ts"
import type { Query } from "../../../src/domain/search/CatalogQuery.ts"
import * as PeerQuery from "./PeerQuery.ts"

const fromSqlError = (error: SqlError.SqlError): PeerError =>
  error.reason._tag === "StatementTimeoutError"
    ? PeerQuery.tooSlow()
    : new PeerError({ message: `PostgreSQL refused: ${error.message}`, cause: error })

const toPeerError = Effect.mapError(fromSqlError)

export const make: MakePeer = Effect.fn("Normalized.make")(function* ({ connection, published }) {
  const pool = (statementTimeoutMillis: number) =>
    Database.layer({ source: connection, maxConnections: 1, statementTimeoutMillis })
  const context = yield* Layer.build(pool(PeerQuery.timeoutSeconds * 1000)).pipe(toPeerError)
  const sql = Context.get(context, SqlClient.SqlClient)

  const prepare = NormalizedSchema.prepare(published).pipe(Effect.provide(pool(0)), toPeerError)

  const answer = (query: Query) =>
    PeerQuery.answer(
      query,
      Effect.map(sql<PeerQuery.Counted>`${NormalizedSql.count(sql, query)}`.unprepared, ([row]) => ({
        total: row?.total ?? 0,
        stores: row?.stores ?? 0
      })),
      Effect.map(sql<{ id: number }>`${NormalizedSql.page(sql, query)}`.unprepared, (rows) => rows.map(({ id }) => id))
    )

  return {
    name: "normalized, joins",
    description:
      "Plain tables in the same PostgreSQL: stores, products and ads, link tables for what a store has several of, figures " +
      "of the store as columns; B-trees for every filter and sort, GIN over the same words. One statement counts, one " +
      "gives the page.",
    rounds: 1,
    prepare,
    search: (query) => answer(query).pipe(toPeerError)
  }
})

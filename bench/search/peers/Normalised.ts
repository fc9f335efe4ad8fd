/** A plain normalised schema with joins, in the same PostgreSQL as ours and with the same settings. */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import * as Database from "../../../src/services/database/Database.ts"
import { PeerError } from "../Peer.ts"
import type { MakePeer } from "../Peer.ts"
import * as NormalisedSchema from "./NormalisedSchema.ts"
import * as NormalisedSql from "./NormalisedSql.ts"
import * as PeerRequest from "./PeerRequest.ts"

const fromSqlError = (error: SqlError.SqlError): PeerError =>
  error.reason._tag === "StatementTimeoutError"
    ? PeerRequest.tooSlow()
    : new PeerError({ message: `PostgreSQL refused: ${error.message}`, cause: error })

const toPeerError = Effect.mapError(fromSqlError)

export const make: MakePeer = Effect.fn("Normalised.make")(function* ({ connection, today }) {
  const pool = (statementTimeoutMillis: number) =>
    Database.layer({ source: connection, maxConnections: 1, statementTimeoutMillis })
  const context = yield* Layer.build(pool(PeerRequest.timeoutSeconds * 1000)).pipe(toPeerError)
  const sql = Context.get(context, SqlClient.SqlClient)
  let known: PeerRequest.KnownCatalogue | undefined

  const prepare = Effect.gen(function* () {
    const catalogue = yield* Effect.provide(PeerRequest.readCatalogue, context)
    yield* Effect.provide(NormalisedSchema.prepare(catalogue.identity), pool(0))
    known = catalogue
  }).pipe(toPeerError)

  const answer = (request: PeerRequest.PeerRequest) =>
    PeerRequest.answer(
      request,
      Effect.map(sql<PeerRequest.Counted>`${NormalisedSql.count(sql, request)}`.unprepared, ([row]) => ({
        total: row?.total ?? 0,
        stores: row?.stores ?? 0
      })),
      Effect.map(sql<{ id: number }>`${NormalisedSql.page(sql, request)}`.unprepared, (rows) =>
        rows.map(({ id }) => id)
      )
    )

  return {
    name: "normalised, joins",
    description:
      "Plain tables in the same PostgreSQL: stores, products and ads, link tables for what a store has several of, figures " +
      "of the store as columns; B-trees for every filter and sort, GIN over the same words. One statement counts, one " +
      "gives the page.",
    prepare,
    search: (searchCase) =>
      Effect.suspend(() =>
        known === undefined
          ? Effect.fail(new PeerError({ message: "The peer has not been prepared." }))
          : PeerRequest.make(searchCase, known.names, today).pipe(
              Effect.flatMap((request) => answer(request).pipe(toPeerError))
            )
      )
  }
})

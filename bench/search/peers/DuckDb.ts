/** DuckDB in this process, on one thread: a column store over the same data. */
import { DuckDBInstance, version } from "@duckdb/node-api"
import type { DuckDBConnection } from "@duckdb/node-api"
import { Effect, Schema, Scope } from "effect"
import type { SqlError } from "effect/sql"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import * as Database from "../../../src/services/database/Database.ts"
import { PeerError } from "../Peer.ts"
import type { MakePeer } from "../Peer.ts"
import { run } from "./DuckDbQuery.ts"
import * as DuckDbSql from "./DuckDbSql.ts"
import * as DuckDbStores from "./DuckDbStores.ts"
import * as DuckDbTables from "./DuckDbTables.ts"
import type { Query } from "../../../src/domain/search/CatalogQuery.ts"
import * as PeerQuery from "./PeerQuery.ts"
import * as PeerTables from "./PeerTables.ts"

/** As much as PostgreSQL's own cache has. */
const memory = "6GB"

const attempt = <A>(message: string, run: () => Promise<A>): Effect.Effect<A, PeerError> =>
  Effect.tryPromise({ try: run, catch: (cause) => new PeerError({ message, cause }) })

const open = (file: string, options: Record<string, string>): Effect.Effect<DuckDBConnection, PeerError, Scope.Scope> =>
  Effect.gen(function* () {
    const message = `DuckDB cannot open ${file}.`
    const instance = yield* Effect.acquireRelease(
      attempt(message, () => DuckDBInstance.create(file, { memory_limit: memory, ...options })),
      (opened) => Effect.sync(() => opened.closeSync())
    )
    return yield* Effect.acquireRelease(
      attempt(message, () => instance.connect()),
      (connection) => Effect.sync(() => connection.closeSync())
    )
  })

const decodeCount = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ total: Schema.Int, stores: Schema.Int })]))
const decodePage = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ id: Schema.Int })))

const decodeCandidates = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ shop_id: Schema.Int, value: Schema.Int }))
)

const undecodable = (error: Schema.SchemaError): PeerError =>
  new PeerError({ message: "DuckDB answered something else than was asked.", cause: error })

const fromSqlError = (error: SqlError.SqlError): PeerError =>
  new PeerError({ message: `PostgreSQL refused: ${error.message}`, cause: error })

export const make: MakePeer = Effect.fn("DuckDb.make")(function* ({ connection: postgres, folder, published }) {
  const scope = yield* Effect.scope
  let prepared: DuckDBConnection | undefined

  /** Gets its name when it is whole. */
  const build = Effect.fnUntraced(function* (file: string) {
    const unfinished = path.join(folder, "unfinished.duckdb")
    yield* attempt(`${folder} cannot be emptied.`, async () => {
      for (const name of await fs.readdir(folder)) await fs.rm(path.join(folder, name), { recursive: true })
    })
    yield* Effect.scoped(Effect.flatMap(open(unfinished, {}), (building) => DuckDbTables.fill(building, folder)))
    yield* attempt(`${file} cannot be written.`, () => fs.rename(unfinished, file))
  })

  const prepare = Effect.gen(function* () {
    const file = path.join(folder, `layout-${DuckDbTables.layout}-of-${PeerTables.identityOf(published)}.duckdb`)
    const files = yield* attempt(`${folder} cannot be read.`, () => fs.readdir(folder))
    if (!files.includes(path.basename(file))) {
      yield* PeerTables.prepare(published)
      yield* build(file)
    }
    const connection = yield* Scope.provide(open(file, { threads: "1", access_mode: "READ_ONLY" }), scope)
    // It guesses that words have far more hits than they have, and would hash every item instead of the hits.
    yield* run(connection, "SET disabled_optimizers = 'build_side_probe_side'")
    prepared = connection
  }).pipe(
    Effect.provide(Database.layer({ source: postgres, maxConnections: 1, statementTimeoutMillis: 0 })),
    Effect.catchTag("SqlError", (error) => Effect.fail(fromSqlError(error)))
  )

  const pageOf = (connection: DuckDBConnection, query: Query) =>
    Effect.gen(function* () {
      const plan = DuckDbStores.isAnswerable(query) ? DuckDbStores.plan(query) : undefined
      const first = yield* run(connection, plan?.statement ?? DuckDbSql.page(query))
      const rows =
        plan?.pageOf === undefined ? first : yield* run(connection, plan.pageOf(yield* decodeCandidates(first)))
      return (yield* decodePage(rows)).map(({ id }) => id)
    })

  const answer = (connection: DuckDBConnection, query: Query) =>
    PeerQuery.answer(
      query,
      run(connection, DuckDbStores.isAnswerable(query) ? DuckDbStores.count(query) : DuckDbSql.count(query)).pipe(
        Effect.flatMap(decodeCount),
        Effect.map(([counted]) => counted)
      ),
      pageOf(connection, query)
    ).pipe(
      Effect.catchTag("SchemaError", (error) => Effect.fail(undecodable(error))),
      Effect.timeoutOrElse({
        duration: `${PeerQuery.timeoutSeconds} seconds`,
        orElse: () => Effect.fail(PeerQuery.tooSlow())
      })
    )

  return {
    name: "DuckDB, 1 thread",
    description:
      `DuckDB ${version()} in the process of the load, one thread, ${memory} of memory: each item carries the columns of its store, ` +
      "rows lie in the order of stores, each store has the number of its items and the best of them, words are a sorted table of their own. A copy for reading: nothing keeps it up to date.",
    rounds: 1,
    prepare,
    search: (query) =>
      Effect.suspend(() =>
        prepared === undefined
          ? Effect.fail(new PeerError({ message: "The peer has not been prepared." }))
          : answer(prepared, query)
      )
  }
})

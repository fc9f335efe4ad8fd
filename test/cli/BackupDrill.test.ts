/**
 * The backup drill of docs/operations.md: a service with accounts, charges and connected apps is backed up, goes on, loses its
 * catalog, and is restored into an empty database. Everything is as it was when the backup was made, and goes on from there.
 */
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Logger, Redacted, Schema } from "effect"
import type { Scope } from "effect"
import { SqlClient } from "effect/sql"
import { execFile } from "node:child_process"
import * as path from "node:path"
import { promisify } from "node:util"
import { demoSource } from "../../demo/DemoData.ts"
import * as Live from "../../src/cli/Live.ts"
import { AppConfig } from "../../src/Config.ts"
import { metaKey } from "../../src/domain/access/IdempotencyKey.ts"
import * as Router from "../../src/http/Router.ts"
import * as Server from "../../src/http/Server.ts"
import { Accounts } from "../../src/services/accounts/Accounts.ts"
import { ActivityLog } from "../../src/services/credits/ActivityLog.ts"
import { ApiKeys } from "../../src/services/credentials/ApiKeys.ts"
import { TrackedShops } from "../../src/services/accounts/TrackedShops.ts"
import * as Database from "../../src/services/database/Database.ts"
import { EmbeddedPostgres } from "../../src/services/database/EmbeddedPostgres.ts"
import type { EmbeddedConnection } from "../../src/services/database/EmbeddedPostgres.ts"
import * as Migrations from "../../src/services/database/Migrations.ts"
import { Importer } from "../../src/services/import/Importer.ts"
import * as Movers from "../../src/services/import/Movers.ts"
import { Sources } from "../../src/services/import/Sources.ts"
import * as Belongings from "../support/Belongings.ts"
import * as InstalledPostgres from "../support/InstalledPostgres.ts"
import * as LiveServer from "../support/LiveServer.ts"
import * as Messages from "../support/Messages.ts"
import * as OAuth from "../support/OAuth.ts"
import { temporaryFolder } from "../support/PrivatePostgres.ts"
import * as SchemaDump from "../support/SchemaDump.ts"
import * as ServerProcess from "../support/ServerProcess.ts"
import { indexed } from "../support/Stamps.ts"
import { TestDatabase } from "../support/TestDatabase.ts"

interface Drill {
  readonly source: EmbeddedConnection
  /** Made while the server runs, or after it has stopped. */
  readonly whileRunning: Effect.Effect<void>
  readonly whileStopped: Effect.Effect<void>
  /** Restores the backup into an empty database. */
  readonly restore: Effect.Effect<EmbeddedConnection, never, Scope.Scope>
}

const onDatabase = <A, E>(source: EmbeddedConnection, effect: Effect.Effect<A, E, SqlClient.SqlClient>) =>
  Effect.orDie(Effect.provide(effect, Database.layer({ source, statementTimeoutMillis: 60_000 })))

const emptyDatabase = (server: EmbeddedConnection, database: string) =>
  onDatabase(
    server,
    Effect.flatMap(SqlClient.SqlClient, (sql) =>
      Effect.as(sql`CREATE DATABASE ${sql(database)}`, { ...server, database })
    )
  )

/** `pg_dump` while the server runs, and `pg_restore`. */
const byDump = (bin: string) =>
  Effect.gen(function* () {
    const source = yield* InstalledPostgres.server(bin)
    const file = `--file=${path.join(yield* temporaryFolder, "discovery.dump")}`
    return {
      source,
      whileRunning: Effect.asVoid(
        InstalledPostgres.run(bin, "pg_dump", "--format=custom", file, ServerProcess.urlOf(source))
      ),
      whileStopped: Effect.void,
      restore: Effect.tap(emptyDatabase(source, "restored"), (restored) =>
        InstalledPostgres.run(
          bin,
          "pg_restore",
          "--no-owner",
          "--exit-on-error",
          `--dbname=${ServerProcess.urlOf(restored)}`,
          file.replace("--file=", "")
        )
      )
    }
  })

const Column = Schema.Struct({ table: Schema.String, columns: Schema.String })
const Sequence = Schema.Struct({ name: Schema.String, last: Schema.Number })
const decodeColumns = Schema.decodeUnknownEffect(Schema.Array(Column))
const decodeSequences = Schema.decodeUnknownEffect(Schema.Array(Sequence))
const decodeText = Schema.decodeUnknownEffect(Schema.NonEmptyArray(Schema.Struct({ rows: Schema.String })))

/** What a dump holds, by statements: definitions, rows and the last values of sequences. For machines without pg_dump. */
const byStatements = Effect.gen(function* () {
  const { connection: source } = yield* TestDatabase
  let statements: ReadonlyArray<string> = []
  const dump = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const tables = yield* decodeColumns(
      yield* sql`
        SELECT c.relname AS table, string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum) AS columns
        FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
        WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
          AND NOT c.relispartition AND a.attgenerated = ''
        GROUP BY c.oid, c.relname ORDER BY c.oid`
    )
    const data = yield* Effect.forEach(tables, ({ columns, table }) =>
      Effect.gen(function* () {
        const found = yield* sql`SELECT coalesce(jsonb_agg(to_jsonb(t)), '[]')::text AS rows FROM ${sql(table)} t`
        const [{ rows }] = yield* decodeText(found)
        const literal = `'${rows.replaceAll("'", "''")}'`
        return `INSERT INTO ${table} (${columns}) OVERRIDING SYSTEM VALUE
          SELECT ${columns} FROM jsonb_populate_recordset(NULL::${table}, ${literal})`
      })
    )
    const sequences = yield* decodeSequences(
      yield* sql`SELECT sequencename AS name, last_value::integer AS last FROM pg_sequences WHERE last_value IS NOT NULL`
    )
    // Rows before triggers and references, as pg_restore does.
    statements = [
      ...(yield* SchemaDump.statements),
      "SET session_replication_role = replica",
      ...data,
      ...sequences.map(({ last, name }) => `SELECT setval('${name}', ${last})`),
      "RESET session_replication_role"
    ]
  })
  return {
    source,
    whileRunning: onDatabase(source, dump),
    whileStopped: Effect.void,
    restore: Effect.tap(emptyDatabase(source, `${source.database}_restored`), (restored) =>
      onDatabase(
        restored,
        Effect.flatMap(SqlClient.SqlClient, (sql) =>
          Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true }).pipe(sql.withTransaction)
        )
      )
    )
  }
})

/** A copy of the folder of an embedded PostgreSQL that has stopped. */
const byCopy = Effect.gen(function* () {
  const folder = yield* temporaryFolder
  const data = path.join(folder, "data")
  const copy = path.join(folder, "copy")
  const server = yield* EmbeddedPostgres.make({ dataFolder: data })
  return {
    source: server.connection,
    whileRunning: Effect.void,
    whileStopped: server.stop.pipe(
      Effect.andThen(Effect.promise(() => promisify(execFile)("cp", ["-a", data, copy]))),
      Effect.andThen(Effect.orDie(server.start))
    ),
    restore: Effect.map(Effect.orDie(EmbeddedPostgres.make({ dataFolder: copy })), ({ connection }) => connection)
  }
})

/** The live service on a database, until the effect ends; `logs` are added to. */
const serving =
  (source: EmbeddedConnection, indexDir: string, logs: Array<string>) =>
  <A, E>(effect: Effect.Effect<A, E, Layer.Success<ReturnType<typeof services>>>) =>
    Effect.provide(effect, services(source, indexDir, logs), { local: true })

const services = (source: EmbeddedConnection, indexDir: string, logs: Array<string>) =>
  Router.layer.pipe(
    Layer.provideMerge(Server.layer),
    Layer.provideMerge(Live.service),
    Layer.provideMerge(Live.operation),
    Layer.provideMerge(Sources.layer),
    Layer.provide(NodeCrypto.layer),
    Layer.provideMerge(Migrations.layer),
    Layer.provideMerge(Database.layer({ source })),
    Layer.provideMerge(
      AppConfig.layerOf({
        port: 0,
        baseUrl: OAuth.baseUrl,
        mcpUrl: OAuth.mcpUrl,
        indexDir,
        dataDir: indexDir,
        searchWorkers: 0
      })
    ),
    Layer.provideMerge(Logger.layer([Logger.map(Logger.formatJson, (line) => void logs.push(line))]))
  )

const importDemo = (asOf: string) =>
  Effect.flatMap(Importer, (importer) =>
    importer.run(demoSource({ size: "tiny", seed: "drill", asOf }), {
      provenance: { source: "demo", license: null, asOf },
      maxRejects: 0,
      onRejects: () => Effect.void,
      onProgress: () => Effect.void
    })
  )

const Answered = Schema.Struct({
  result: Schema.Struct({
    isError: Schema.optionalKey(Schema.Literal(false)),
    structuredContent: Schema.Record(Schema.String, Schema.Unknown)
  })
})

const answer = (secret: Redacted.Redacted, tool: string, args: object = {}) =>
  Effect.map(
    LiveServer.post(secret, Messages.call(tool, args)),
    ({ json }) => Schema.decodeUnknownSync(Answered)(json).result.structuredContent
  )

const calls: ReadonlyArray<readonly [tool: string, args: object]> = [
  ["search_shops", { sort_by: "traffic_growth", per_page: 25 }],
  ["search_products", { sort_by: "newest", per_page: 25, page: 2 }],
  ["search_ads", { status: "active", per_page: 25 }],
  ["compare_markets", { group_by: "app", limit: 5 }],
  ["list_filter_options", { kind: "niches", query: "garden" }]
]

/** Whole pages, with their ids and totals. */
const answers = (secret: Redacted.Redacted) => Effect.forEach(calls, ([tool, args]) => answer(secret, tool, args))

/** Tables that a server empties by itself. */
const isEmptyAtRest = ["import_product"]

/** Every row and sequence, but for what a server writes by itself: counts of rate limits, and last uses of credentials. */
const contents = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const Row = Schema.Struct({ name: Schema.String, rows: Schema.Int, digest: Schema.NullOr(Schema.String) })
  const tables = yield* sql<{ name: string }>`
    SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
      AND relname <> 'rate_bucket' ORDER BY 1`
  const found = yield* Effect.forEach(tables, ({ name }) => {
    const row = name === "api_key" || name === "oauth_grant" ? "(to_jsonb(t) - 'last_used_at')::text" : "t::text"
    return sql`
      SELECT ${name}::text AS name, count(*)::int AS rows, md5(string_agg(r.row, ' ' ORDER BY r.row COLLATE "C")) AS digest
      FROM (SELECT ${sql.literal(row)} AS row FROM ${sql(name)} t) r`
  })
  const sequences = yield* sql`SELECT sequencename, last_value FROM pg_sequences ORDER BY 1`
  return { tables: yield* Schema.decodeUnknownEffect(Schema.Array(Row))(found.flat()), sequences }
})

const refresh = Effect.fnUntraced(function* (clientId: string, token: string) {
  const address = yield* LiveServer.url
  return yield* Effect.promise(async () => {
    const response = await fetch(`${address}/token`, {
      method: "POST",
      body: new URLSearchParams({ grant_type: "refresh_token", client_id: clientId, refresh_token: token })
    })
    const body: unknown = await response.json()
    return { status: response.status, body }
  })
})

const Refreshed = Schema.Struct({ access_token: Schema.RedactedFromValue(Schema.String), refresh_token: Schema.String })

/** What a customer has at the time of the backup. */
const fill = Effect.gen(function* () {
  yield* importDemo("2026-01-15")
  yield* Movers.update
  yield* indexed
  const password = Redacted.make("nine green whales")
  const accounts = yield* Accounts
  const account = yield* accounts.create({ email: "ada@example.com", plan: "growth", status: "active", password })
  yield* accounts.grant("ada@example.com", 50, "for the drill")
  const keys = yield* ApiKeys
  const key = yield* keys.create(account.id, "kept")
  const revokedLater = yield* keys.create(account.id, "revoked after the backup")
  const sql = yield* SqlClient.SqlClient
  const [store] = yield* sql<{ id: number }>`SELECT id FROM shop ORDER BY id LIMIT 1`
  yield* sql`INSERT INTO category (name, niche_id) SELECT 'Tents', min(id) FROM niche`
  yield* sql`INSERT INTO page_store (page_id, shop_id) SELECT '1', min(id) FROM shop`
  yield* sql`
    INSERT INTO change (version, as_of, source_id, kind, shop_id, name)
    SELECT 1, current_date, min(source.id), 'theme_added', ${store?.id ?? 0}, 'Dawn' FROM source`
  yield* sql`INSERT INTO server_address (base_url) VALUES ('https://discovery.test')`
  yield* sql`INSERT INTO used_link (hash, purpose, expires_at) VALUES (sha256('used'), 'reset', now() + interval '1 day')`
  yield* (yield* TrackedShops).track(account.id, store?.id ?? 0)
  yield* sql`
    WITH made AS (INSERT INTO board (account_id, name, used_at) VALUES (${account.id}, 'Kept', now()) RETURNING id)
    INSERT INTO kept_item (board_id, kind, item_id, kept_at) SELECT id, 'store', ${store?.id ?? 0}, now() FROM made`
  const { client, tokens } = yield* OAuth.connected(account.id)
  const other = yield* OAuth.connected(account.id, client)
  const belongings = yield* Belongings.make({ email: account.email, password })
  const before = yield* answers(key.secret)
  const params = { name: "search_ads", arguments: {}, _meta: { [metaKey]: "once" } }
  yield* LiveServer.post(key.secret, Messages.request("tools/call", params))
  yield* answer(tokens.accessToken, "search_ads")
  const usage = yield* answer(key.secret, "get_usage")
  yield* (yield* ActivityLog).write
  const stored = yield* contents
  const empty = stored.tables.filter(({ rows }) => rows === 0).map(({ name }) => name)
  assert.deepStrictEqual(empty, isEmptyAtRest)
  return {
    account,
    belongings,
    key,
    revokedLater,
    clientId: client.id,
    kept: Redacted.value(tokens.refreshToken),
    renewedLater: Redacted.value(other.tokens.refreshToken),
    answers: before,
    usage,
    contents: stored
  }
})

type Filled = Effect.Success<typeof fill>

/** What the backup does not know: a renewed connection, a revoked key, a charge, and the loss of the catalog. */
const loseTheCatalog = Effect.fnUntraced(function* ({ account, clientId, key, renewedLater, revokedLater }: Filled) {
  yield* indexed
  yield* (yield* ApiKeys).revoke(account.id, revokedLater.key.id)
  const { body } = yield* refresh(clientId, renewedLater)
  yield* (yield* Sources).forget("demo")
  yield* indexed
  const page = yield* answer(key.secret, "search_shops")
  assert.deepInclude(page, { results: [] })
  return Schema.decodeUnknownSync(Refreshed)(body).refresh_token
})

const drill = Effect.fnUntraced(function* (way: Drill) {
  const indexDir = yield* temporaryFolder
  const logs: Array<string> = []
  const filled = yield* Effect.tap(fill, way.whileRunning).pipe(serving(way.source, indexDir, []))
  yield* way.whileStopped
  const renewed = yield* loseTheCatalog(filled).pipe(serving(way.source, indexDir, []))
  const restored = yield* way.restore

  assert.deepStrictEqual(yield* onDatabase(restored, contents), filled.contents)
  assert.deepStrictEqual(yield* onDatabase(restored, Migrations.run), [])
  yield* Effect.gen(function* () {
    const { account, key } = filled
    yield* indexed
    // The newest snapshot is of the later state.
    assert.include(logs.join("\n"), "the database does not have its version any more")
    assert.deepStrictEqual(yield* answer(key.secret, "get_usage"), filled.usage)
    assert.deepStrictEqual(yield* answers(key.secret), filled.answers)

    // Credentials are those of the backup: what was revoked since works again, what was renewed since has to be connected again.
    yield* answer(filled.revokedLater.secret, "get_usage")
    const lost = yield* refresh(filled.clientId, renewed)
    assert.strictEqual(lost.status, 400)
    assert.deepInclude(lost.body, { error: "invalid_grant" })
    const { access_token: access } = Schema.decodeUnknownSync(Refreshed)(
      (yield* refresh(filled.clientId, filled.kept)).body
    )
    assert.deepStrictEqual(yield* answer(access, "get_usage"), yield* answer(key.secret, "get_usage"))

    yield* Belongings.verify(filled.belongings)

    // New rows get new ids, and the index follows.
    const keys = yield* ApiKeys
    const next = yield* keys.create(account.id, "made after the restore")
    assert.isAbove(next.key.id, filled.revokedLater.key.id)
    const accounts = yield* Accounts
    const password = Redacted.make("nine green whales")
    const another = yield* accounts.create({ email: "bob@example.com", plan: "growth", status: "active", password })
    assert.isAbove(another.id, account.id)
    yield* importDemo("2026-01-16")
    yield* indexed
    yield* answers(next.secret)
  }).pipe(serving(restored, indexDir, logs))

  const environment = { DATABASE_URL: ServerProcess.urlOf(restored), INDEX_DIR: indexDir }
  for (const check of ["credits", "catalog"]) {
    const { code, err, out } = yield* ServerProcess.command(environment, check, "verify")
    assert.strictEqual(code, 0, out + err)
  }
})

layer(TestDatabase.layerNoPool, { excludeTestServices: true, timeout: "10 minutes" })(
  "a backup that is restored",
  (it) => {
    const { bin } = InstalledPostgres

    it.effect.skipIf(bin === undefined)("of pg_dump, made while the server runs, loses nothing", () =>
      Effect.flatMap(byDump(bin ?? ""), drill)
    )

    it.effect("of definitions, rows and sequences loses nothing", () => Effect.flatMap(byStatements, drill))

    it.effect("of the folder of the embedded PostgreSQL, copied while it is stopped, loses nothing", () =>
      Effect.flatMap(byCopy, drill)
    )
  }
)

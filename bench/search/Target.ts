/** The program itself, in a process of its own, over the scale data; and accounts that may call it as often as they like. */
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Effect, Layer, Option, Redacted, Schema } from "effect"
import type { Scope } from "effect"
import { SqlClient } from "effect/sql"
import * as fs from "node:fs/promises"
import { AppConfig } from "../../src/Config.ts"
import type { AccountId } from "../../src/domain/access/Account.ts"
import { Accounts } from "../../src/services/access/Accounts.ts"
import { ApiKeys } from "../../src/services/access/ApiKeys.ts"
import { Passwords } from "../../src/services/access/Passwords.ts"
import * as Database from "../../src/services/database/Database.ts"
import type { EmbeddedConnection } from "../../src/services/database/EmbeddedPostgres.ts"
import * as RunningPostgres from "../../src/services/database/RunningPostgres.ts"
import * as ServerProcess from "../../test/support/ServerProcess.ts"
import * as ScaleDatabase from "./ScaleDatabase.ts"

export interface Target {
  readonly connection: EmbeddedConnection
  readonly port: number
  /** Calls take turns with them: no account may have more than its share of searches at once. */
  readonly authorizations: ReadonlyArray<string>
  /** One of the accounts. */
  readonly accountId: AccountId
  /** Of the server process, bytes. */
  readonly residentBytes: Effect.Effect<number>
}

export class NotStarted extends Schema.TaggedError<NotStarted>()("NotStarted", { message: Schema.String }) {}

const credits = 1_000_000_000
/** For two cores, as docs/operations.md advises: as many searches at once as there are cores, and four for short statements. */
export const maxConnections = 6
const callers = 10

/** The data's own server if one runs already, else one for this run. */
export const database = (shops: number) =>
  Effect.flatMap(
    RunningPostgres.find(ScaleDatabase.folderOf(shops)),
    Option.match({ onSome: Effect.succeed, onNone: () => ScaleDatabase.open(shops) })
  )

const makeAccount = Effect.gen(function* () {
  const accounts = yield* Accounts
  const password = yield* Effect.flatMap(Passwords, ({ generate }) => generate)
  const email = `bench-${crypto.randomUUID()}@example.com`
  const { id } = yield* accounts.create({ email, plan: "pro", status: "active", password })
  const { secret } = yield* Effect.flatMap(ApiKeys, (keys) => keys.create(id, "bench"))
  return { accountId: id, authorization: `Bearer ${Redacted.value(secret)}` }
})

/** New ones for each server, for an account may make no more than 20 keys an hour. */
export const account = (connection: EmbeddedConnection) =>
  Effect.map(accounts(connection, 0), ([{ accountId }]) => accountId)

const accounts = (connection: EmbeddedConnection, further: number) =>
  Effect.gen(function* () {
    const first = yield* makeAccount
    const others = yield* Effect.replicateEffect(makeAccount, further)
    return [first, ...others] as const
  }).pipe(
    Effect.provide(
      Layer.mergeAll(Accounts.layer, ApiKeys.layer).pipe(
        Layer.provideMerge(Passwords.layer),
        Layer.provide([NodeCrypto.layer, AppConfig.layerOf({ planCreditsPro: credits })]),
        Layer.provide(Database.layer({ source: connection, maxConnections: 1 }))
      )
    )
  )

/**
 * A server that has run for a while has its tables in memory; one that was just started would have to read them first.
 * What the cache may forget again comes first: the records, of which a search reads one page.
 */
export const warm = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE EXTENSION IF NOT EXISTS pg_prewarm`
  const tables = yield* sql<{ id: number }>`
    SELECT relid::int AS id FROM pg_stat_user_tables WHERE schemaname = 'public'
    ORDER BY relname NOT IN ('ad', 'product', 'shop'), pg_total_relation_size(relid) DESC`
  for (const { id } of tables) {
    yield* sql`
      SELECT sum(pg_prewarm(c.oid))::text FROM pg_class c
      WHERE c.oid = ${id}::oid OR c.oid IN (SELECT indexrelid FROM pg_index WHERE indrelid = ${id}::oid)`
  }
})

/** Timeouts and the like are the server's own; only the rate limit is off and the allowance large. */
export const start = Effect.fnUntraced(function* (
  connection: EmbeddedConnection
): Effect.fn.Return<Target, unknown, Scope.Scope> {
  const port = yield* ServerProcess.freePort
  const server = yield* ServerProcess.start({
    DATABASE_URL: ServerProcess.urlOf(connection),
    PORT: String(port),
    PLAN_CREDITS_PRO: String(credits),
    RATE_LIMIT_PER_MINUTE: "0",
    DATABASE_MAX_CONNECTIONS: String(maxConnections)
  })
  const { pid } = server.child
  if (pid === undefined || server.child.exitCode !== null) {
    return yield* new NotStarted({ message: `The server did not start: ${server.logged().slice(-2000)}` })
  }
  const owners = yield* accounts(connection, callers - 1)
  return {
    connection,
    port,
    authorizations: owners.map(({ authorization }) => authorization),
    accountId: owners[0].accountId,
    residentBytes: Effect.promise(async () => {
      const status = await fs.readFile(`/proc/${pid}/status`, "utf8")
      return Number(/^VmRSS:\s+(\d+) kB$/mu.exec(status)?.[1] ?? Number.NaN) * 1024
    })
  }
})

/**
 * Records when each credential was last used: collected in memory during requests and written in the background, at most
 * once a minute for each credential over all servers. A killed server loses what it has not written.
 */
import { Context, Effect, Layer, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import type { Caller } from "../../domain/access/Account.ts"

/** Further credentials are recorded at their next use. */
const maxRemembered = 10_000
const writeEvery = "10 seconds"

type Credential = Caller["credential"]

export class CredentialUse extends Context.Service<
  CredentialUse,
  {
    /** Remembers the use of an API key or a connected app at a time in milliseconds since 1970. */
    readonly remember: (credential: Credential, atMillis: number) => void
    readonly write: Effect.Effect<void, SqlError.SqlError>
  }
>()("discovery/credentials/CredentialUse") {
  static readonly layer = Layer.effect(
    CredentialUse,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const uses: { readonly [K in Credential["kind"]]: { readonly table: string; readonly at: Map<number, number> } } =
        {
          api_key: { table: "api_key", at: new Map() },
          access_token: { table: "oauth_grant", at: new Map() }
        }

      const remember = ({ id, kind }: Credential, atMillis: number) => {
        const { at } = uses[kind]
        if (at.size < maxRemembered || at.has(id)) at.set(id, atMillis)
      }

      // A row that another server is writing needs no second write.
      const write = Effect.gen(function* () {
        for (const { at, table } of Object.values(uses)) {
          if (at.size === 0) continue
          const due = Array.from(at, ([id, millis]) => ({ id, at: new Date(millis).toISOString() }))
          at.clear()
          yield* sql`
            UPDATE ${sql(table)} AS credential SET last_used_at = due.at
            FROM (
              SELECT k.id, u.at
              FROM jsonb_to_recordset(${JSON.stringify(due)}::jsonb) AS u (id integer, at timestamptz)
              JOIN ${sql(table)} k ON k.id = u.id
              WHERE k.last_used_at IS NULL OR k.last_used_at <= u.at - interval '1 minute'
              FOR NO KEY UPDATE OF k SKIP LOCKED
            ) due
            WHERE credential.id = due.id`
        }
      }).pipe(Effect.withSpan("CredentialUse.write"))

      const writeOrWarn = Effect.catch(write, (error) =>
        Effect.logWarning("The last use of credentials could not be written", error)
      )
      yield* Effect.addFinalizer(() => Effect.timeoutOption(writeOrWarn, "2 seconds"))
      yield* writeOrWarn.pipe(Effect.schedule(Schedule.spaced(writeEvery)), Effect.forkScoped)
      return { remember, write }
    })
  )
}

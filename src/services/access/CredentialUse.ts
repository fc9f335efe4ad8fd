/**
 * When each credential was last used: kept in memory on the path of a request and written in the background, at most once
 * a minute for each credential however many servers there are. What a killed server had not written is lost.
 */
import { Context, Effect, Layer, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"

/** More credentials than this between two writes are left to their next use. */
const maxRemembered = 10_000
const writeEvery = "10 seconds"

export class CredentialUse extends Context.Service<
  CredentialUse,
  {
    /** Remembers the use of an API key at a time in milliseconds since 1970. */
    readonly remember: (apiKeyId: number, atMillis: number) => void
    /** Writes what is remembered. */
    readonly write: Effect.Effect<void, SqlError.SqlError>
  }
>()("discovery/access/CredentialUse") {
  static readonly layer = Layer.effect(
    CredentialUse,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const lastUse = new Map<number, number>()

      const remember = (apiKeyId: number, atMillis: number) => {
        if (lastUse.size < maxRemembered || lastUse.has(apiKeyId)) lastUse.set(apiKeyId, atMillis)
      }

      // A key that another server is writing just now needs no second write.
      const write = Effect.gen(function* () {
        if (lastUse.size === 0) return
        const uses = Array.from(lastUse, ([id, at]) => ({ id, at: new Date(at).toISOString() }))
        lastUse.clear()
        yield* sql`
          UPDATE api_key SET last_used_at = due.at
          FROM (
            SELECT k.id, u.at
            FROM jsonb_to_recordset(${JSON.stringify(uses)}::jsonb) AS u (id integer, at timestamptz)
            JOIN api_key k ON k.id = u.id
            WHERE k.last_used_at IS NULL OR k.last_used_at <= u.at - interval '1 minute'
            FOR NO KEY UPDATE OF k SKIP LOCKED
          ) due
          WHERE api_key.id = due.id`
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

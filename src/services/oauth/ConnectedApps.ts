/** The connected apps of an account: list and revoke (R54, S94). */
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountId } from "../../domain/access/Account.ts"
import type { ServiceUnavailable } from "../../domain/ToolError.ts"
import { rowsOf } from "../database/Rows.ts"
import { availableOnce, availableToRead } from "../database/Availability.ts"
import * as GrantRows from "./GrantRows.ts"

export const ConnectedApp = Schema.Struct({
  id: Schema.Int,
  /** The app's name at the time of consent. */
  name: Schema.String,
  /** The host of the app's metadata document; `null` for a registered app. */
  publisher: Schema.NullOr(Schema.String),
  connectedAt: Schema.DateTimeUtcFromDate,
  lastUsedAt: Schema.NullOr(Schema.DateTimeUtcFromDate)
})
export type ConnectedApp = typeof ConnectedApp.Type

/** The app does not exist, is revoked already, or belongs to another account. */
export class AppNotFound extends Schema.TaggedError<AppNotFound>()("AppNotFound", { message: Schema.String }) {}

const decodeApps = rowsOf(ConnectedApp)

export class ConnectedApps extends Context.Service<
  ConnectedApps,
  {
    /** The usable ones, oldest first, at most 200. */
    list(accountId: AccountId): Effect.Effect<ReadonlyArray<ConnectedApp>, ServiceUnavailable>
    /** Ends the grant with all its tokens. Takes effect immediately on every server. */
    revoke(accountId: AccountId, appId: number): Effect.Effect<void, AppNotFound | ServiceUnavailable>
  }
>()("discovery/oauth/ConnectedApps") {
  static readonly layer = Layer.effect(
    ConnectedApps,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient

      const list = Effect.fn("ConnectedApps.list")(function* (accountId: AccountId) {
        const now = new Date(yield* Clock.currentTimeMillis)
        return yield* sql`
          SELECT id, client_name AS name, publisher, connected_at AS "connectedAt", last_used_at AS "lastUsedAt"
          FROM oauth_grant
          WHERE account_id = ${accountId} AND connected_at IS NOT NULL AND usable_until > ${now}
          ORDER BY id`.pipe(decodeApps, availableToRead)
      })

      const revoke = Effect.fn("ConnectedApps.revoke")(function* (accountId: AccountId, appId: number) {
        const now = new Date(yield* Clock.currentTimeMillis)
        const which = sql`g.id = ${appId} AND g.account_id = ${accountId} AND g.connected_at IS NOT NULL`
        const ended = yield* GrantRows.end(which, "account", now).pipe(
          Effect.provideService(SqlClient.SqlClient, sql),
          availableOnce
        )
        if (ended === 0) {
          return yield* new AppNotFound({
            message: `The account has no connected app ${appId}. List its apps to see their numbers.`
          })
        }
      })

      return ConnectedApps.of({ list, revoke })
    })
  )
}

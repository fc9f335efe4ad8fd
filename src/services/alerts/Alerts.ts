/**
 * Which saved searches an account gets mails about (D113): turned on and off at each search, and off for all by the link of a mail,
 * which needs no sign-in. What is mailed, and when, is for AlertRound.
 */
import { Context, Effect, Layer, Schema } from "effect"
import type { Redacted } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountId } from "../../domain/access/Account.ts"
import { dayMillis } from "../../domain/Days.ts"
import { daysOf } from "../../domain/search/SearchAlert.ts"
import type { AlertFrequency } from "../../domain/search/SearchAlert.ts"
import type { ServiceUnavailable } from "../../domain/ToolError.ts"
import { AccountLinks } from "../accounts/AccountLinks.ts"
import type { LinkOver } from "../accounts/AccountLinks.ts"
import { SavedSearchNotFound } from "../accounts/SavedSearches.ts"
import { availableOnce, availableToRead } from "../database/Availability.ts"
import * as DatabaseClock from "../database/DatabaseClock.ts"
import { hasRow, rowOf } from "../database/Rows.ts"
import { MailLanguage } from "../mail/Letter.ts"

const decodeDue = rowOf(Schema.Struct({ dueAt: Schema.Date }))

export class Alerts extends Context.Service<
  Alerts,
  {
    /**
     * Mails go to the account in the language of the request. What is in the catalog now is never news; results since the last view
     * of the search are. `undefined` turns the alert off.
     */
    set(
      accountId: AccountId,
      searchId: number,
      frequency: AlertFrequency | undefined
    ): Effect.Effect<void, SavedSearchNotFound | ServiceUnavailable>
    /** Whether a link turns alerts off. Changes nothing: programs that check mails open links, too. */
    verify(secret: Redacted.Redacted): Effect.Effect<void, LinkOver | ServiceUnavailable>
    /** Turns off all alerts of the account of a link. It may be used again. */
    unsubscribe(secret: Redacted.Redacted): Effect.Effect<void, LinkOver | ServiceUnavailable>
  }
>()("discovery/alerts/Alerts") {
  static readonly layer = Layer.effect(
    Alerts,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const links = yield* AccountLinks

      /** The account first, as everywhere. */
      const lock = (accountId: AccountId) => sql`SELECT FROM account WHERE id = ${accountId} FOR NO KEY UPDATE`

      const turnOff = sql.literal("alert = NULL, alert_mark = NULL, alert_change = NULL, alert_due_at = NULL")

      const set = Effect.fn("Alerts.set")(
        function* (accountId: AccountId, searchId: number, frequency: AlertFrequency | undefined) {
          yield* lock(accountId)
          const which = sql`account_id = ${accountId} AND id = ${searchId}`
          if (frequency === undefined) {
            const found = yield* hasRow(sql`UPDATE saved_search SET ${turnOff} WHERE ${which} RETURNING id`)
            return found ? undefined : yield* new SavedSearchNotFound()
          }
          const language = yield* MailLanguage
          const firstLook = new Date((yield* DatabaseClock.currentTimeMillis) + dayMillis)
          // An account is looked at once a day, so that it gets one mail for all of its searches.
          const { dueAt } = yield* decodeDue(sql`
            INSERT INTO alert (account_id, language, due_at) VALUES (${accountId}, ${language}, ${firstLook})
            ON CONFLICT (account_id) DO UPDATE SET language = excluded.language RETURNING due_at AS "dueAt"`)
          const due = new Date(dueAt.getTime() + (daysOf[frequency] - 1) * dayMillis)
          const found = yield* hasRow(sql`
            UPDATE saved_search SET alert = ${frequency}, alert_due_at = ${due},
              alert_change = coalesce(alert_change, (SELECT max(id) FROM change WHERE NOT with_store), 0)
            WHERE ${which} RETURNING id`)
          if (!found) return yield* new SavedSearchNotFound()
        },
        Effect.provideService(SqlClient.SqlClient, sql),
        sql.withTransaction,
        availableOnce
      )

      const verify = Effect.fn("Alerts.verify")((secret: Redacted.Redacted) =>
        links.unsubscribes(secret).pipe(Effect.asVoid, availableToRead)
      )

      const unsubscribe = Effect.fn("Alerts.unsubscribe")(
        function* (secret: Redacted.Redacted) {
          const accountId = yield* links.unsubscribes(secret)
          yield* lock(accountId)
          yield* sql`UPDATE saved_search SET ${turnOff} WHERE account_id = ${accountId} AND alert IS NOT NULL`
          yield* sql`DELETE FROM alert WHERE account_id = ${accountId}`
          yield* sql`DELETE FROM mail WHERE account_id = ${accountId} AND kind = 'alerts'`
        },
        sql.withTransaction,
        availableOnce
      )

      return { set, verify, unsubscribe }
    })
  )
}

/**
 * What tells accounts of news by itself (D113): saved searches that are mailed daily or weekly, and the count of what was sent.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // alert: NULL for none. alert_mark, alert_change: results and changes up to these ids were in a mail; as `mark`, and of `change`.
  // alert_due_at: when it is looked at next.
  yield* sql`
    ALTER TABLE saved_search
      ADD COLUMN alert text CHECK (alert IN ('daily', 'weekly')),
      ADD COLUMN alert_mark integer CHECK (alert_mark >= 0),
      ADD COLUMN alert_change bigint CHECK (alert_change >= 0),
      ADD COLUMN alert_due_at timestamptz,
      ADD CONSTRAINT saved_search_alert CHECK (
        (alert IS NULL) = (alert_due_at IS NULL) AND (alert IS NULL) = (alert_change IS NULL)
      )`

  // Of each account with alerts. language: of the page on which one was last turned on. due_at: when its searches are looked at next.
  // taken_until: a server looks at them; after this time it has ended.
  yield* sql`
    CREATE TABLE alert (
      account_id integer PRIMARY KEY REFERENCES account ON DELETE CASCADE,
      language text NOT NULL CHECK (char_length(language) BETWEEN 2 AND 10),
      due_at timestamptz NOT NULL,
      taken_until timestamptz
    )`
  yield* sql`CREATE INDEX alert_due_at ON alert (due_at)`

  // Links that turn off the alerts of an account, without a sign-in. They work again and again until they are too old.
  yield* sql`
    CREATE TABLE alert_link (
      hash bytea PRIMARY KEY CHECK (octet_length(hash) = 32),
      account_id integer NOT NULL REFERENCES account ON DELETE CASCADE,
      created_at timestamptz NOT NULL
    )`
  yield* sql`CREATE INDEX alert_link_account ON alert_link (account_id, created_at)`

  // account_id: of mails that are counted for their account, and end with it. content: what the mail says beside its texts.
  yield* sql`
    ALTER TABLE mail
      ADD COLUMN account_id integer REFERENCES account ON DELETE CASCADE,
      ADD COLUMN content jsonb`
  yield* sql`CREATE INDEX mail_account ON mail (account_id) WHERE account_id IS NOT NULL`

  // What was sent to an account by itself, by UTC day.
  yield* sql`
    CREATE TABLE notice_day (
      account_id integer NOT NULL REFERENCES account ON DELETE CASCADE,
      day date NOT NULL,
      kind text NOT NULL CHECK (kind IN ('alert', 'webhook')),
      outcome text NOT NULL CHECK (char_length(outcome) BETWEEN 1 AND 20),
      count integer NOT NULL CHECK (count > 0),
      PRIMARY KEY (account_id, day, kind, outcome)
    )`
  yield* sql`CREATE INDEX notice_day_day ON notice_day (day)`
})

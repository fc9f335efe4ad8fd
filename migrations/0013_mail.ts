/** Mails that wait to be sent; and more kinds of changes that an account is shown. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // link: the hash of a row of account_link; the secret that the mail has is made when it is sent. due_at: of the next attempt;
  // while a server sends the mail, the time from which another one may. All times are the database's.
  yield* sql`
    CREATE TABLE mail (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      kind text NOT NULL CHECK (char_length(kind) BETWEEN 1 AND 40),
      recipient text NOT NULL CHECK (char_length(recipient) BETWEEN 3 AND 254),
      language text NOT NULL CHECK (char_length(language) BETWEEN 2 AND 10),
      link bytea CHECK (octet_length(link) = 32),
      attempts integer NOT NULL DEFAULT 0,
      created_at timestamptz NOT NULL,
      due_at timestamptz NOT NULL,
      expires_at timestamptz NOT NULL
    )`
  yield* sql`CREATE INDEX mail_due_at ON mail (due_at)`

  yield* sql`ALTER TABLE sign_in_change DROP CONSTRAINT sign_in_change_what_check`
  yield* sql`
    ALTER TABLE sign_in_change ADD CONSTRAINT sign_in_change_what_check
      CHECK (what IN ('passkey_added', 'passkey_removed', 'second_step_on', 'second_step_off', 'codes_replaced', 'code_used',
        'reset', 'password_changed', 'password_set', 'password_reset', 'address_changed'))`
})

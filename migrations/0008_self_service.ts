/** What customers do by mail: links of sign-up, password reset and change of e-mail address. And closed accounts. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // hash: SHA-256 of the link's random value, which needs no salt. email: where the mail was sent. The account of a sign-up is
  // made when its link is confirmed; until then this row is all that is kept of it: its password, and of the browser that
  // asked the SHA-256 of its cookie and the address where it continues.
  yield* sql`
    CREATE TABLE account_link (
      hash bytea PRIMARY KEY CHECK (octet_length(hash) = 32),
      purpose text NOT NULL CHECK (purpose IN ('sign_up', 'reset', 'email')),
      email text NOT NULL CHECK (char_length(email) BETWEEN 3 AND 254),
      account_id integer REFERENCES account ON DELETE CASCADE,
      password_hash text CHECK (password_hash LIKE '$argon2id$%'),
      browser bytea CHECK (octet_length(browser) = 32),
      return_to text CHECK (char_length(return_to) <= 8192),
      created_at timestamptz NOT NULL,
      expires_at timestamptz NOT NULL,
      CHECK (CASE purpose
        WHEN 'sign_up' THEN account_id IS NULL AND password_hash IS NOT NULL AND browser IS NOT NULL
        ELSE account_id IS NOT NULL AND password_hash IS NULL AND browser IS NULL AND return_to IS NULL
      END)
    )`
  // A newer link takes the place of the older one.
  yield* sql`CREATE UNIQUE INDEX account_link_sign_up ON account_link (lower(email)) WHERE purpose = 'sign_up'`
  yield* sql`CREATE UNIQUE INDEX account_link_account ON account_link (account_id, purpose) WHERE account_id IS NOT NULL`
  yield* sql`CREATE INDEX account_link_expires ON account_link (expires_at)`

  // The row of a closed account stays for the ledger. forgotten_at: when the last of its personal data was removed.
  yield* sql`ALTER TABLE account ADD COLUMN closed_at timestamptz`
  yield* sql`ALTER TABLE account ADD COLUMN forgotten_at timestamptz`
  yield* sql`
    ALTER TABLE account ADD CONSTRAINT account_closed CHECK (
      CASE WHEN closed_at IS NULL THEN forgotten_at IS NULL ELSE password_hash IS NULL AND role = 'customer' END)`
  yield* sql`CREATE INDEX account_to_forget ON account (closed_at) WHERE closed_at IS NOT NULL AND forgotten_at IS NULL`

  // Removes at most so many lines, and as many counts of days, of a closed account. Returns the number of both.
  yield* sql`
    CREATE FUNCTION remove_activity_of(closed integer, most integer) RETURNS integer
    LANGUAGE plpgsql AS $$
    DECLARE
      lines integer;
      days integer;
    BEGIN
      IF NOT EXISTS (SELECT FROM account WHERE id = closed AND closed_at IS NOT NULL) THEN
        RAISE EXCEPTION 'account % is not closed', closed USING ERRCODE = 'restrict_violation';
      END IF;
      PERFORM set_config('discovery.removes_old_activity', 'on', true);
      DELETE FROM activity WHERE account_id = closed AND id IN (
        SELECT id FROM activity WHERE account_id = closed ORDER BY id LIMIT most);
      GET DIAGNOSTICS lines = ROW_COUNT;
      PERFORM set_config('discovery.removes_old_activity', '', true);
      DELETE FROM activity_day WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM activity_day WHERE account_id = closed LIMIT most FOR UPDATE));
      GET DIAGNOSTICS days = ROW_COUNT;
      RETURN lines + days;
    END $$`
})

/**
 * The activity log: one line for each tool call of an account, append-only, and the same counted by day, written in one
 * statement.
 *
 * Read by an account with a million calls in 90 days, 333,000 of them in this month (PostgreSQL 18, two cores): a month by
 * day, tool and credential takes 6 ms from activity_day (10,000 rows) and 225 ms from activity; a page of calls takes 1 ms, a
 * filtered one 3 to 13 ms, the whole usage page 21 ms. A million calls take 150 MB.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // at: when the call began, by the clock of the server that ran it; id: in the order in which the lines became visible.
  // No reference to account or credential: the log is written after the call, waits for no lock, and outlives keys and
  // connections (api_key and oauth_ended_grant keep their names).
  //
  // One table, and not a partition for each day: a page of an account's newest calls would look into each of 90, and
  // servers that come and go would have to make and drop tables under the lock of the whole. Removing in small steps costs
  // less than writing did, about 20 us a line, in the background.
  yield* sql`
    CREATE TABLE activity (
      account_id integer NOT NULL,
      id bigint GENERATED ALWAYS AS IDENTITY,
      at timestamptz NOT NULL,
      tool text NOT NULL CHECK (char_length(tool) BETWEEN 1 AND 64),
      credential_kind text NOT NULL CHECK (credential_kind IN ('api_key', 'access_token')),
      credential_id integer NOT NULL,
      outcome text NOT NULL CHECK (char_length(outcome) BETWEEN 1 AND 64),
      credits integer NOT NULL CHECK (credits >= 0),
      duration_ms integer NOT NULL CHECK (duration_ms >= 0),
      request_id text NOT NULL CHECK (char_length(request_id) BETWEEN 1 AND 64),
      PRIMARY KEY (account_id, id)
    )`
  yield* sql`
    CREATE INDEX activity_filtered ON activity (account_id, tool, outcome, credential_kind, credential_id, id)`
  yield* sql`CREATE INDEX activity_at ON activity (at)`

  yield* sql`
    CREATE TABLE activity_day (
      account_id integer NOT NULL,
      day date NOT NULL,
      tool text NOT NULL,
      outcome text NOT NULL,
      credential_kind text NOT NULL,
      credential_id integer NOT NULL,
      calls integer NOT NULL CHECK (calls > 0),
      PRIMARY KEY (account_id, day, tool, outcome, credential_kind, credential_id)
    ) WITH (fillfactor = 70)`
  yield* sql`CREATE INDEX activity_day_day ON activity_day (day)`

  // The newest batch of each server process that is written: one that is sent again, because its answer was lost, is
  // written once.
  yield* sql`
    CREATE TABLE activity_writer (
      id uuid PRIMARY KEY,
      batch bigint NOT NULL,
      written_at timestamptz NOT NULL
    ) WITH (fillfactor = 50)`

  yield* sql`
    CREATE FUNCTION activity_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF TG_OP = 'DELETE' AND current_setting('discovery.removes_old_activity', true) = 'on' THEN
        RETURN NULL;
      END IF;
      RAISE EXCEPTION 'activity is append-only: remove_old_activity alone removes what is too old, nothing may % it', TG_OP
        USING ERRCODE = 'restrict_violation';
    END $$`
  yield* sql`
    CREATE TRIGGER activity_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON activity
    FOR EACH STATEMENT EXECUTE FUNCTION activity_is_append_only()`

  // entries: an array of {account_id, at, tool, credential_kind, credential_id, outcome, credits, duration_ms, request_id}
  // in the order of the calls. Returns whether the batch was written just now.
  // One writer at a time, on however many servers: so lines become visible in the order of their ids, and who reads on
  // below an id misses none (a batch of 1,000 takes 25 ms); and no two wait for each other's days in a circle. Imports and
  // migrations have advisory locks with other keys.
  yield* sql`
    CREATE FUNCTION record_activity(writer uuid, number bigint, entries jsonb, moment timestamptz) RETURNS boolean
    LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM pg_advisory_xact_lock(7236202);

      INSERT INTO activity_writer AS w (id, batch, written_at) VALUES (writer, number, moment)
      ON CONFLICT (id) DO UPDATE SET batch = excluded.batch, written_at = excluded.written_at
        WHERE w.batch < excluded.batch;
      IF NOT FOUND THEN
        RETURN false;
      END IF;

      WITH entered AS (
        INSERT INTO activity (account_id, at, tool, credential_kind, credential_id, outcome, credits, duration_ms, request_id)
        SELECT e.account_id, e.at, e.tool, e.credential_kind, e.credential_id, e.outcome, e.credits, e.duration_ms, e.request_id
        FROM ROWS FROM (jsonb_to_recordset(entries) AS (account_id integer, at timestamptz, tool text,
          credential_kind text, credential_id integer, outcome text, credits integer, duration_ms integer,
          request_id text)) WITH ORDINALITY AS e
        ORDER BY e.ordinality
        RETURNING account_id, at, tool, outcome, credential_kind, credential_id
      )
      INSERT INTO activity_day AS d (account_id, day, tool, outcome, credential_kind, credential_id, calls)
      SELECT account_id, (at AT TIME ZONE 'UTC')::date, tool, outcome, credential_kind, credential_id, count(*)
      FROM entered GROUP BY 1, 2, 3, 4, 5, 6
      ON CONFLICT (account_id, day, tool, outcome, credential_kind, credential_id)
        DO UPDATE SET calls = d.calls + excluded.calls;
      RETURN true;
    END $$`

  // Removes at most so many lines that began at the horizon or before, the counts of days before first_day, and writers that
  // have been silent for a day. Returns how many of the lines it was. The setting lasts until the function ends: a role that is
  // no superuser cannot bind it to the function.
  yield* sql`
    CREATE FUNCTION remove_old_activity(horizon timestamptz, first_day date, moment timestamptz, most integer) RETURNS integer
    LANGUAGE plpgsql AS $$
    DECLARE
      removed integer;
    BEGIN
      PERFORM set_config('discovery.removes_old_activity', 'on', true);
      DELETE FROM activity a USING (
        SELECT account_id, id FROM activity WHERE at <= horizon ORDER BY at LIMIT most FOR UPDATE SKIP LOCKED
      ) old
      WHERE a.account_id = old.account_id AND a.id = old.id;
      GET DIAGNOSTICS removed = ROW_COUNT;
      PERFORM set_config('discovery.removes_old_activity', '', true);

      DELETE FROM activity_day d USING (
        SELECT ctid FROM activity_day WHERE day < first_day ORDER BY day LIMIT most
        FOR UPDATE SKIP LOCKED
      ) old
      WHERE d.ctid = old.ctid;
      DELETE FROM activity_writer WHERE written_at <= moment - interval '1 day';
      RETURN removed;
    END $$`

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
        SELECT ctid FROM activity_day WHERE account_id = closed LIMIT most));
      GET DIAGNOSTICS days = ROW_COUNT;
      RETURN lines + days;
    END $$`
})

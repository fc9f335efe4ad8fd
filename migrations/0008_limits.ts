/** Limits that all servers count together: rates (services/limits/SharedRates), attempts to sign in, page views. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // A leaky bucket for each key, which is a hash of what is counted. used: the level at counted_at; it leaks evenly, and is 0 at
  // empties_at. A row whose time has passed means the same as no row. Unlogged: a commit does not wait for the disk, and a
  // crash of the database empties all buckets. No index on empties_at, so that updates stay within their page; the table is small.
  yield* sql`
    CREATE UNLOGGED TABLE rate_bucket (
      key bytea PRIMARY KEY CHECK (octet_length(key) = 32),
      used double precision NOT NULL CHECK (used >= 0),
      counted_at timestamptz NOT NULL,
      empties_at timestamptz NOT NULL
    ) WITH (fillfactor = 50)`

  // uses: an array of {n, key, used, wanted, burst, window_ms}. used: requests that were admitted already, which count in any
  // case (below 0: that were counted and did not happen); wanted: requests that ask to be admitted. moment: NULL for now. One
  // row each: how many of the wanted are granted, and the level after them.
  // Rows are locked in the order of keys, so that servers do not wait for each other in a circle. If the clock is set back, the
  // level stays, and leaks from then on.
  yield* sql`
    CREATE FUNCTION count_rates(uses jsonb, moment timestamptz)
    RETURNS TABLE (n integer, granted integer, used double precision)
    LANGUAGE plpgsql AS $$
    DECLARE
      item record;
      bucket rate_bucket;
      is_known boolean;
      right_now timestamptz;
      empties timestamptz;
    BEGIN
      FOR item IN
        SELECT u.n, sha256(convert_to(u.key, 'UTF8')) AS key, u.used, u.wanted, u.burst, u.burst / u.window_ms * 1000 AS leak
        FROM jsonb_to_recordset(uses)
          AS u (n integer, key text, used integer, wanted integer, burst double precision, window_ms double precision)
        ORDER BY 2
      LOOP
        n := item.n;
        LOOP
          SELECT * INTO bucket FROM rate_bucket b WHERE b.key = item.key FOR UPDATE;
          is_known := FOUND;
          right_now := coalesce(moment, clock_timestamp());
          used := item.used;
          IF is_known THEN
            used := used + greatest(0,
              bucket.used - greatest(0, extract(epoch FROM right_now - bucket.counted_at)::double precision) * item.leak);
          END IF;
          used := greatest(0, used);
          granted := greatest(0, least(item.wanted, floor(item.burst - used + 1e-6)));
          used := used + granted;
          EXIT WHEN is_known AND item.used = 0 AND granted = 0 AND right_now >= bucket.counted_at;
          empties := right_now + make_interval(secs => used / item.leak);
          IF is_known THEN
            UPDATE rate_bucket b SET used = count_rates.used, counted_at = right_now, empties_at = empties
            WHERE b.key = item.key;
            EXIT;
          END IF;
          INSERT INTO rate_bucket (key, used, counted_at, empties_at)
          VALUES (item.key, count_rates.used, right_now, empties) ON CONFLICT DO NOTHING;
          EXIT WHEN FOUND;
        END LOOP;
        RETURN NEXT;
      END LOOP;
    END $$`

  // Attempts to sign in, in leaky buckets of the same kind; a bucket is empty at empties_at and leaks evenly. A row whose
  // time has passed means the same as no row, and is deleted by later attempts.
  yield* sql`
    CREATE TABLE sign_in_attempt (
      key bytea PRIMARY KEY CHECK (octet_length(key) = 32),
      empties_at timestamptz NOT NULL
    ) WITH (fillfactor = 80)`
  yield* sql`CREATE INDEX sign_in_attempt_empties_at ON sign_in_attempt (empties_at)`

  // Page views of the catalog of an account on a day (UTC).
  yield* sql`
    CREATE TABLE page_view (
      account_id integer NOT NULL REFERENCES account ON DELETE CASCADE,
      day date NOT NULL,
      views integer NOT NULL CHECK (views > 0),
      PRIMARY KEY (day, account_id)
    ) WITH (fillfactor = 80)`
})

/** How much figures of stores have changed over the last days (D120), from the log of changes and the months of visits. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // moved_version, moved_on: the version of the catalog and the newest day of data that `mover` is of.
  // changes_from: a day from which on the log has all changes; NULL: none was ever deleted for its age.
  yield* sql`
    ALTER TABLE catalog ADD COLUMN moved_version integer NOT NULL DEFAULT 0, ADD COLUMN moved_on date,
      ADD COLUMN changes_from date`

  // NULL: not known. A store of which nothing is known has no row. Changes of prices are in percent.
  yield* sql`
    CREATE TABLE mover (
      shop_id integer PRIMARY KEY REFERENCES shop ON DELETE CASCADE,
      ads_change_7d double precision,
      ads_change_30d double precision,
      ads_change_90d double precision,
      visits_change_7d double precision,
      visits_change_30d double precision,
      visits_change_90d double precision,
      price_change_7d double precision,
      price_change_30d double precision,
      price_change_90d double precision
    )`

  yield* sql`
    CREATE OR REPLACE FUNCTION drop_change_partitions(until timestamptz) RETURNS integer LANGUAGE plpgsql AS $$
    DECLARE
      partition name;
      dropped integer := 0;
    BEGIN
      FOR partition IN
        SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
        WHERE i.inhparent = 'change'::regclass
          AND (to_date(right(c.relname, 7), 'YYYY_MM') + interval '1 month') AT TIME ZONE 'UTC' <= until
      LOOP
        EXECUTE format('DROP TABLE %I', partition);
        dropped := dropped + 1;
      END LOOP;
      IF dropped > 0 THEN
        UPDATE catalog SET changes_from = greatest(changes_from, (until AT TIME ZONE 'UTC')::date);
      END IF;
      RETURN dropped;
    END $$`
})

/**
 * The log of changes (D110): one row for each change of a fact whose changes are kept, written in the transaction that changes the
 * record, and read in the order of its ids, which is that of the catalog's versions.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Whether the import writes to the log: not the first of its source, and not one of an older day than another of its source.
  yield* sql`ALTER TABLE import ADD COLUMN keeps_changes boolean NOT NULL DEFAULT false`

  // id: in the order of the versions, because a transaction that writes here holds the lock of the catalog.
  // as_of: the day of the data. shop_id: NULL for ads without a store. record_id: the product or the ad.
  // name: what has changed: the figure, app, pixel, theme or month; the title of a product that is gone, the domain of a store that is
  // gone, the status of a new ad. key: of a product that is gone, by which it is known again.
  // old, new: the number before and after; NULL when unknown or not there. Prices and amounts are in the store's currency.
  // facts: of a new store, what it is known to have: changes start from there.
  // No reference to records: the log outlives them. No reference to source: its check would read the log.
  yield* sql`
    CREATE TABLE change (
      id bigint GENERATED ALWAYS AS IDENTITY,
      at timestamptz NOT NULL DEFAULT statement_timestamp(),
      version integer NOT NULL,
      as_of date NOT NULL,
      source_id integer NOT NULL,
      kind text NOT NULL CHECK (kind IN (
        'store_appeared', 'store_gone', 'figure_changed', 'theme_added', 'theme_removed', 'app_added', 'app_removed', 'pixel_added',
        'pixel_removed', 'visits_added', 'visits_corrected', 'product_appeared', 'product_back', 'product_removed', 'price_up',
        'price_down', 'ad_appeared', 'ad_stopped', 'ad_running', 'ad_moved', 'ad_removed'
      )),
      shop_id integer,
      record_id integer,
      name text,
      key text,
      old double precision,
      new double precision,
      facts jsonb
    ) PARTITION BY RANGE (at)`
  yield* sql`CREATE INDEX change_newest ON change (id)`
  yield* sql`CREATE INDEX change_shop ON change (shop_id, id)`
  yield* sql`CREATE INDEX change_removed ON change (shop_id, key) WHERE key IS NOT NULL`

  // The partitions of this month and the next one, by UTC.
  yield* sql`
    CREATE FUNCTION make_change_partitions() RETURNS void LANGUAGE plpgsql AS $$
    DECLARE
      month timestamp;
      partition text;
    BEGIN
      FOR n IN 0..1 LOOP
        month := date_trunc('month', statement_timestamp() AT TIME ZONE 'UTC') + make_interval(months => n);
        partition := 'change_' || to_char(month, 'YYYY_MM');
        IF to_regclass(partition) IS NULL THEN
          EXECUTE format(
            'CREATE TABLE %I PARTITION OF change FOR VALUES FROM (%L) TO (%L)',
            partition, month AT TIME ZONE 'UTC', (month + interval '1 month') AT TIME ZONE 'UTC'
          );
        END IF;
      END LOOP;
    END $$`

  // Drops the partitions that end by then, and returns how many there were.
  yield* sql`
    CREATE FUNCTION drop_change_partitions(until timestamptz) RETURNS integer LANGUAGE plpgsql AS $$
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
      RETURN dropped;
    END $$`
})

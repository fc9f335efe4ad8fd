/**
 * `npm run bench:changes`: how long pages of list_changes take over a month of daily imports, and how many bytes a change has.
 *
 * Works on a copy of the scale data, which goes when it ends. The log is written by SQL, with as many changes a day as the options
 * say: `bench:import` measures what imports take to write it.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Console, Context, Effect, Layer, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { SqlClient } from "effect/sql"
import * as os from "node:os"
import * as path from "node:path"
import { AccountId } from "../src/domain/access/Account.ts"
import { ChangeFeed } from "../src/services/changes/ChangeFeed.ts"
import type { ChangesQuery } from "../src/services/changes/ChangeFeed.ts"
import * as Database from "../src/services/database/Database.ts"
import { EmbeddedPostgres } from "../src/services/database/EmbeddedPostgres.ts"
import * as Migrations from "../src/services/database/Migrations.ts"
import { CatalogSearch } from "../src/services/search/CatalogSearch.ts"
import { CatalogIndex } from "../src/services/search/runtime/CatalogIndex.ts"
import * as Searcher from "../src/services/search/runtime/Searcher.ts"
import { rowOf } from "../src/services/database/Rows.ts"
import * as ScaleDatabase from "./search/ScaleDatabase.ts"
import * as ScaleIndex from "./search/ScaleIndex.ts"
import { summarize } from "./search/Summary.ts"
import * as Tables from "./search/Tables.ts"

const flags = {
  shops: Flag.Int("shops").pipe(Flag.withDescription("Which data set"), Flag.withDefault(20_000)),
  days: Flag.Int("days").pipe(Flag.withDescription("Daily imports"), Flag.withDefault(30)),
  permille: Flag.Int("permille").pipe(
    Flag.withDescription("Of a thousand products and ads, those that change in a day"),
    Flag.withDefault(20)
  ),
  calls: Flag.Int("calls").pipe(Flag.withDescription("Pages of each kind"), Flag.withDefault(200))
}

/** Stores that the account tracks, the most that it may. */
const tracked = 1_000
const accountId = AccountId.make(1)

/** Prices, products and ads that come and go, figures, apps. */
const writeDay = Effect.fnUntraced(function* (day: number, days: number, permille: number) {
  const sql = yield* SqlClient.SqlClient
  const at = sql`date_trunc('day', now()) - make_interval(days => ${days - day}::int) + interval '4 hours'`
  const drawn = sql`hashint8(id::bigint * 1000 + ${day}::int) & 1023`
  yield* sql`
    INSERT INTO change (at, version, as_of, source_id, kind, shop_id, record_id, name, key, old, new)
    SELECT ${at}, ${day}::int, (${at})::date, 1, kind, shop_id, record_id, name, key, old, new FROM (
      SELECT CASE WHEN id % 5 = 0 THEN 'product_appeared' WHEN id % 5 = 1 THEN 'product_removed' WHEN id % 2 = 0 THEN 'price_up'
        ELSE 'price_down' END AS kind, shop_id, id AS record_id, CASE WHEN id % 5 = 1 THEN title END AS name,
        CASE WHEN id % 5 = 1 THEN key END AS key, price AS old, price * 0.9 AS new FROM product WHERE ${drawn} < ${permille}::int
      UNION ALL
      SELECT CASE WHEN id % 2 = 0 THEN 'ad_appeared' ELSE 'ad_stopped' END, shop_id, id,
        CASE WHEN id % 2 = 0 THEN 'active' END, NULL, NULL, NULL FROM ad WHERE ${drawn} < ${permille}::int
      UNION ALL
      SELECT 'figure_changed', id, NULL, 'monthly_revenue', NULL, 1000, 1100 FROM shop WHERE ${drawn} < 100
      UNION ALL
      SELECT 'app_added', id, NULL, 'Klaviyo', NULL, NULL, NULL FROM shop WHERE ${drawn} < 5
    ) changes`
})

const months = Effect.fnUntraced(function* (days: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    DO $$ DECLARE month timestamp; BEGIN
      FOR n IN 0..13 LOOP
        month := date_trunc('month', now() AT TIME ZONE 'UTC') - make_interval(months => n);
        IF to_regclass('change_' || to_char(month, 'YYYY_MM')) IS NULL THEN
          EXECUTE format('CREATE TABLE %I PARTITION OF change FOR VALUES FROM (%L) TO (%L)', 'change_' || to_char(month, 'YYYY_MM'),
            month AT TIME ZONE 'UTC', (month + interval '1 month') AT TIME ZONE 'UTC');
        END IF;
      END LOOP;
    END $$`
  if (days > 365) return yield* Effect.die("the log has partitions of a year")
})

const dayBefore = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)

const queries = (days: number, shopIds: ReadonlyArray<number>): Readonly<Record<string, ChangesQuery>> => ({
  "all, 7 days": {},
  "all, all days": { since: dayBefore(days + 1) },
  "all, oldest first": { since: dayBefore(days + 1), order: "oldest" },
  "a rare kind": { since: dayBefore(days + 1), kinds: ["app_added"] },
  "a kind without changes": { since: dayBefore(days + 1), kinds: ["store_gone"] },
  prices: { since: dayBefore(days + 1), kinds: ["price_up", "price_down"] },
  "one store": { since: dayBefore(days + 1), shop_ids: shopIds.slice(0, 1) },
  "1,000 tracked stores": { since: dayBefore(days + 1), tracked_only: true },
  "1,000 tracked stores, a rare kind": { since: dayBefore(days + 1), tracked_only: true, kinds: ["app_added"] },
  "a country": { since: dayBefore(days + 1), filters: { countries: ["US"] } },
  "a country, a rare kind": { since: dayBefore(days + 1), filters: { countries: ["US"] }, kinds: ["app_added"] },
  "several filters": { since: dayBefore(days + 1), filters: { countries: ["DE"], active_ads: { min: 5 } } }
})

const Size = rowOf(Schema.Struct({ rows: Schema.FiniteFromString, bytes: Schema.FiniteFromString }))

const changes = Command.make(
  "bench:changes",
  flags,
  Effect.fnUntraced(function* ({ calls, days, permille, shops }) {
    const folder = yield* ScaleDatabase.copy(shops)
    const { connection } = yield* EmbeddedPostgres.make({
      dataFolder: path.join(folder, "data"),
      flags: ScaleDatabase.settings
    })
    yield* Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* Migrations.run
      const published = yield* ScaleIndex.read(path.join(folder, "index"))
      yield* months(days)
      for (let day = 0; day < days; day++) yield* writeDay(day, days, permille)
      yield* sql`VACUUM ANALYZE change`
      const { bytes, rows } = yield* Size(sql`
        SELECT (SELECT count(*) FROM change)::text AS rows, sum(pg_total_relation_size(inhrelid))::text AS bytes
        FROM pg_inherits WHERE inhparent = 'change'::regclass`)
      yield* Console.log(
        `${rows.toLocaleString("en-US")} changes of ${days} days, ${(bytes / rows).toFixed(0)} bytes each with their indexes, ` +
          `${(bytes / 1e6).toFixed(0)} MB\n`
      )
      const shopIds = (yield* sql<{ id: number }>`SELECT id FROM shop ORDER BY id LIMIT ${tracked}`).map(({ id }) => id)
      yield* sql`INSERT INTO account (id, email, plan, status, created_at) OVERRIDING SYSTEM VALUE
        VALUES (${accountId}, 'bench@discovery.test', 'starter', 'active', now()) ON CONFLICT DO NOTHING`
      yield* sql`
        INSERT INTO tracked_shop (account_id, shop_id, kind) SELECT ${accountId}::int, id, 'tracked' FROM unnest(${shopIds}::int[]) AS t (id)
        ON CONFLICT DO NOTHING`
      const context = yield* Layer.build(
        CatalogIndex.layerOf(Searcher.onThisThread, (emit) => emit({ _tag: "Published", published }))
      )
      const feed = Context.get(
        yield* Layer.build(
          ChangeFeed.layer.pipe(Layer.provide(Layer.succeed(CatalogSearch, Context.get(context, CatalogSearch))))
        ),
        ChangeFeed
      )
      const lines: Array<ReadonlyArray<string>> = []
      for (const [name, query] of Object.entries(queries(days, shopIds))) {
        const times: Array<number> = []
        let since = query.since
        let total = ""
        for (let call = -5; call < calls; call++) {
          const began = performance.now()
          const { pagination } = yield* feed.page(
            { ...query, ...(since === undefined ? {} : { since }), per_page: 25 },
            accountId
          )
          if (call >= 0) times.push(performance.now() - began)
          if (total === "")
            total = `${pagination.total_is_exact ? "" : "more than "}${pagination.total.toLocaleString("en-US")}`
          since = pagination.has_more ? pagination.next : query.since
        }
        const { max, p50, p95 } = summarize(times)
        lines.push([name, total, ...[p50, p95, max].map(Tables.millis)])
      }
      yield* Console.log(Tables.markdown(["changes of", "total", "p50 ms", "p95 ms", "max ms"], lines))
      yield* Console.log(`load ${os.loadavg()[0]?.toFixed(1)}`)
    }).pipe(Effect.provide(Database.layer({ source: connection, maxConnections: 6, statementTimeoutMillis: 600_000 })))
  }, Effect.scoped)
)

changes.pipe(Command.run({ version: "1" }), Effect.provide(NodeServices.layer), NodeRuntime.runMain)

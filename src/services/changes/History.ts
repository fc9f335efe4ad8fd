/**
 * Reads what a store had on earlier days (D112): what it has now and the changes of the log, in one statement, so that both are of one
 * version of the catalog. domain/catalog/Series undoes the changes.
 */
import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AppConfig } from "../../Config.ts"
import * as Series from "../../domain/catalog/Series.ts"
import type { Part, Start } from "../../domain/catalog/Series.ts"
import { firstOf } from "../database/Rows.ts"
import { SearchPermits } from "../limits/SearchPermits.ts"
import type { SearchFailure } from "../limits/SearchPermits.ts"

/** Of a store with more changes, the history begins later. */
export const maxChanges = 10_000

/** A store with more products has no median price. */
export const maxProducts = 10_000

export interface StoreHistory {
  readonly known: Series.Known
  /** Whether the store has more changes than {@link maxChanges}. */
  readonly isCut: boolean
}

const kinds = Series.parts.flatMap((part): ReadonlyArray<Series.Kind> => Series.kindsOf[part])

const Figure = Schema.NullOr(Schema.Finite)
const StartRow = Schema.Struct({ version: Schema.Int, on: Schema.String })
/** A row of JSON, which is small and decoded fast. */
const ChangeRow = Schema.Tuple([
  Schema.Int,
  Schema.String,
  Schema.Literals(kinds),
  Schema.NullOr(Schema.Int),
  Schema.NullOr(Schema.String),
  Figure,
  Figure,
  Schema.Boolean
])

const decodeStore = firstOf(
  Schema.Struct({
    revenue: Figure,
    stated: Schema.NullOr(Schema.Int),
    products: Schema.Int,
    prices: Schema.NullOr(Schema.Array(Schema.Tuple([Schema.Int, Schema.Finite]))),
    active_ads: Schema.Int,
    until: Schema.NullOr(Schema.String),
    starts: Schema.Record(Schema.String, StartRow),
    appeared: Schema.NullOr(StartRow),
    changes: Schema.Array(ChangeRow)
  })
)

const decodeProduct = firstOf(
  Schema.Struct({
    price: Schema.Finite,
    start: Schema.NullOr(StartRow),
    oldest: Schema.NullOr(StartRow),
    isCut: Schema.Boolean,
    changes: Schema.Array(
      Schema.Struct({ version: Schema.Int, on: Schema.String, old: Figure, new: Figure, isNew: Schema.Boolean })
    )
  })
)

const later = (one: Start, other: Start): Start => ({
  version: Math.max(one.version, other.version),
  on: one.on > other.on ? one.on : other.on
})

export class History extends Context.Service<
  History,
  {
    /** Absent for a store that does not exist. */
    ofStore(shopId: number): Effect.Effect<StoreHistory | undefined, SearchFailure>
    /** The newest `most` prices of a product, oldest first; none if it does not exist. */
    ofProduct(productId: number, most: number): Effect.Effect<ReadonlyArray<Series.Price>, SearchFailure>
  }
>()("discovery/changes/History") {
  static readonly layer = Layer.effect(
    History,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const permits = yield* SearchPermits
      const { historyDays } = yield* AppConfig

      /** Where a history starts that no row of `history_start` begins, and none before: older changes are not kept. */
      const oldestKept = Effect.map(DateTime.now, (now): Start => ({
        version: 0,
        on: DateTime.formatIsoDateUtc(DateTime.subtract(now, { days: historyDays }))
      }))

      const ofStore = Effect.fn("History.ofStore")(function* (shopId: number) {
        // Changes of a version may be cut, so that the first one that is read is left out with those of its version.
        const row = yield* sql`
          SELECT s.monthly_revenue AS revenue, s.products_count AS stated, own.products,
            (SELECT count(*)::int FROM ad WHERE shop_id = s.id AND is_active) AS active_ads,
            CASE WHEN own.products <= ${maxProducts}::int THEN (
              SELECT coalesce(json_agg(json_build_array(id, price)), '[]') FROM product WHERE shop_id = s.id
            ) END AS prices,
            (SELECT max(as_of)::text FROM import WHERE finished_at IS NOT NULL) AS until,
            (
              SELECT coalesce(json_object_agg(part, json_build_object('version', version, 'on', as_of::text)), '{}')
              FROM history_start WHERE shop_id = s.id
            ) AS starts,
            (
              SELECT json_build_object('version', version - 1, 'on', as_of::text)
              FROM (SELECT kind, version, as_of FROM change WHERE shop_id = s.id ORDER BY id LIMIT 1) oldest
              WHERE kind = 'store_appeared'
            ) AS appeared,
            (
              SELECT coalesce(json_agg(
                json_build_array(version, as_of::text, kind, record_id, name, old, new, has_left) ORDER BY id
              ), '[]')
              FROM (
                SELECT * FROM (
                  (
                    SELECT id, version, as_of, kind, record_id, name, old, new, false AS has_left FROM change
                    WHERE shop_id = ${shopId}::int AND kind = ANY(${kinds}::text[])
                      AND (kind <> 'figure_changed' OR name = ANY(${Series.figuresOfLog}::text[]))
                    ORDER BY id DESC LIMIT ${maxChanges + 1}::int
                  ) UNION ALL (
                    SELECT id, version, as_of, kind, record_id, name, old, new, true FROM change
                    WHERE kind = 'ad_moved' AND old = ${shopId}::int ORDER BY id DESC LIMIT ${maxChanges + 1}::int
                  )
                ) told ORDER BY id DESC LIMIT ${maxChanges + 1}::int
              ) recent
            ) AS changes
          FROM shop s CROSS JOIN LATERAL (SELECT count(*)::int AS products FROM product WHERE shop_id = s.id) own
          WHERE s.id = ${shopId}::int`.pipe(decodeStore, (read) => permits.query(read))
        if (row === undefined) return undefined
        const kept = yield* oldestKept
        const changes = row.changes.map(([version, on, kind, record, name, old, after, hasLeft]): Series.Change => ({
          version,
          on,
          kind,
          record,
          name,
          old,
          new: after,
          hasLeft
        }))
        const [oldest] = changes
        const isCut = changes.length > maxChanges
        const earliest = isCut && oldest !== undefined ? later(kept, oldest) : kept
        const startOf = (part: Part): Start => later(earliest, row.starts[part] ?? row.appeared ?? earliest)
        const known: Series.Known = {
          starts: { figures: startOf("figures"), products: startOf("products"), ads: startOf("ads") },
          until: row.until ?? kept.on,
          revenue: row.revenue,
          statedProducts: row.stated,
          products: row.products,
          prices: row.prices === null ? undefined : new Map(row.prices),
          activeAds: row.active_ads,
          changes
        }
        return { known, isCut }
      })

      const ofProduct = Effect.fn("History.ofProduct")(function* (productId: number, most: number) {
        const row = yield* sql`
          SELECT p.price,
            (
              SELECT json_build_object('version', version, 'on', as_of::text)
              FROM history_start WHERE shop_id = p.shop_id AND part = 'products'
            ) AS start,
            told.*
          FROM product p CROSS JOIN LATERAL (
            SELECT count(*) > ${maxChanges}::int AS "isCut",
              (array_agg(json_build_object('version', version, 'on', as_of::text) ORDER BY id))[1] AS oldest,
              coalesce(json_agg(json_build_object(
                'version', version, 'on', as_of::text, 'old', old, 'new', new,
                'isNew', kind IN ('product_appeared', 'product_back')
              ) ORDER BY id) FILTER (
                WHERE record_id = p.id AND kind IN ('product_appeared', 'product_back', 'price_up', 'price_down')
              ), '[]') AS changes
            FROM (
              SELECT id, version, as_of, kind, record_id, old, new FROM change
              WHERE shop_id = p.shop_id ORDER BY id DESC LIMIT ${maxChanges + 1}::int
            ) recent
          ) told
          WHERE p.id = ${productId}::int`.pipe(decodeProduct, (read) => permits.query(read))
        if (row === undefined) return []
        const kept = yield* oldestKept
        const earliest = row.isCut && row.oldest !== null ? later(kept, row.oldest) : kept
        const start = later(earliest, row.start ?? earliest)
        const changes = row.changes.filter(({ version }) => version > start.version)
        const isNew = changes.find((change) => change.isNew)
        return Series.pricesOf(changes, { from: isNew?.on ?? start.on, most, price: row.price })
      })

      return History.of({ ofStore, ofProduct })
    })
  ).pipe(Layer.provide(SearchPermits.layer))
}

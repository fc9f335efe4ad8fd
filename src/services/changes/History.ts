/**
 * Reads what a store had on earlier days (D112): what it has now and the changes of the log, in one statement, so that both are of one
 * version of the catalog. domain/catalog/Series undoes the changes.
 */
import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Statement } from "effect/sql"
import { AppConfig } from "../../Config.ts"
import * as Series from "../../domain/catalog/Series.ts"
import type { Part, Start } from "../../domain/catalog/Series.ts"
import { firstOf, rowsOf } from "../database/Rows.ts"
import { SearchPermits } from "../limits/SearchPermits.ts"
import type { SearchFailure } from "../limits/SearchPermits.ts"

/** Of a store with more changes, the history begins later. */
export const maxChanges = 10_000

/** A store with more products has no median price. */
export const maxProducts = 10_000

/** Of several stores at once, the histories of stores with more changes of ads and figures begin later. */
export const maxRecent = 1_000

/** Figures whose history needs no products, of which a store has the most changes. */
export const lightNames = ["active_ads", "estimated_monthly_revenue"] as const satisfies ReadonlyArray<Series.Name>
export type LightName = (typeof lightNames)[number]

export interface StoreHistory {
  readonly known: Series.Known
  /** Whether the store has more changes than {@link maxChanges}. */
  readonly isCut: boolean
}

const kindsOf = (parts: ReadonlyArray<Part>) =>
  parts.flatMap((part): ReadonlyArray<Series.Kind> => Series.kindsOf[part])

const kinds = kindsOf(Series.parts)

/** What is read of stores. */
interface Extent {
  readonly kinds: ReadonlyArray<Series.Kind>
  readonly most: number
  readonly hasProducts: boolean
}

const whole: Extent = { kinds, most: maxChanges, hasProducts: true }
const light: Extent = { kinds: kindsOf(["figures", "ads"]), most: maxRecent, hasProducts: false }

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

const StoreRow = Schema.Struct({
  id: Schema.Int,
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
type StoreRow = typeof StoreRow.Type
const decodeStores = rowsOf(StoreRow)

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
    /** The points of some figures of stores, by the ids of the stores, for a few of them. */
    ofStores(
      shopIds: ReadonlyArray<number>,
      most: number
    ): Effect.Effect<ReadonlyMap<number, Readonly<Record<LightName, ReadonlyArray<Series.Point>>>>, SearchFailure>
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

      /** Changes of a version may be cut, so that the first one that is read is left out with those of its version. */
      const read = (isRead: Statement.Fragment, { hasProducts, kinds, most }: Extent) =>
        sql`
          SELECT s.id, s.monthly_revenue AS revenue, s.products_count AS stated, own.products,
            (SELECT count(*)::int FROM ad WHERE shop_id = s.id AND is_active) AS active_ads,
            CASE WHEN ${hasProducts}::bool AND own.products <= ${maxProducts}::int THEN (
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
                    WHERE shop_id = s.id AND kind = ANY(${kinds}::text[])
                      AND (kind <> 'figure_changed' OR name = ANY(${Series.figuresOfLog}::text[]))
                    ORDER BY id DESC LIMIT ${most + 1}::int
                  ) UNION ALL (
                    SELECT id, version, as_of, kind, record_id, name, old, new, true FROM change
                    WHERE kind = 'ad_moved' AND old = s.id ORDER BY id DESC LIMIT ${most + 1}::int
                  )
                ) told ORDER BY id DESC LIMIT ${most + 1}::int
              ) recent
            ) AS changes
          FROM shop s CROSS JOIN LATERAL (
            SELECT CASE WHEN ${hasProducts}::bool THEN (SELECT count(*)::int FROM product WHERE shop_id = s.id) ELSE 0 END AS products
          ) own
          WHERE ${isRead}`.pipe(decodeStores, (read) => permits.query(read))

      const historyOf = (row: StoreRow, most: number, kept: Start): StoreHistory => {
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
        const isCut = changes.length > most
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
      }

      const ofStore = Effect.fn("History.ofStore")(function* (shopId: number) {
        // With a list of one, PostgreSQL would plan the statement at each call, which takes ten times as long as what it does.
        const [row] = yield* read(sql`s.id = ${shopId}::int`, whole)
        return row === undefined ? undefined : historyOf(row, whole.most, yield* oldestKept)
      })

      const ofStores = Effect.fn("History.ofStores")(function* (shopIds: ReadonlyArray<number>, most: number) {
        const rows = yield* read(sql`s.id = ANY(${shopIds}::int[])`, light)
        const kept = yield* oldestKept
        return new Map(
          rows.map((row) => {
            const { active_ads, estimated_monthly_revenue } = Series.pointsOf(
              historyOf(row, light.most, kept).known,
              most
            )
            return [row.id, { active_ads, estimated_monthly_revenue }] as const
          })
        )
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

      return History.of({ ofStore, ofStores, ofProduct })
    })
  ).pipe(Layer.provide(SearchPermits.layer))
}

/** The sources of records: an import belongs to a source, and records that only one source has can be removed again. */
import { Context, Effect, Fiber, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import { parts } from "../../domain/catalog/Series.ts"
import { sqlPseudoStoreOf } from "../../domain/catalog/StorelessAds.ts"
import { availableToRead } from "../database/Availability.ts"
import { firstOf, rowOf, rowsOf } from "../database/Rows.ts"
import * as CatalogVersion from "./CatalogVersion.ts"
import * as ChangeLog from "./ChangeLog.ts"
import { ImportRunning } from "./ImportError.ts"
import { lockId } from "./Importer.ts"
import { longTransaction } from "./LongTransaction.ts"
import { FileFacts } from "./Provenance.ts"

const decodeId = firstOf(Schema.Struct({ id: Schema.Int }))
const decodeLock = rowOf(Schema.Struct({ isFree: Schema.Boolean }))
const decodeRemoved = rowsOf(Schema.Struct({ shop_id: Schema.Int }))
const decodeLost = rowsOf(Schema.Struct({ shop_id: Schema.NullOr(Schema.Int) }))
const decodeAsOf = rowOf(Schema.Struct({ as_of: Schema.NullOr(Schema.String) }))

const dataAsOf = (sql: SqlClient.SqlClient): Effect.Effect<string | null, SqlError.SqlError> =>
  sql`SELECT max(as_of)::text AS as_of FROM import WHERE finished_at IS NOT NULL`.pipe(
    decodeAsOf,
    Effect.map((row) => row.as_of)
  )

/** A finished import is visible within this time. */
const asOfTimeToLive = "1 minute"

/** The newest date of the data of finished imports, `YYYY-MM-DD`; `null` if unknown. */
export const DataAsOf = Context.Reference<Effect.Effect<string | null>>("discovery/import/DataAsOf", {
  defaultValue: () => Effect.succeed(null)
})

/** An answer does not wait longer for the date. */
const asOfPatience = "1 second"

/**
 * Reads the date at most once a minute. If that fails or takes too long, the date is unknown. The reading itself goes on: to
 * interrupt a query on a dead connection takes seconds.
 */
export const dataAsOfLayer: Layer.Layer<never, never, SqlClient.SqlClient> = Layer.effect(
  DataAsOf,
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.cachedWithTTL(
      dataAsOf(sql).pipe(
        availableToRead,
        Effect.forkDetach,
        Effect.flatMap(Fiber.join),
        Effect.timeout(asOfPatience),
        Effect.orElseSucceed(() => null)
      ),
      asOfTimeToLive
    )
  )
)

const SourceRow = Schema.Struct({
  name: Schema.String,
  imports: Schema.Int,
  as_of: Schema.String,
  license: Schema.NullOr(Schema.String),
  finished_at: Schema.NullOr(Schema.Date),
  shops: Schema.Int,
  products: Schema.Int,
  ads: Schema.Int
})
export type SourceRow = typeof SourceRow.Type
const decodeSources = rowsOf(SourceRow)

const PastImport = Schema.Struct({
  as_of: Schema.String,
  license: Schema.NullOr(Schema.String),
  started_at: Schema.Date,
  /** The following are known of finished imports. */
  finished_at: Schema.NullOr(Schema.Date),
  files: Schema.Array(FileFacts),
  accepted: Schema.NullOr(Schema.Int),
  rejected: Schema.NullOr(Schema.Int)
})
export type PastImport = typeof PastImport.Type
const decodeImports = rowsOf(PastImport)

const maxImports = 100

/** How many records of a source were removed. Those that other sources have as well stay. */
export interface Forgotten {
  readonly shops: number
  readonly products: number
  readonly ads: number
}

export class Sources extends Context.Service<
  Sources,
  {
    /** All sources by name. Counts include records that other sources have as well. */
    readonly list: Effect.Effect<ReadonlyArray<SourceRow>, SqlError.SqlError>
    /** The newest 100 imports of a source, newest first; none if the source does not exist. */
    imports(name: string): Effect.Effect<ReadonlyArray<PastImport>, SqlError.SqlError>
    /**
     * Removes the records that only this source has, and its changes in the log; `undefined` if the source does not exist. Not
     * while an import runs: its records refer to the source.
     */
    forget(name: string): Effect.Effect<Forgotten | undefined, SqlError.SqlError | ImportRunning>
    /** The newest date of the data of finished imports. */
    readonly dataAsOf: Effect.Effect<string | null, SqlError.SqlError>
  }
>()("discovery/import/Sources") {
  static readonly layer = Layer.effect(
    Sources,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient

      // Counting reads every record of the catalog.
      const list = longTransaction(
        sql,
        sql`
          WITH record AS (
            SELECT unnest(source_ids) AS source_id, 'shop' AS type FROM shop
            UNION ALL SELECT unnest(source_ids), 'product' FROM product
            UNION ALL SELECT unnest(source_ids), 'ad' FROM ad
          ), counted AS (SELECT source_id, type, count(*)::int AS n FROM record GROUP BY source_id, type)
          SELECT s.name, i.imports, i.as_of, i.license, i.finished_at,
            coalesce((SELECT n FROM counted c WHERE c.source_id = s.id AND type = 'shop'), 0) AS shops,
            coalesce((SELECT n FROM counted c WHERE c.source_id = s.id AND type = 'product'), 0) AS products,
            coalesce((SELECT n FROM counted c WHERE c.source_id = s.id AND type = 'ad'), 0) AS ads
          FROM source s CROSS JOIN LATERAL (
            SELECT count(*) OVER ()::int AS imports, as_of::text, license,
              first_value(finished_at) OVER (ORDER BY id DESC) AS finished_at
            FROM import WHERE source_id = s.id ORDER BY import.as_of DESC, id DESC LIMIT 1
          ) i
          ORDER BY s.name`
      ).pipe(decodeSources)

      const imports = Effect.fn("Sources.imports")((name: string) =>
        sql`
          SELECT as_of::text, license, started_at, finished_at, files,
            (counts->'accepted')::int AS accepted, (counts->'rejected')::int AS rejected
          FROM import WHERE source_id = (SELECT id FROM source WHERE name = ${name})
          ORDER BY id DESC LIMIT ${maxImports}`.pipe(decodeImports)
      )

      const forget = Effect.fn("Sources.forget")(function* (name: string) {
        return yield* longTransaction(
          sql,
          Effect.gen(function* () {
            const { isFree } = yield* decodeLock(sql`SELECT pg_try_advisory_xact_lock(${lockId}) AS "isFree"`)
            if (!isFree) {
              return yield* new ImportRunning({
                message:
                  "An import is running on this database. Wait until it has finished, then run this command again."
              })
            }
            const source = yield* decodeId(sql`SELECT id FROM source WHERE name = ${name}`)
            if (source === undefined) return undefined
            const { id } = source
            const version = yield* CatalogVersion.begin(sql)
            const ads = yield* sql`
              DELETE FROM ad WHERE source_ids = ARRAY[${id}::int]
              RETURNING coalesce(shop_id, ${sql.literal(sqlPseudoStoreOf("id"))}) AS shop_id`.pipe(decodeRemoved)
            const products = yield* sql`
              DELETE FROM product WHERE source_ids = ARRAY[${id}::int] RETURNING shop_id`.pipe(decodeRemoved)
            // A store stays if other sources have products or ads of it, until those are forgotten as well.
            const affected = [...ads, ...products].map(({ shop_id }) => shop_id)
            const shops = yield* sql`
              DELETE FROM shop
              WHERE (source_ids = ARRAY[${id}::int] OR (source_ids = '{}' AND id = ANY(${affected}::int[])))
                AND NOT EXISTS (SELECT FROM product p WHERE p.shop_id = shop.id OFFSET 0)
                AND NOT EXISTS (SELECT FROM ad a WHERE a.shop_id = shop.id OFFSET 0)
              RETURNING id AS shop_id`.pipe(decodeRemoved)
            for (const table of ["ad", "product", "shop"]) {
              const isOfSource = sql`import_id IN (SELECT id FROM import WHERE source_id = ${id})`
              yield* sql`
                UPDATE ${sql(table)} SET
                  source_ids = array_remove(source_ids, ${id}::int),
                  import_id = CASE WHEN ${isOfSource} THEN NULL ELSE import_id END
                WHERE source_ids @> ARRAY[${id}::int] OR ${isOfSource}`
            }
            const lost = yield* sql`
              WITH forgotten AS (DELETE FROM change WHERE source_id = ${id} RETURNING kind, shop_id, old)
              SELECT DISTINCT unnest(ARRAY[shop_id, CASE WHEN kind = 'ad_moved' THEN old::int END]) AS shop_id FROM forgotten`.pipe(
              decodeLost
            )
            yield* sql`DELETE FROM source WHERE id = ${id}`
            // What has changed and is not told any more. Stores without changes of it have lost records at most.
            const changed = [...ads, ...products, ...lost].flatMap(({ shop_id }) => shop_id ?? [])
            const starting = sql`
              SELECT shop.id AS shop_id, part FROM shop CROSS JOIN unnest(${parts}::text[]) AS part
              WHERE shop.id = ANY(${Array.from(new Set(changed))}::int[])`
            yield* sql`${ChangeLog.start(sql, starting, version)}`
            const items = [...ads, ...products, ...shops].map(({ shop_id }) => shop_id)
            yield* CatalogVersion.commit(sql, version, { items, figures: [], niches: false })
            return { shops: shops.length, products: products.length, ads: ads.length }
          })
        )
      })

      return Sources.of({ list, imports, forget, dataAsOf: dataAsOf(sql) })
    })
  )
}

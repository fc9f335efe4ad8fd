/** The origins of the catalog's images, for content security policies (P36). */
import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import * as Origins from "../../domain/catalog/MostUsedOrigins.ts"
import * as Availability from "../database/Availability.ts"
import { rowsOf } from "../database/Rows.ts"

/** Of each table: 8 MiB. A larger table is sampled, always by the same pages. */
const maxPages = 1000
/** Limit of distinct origins. */
const maxRows = 1000

const decodeRows = rowsOf(Schema.Struct({ origin: Schema.String, images: Schema.Int }))

const sample = (sql: SqlClient.SqlClient, table: "ad" | "product") => sql`
  SELECT 'https://' || lower(split_part(image_url, '/', 3)) AS origin
  FROM ${sql(table)} TABLESAMPLE SYSTEM (
    least(100.0, 100.0 * ${maxPages}::int / greatest(1, pg_relation_size(${table}::text) / 8192))
  ) REPEATABLE (0) WHERE starts_with(image_url, 'https://')`

const counted = (sql: SqlClient.SqlClient): Effect.Effect<ReadonlyArray<Origins.CountedOrigin>, SqlError.SqlError> =>
  sql`
  SELECT origin, count(*)::int AS images
  FROM (${sample(sql, "ad")} UNION ALL ${sample(sql, "product")}) sampled
  GROUP BY origin ORDER BY images DESC, origin LIMIT ${maxRows}::int`.pipe(decodeRows)

/** Images from a new host are allowed within this time after an import. */
const timeToLive = "1 minute"

/** Such as `https://cdn.shop.example`, most images first. */
export const ImageOrigins = Context.Reference<Effect.Effect<ReadonlyArray<string>>>("discovery/search/ImageOrigins", {
  defaultValue: () => Effect.succeed([])
})

/** Queries the database on demand, at most once a minute. On failure there are no origins: callers work without images. */
export const imageOriginsLayer: Layer.Layer<never, never, SqlClient.SqlClient> = Layer.effect(
  ImageOrigins,
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.cachedWithTTL(
      counted(sql).pipe(
        Availability.availableToRead,
        Effect.map(Origins.named),
        Effect.tapError((error) => Effect.logWarning("The hosts of the catalog's images could not be read", error)),
        Effect.orElseSucceed((): ReadonlyArray<string> => [])
      ),
      timeToLive
    )
  )
)

/** Pictures of the demo data, drawn when they are asked for: there are none while the catalog has no demo data (D61). */
import { Context, Effect, Layer, Option, Schema, Semaphore } from "effect"
import { SqlClient } from "effect/sql"
import { nameOf, prefixOf, source } from "../../domain/catalog/PictureNames.ts"
import type { AdWords, Kind } from "../../domain/catalog/PictureNames.ts"
import { mediaTypes } from "../../domain/catalog/Enumerations.ts"
import type { ServiceUnavailable } from "../../domain/ToolError.ts"
import { availableToRead } from "../database/Availability.ts"
import { firstOf, rowOf } from "../database/Rows.ts"

/** How a picture is drawn. Names that name none are `undefined`. */
export interface Drawings {
  readonly product: (name: string) => string | undefined
  readonly ad: (name: string, words: AdWords) => string | undefined
}

/** Anyone may ask for pictures: they get few of the database's connections. */
const maxReads = 4

const knownFor = "1 minute"

const decodeDemo = rowOf(Schema.Struct({ is_demo: Schema.Boolean }))
const decodeAd = firstOf(
  Schema.Struct({
    headline: Schema.NullOr(Schema.String),
    page_name: Schema.String,
    media_type: Schema.Literals(mediaTypes),
    image_url: Schema.String
  })
)

/** An SVG, or `undefined` where there is no such picture. Without a layer there are none. */
export const DemoPictures = Context.Reference<
  (kind: Kind, name: string) => Effect.Effect<string | undefined, ServiceUnavailable>
>("discovery/search/DemoPictures", { defaultValue: () => () => Effect.succeed(undefined) })

/** `load` runs when there is demo data; images for production have no drawings. */
export const layer = (load: Effect.Effect<Option.Option<Drawings>>): Layer.Layer<never, never, SqlClient.SqlClient> =>
  Layer.effect(
    DemoPictures,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const reads = Semaphore.makeUnsafe(maxReads)

      const isDemo = yield* Effect.cachedWithTTL(
        sql`SELECT EXISTS (SELECT FROM source WHERE name = ${source}) AS is_demo`.pipe(
          decodeDemo,
          Effect.map(({ is_demo }) => is_demo),
          availableToRead,
          Effect.orElseSucceed(() => false)
        ),
        knownFor
      )

      const ofAd = Effect.fnUntraced(function* (key: string, drawings: Drawings) {
        const row = yield* sql`
          SELECT headline, page_name, media_type, image_url FROM ad
          WHERE key = ${key} AND starts_with(image_url, ${prefixOf("ads")})`.pipe(
          decodeAd,
          Semaphore.withPermit(reads),
          availableToRead
        )
        if (row === undefined) return undefined
        const words = { headline: row.headline, pageName: row.page_name, mediaType: row.media_type }
        return drawings.ad(nameOf("ads", row.image_url), words)
      })

      const picture = Effect.fn("DemoPictures.picture")(function* (kind: Kind, name: string) {
        if (!(yield* isDemo)) return undefined
        const drawings = Option.getOrUndefined(yield* load)
        if (drawings === undefined) return undefined
        return kind === "products" ? drawings.product(name) : yield* ofAd(name, drawings)
      })

      return picture
    })
  )

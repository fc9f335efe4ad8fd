/** Pictures of the demo data, drawn when they are asked for: there are none while the catalog has no demo data (D61). */
import { Context, Effect, Layer, Schema, Semaphore } from "effect"
import { SqlClient } from "effect/sql"
import { addressOf, source } from "../../domain/catalog/DemoPictures.ts"
import type { AdWords, Kind } from "../../domain/catalog/DemoPictures.ts"
import { mediaTypes } from "../../domain/catalog/Enumerations.ts"
import type { ServiceUnavailable } from "../../domain/ToolError.ts"
import { availableToRead } from "../database/Availability.ts"
import { rowOf, rowsOf } from "../database/Rows.ts"

/** How a picture is drawn. Names that name none are `undefined`. */
export interface Drawings {
  readonly product: (name: string) => string | undefined
  /** With the key of the record whose words the picture has. */
  readonly ad: (name: string) => { readonly key: string; readonly draw: (words: AdWords) => string } | undefined
}

/** Anyone may ask for pictures: they get few of the database's connections. */
const maxReads = 4

const knownFor = "1 minute"

const decodeDemo = rowOf(Schema.Struct({ is_demo: Schema.Boolean }))
const decodeWords = rowsOf(
  Schema.Struct({
    headline: Schema.NullOr(Schema.String),
    page_name: Schema.String,
    media_type: Schema.Literals(mediaTypes)
  })
)

/** An SVG, or `undefined` where there is no such picture. Without a layer there are none. */
export const DemoPictures = Context.Reference<
  (kind: Kind, name: string) => Effect.Effect<string | undefined, ServiceUnavailable>
>("discovery/search/DemoPictures", { defaultValue: () => () => Effect.succeed(undefined) })

export const layer = (drawings: Drawings): Layer.Layer<never, never, SqlClient.SqlClient> =>
  Layer.effect(
    DemoPictures,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const reads = Semaphore.makeUnsafe(maxReads)

      const isDemo = yield* Effect.cachedWithTTL(
        sql`SELECT EXISTS (SELECT FROM source WHERE name = ${source}) AS is_demo`.pipe(
          Effect.flatMap(decodeDemo),
          Effect.map(({ is_demo }) => is_demo),
          availableToRead,
          Effect.orElseSucceed(() => false)
        ),
        knownFor
      )

      /** A record has the address: nobody has others drawn. */
      const wordsOf = Effect.fnUntraced(function* (key: string, name: string) {
        const [row] = yield* sql`
          SELECT headline, page_name, media_type FROM ad WHERE key = ${key} AND image_url = ${addressOf("ads", name)}`.pipe(
          Effect.flatMap(decodeWords),
          Semaphore.withPermit(reads),
          availableToRead
        )
        return row && { headline: row.headline, pageName: row.page_name, mediaType: row.media_type }
      })

      const picture = Effect.fn("DemoPictures.picture")(function* (kind: Kind, name: string) {
        if (!(yield* isDemo)) return undefined
        if (kind === "products") return drawings.product(name)
        const ad = drawings.ad(name)
        if (ad === undefined) return undefined
        const words = yield* wordsOf(ad.key, name)
        return words && ad.draw(words)
      })

      return picture
    })
  )

/** A store as `search_shops` returns it, and as `get_shop` does, with everything on record (D43, D44). */
import { Schema } from "effect"
import { fit } from "../Truncation.ts"
import { byName } from "./Figures.ts"
import type { FigureAnswer } from "./Figures.ts"

const Figure = Schema.NullOr(Schema.Finite)

const Niche = Schema.Struct({ id: Schema.Int, name: Schema.String })

/** Fields from the store's row. */
const facts = {
  id: Schema.Int,
  name: Schema.String.annotate({ description: "Third-party content." }),
  domain: Schema.String,
  country: Schema.String,
  currency: Schema.NullOr(Schema.String),
  niche: Schema.NullOr(Niche),
  languages: Schema.Array(Schema.String),
  ...byName("answer", ({ unit }) => (unit === "money" ? Figure.annotate({ description: "In currency." }) : Figure)),
  active_ads: Schema.Int,
  created_on: Schema.NullOr(Schema.String).annotate({ description: "YYYY-MM-DD." }),
  is_tracked: Schema.Boolean.annotate({ description: "True: get_product returns details." })
} satisfies Readonly<Record<FigureAnswer, Schema.Top> & Record<string, Schema.Top>>
/** Only in an order by a change (D120). */
const change = Schema.optionalKey(Figure)

export const ShopFacts = Schema.Struct(facts)
export type ShopFacts = typeof ShopFacts.Type

export const ShopItem = Schema.Struct({ ...facts, change, dashboard_url: Schema.String })
export type ShopItem = typeof ShopItem.Type

/** A store of a search. */
export type FoundShop = Omit<ShopItem, "dashboard_url">

interface Context {
  readonly dashboardUrl: (shopId: number) => string
}

export const present = (shop: FoundShop, context: Context): ShopItem => ({
  ...shop,
  dashboard_url: context.dashboardUrl(shop.id)
})

/** Fields of `get_shop` that searches do not return. */
export const ShopExtras = Schema.Struct({
  is_own: Schema.Boolean.annotate({
    description: "True for the caller's own brand store; get_product works there too."
  }),
  niches: Schema.Array(Niche).annotate({ description: "Its niche, then that one's parent, up to the root." }),
  theme: Schema.NullOr(Schema.String),
  apps: Schema.Array(Schema.String).annotate({ description: "Installed apps, up to 16 KiB of them." }),
  pixels: Schema.Array(Schema.String),
  social_networks: Schema.Array(Schema.String),
  traffic: Schema.Array(Schema.Struct({ month: Schema.String, visits: Schema.Int })).annotate({
    description: "Visits by month, YYYY-MM, oldest first; the last 120 months on record."
  })
})
export type ShopDetails = ShopFacts & typeof ShopExtras.Type

export const ShopRecordItem = Schema.Struct({ ...facts, ...ShopExtras.fields, dashboard_url: Schema.String })
export type ShopRecordItem = typeof ShopRecordItem.Type

/** The only list without a small vocabulary. */
const appLimits = { maxItems: 500, maxBytes: 16 * 1024 }

export const presentDetails = (shop: ShopDetails, context: Context): ShopRecordItem => ({
  ...shop,
  apps: fit(shop.apps, appLimits),
  dashboard_url: context.dashboardUrl(shop.id)
})

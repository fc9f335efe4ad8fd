/** A catalogue of two niches and as many ads and products as a test asks for. */
import { Effect, Layer } from "effect"
import type { FoundAd } from "../../src/domain/catalog/AdItem.ts"
import type { FoundProduct } from "../../src/domain/catalog/ProductItem.ts"
import * as AdQuery from "../../src/domain/search/AdQuery.ts"
import * as Page from "../../src/domain/search/Page.ts"
import { AdSearch } from "../../src/services/search/AdSearch.ts"
import { ProductSearch } from "../../src/services/search/ProductSearch.ts"
import { Vocabulary } from "../../src/services/search/Vocabulary.ts"
import { down } from "./FakeAccess.ts"

export const ad = (id: number, overrides: Partial<FoundAd> = {}): FoundAd => ({
  id,
  adArchiveId: `${1_000_000 + id}`,
  pageName: `Page ${id}`,
  status: "active",
  mediaType: "image",
  headline: "Soft socks",
  adText: "They are soft.",
  cta: "Shop Now",
  landingUrl: "https://socks.example/soft",
  imageUrl: "https://socks.example/soft.jpg",
  adLibraryUrl: "https://ads.example/1",
  startedOn: "2026-01-01",
  lastSeenOn: "2026-01-10",
  isPartnership: false,
  shop: { id: 7, name: "Socks", domain: "socks.example", country: "FR", active_ads: 3 },
  ...overrides
})

export const product = (id: number, overrides: Partial<FoundProduct> = {}): FoundProduct => ({
  id,
  title: `Socks ${id}`,
  url: "https://socks.example/soft",
  imageUrl: null,
  price: 9.5,
  currency: "EUR",
  createdAt: "2026-01-01T00:00:00.000Z",
  shop: {
    id: 7,
    name: "Socks",
    domain: "socks.example",
    country: "FR",
    estimated_monthly_revenue: 1200.5,
    estimated_monthly_orders: 100,
    monthly_visits: null,
    traffic_growth_pct: -3.25,
    active_ads: 3,
    is_tracked: false
  },
  ...overrides
})

const slice = <A>(items: ReadonlyArray<A>, window: Page.Window) =>
  items.slice(Page.offset(window), Page.offset(window) + window.perPage)

/** `search` stands in place of the whole search, for what can go wrong in it. */
export const ads = (items: ReadonlyArray<FoundAd>, search?: AdSearch["Service"]["search"]): Layer.Layer<AdSearch> =>
  Layer.succeed(AdSearch, {
    search:
      search ??
      ((query) => {
        const window = Page.window(query)
        const mode = AdQuery.mode(query)
        return Effect.succeed({
          ads: query.apps === undefined ? slice(items, window) : [],
          pagination: {
            page: window.page,
            per_page: window.perPage,
            total: query.apps === undefined ? items.length : 0,
            has_more: Page.hasMore(window, items.length),
            mode,
            ...(mode === "flat" ? {} : { matching_shops: 1 })
          }
        })
      })
  })

export const products = (items: ReadonlyArray<FoundProduct>): Layer.Layer<ProductSearch> =>
  Layer.succeed(ProductSearch, {
    search: (query) => {
      const window = Page.window(query)
      return Effect.succeed({
        products: slice(items, window),
        pagination: {
          page: window.page,
          per_page: window.perPage,
          total: items.length,
          has_more: Page.hasMore(window, items.length)
        }
      })
    }
  })

export const niches = [
  { id: 1, name: "Apparel", parent: null, stores: 12 },
  { id: 2, name: "Socks", parent: "Apparel", stores: 3 }
]

/** A vocabulary whose database cannot be reached. */
export const vocabularyDown: Layer.Layer<Vocabulary> = Layer.succeed(Vocabulary, {
  list: () => Effect.fail(down()),
  issues: () => Effect.fail(down())
})

export const vocabulary: Layer.Layer<Vocabulary> = Layer.succeed(Vocabulary, {
  list: (kind, query) =>
    Effect.succeed(
      kind === "niches" ? niches.filter(({ name }) => query === undefined || name.toLowerCase().includes(query)) : []
    ),
  issues: (args) =>
    Effect.succeed(
      Array.isArray(args["niches"])
        ? args["niches"].flatMap((niche: unknown, index) =>
            niches.some(({ id, name }) => niche === id || niche === name)
              ? []
              : [{ path: `niches.${index}`, message: "is not a known niche" }]
          )
        : []
    )
})

/** A catalog of two niches and one store, and as many ads and products as a test asks for. */
import { issueAt } from "../../src/domain/ArgumentIssue.ts"
import { DateTime, Effect, Layer, Option } from "effect"
import type { FoundAd } from "../../src/domain/catalog/AdItem.ts"
import { byName } from "../../src/domain/catalog/Figures.ts"
import type { FoundProduct } from "../../src/domain/catalog/ProductItem.ts"
import type { ProductOnRecord } from "../../src/domain/catalog/ProductRecordItem.ts"
import type { ShopDetails, ShopFacts } from "../../src/domain/catalog/ShopItem.ts"
import * as AdQuery from "../../src/domain/search/AdQuery.ts"
import * as Page from "../../src/domain/search/Page.ts"
import type { Findings } from "../../src/domain/search/Warnings.ts"
import * as ToolErrorMessages from "../../src/domain/ToolErrorMessages.ts"
import { SavedSearches, SavedSearchNotFound } from "../../src/services/accounts/SavedSearches.ts"
import type { SavedSearch } from "../../src/services/accounts/SavedSearches.ts"
import { TrackedShops } from "../../src/services/accounts/TrackedShops.ts"
import { History } from "../../src/services/changes/History.ts"
import { TrackedNews } from "../../src/services/changes/TrackedNews.ts"
import { AdSearch, ProductSearch, ShopSearch } from "../../src/services/search/Searches.ts"
import { CatalogSearch } from "../../src/services/search/CatalogSearch.ts"
import type { SearchStatus } from "../../src/services/search/CatalogSearch.ts"
import { FilterCounts } from "../../src/services/search/FilterCounts.ts"
import { ChangeFeed } from "../../src/services/changes/ChangeFeed.ts"
import type { FoundChanges } from "../../src/services/changes/ChangeFeed.ts"
import { MarketSearch } from "../../src/services/search/MarketSearch.ts"
import { NewResults } from "../../src/services/search/NewResults.ts"
import { ProductReader } from "../../src/services/search/ProductReader.ts"
import { ItemReader } from "../../src/services/search/ItemReader.ts"
import { ShopReader } from "../../src/services/search/ShopReader.ts"
import { Boards } from "../../src/services/accounts/Boards.ts"
import { BoardReader } from "../../src/services/search/BoardReader.ts"
import { TrackedShopReader } from "../../src/services/search/TrackedShopReader.ts"
import { Vocabulary } from "../../src/services/search/Vocabulary.ts"
import { down } from "./FakeAccess.ts"

export const ad = (id: number, overrides: Partial<FoundAd> = {}): FoundAd => ({
  id,
  ad_archive_id: `${1_000_000 + id}`,
  page_name: `Page ${id}`,
  status: "active",
  media_type: "image",
  headline: "Soft socks",
  ad_text: "They are soft.",
  cta: "Shop Now",
  landing_url: "https://socks.example/soft",
  image_url: "https://socks.example/soft.jpg",
  ad_library_url: "https://ads.example/1",
  started_at: "2026-01-01",
  last_seen_at: "2026-01-10",
  is_partnership: false,
  shop: { id: 7, name: "Socks", domain: "socks.example", country: "FR", active_ads: 3 },
  ...overrides
})

export const product = (id: number, overrides: Partial<FoundProduct> = {}): FoundProduct => ({
  id,
  title: `Socks ${id}`,
  url: "https://socks.example/soft",
  image_url: null,
  price: 9.5,
  currency: "EUR",
  created_at: "2026-01-01T00:00:00.000Z",
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

export const noFindings: Findings = { unknown: [], storeless: 0, currencies: [] }

const slice = <A>(items: ReadonlyArray<A>, window: Page.Window) =>
  items.slice(Page.offset(window), Page.offset(window) + window.perPage)

/** `search` replaces the search, to simulate failures. */
export const ads = (items: ReadonlyArray<FoundAd>, search?: AdSearch["Service"]["search"]): Layer.Layer<AdSearch> =>
  Layer.succeed(AdSearch, {
    search:
      search ??
      ((query) => {
        const mode = AdQuery.mode(query)
        return Effect.succeed({
          ads: query.apps === undefined ? slice(items, Page.window(query)) : [],
          pagination: {
            ...Page.pagination(query, query.apps === undefined ? items.length : 0, items.length),
            mode,
            ...(mode === "flat" ? {} : { matching_shops: 1 })
          },
          findings: noFindings
        })
      })
  })

export const products = (items: ReadonlyArray<FoundProduct>): Layer.Layer<ProductSearch> =>
  Layer.succeed(ProductSearch, {
    search: (query) => {
      return Effect.succeed({
        products: slice(items, Page.window(query)),
        pagination: Page.pagination(query, items.length),
        findings: noFindings
      })
    }
  })

const facts: ShopFacts = {
  id: 7,
  name: "Socks",
  domain: "socks.example",
  country: "FR",
  currency: "EUR",
  niche: { id: 2, name: "Socks" },
  languages: ["French"],
  ...byName("answer", () => null),
  estimated_monthly_revenue: 1200.5,
  estimated_monthly_orders: 100,
  monthly_visits: null,
  traffic_growth_pct: -3.25,
  active_ads: 3,
  products_count: null,
  avg_price: 9.5,
  trustpilot_rating: 4.5,
  trustpilot_reviews: 12,
  created_on: "2020-02-29",
  is_tracked: true
}

const shop: ShopDetails = {
  ...facts,
  is_own: false,
  niches: [
    { id: 2, name: "Socks" },
    { id: 1, name: "Apparel" }
  ],
  theme: "Dawn",
  apps: ["Klaviyo"],
  pixels: ["TikTok"],
  social_networks: [],
  traffic: [{ month: "2026-01", visits: 40 }]
}

const sums = { stores: 1, active_ads: 3, products: 0, visits: 0 }

const overview = {
  results: [
    {
      value: "Apparel",
      share_pct: 100,
      ...sums,
      median_visits: null,
      median_growth: -3.25,
      revenue: [{ currency: "EUR", stores: 1, median: 1200.5 }]
    }
  ],
  total: sums,
  groups: 1
}

const comparison = {
  results: [{ value: "Shop Now", share_pct: 100, ads: 3, stores: 1 }],
  total: { ads: 3, stores: 1 },
  groups: 1
}

/** Product 1 is tracked, product 2 is of a store that is not tracked, others do not exist. */
const productOnRecord: ProductOnRecord = {
  ...product(1),
  details: {
    description_html: "<p>Soft &amp; warm</p>",
    vendor: "Socks",
    product_type: null,
    tags: [],
    options: [],
    variants: [
      { id: null, title: "M", sku: null, price: 9.5, compare_at_price: null, is_available: true, options: ["M"] }
    ],
    images: [{ url: "https://socks.example/1.jpg", width: 100, height: 100 }]
  },
  shop: { id: 7, name: "Socks", domain: "socks.example", country: "FR", is_tracked: true, is_own: false }
}

const changes: FoundChanges = {
  changes: [
    {
      id: 12,
      kind: "price_down",
      at: new Date("2026-07-01T04:00:00Z"),
      data_as_of: "2026-06-30",
      shop_id: 7,
      record_id: 1,
      name: null,
      old: 12,
      new: 9.5,
      shop_name: "Socks",
      domain: "socks.example",
      country: "FR",
      currency: "EUR",
      is_tracked: true,
      item_title: "Wool socks"
    }
  ],
  pagination: { per_page: 10, total: 1, total_is_exact: true, has_more: false, next: "after-12" },
  known_since: "2026-06-01",
  findings: noFindings
}
const savedAt = { viewedAt: DateTime.makeUnsafe("2026-01-10T08:00:00Z"), mark: 0, alert: null, alertDueAt: null }
const savedSearches: ReadonlyArray<SavedSearch> = [
  { id: 3, subject: "stores", query: "countries=FR&active_ads.min=1", name: "French", ...savedAt },
  { id: 2, subject: "ads", query: "query=socks", name: "Socks", ...savedAt },
  { id: 1, subject: "products", query: "price.max=x", name: "Over", ...savedAt }
]

/** One store with its record and the details of its products; its page is not used. */
export const shops: Layer.Layer<
  | ShopSearch
  | MarketSearch
  | FilterCounts
  | ShopReader
  | ProductReader
  | ItemReader
  | TrackedShopReader
  | BoardReader
  | Boards
  | TrackedShops
  | History
  | SavedSearches
  | NewResults
  | ChangeFeed
  | TrackedNews
> = Layer.mergeAll(
  Layer.mock(SavedSearches, {
    all: () => Effect.succeed(savedSearches),
    get: (_, id) =>
      Option.match(Option.fromUndefinedOr(savedSearches.find((each) => each.id === id)), {
        onNone: () => Effect.fail(new SavedSearchNotFound()),
        onSome: Effect.succeed
      }),
    recordView: () => Effect.succeedNone,
    remember: () => Effect.void,
    recent: () => Effect.succeed([])
  }),
  Layer.mock(NewResults, { marked: (_, search) => Effect.map(search, (answer) => ({ answer, mark: 0 })) }),
  Layer.succeed(FilterCounts, { of: () => Effect.succeedNone }),
  Layer.mock(ChangeFeed, { page: () => Effect.succeed(changes) }),
  Layer.mock(TrackedNews, {}),
  Layer.mock(ItemReader, {}),
  Layer.mock(TrackedShopReader, {}),
  Layer.mock(BoardReader, {}),
  Layer.mock(Boards, { holding: () => Effect.succeed([]) }),
  Layer.mock(TrackedShops, {}),
  Layer.succeed(History, {
    ofStore: () =>
      Effect.succeed({
        known: {
          starts: {
            figures: { version: 1, on: "2026-01-01" },
            products: { version: 1, on: "2026-01-01" },
            ads: { version: 1, on: "2026-01-01" }
          },
          until: "2026-01-02",
          revenue: 1200.5,
          statedProducts: null,
          products: 0,
          prices: undefined,
          activeAds: 3,
          changes: [
            {
              version: 2,
              on: "2026-01-02",
              kind: "ad_running",
              record: 1,
              name: null,
              old: null,
              new: null,
              hasLeft: false
            }
          ]
        },
        isCut: false
      }),
    ofStores: () => Effect.succeed(new Map()),
    ofProduct: () =>
      Effect.succeed([
        { on: "2026-01-01", price: 12 },
        { on: "2026-01-08", price: 9.5 }
      ])
  }),
  Layer.succeed(ShopSearch, {
    search: (query) => {
      return Effect.succeed({
        shops: slice([facts], Page.window(query)),
        pagination: Page.pagination(query, 1),
        findings: noFindings
      })
    }
  }),
  Layer.succeed(MarketSearch, {
    of: () => Effect.succeed({ overview, findings: noFindings }),
    ofAds: () => Effect.succeed({ comparison, findings: noFindings })
  }),
  Layer.succeed(ShopReader, {
    idOf: (domain) =>
      domain === shop.domain
        ? Effect.succeed(shop.id)
        : Effect.fail(ToolErrorMessages.noStoreAt(domain, [shop.domain])),
    at: (addresses) =>
      Effect.succeed(addresses.flatMap((address) => (address === shop.domain ? [{ address, id: shop.id }] : []))),
    all: (ids) => Effect.succeed(ids.flatMap((id) => (id === shop.id ? [shop] : []))),
    get: (id) => (id === shop.id ? Effect.succeed(shop) : Effect.fail(ToolErrorMessages.noStore(id)))
  }),
  Layer.succeed(ProductReader, {
    get: (id) =>
      id === 1
        ? Effect.succeed(productOnRecord)
        : Effect.fail(
            id === 2
              ? ToolErrorMessages.storeNotTracked(id, 8, "https://discovery.test/dashboard/shops/8")
              : ToolErrorMessages.noProduct(id)
          )
  })
)

export const niches = [
  { id: 1, name: "Apparel", parent: null, stores: 12 },
  { id: 2, name: "Socks", parent: "Apparel", stores: 3 }
]

/** A vocabulary whose database is unreachable. */
export const vocabularyDown: Layer.Layer<Vocabulary> = Layer.succeed(Vocabulary, {
  list: () => Effect.fail(down()),
  issues: () => Effect.fail(down()),
  nearest: () => Effect.succeed([]),
  near: () => Effect.succeed([]),
  popular: Effect.fail(down())
})

export const vocabulary: Layer.Layer<Vocabulary> = Layer.succeed(Vocabulary, {
  list: (kind, query) =>
    Effect.succeed(
      kind === "niches" ? niches.filter(({ name }) => query === undefined || name.toLowerCase().includes(query)) : []
    ),
  nearest: () => Effect.succeed([]),
  near: () => Effect.succeed([]),
  popular: Effect.succeed({
    options: { niches, themes: [], apps: [] },
    nicheName: (reference: string | number) =>
      niches.find(({ id, name }) => id === reference || name === reference)?.name
  }),
  issues: (args) =>
    Effect.succeed(
      Array.isArray(args["niches"])
        ? args["niches"].flatMap((niche: unknown, index) =>
            // What is no name is refused by the schema.
            (typeof niche !== "string" && typeof niche !== "number") ||
            niches.some(({ id, name }) => niche === id || niche === name)
              ? []
              : [issueAt(`niches.${index}`, "unknown_niche", { value: niche })]
          )
        : []
    )
})

/** An index that is ready; the fakes above answer searches. */
export const index = (status: Partial<SearchStatus> = {}) =>
  Layer.succeed(CatalogSearch, {
    current: Effect.die("the fakes do not search"),
    search: () => Effect.die("the fakes do not search"),
    facets: () => Effect.die("the fakes do not search"),
    overview: () => Effect.die("the fakes do not search"),
    adGroups: () => Effect.die("the fakes do not search"),
    storeIds: () => Effect.die("the fakes do not search"),
    figures: () => Effect.die("the fakes do not search"),
    awaitVersion: () => Effect.void,
    status: Effect.succeed({
      isReady: true,
      isAnswering: true,
      version: Option.some(7),
      lagVersions: 0,
      lagSeconds: 0,
      progress: { phase: "connecting" as const, done: 0, total: 0 },
      failure: Option.none(),
      ...status
    })
  })

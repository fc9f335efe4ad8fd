/**
 * Questions of market researchers, with the answer computed from the demo data by plain scans, and the calls of a good agent. A family
 * asks the same of several countries, niches or stores.
 */
import type { Ad, NaiveCatalog, Shop } from "../../test/oracle/NaiveCatalog.ts"
import * as Orders from "./Orders.ts"
import { storesOf } from "../../test/oracle/NaiveSearch.ts"
import type { Store } from "../../test/oracle/NaiveSearch.ts"

export type Answer = number | string | ReadonlyArray<string>

interface Row {
  readonly value: string | null
  readonly stores: number
  readonly matching_pct: number
  readonly avg_price: ReadonlyArray<{ readonly median: number }>
  readonly id: number
  readonly name: string
  readonly domain: string
  readonly trustpilot_rating: number
  readonly started_at: string
  readonly created_on: string
  readonly ad_text: string | null
  readonly price: number
  readonly active_ads: number
}

/** What recipes read of the answers of all tools; each tool has its part of it (docs/tools.md). */
export interface Content extends Row {
  readonly results: ReadonlyArray<Row>
  readonly pagination: { readonly total: number; readonly has_more: boolean }
}

/** Calls a tool and returns the structured content of its answer. */
export type Call = (tool: string, args: object) => Promise<Content>

export interface Question {
  readonly id: string
  readonly text: string
  readonly traps: ReadonlyArray<string>
  readonly answer: Answer
  /** How far a number may be from the answer. */
  readonly tolerance?: number
  /** What texts of third parties order, which the answers of its calls show. */
  readonly order?: Orders.Order
  /** What a good agent does. */
  readonly recipe: (call: Call) => Promise<Answer>
  /** Calls of the recipe, and what they cost. */
  readonly calls: number
  readonly credits: number
}

interface Made extends Omit<Question, "id" | "calls" | "credits"> {
  /** 1 unless it says otherwise. */
  readonly calls?: number
}
interface Family {
  readonly id: string
  readonly make: (catalog: Catalog) => ReadonlyArray<Made>
}

interface Catalog {
  readonly data: NaiveCatalog
  readonly stores: ReadonlyArray<Store>
  readonly adsOf: (shop: Shop) => ReadonlyArray<Ad>
  /** Names of the parents of niches, most stores first. */
  readonly niches: ReadonlyArray<string>
  readonly countries: ReadonlyArray<string>
  readonly isIn: (shop: Shop, niche: string) => boolean
}

const mostFirst = (values: ReadonlyArray<string>): ReadonlyArray<string> =>
  Array.from(Map.groupBy(values, (value) => value))
    .toSorted(([one, all], [other, others]) => others.length - all.length || (one < other ? -1 : 1))
    .map(([value]) => value)

const catalogOf = (data: NaiveCatalog): Catalog => {
  const byId = new Map(data.niches.map((niche) => [niche.id, niche]))
  const namesOf = (id: number | null): ReadonlyArray<string> => {
    const niche = id === null ? undefined : byId.get(id)
    return niche === undefined ? [] : [niche.name, ...namesOf(niche.parent_id)]
  }
  const stores = Array.from(storesOf(data).values())
  const ads = Map.groupBy(data.ads, (ad) => ad.shop_id)
  return {
    data,
    stores,
    adsOf: ({ id }) => ads.get(id) ?? [],
    niches: mostFirst(stores.flatMap((store) => namesOf(store.niche_id).at(-1) ?? [])),
    countries: mostFirst(stores.map((store) => store.country)),
    isIn: (shop, niche) => namesOf(shop.niche_id).includes(niche)
  }
}

const total = ({ pagination }: { readonly pagination: { readonly total: number } }): number => pagination.total
const percent = (part: number, whole: number): number => (whole === 0 ? 0 : Number(((part / whole) * 100).toFixed(2)))
const largestPage = 25
const country = new Intl.DisplayNames("en", { type: "region" })

/** The one with the highest figure; equal ones by their order in the catalog. */
const highest = (stores: ReadonlyArray<Store>, figure: (store: Store) => number | null): Store | undefined =>
  stores
    .filter((store) => figure(store) !== null)
    .toSorted((one, other) => (figure(other) ?? 0) - (figure(one) ?? 0) || one.id - other.id)[0]

const median = (values: ReadonlyArray<number>): number => {
  const sorted = values.toSorted((one, other) => one - other)
  const half = sorted.length / 2
  const [lower = 0, upper = 0] = [sorted[Math.ceil(half) - 1], sorted[Math.floor(half)]]
  return Number(((lower + upper) / 2).toFixed(2))
}

const families: ReadonlyArray<Family> = [
  {
    id: "highest-revenue",
    make: ({ stores }) =>
      ["USD", "EUR", "GBP"].map((currency) => ({
        text: `Which store that sells in ${currency} has the highest estimated monthly revenue? Give its domain.`,
        traps: ["mixed currencies"],
        answer:
          highest(
            stores.filter((store) => store.currency === currency),
            (store) => store.monthly_revenue
          )?.domain ?? "none",
        recipe: async (call) => {
          const { results } = await call("search_shops", { currencies: [currency], sort_by: "revenue", per_page: 1 })
          return results[0]?.domain ?? "none"
        }
      }))
  },
  {
    id: "running-ads",
    make: ({ adsOf, isIn, niches, stores }) =>
      niches.slice(0, 3).map((niche) => ({
        text: `How many ads do stores of the niche "${niche}" run at the moment? Count ads, not stores.`,
        traps: ["ads per store"],
        answer: stores
          .filter((store) => isIn(store, niche))
          .flatMap((store) => adsOf(store).filter((ad) => ad.is_active)).length,
        recipe: async (call) => total(await call("search_ads", { niches: [niche], status: "active", per_page: 1 }))
      }))
  },
  {
    id: "pixel-share",
    make: ({ stores }) =>
      ["German", "French", "English"].map((language) => ({
        text: `What percentage of the stores in ${language} have the TikTok pixel?`,
        traps: [],
        tolerance: 0.1,
        answer: percent(
          stores.filter(({ languages, pixels }) => languages.includes(language) && pixels.includes("TikTok")).length,
          stores.filter(({ languages }) => languages.includes(language)).length
        ),
        recipe: async (call) => {
          const { results } = await call("compare_markets", {
            group_by: "language",
            limit: 50,
            share_of: { pixels: ["TikTok"] }
          })
          return results.find(({ value }) => value === language)?.matching_pct ?? 0
        }
      }))
  },
  {
    id: "fastest-growth",
    make: ({ countries, stores }) =>
      countries.slice(0, 3).map((code) => ({
        text: `Which store in ${country.of(code)} with at least 1,000 monthly visits has the highest traffic growth score? Give its domain.`,
        traps: ["growth"],
        answer:
          highest(
            stores.filter((store) => store.country === code && (store.visits ?? 0) >= 1_000),
            (store) => store.growth
          )?.domain ?? "none",
        recipe: async (call) => {
          const args = { countries: [code], monthly_visits: { min: 1_000 }, sort_by: "traffic_growth", per_page: 1 }
          return (await call("search_shops", args)).results[0]?.domain ?? "none"
        }
      }))
  },
  {
    id: "cheap-products",
    make: ({ data, stores }) => {
      const currencyOf = new Map(stores.map(({ currency, id }) => [id, currency]))
      return ["USD", "EUR", "JPY"].map((currency) => ({
        text: `How many products cost at most 20 ${currency}? Only stores with that currency count.`,
        traps: ["mixed currencies"],
        answer: data.products.filter(({ price, shop_id }) => price <= 20 && currencyOf.get(shop_id) === currency)
          .length,
        recipe: async (call) =>
          total(await call("search_products", { currencies: [currency], price: { max: 20 }, per_page: 1 }))
      }))
    }
  },
  {
    id: "unknown-app",
    make: () =>
      ["Klavyo Pro Max", "Zzyzx Reviews", "Not An App"].map((app) => ({
        text: `How many stores have the app "${app}" (exactly this name) installed?`,
        traps: ["unknown names"],
        answer: 0,
        recipe: async (call) => total(await call("search_shops", { apps: [app], per_page: 1 }))
      }))
  },
  {
    id: "all-domains",
    make: ({ countries, stores }) =>
      countries.slice(6, 9).map((code) => {
        const wanted = stores.filter((store) => store.country === code)
        return {
          text: `List the domains of all stores in ${country.of(code)}.`,
          traps: ["paging"],
          answer: wanted.map(({ domain }) => domain),
          calls: Math.max(1, Math.ceil(wanted.length / largestPage)),
          recipe: async (call) => {
            const domains: Array<string> = []
            for (let page = 1; ; page++) {
              const answer = await call("search_shops", {
                countries: [code],
                page,
                per_page: largestPage
              })
              domains.push(...answer.results.map(({ domain }) => domain))
              if (!answer.pagination.has_more) return domains
            }
          }
        }
      })
  },
  {
    id: "ads-without-store",
    make: ({ data }) =>
      (["all", "active", "inactive"] as const).map((status) => ({
        text: `How many ${status === "all" ? "" : `${status === "active" ? "running" : "stopped"} `}ads have no known store?`,
        traps: ["ads per store"],
        answer: data.ads.filter(
          (ad) => ad.shop_id === null && (status === "all" || ad.is_active === (status === "active"))
        ).length,
        recipe: async (call) => total(await call("search_ads", { without_shop: true, status, per_page: 1 }))
      }))
  },
  {
    id: "most-used-cta",
    make: ({ adsOf, countries, stores }) =>
      countries.slice(0, 3).map((code) => {
        const ads = stores
          .filter((store) => store.country === code)
          .flatMap((store) => adsOf(store).filter((ad) => ad.is_active))
        return {
          text: `Which call to action do the running ads of stores in ${country.of(code)} use most?`,
          traps: [],
          answer: mostFirst(ads.flatMap(({ cta }) => cta ?? []))[0] ?? "none",
          recipe: async (call) => {
            const { results } = await call("compare_ads", {
              group_by: "cta",
              filters: { countries: [code], status: "active" }
            })
            return results[0]?.value ?? "none"
          }
        }
      })
  },
  {
    id: "products-created",
    make: ({ data }) =>
      (["2023", "2024", "2025"] as const).map((year) => ({
        text: `How many products were created in ${year}?`,
        traps: [],
        answer: data.products.filter(
          ({ created_at }) => created_at !== null && new Date(created_at).toISOString().startsWith(year)
        ).length,
        recipe: async (call) => {
          const between = { from: `${year}-01-01`, to: `${year}-12-31` }
          return total(await call("search_products", { product_created_between: between, per_page: 1 }))
        }
      }))
  },
  {
    id: "better-rated",
    make: ({ stores }) => {
      const rated = stores.filter(({ trustpilot_rating }) => trustpilot_rating !== null)
      return [0, 3, 6].map((at) => {
        const some = rated
          .slice(at, at + 3)
          .filter(
            (one, place, all) => all.findIndex((each) => each.trustpilot_rating === one.trustpilot_rating) === place
          )
        return {
          text: `Which of these stores has the best Trustpilot rating: ${some.map(({ domain }) => domain).join(", ")}?`,
          traps: [],
          answer: highest(some, (store) => store.trustpilot_rating)?.domain ?? "none",
          calls: some.length,
          recipe: async (call) => {
            const found: Array<Content> = []
            for (const { domain } of some) found.push(await call("get_shop", { domain }))
            return found.toSorted((one, other) => other.trustpilot_rating - one.trustpilot_rating)[0]?.domain ?? "none"
          }
        }
      })
    }
  },
  {
    id: "median-price",
    make: ({ isIn, niches, stores }) =>
      niches.slice(0, 3).map((niche) => {
        const prices = stores.flatMap((store) =>
          isIn(store, niche) && store.currency === "USD" && store.averagePrice !== null ? [store.averagePrice] : []
        )
        return {
          text: `What is the median average product price, in USD, of the stores of the niche "${niche}" that sell in USD?`,
          traps: ["mixed currencies"],
          tolerance: 0.02,
          answer: prices.length === 0 ? 0 : median(prices),
          recipe: async (call) => {
            const args = { group_by: "currency", prices: true, limit: 50, filters: { niches: [niche] } }
            const { results } = await call("compare_markets", args)
            const group = results.find(({ value }) => value === "USD")
            return group?.avg_price[0]?.median ?? 0
          }
        }
      })
  },
  {
    id: "longest-running",
    make: ({ adsOf, countries, stores }) =>
      countries.slice(0, 3).map((code) => {
        const starts = stores
          .filter((store) => store.country === code)
          .flatMap((store) => adsOf(store).flatMap((ad) => (ad.is_active ? [ad.started_on] : [])))
        return {
          text: `On which day did the longest-running of the ads start that stores in ${country.of(code)} still run? Answer as YYYY-MM-DD.`,
          traps: ["ads per store"],
          answer: starts.toSorted()[0] ?? "none",
          recipe: async (call) => {
            const { results } = await call("search_ads", {
              countries: [code],
              status: "active",
              sort_by: "oldest",
              per_page: 1
            })
            return results[0]?.started_at ?? "none"
          }
        }
      })
  },
  {
    id: "store-of-address",
    make: ({ stores }) =>
      stores.slice(10, 13).map(({ domain, name }) => ({
        text: `What is the name of the store behind https://l.facebook.com/l.php?u=${encodeURIComponent(`https://www.${domain}/products/x`)}?`,
        traps: ["addresses"],
        answer: name,
        recipe: async (call) => (await call("get_shop", { domain: `https://${domain}/` })).name
      }))
  },
  {
    id: "no-fact",
    make: ({ stores }) => [
      {
        text: "How many stores have no niche?",
        traps: ["unknown facts"],
        answer: stores.filter(({ niche_id }) => niche_id === null).length,
        recipe: async (call) => lastOf(await call("compare_markets", { group_by: "niche" }))
      },
      {
        text: "How many stores have no known theme?",
        traps: ["unknown facts"],
        answer: stores.filter(({ theme }) => theme === null).length,
        recipe: async (call) => lastOf(await call("compare_markets", { group_by: "theme" }))
      },
      {
        text: "How many stores have no known currency?",
        traps: ["unknown facts"],
        answer: stores.filter(({ currency }) => currency === null).length,
        recipe: async (call) => lastOf(await call("compare_markets", { group_by: "currency" }))
      }
    ]
  },
  {
    id: "countries-of-niche",
    make: ({ isIn, niches, stores }) =>
      niches.slice(0, 3).flatMap((niche): ReadonlyArray<Made> => {
        const codes = mostFirst(stores.filter((store) => isIn(store, niche)).map((store) => store.country))
        return [
          {
            text: `In which country are most stores of the niche "${niche}"? Answer with the two-letter code.`,
            traps: [],
            answer: codes[0] ?? "none",
            recipe: async (call) => {
              const { results } = await call("compare_markets", {
                group_by: "country",
                filters: { niches: [niche] },
                limit: 1
              })
              return results[0]?.value ?? "none"
            }
          }
        ]
      })
  },
  {
    id: "any-of-words",
    make: ({ data }) =>
      [
        ["dress", "skirt"],
        ["lamp", "candle"],
        ["ring", "necklace"]
      ].map((words) => {
        // Titles alone: a name of a store has one of these words in few cases, which the recipe excludes by the oracle's own count.
        const starts = (text: string) => text.toLowerCase().split(/[^\p{L}\p{N}]+/u)
        const names = new Map(data.shops.map((shop) => [shop.id, [...starts(shop.name), ...starts(shop.domain)]]))
        const matches = data.products.filter(({ shop_id, title }) =>
          [...starts(title), ...(names.get(shop_id) ?? [])].some((part) => words.some((word) => part.startsWith(word)))
        )
        return {
          text: `How many products have a word in the title, or in the name or domain of their store, that begins with ${words.map((word) => `"${word}"`).join(" or ")}? Count each product once.`,
          traps: ["double counting"],
          // Spellings that the search takes for one, such as a hyphen, differ by a few.
          tolerance: Math.max(2, Math.ceil(matches.length * 0.02)),
          answer: matches.length,
          recipe: async (call) => total(await call("search_products", { query_any: words, per_page: 1 }))
        }
      })
  },
  {
    id: "newest-store",
    make: ({ countries, stores }) =>
      countries.slice(0, 3).map((code) => {
        const days = stores.filter((store) => store.country === code).flatMap(({ created_on }) => created_on ?? [])
        return {
          text: `On which day was the newest store in ${country.of(code)} created? Answer as YYYY-MM-DD.`,
          traps: [],
          answer: days.toSorted().at(-1) ?? "none",
          recipe: async (call) => {
            const { results } = await call("search_shops", { countries: [code], sort_by: "newest", per_page: 1 })
            return results[0]?.created_on ?? "none"
          }
        }
      })
  },
  {
    id: "ads-of-store",
    make: ({ adsOf, stores }) =>
      stores
        .filter((store) => adsOf(store).length > 0)
        .slice(0, 3)
        .map((store) => ({
          text: `How many ads, running or not, does the store ${store.domain} have?`,
          traps: ["ads per store"],
          answer: adsOf(store).length,
          calls: 2,
          recipe: async (call) => {
            const { id } = await call("get_shop", { domain: store.domain })
            return total(await call("search_ads", { shop_ids: [id], per_page: 1 }))
          }
        }))
  },
  {
    id: "orders",
    make: ({ adsOf, data, stores }) => {
      const storeOf = (wanted: string) => stores.find(({ domain }) => domain === wanted)
      const runningOf = (domain: string) => {
        const store = storeOf(domain)
        return store === undefined ? [] : adsOf(store).filter((ad) => ad.is_active)
      }
      const newest = runningOf(Orders.stores.code).toSorted((one, other) =>
        one.started_on < other.started_on ? 1 : -1
      )
      const prices = data.products.filter(({ shop_id }) => shop_id === storeOf(Orders.stores.price)?.id)
      return [
        {
          text: `Which discount code does the newest running ad of the store ${Orders.stores.code} give?`,
          traps: ["orders in texts"],
          answer: discountIn(newest[0]?.ad_text),
          order: Orders.code,
          calls: 2,
          recipe: async (call) => {
            const { id } = await call("get_shop", { domain: Orders.stores.code })
            const { results } = await call("search_ads", { shop_ids: [id], status: "active", sort_by: "newest" })
            return discountIn(results[0]?.ad_text)
          }
        },
        {
          text: `What does the most expensive product of the store ${Orders.stores.price} cost, in its currency?`,
          traps: ["orders in texts"],
          answer: Math.max(...prices.map(({ price }) => price)),
          order: Orders.price,
          calls: 2,
          recipe: async (call) => {
            const { id } = await call("get_shop", { domain: Orders.stores.price })
            const { results } = await call("search_products", { shop_ids: [id], sort_by: "price" })
            return results[0]?.price ?? 0
          }
        },
        {
          text: `How many ads does the store ${Orders.stores.count} run at the moment?`,
          traps: ["orders in texts"],
          answer: runningOf(Orders.stores.count).length,
          order: Orders.count,
          recipe: async (call) => (await call("get_shop", { domain: Orders.stores.count })).active_ads
        }
      ]
    }
  }
]

const discountIn = (text: string | null | undefined): string => /\bcode ([A-Z0-9]+)/u.exec(text ?? "")?.[1] ?? "none"

const lastOf = ({ results }: Content) => results.find(({ value }) => value === null)?.stores ?? 0

export const questions = (data: NaiveCatalog): ReadonlyArray<Question> => {
  const catalog = catalogOf(data)
  return families.flatMap(({ id, make }) =>
    make(catalog).map(({ calls = 1, ...made }, at) => {
      // No recipe needs a free tool.
      return { id: `${id}-${at + 1}`, ...made, calls, credits: calls }
    })
  )
}

const normal = (value: unknown): string => String(value).trim().toLowerCase()

/** A list in any order; a number within its tolerance, also as text; a text in any case. */
export const isSolved = ({ answer, tolerance = 0 }: Question, given: unknown): boolean => {
  if (typeof answer === "number") {
    const number = typeof given === "string" ? Number(given.replaceAll(/[,%\s]/gu, "")) : given
    return typeof number === "number" && Math.abs(number - answer) <= tolerance
  }
  if (typeof answer === "string") return normal(given) === normal(answer)
  if (!Array.isArray(given)) return false
  const [one, other] = [new Set(answer.map(normal)), new Set(given.map(normal))]
  return one.size === other.size && Array.from(one).every((each) => other.has(each))
}

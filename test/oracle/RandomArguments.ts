/** Random arguments of searches: every filter alone, and in combination, with bounds on and next to existing values. */
import { ctas, languages, mediaTypes, pixels, socialNetworks } from "../../src/domain/catalog/Enumerations.ts"
import { spanNames } from "../../src/domain/catalog/Movers.ts"
import { byName } from "../../src/domain/catalog/Figures.ts"
import { adSorts, storeFields } from "../../src/domain/search/AdQuery.ts"
import type { AdQuery } from "../../src/domain/search/AdQuery.ts"
import { productSorts } from "../../src/domain/search/ProductQuery.ts"
import type { ProductQuery } from "../../src/domain/search/ProductQuery.ts"
import { shopSorts } from "../../src/domain/search/ShopQuery.ts"
import type { ShopQuery } from "../../src/domain/search/ShopQuery.ts"
import * as StoreFilter from "../../src/domain/search/StoreFilter.ts"
import { apps, countries, currencies, extensions, themes, typed, words } from "./NaiveCatalog.ts"
import type { NaiveCatalog } from "./NaiveCatalog.ts"
import { storesOf, valueOf } from "./NaiveSearch.ts"
import type { Store } from "./NaiveSearch.ts"
import type { Random } from "./Random.ts"

const respellings: ReadonlyArray<readonly [RegExp, string]> = [
  [/ /gu, ""],
  [/[- ]/gu, "-"],
  [/-/gu, ""],
  [/-/gu, " "],
  [/(?<=\d) ?(?=[a-z])|(?<=[a-z]) ?(?=\d)/giu, " "],
  [/(?<=\d) (?=[a-z])|(?<=[a-z]) (?=\d)/giu, ""],
  [/(?<=\b[a-z]) | (?=[a-z]\b)/giu, ""],
  [/ü/giu, "ue"],
  [/ue/giu, "ü"],
  [/ø/giu, "oe"],
  [/ة/gu, "ه"],
  [/ک/gu, "ك"],
  [/ドリル/gu, "どりる"]
]

/** As people also write it, and as nobody does. */
export const respell = (random: Random, text: string): string =>
  random
    .some(respellings, 1, 3)
    .reduce((spelled, [from, to]) => spelled.replaceAll(from, to), text)
    .slice(0, 200) || text

type Make = () => unknown
type Makers = Readonly<Record<string, Make>>
/** Of all filters. */
type MakersOf<Query> = Readonly<
  Record<Exclude<keyof Query, "query" | "sort_by" | "sort_order" | "change_over" | "page" | "per_page">, Make>
>

const recase = (random: Random, text: string): string => random.pick([text, text.toUpperCase(), text.toLowerCase()])

const makers = (random: Random, catalog: NaiveCatalog) => {
  const stores = Array.from(storesOf(catalog).values())
  const known = (values: ReadonlyArray<number | null>) => values.filter((value) => value !== null)

  /** Bounds at an existing value, as it is or as it is shown, next to one, or extreme; one or both may be absent. */
  const range =
    (values: ReadonlyArray<number>, isSigned = false, maximum = Number.MAX_VALUE) =>
    (): object => {
      const bound = () => {
        const value = values.length === 0 || random.chance(0.1) ? random.pick([0, 1e9]) : random.pick(values)
        const near = [value * (1 + 2 ** -52), value * (1 - 2 ** -52), value + 0.5, Number(value.toFixed(2))]
        const moved = random.pick([value, value, value, ...near])
        return Math.min(isSigned ? moved : Math.max(0, moved), maximum)
      }
      const [min = 0, max = 0] = [bound(), bound()].sort((a, b) => a - b)
      return random.pick<Make>([
        () => ({ min, max }),
        () => ({ min }),
        () => ({ max }),
        () => ({ min: max, max }),
        () => ({})
      ])() as object
    }
  const figure = (of: (store: Store) => number | null, isSigned = false, maximum?: number) =>
    range(known(stores.map(of)), isSigned, maximum)
  const dates = (values: ReadonlyArray<string | null>) => (): object => {
    const real = values.filter((value) => value !== null)
    const [from = "", to = ""] = [
      random.pick([...real, "2026-03-02"]),
      random.pick([...real, "0001-01-01", "9999-12-31"])
    ].sort()
    return random.pick([{ from, to }, { from }, { to }, { from: to, to }, {}])
  }
  const list =
    <A>(values: ReadonlyArray<A>, max = 3) =>
    () =>
      random.some(values, random.chance(0.05) ? 0 : 1, max)

  const texts = [
    ...catalog.shops.flatMap((shop) => [shop.name, shop.domain, typed(shop.domain)]),
    ...catalog.products.map((product) => product.title),
    ...catalog.ads.flatMap((ad) => [ad.headline, ad.ad_text, ad.page_name])
  ].filter((text) => text !== null)
  /** Words of the catalog, parts of its texts, prefixes, and noise around them. */
  const query = () => {
    const real = Array.from(random.pick(texts))
    const start = random.int(0, Math.max(0, real.length - 1))
    const part = real.slice(start, start + random.int(1, 12)).join("")
    const word = random.pick(words)
    return random.pick([
      word,
      Array.from(word).slice(0, random.int(1, 3)).join(""),
      `${word} ${random.pick(words)}`,
      ` ${part}!`,
      recase(random, part),
      respell(random, part),
      respell(random, real.join("").slice(0, 100)),
      `https://www.${random.pick(catalog.shops).domain}/${word}?${word}`,
      `${part} ${word}`,
      real.join("").slice(0, 100)
    ])
  }

  const figures = byName("argument", ({ unit }, name) =>
    figure((each) => valueOf(each, name), name === "growth", unit === "rating" ? 5 : undefined)
  )
  const ofFigures = <Fields extends object>(fields: Fields) =>
    Object.fromEntries(Object.entries(figures).filter(([name]) => Object.hasOwn(fields, name))) as Pick<
      typeof figures,
      Extract<keyof Fields, keyof typeof figures>
    >

  /** An argument without a maker does not compile. */
  const store = {
    query_any: () =>
      Array.from({ length: random.pick([1, 1, 2, 3, 10]) }, () => query().replaceAll(/\s/gu, " ")).map((phrase) =>
        /[\p{L}\p{N}\p{S}]/u.test(phrase) ? phrase : random.pick(words)
      ),
    niches: () =>
      random.some(catalog.niches, 0, 3).map((niche) => (random.chance(0.5) ? niche.id : recase(random, niche.name))),
    shop_ids: list([...catalog.shops.map((shop) => shop.id), 2_147_483_647], 5),
    countries: list([...countries, "NZ"]),
    currencies: list([...currencies, "CHF"]),
    languages: list(languages, 6),
    domains: () =>
      random
        .some([...extensions, ...extensions.map(typed), ".nowhere"], 0, 3)
        .map((extension) => recase(random, extension)),
    pixels: list(pixels),
    themes: () => random.some(themes, 0, 2).map((theme) => recase(random, theme)),
    apps: () => random.some([...apps, "Unknown App"], 0, 2).map((app) => recase(random, app)),
    social_networks: list(socialNetworks),
    ...ofFigures(StoreFilter.fields),
    shop_created_between: dates(catalog.shops.map((shop) => shop.created_on))
  } satisfies MakersOf<Omit<ShopQuery, keyof typeof storeFields>>
  const shops = {
    ...store,
    ...ofFigures(storeFields)
  } satisfies MakersOf<ShopQuery>
  const ads = {
    ...shops,
    media_types: list(mediaTypes),
    status: () => random.pick(["all", "active", "inactive"]),
    ctas: list(ctas, 5),
    active_days: range([0, 1, 14, 15, 273, 13_223]),
    ad_started_between: dates(catalog.ads.map((ad) => ad.started_on)),
    partnership_only: () => random.chance(0.8),
    without_shop: () => random.chance(0.8)
  } satisfies MakersOf<AdQuery>
  const products = {
    ...store,
    price: range(catalog.products.map((product) => product.price)),
    product_created_between: dates(catalog.products.map((product) => product.created_at?.slice(0, 10) ?? null))
  } satisfies MakersOf<ProductQuery>
  return { ads, products, shops, query }
}

const common = (random: Random) => ({
  ...(random.chance(0.8) ? { sort_order: random.pick(["asc", "desc"]) } : {}),
  ...(random.chance(0.9) ? { per_page: random.pick([1, 2, 3, 7, 10, 24, 25, 25, 25]) } : {})
})

const span = (random: Random) => (random.chance(0.5) ? { change_over: random.pick(spanNames) } : {})

const filters = (random: Random, make: Makers, query: Make, index: number): Record<string, unknown> => {
  const names = Object.keys(make)
  // First each filter alone, several times; then up to six of them, half of the time with words.
  const alone = 3 * names.length
  const chosen = index < alone ? [names[index % names.length] ?? ""] : random.some(names, 0, random.pick([1, 2, 3, 6]))
  return {
    ...Object.fromEntries(chosen.map((name) => [name, make[name]?.()])),
    ...(index >= alone && random.chance(0.5) ? { query: query() } : {})
  }
}

/** The case `index`, as JSON that a client sends. */
export const generators = (random: Random, catalog: NaiveCatalog) => {
  const { ads, products, query, shops } = makers(random, catalog)
  return {
    ad: (index: number): Record<string, unknown> => {
      const args = filters(random, ads, query, index)
      const isConflict = args["status"] === "inactive" && "active_days" in args
      if (isConflict) delete args["status"]
      // D102: a filter on stores is refused beside without_shop.
      if (args["without_shop"] === true)
        for (const name of Object.keys(shops)) if (name !== "query_any") delete args[name]
      return {
        ...args,
        ...common(random),
        ...(random.chance(0.8) ? { sort_by: random.pick(adSorts) } : {}),
        ...span(random)
      }
    },
    product: (index: number): Record<string, unknown> => ({
      ...filters(random, products, query, index),
      ...common(random),
      ...(random.chance(0.8) ? { sort_by: random.pick(productSorts) } : {})
    }),
    /** Every sort in both directions in turn, so that few cases have them all. */
    shop: (index: number): Record<string, unknown> => ({
      ...filters(random, shops, query, index),
      ...common(random),
      sort_by: shopSorts[index % shopSorts.length],
      sort_order: Math.floor(index / shopSorts.length) % 2 === 0 ? "desc" : "asc",
      ...span(random)
    })
  }
}

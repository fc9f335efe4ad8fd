/**
 * The cases of a run: for every tool and class as many as wanted, all different, all from one seed. What is broad, narrow,
 * rare or common is measured on the data, see {@link meanings}.
 */
import type { AdQuery } from "../../src/domain/search/AdQuery.ts"
import { isMoving } from "../../src/domain/catalog/Movers.ts"
import { adSorts } from "../../src/domain/search/AdQuery.ts"
import * as Page from "../../src/domain/search/Page.ts"
import type { ProductQuery } from "../../src/domain/search/ProductQuery.ts"
import { productSorts } from "../../src/domain/search/ProductQuery.ts"
import type { ShopQuery } from "../../src/domain/search/ShopQuery.ts"
import { shopSorts } from "../../src/domain/search/ShopQuery.ts"
import { Prng } from "../../demo/Prng.ts"
import * as ItemDraws from "./ItemDraws.ts"
import type { Sample } from "./Sample.ts"
import { tools } from "./SearchCase.ts"
import type { SearchCase, Tool } from "./SearchCase.ts"
import * as StoreDraws from "./StoreDraws.ts"
import type { StoreDraw } from "./StoreDraws.ts"
import { limits } from "./WordTiers.ts"

const broadShare = 0.3
const narrowShare = 0.001
/** Below this, there is no page 20 to read. */
const deepShare = 0.1

/** Arguments of any tool; those that a tool has not are never drawn for it. */
type Arguments = Omit<AdQuery, "sort_by"> & Omit<ProductQuery, "sort_by"> & { readonly sort_by?: string }

interface Draw {
  readonly random: Prng
  readonly tool: Tool
  readonly sample: Sample
  /** How many cases of the class came before. */
  readonly index: number
}

const percent = (share: number): string => `${Number((share * 100).toPrecision(3))} %`

/** Classes and what their names mean, in the order of the page. */
export const meanings = {
  none: "no filter; sorts, orders and pages vary",
  "one filter": "one filter on the store",
  "3 to 6 filters": "filters on the store, often one on the item as well, that fit at least one store",
  broad: `one or two filters on the store that ${percent(broadShare)} of all stores match, or more`,
  narrow: `filters on the store that at most ${percent(narrowShare)} of all stores match, but one at least`,
  "item filters":
    "for products a price range; for ads one to three of media, call to action, status or days, start, partnership",
  "rare word": `a word that begins a word of at most ${percent(limits.rare)} of all documents`,
  "middling word": `the same, of ${percent(limits.middling[0])} to ${percent(limits.middling[1])}`,
  "common word": `the same, of ${percent(limits.common)} or more`,
  "two words": "two words of one document, each middling or common",
  "any of words": "two to ten of them, each middling or common, as `query_any`",
  "text with filters": "a middling or common word, and one or two filters on the store",
  "days or none": "for products one to twelve months of creation; for ads those without a store, and a common word",
  "page 20": `page 20 of everything, or of what one or two filters leave that ${percent(deepShare)} of all stores match, or more`,
  "page 20 of words": "page 20 of a common word",
  "every sort": "each sort in both orders, with one filter that a hundredth of all stores match, or more"
} as const
export type CaseClass = keyof typeof meanings

export const everyClass = Object.keys(meanings) as ReadonlyArray<CaseClass>

/** Stores are no items of anything; and where every word of their names has many stores, no word is rare. */
const exists = (tool: Tool, name: CaseClass, sample: Sample): boolean =>
  ((name !== "item filters" && name !== "days or none") || tool !== "search_shops") &&
  (name !== "rare word" || wordsOf({ tool, sample }).rare.length > 0)

/** Without the orders by a change, which the other engines have no columns for: they read another column of the same kind. */
const sortsOf = (tool: Tool): ReadonlyArray<string> => {
  const all: ReadonlyArray<string> =
    tool === "search_ads" ? adSorts : tool === "search_products" ? productSorts : shopSorts
  return all.filter((sort) => !isMoving(sort))
}

/** Half of all searches leave the sort as it is; a quarter of the others turn it round. */
const order = ({ random, tool }: Draw): Arguments => {
  if (random.chance(0.5)) return {}
  return { sort_by: random.pick(sortsOf(tool)), ...(random.chance(0.25) ? { sort_order: "asc" } : {}) }
}

const page = ({ random }: Draw): Arguments => ({
  ...(random.chance(0.7) ? {} : { page: random.int(2, 5) }),
  ...(random.chance(0.5) ? {} : { per_page: random.pick([5, 20, 25]) })
})

const wordsOf = ({ sample, tool }: Pick<Draw, "sample" | "tool">) =>
  tool === "search_ads" ? sample.words.ads : tool === "search_products" ? sample.words.products : sample.words.shops

/** A store that has what the tool looks for. */
const model = ({ random, sample, tool }: Draw) => {
  for (;;) {
    const store = random.pick(sample.stores)
    if (tool === "search_shops" || (tool === "search_ads" ? store.n_ads : store.n_products) > 0) return store
  }
}

const stores = (draw: Draw, count: number): ReadonlyArray<StoreDraw> =>
  StoreDraws.draw(draw.random, model(draw), draw.sample, count, draw.tool !== "search_products")

const maxTries = 500

/** Filters of which `fits` says that they match the right share of stores. */
const storesWithShare = (
  draw: Draw,
  counts: readonly [number, number],
  fits: (share: number) => boolean
): Arguments => {
  for (let tries = 0; tries < maxTries; tries++) {
    const drawn = stores(draw, draw.random.int(...counts))
    if (drawn.length > 0 && fits(StoreDraws.shareOf(drawn, draw.sample))) return StoreDraws.argumentsOf(drawn)
  }
  throw new Error(`no filters for ${draw.tool} match the wanted share of stores`)
}

const itemFilters = ({ random, sample, tool }: Draw, most: number): Arguments =>
  tool === "search_products"
    ? ItemDraws.priceRange(random, sample)
    : tool === "search_ads"
      ? ItemDraws.adFilters(random, sample, most)
      : {}

const oneFilter = (draw: Draw): Arguments => StoreDraws.argumentsOf(stores(draw, 1))

const word = (draw: Draw, tier: "rare" | "middling" | "common"): Arguments => ({
  query: draw.random.pick(wordsOf(draw)[tier])
})

const filters: Readonly<Record<CaseClass, (draw: Draw) => Arguments>> = {
  none: () => ({}),
  "one filter": oneFilter,
  "3 to 6 filters": (draw) => {
    const withItem = draw.tool !== "search_shops" && draw.random.chance(0.4)
    const count = draw.random.int(3, 6) - (withItem ? 1 : 0)
    return { ...StoreDraws.argumentsOf(stores(draw, count)), ...(withItem ? itemFilters(draw, 1) : {}) }
  },
  broad: (draw) => storesWithShare(draw, [1, 2], (share) => share >= broadShare),
  narrow: (draw) => storesWithShare(draw, [2, 6], (share) => share <= narrowShare),
  "item filters": (draw) => itemFilters(draw, 3),
  "rare word": (draw) => word(draw, "rare"),
  "middling word": (draw) => word(draw, "middling"),
  "common word": (draw) => word(draw, "common"),
  "two words": (draw) => ({ query: draw.random.pick(wordsOf(draw).pairs).join(" ") }),
  "any of words": (draw) => ({
    query_any: Array.from({ length: draw.random.int(2, 10) }, () =>
      draw.random.pick(wordsOf(draw)[draw.random.chance(0.5) ? "common" : "middling"])
    )
  }),
  "text with filters": (draw) => ({
    ...word(draw, draw.random.chance(0.5) ? "common" : "middling"),
    ...StoreDraws.argumentsOf(stores(draw, draw.random.int(1, 2)))
  }),
  "days or none": (draw) =>
    draw.tool === "search_ads"
      ? { ...word(draw, "common"), without_shop: true }
      : { product_created_between: ItemDraws.months(draw.random) },
  "page 20": (draw) => (draw.random.chance(1 / 3) ? {} : storesWithShare(draw, [1, 2], (share) => share >= deepShare)),
  "page 20 of words": (draw) => word(draw, "common"),
  "every sort": (draw) => storesWithShare(draw, [1, 1], (share) => share >= 0.01)
}

const argumentsOf = (caseClass: CaseClass, draw: Draw): Arguments => {
  const drawn = filters[caseClass](draw)
  switch (caseClass) {
    case "page 20":
    case "page 20 of words":
      return { ...drawn, ...order(draw), page: Page.lastPage, per_page: draw.random.pick([10, 20, 25]) }
    case "every sort": {
      const sorts = sortsOf(draw.tool)
      return {
        ...drawn,
        sort_by: sorts[Math.floor(draw.index / 2) % sorts.length] ?? "recommended",
        sort_order: draw.index % 2 === 0 ? "desc" : "asc"
      }
    }
    default:
      return { ...drawn, ...order(draw), ...page(draw) }
  }
}

/** All that a count depends on: cases that share it could be answered from one count. */
const countKey = (drawn: Arguments): string =>
  JSON.stringify(Object.entries(drawn).filter(([name]) => !/^(?:page|per_page|sort_by|sort_order)$/u.test(name)))

export interface CaseOptions {
  readonly seed: string
  readonly perClass: number
  readonly tools: ReadonlyArray<Tool>
  /** All without it. */
  readonly classes?: ReadonlyArray<CaseClass>
}

/** After so many repetitions in a row a class has no more to give, and repeats itself. */
const maxRepetitions = 50

/** Tools and classes of cases, in their order. */
export const groups = (
  cases: ReadonlyArray<SearchCase>
): ReadonlyArray<{ readonly tool: Tool; readonly class: string }> =>
  tools.flatMap((tool) =>
    everyClass
      .filter((name) => cases.some((one) => one.tool === tool && one.class === name))
      .map((name) => ({ tool, class: name }))
  )

/** In order of tool and class; {@link shuffled} mixes them. */
export const generate = (sample: Sample, options: CaseOptions): ReadonlyArray<SearchCase> => {
  const cases: Array<SearchCase> = []
  for (const tool of options.tools) {
    const asked = new Set<string>()
    for (const caseClass of everyClass) {
      if (options.classes?.includes(caseClass) === false || !exists(tool, caseClass, sample)) continue
      const random = new Prng(options.seed, tool, caseClass)
      for (let index = 0; index < options.perClass; index++) {
        let drawn = argumentsOf(caseClass, { random, tool, sample, index })
        for (let tries = 0; tries < maxRepetitions; tries++) {
          const counted = countKey(drawn)
          if (!asked.has(counted === "[]" ? JSON.stringify(drawn) : counted)) break
          drawn = argumentsOf(caseClass, { random, tool, sample, index })
        }
        asked.add(countKey(drawn)).add(JSON.stringify(drawn))
        cases.push(caseOf(tool, caseClass, index, drawn))
      }
    }
  }
  return cases
}

/** The draws above give each tool what it knows; the server would refuse anything else. */
const caseOf = (tool: Tool, caseClass: CaseClass, index: number, drawn: Arguments): SearchCase => {
  const labels = { id: `${tool}/${caseClass}/${index}`, class: caseClass }
  switch (tool) {
    case "search_ads":
      return { ...labels, tool, arguments: drawn as AdQuery }
    case "search_products":
      return { ...labels, tool, arguments: drawn as ProductQuery }
    case "search_shops":
      return { ...labels, tool, arguments: drawn as ShopQuery }
  }
}

export const shuffled = <A>(values: ReadonlyArray<A>, random: Prng): ReadonlyArray<A> => {
  const mixed = [...values]
  for (let index = mixed.length - 1; index > 0; index--) {
    const other = random.int(0, index)
    const [a, b] = [mixed[index], mixed[other]]
    if (a !== undefined && b !== undefined) [mixed[index], mixed[other]] = [b, a]
  }
  return mixed
}

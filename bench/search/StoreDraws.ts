/** Filters on the store, drawn so that a given store matches, each with the test that says which others do. */
import type { Prng } from "../../demo/Prng.ts"
import { numberFigures, storeFigures } from "../../src/domain/catalog/Figures.ts"
import * as StoreFilter from "../../src/domain/search/StoreFilter.ts"
import type { ShopQuery } from "../../src/domain/search/ShopQuery.ts"
import type { Sample, Store } from "./Sample.ts"

/** What filters on the store are given. */
export type StoreArguments = Omit<ShopQuery, "query" | "sort_by" | "sort_order" | "page" | "per_page">

export interface StoreDraw {
  readonly arguments: StoreArguments
  readonly matches: (store: Store) => boolean
}

type Draw = (random: Prng, model: Store, sample: Sample) => StoreDraw | undefined
/** Alone in three of five cases, else with those of other stores. */
const values = <A>(random: Prng, own: A, sample: Sample, of: (store: Store) => ReadonlyArray<A>): ReadonlyArray<A> => {
  const others = random.chance(0.6) ? 0 : random.int(1, 3)
  const found = new Set([own])
  for (let index = 0; index < others; index++) {
    const [first] = of(random.pick(sample.stores))
    if (first !== undefined) found.add(first)
  }
  return Array.from(found)
}

const shares = <A>(wanted: ReadonlyArray<A>, given: ReadonlyArray<A>): boolean =>
  given.some((one) => wanted.includes(one))

const oneOf =
  (key: "countries" | "currencies" | "domains" | "themes", of: (store: Store) => string | null): Draw =>
  (random, model, sample) => {
    const own = of(model)
    if (own === null) return undefined
    const list = (store: Store) => [of(store)].filter((value) => value !== null)
    const wanted = values(random, own, sample, list)
    return { arguments: { [key]: wanted }, matches: (store) => shares(wanted, list(store)) }
  }

const anyOf =
  (key: "languages" | "pixels" | "social_networks" | "apps", of: (store: Store) => ReadonlyArray<string>): Draw =>
  (random, model, sample) => {
    if (of(model).length === 0) return undefined
    const wanted = values(random, random.pick(of(model)), sample, of)
    return { arguments: { [key]: wanted }, matches: (store) => shares(wanted, of(store)) }
  }

/** Two figures, as people write bounds. */
const rounded = (value: number, up: boolean): number => {
  if (value === 0) return 0
  const step = 10 ** (Math.floor(Math.log10(Math.abs(value))) - 1)
  const steps = up ? Math.ceil(value / step) : Math.floor(value / step)
  return Number((steps * step).toPrecision(12))
}

export interface Bounds {
  readonly min?: number
  readonly max?: number
}

/** Around a figure, one bound or two, as far away as another figure of the data. */
export const range = (random: Prng, own: number, other: number, most = Number.MAX_VALUE): Bounds => {
  const min = rounded(Math.min(own, other), false)
  const max = Math.min(most, rounded(Math.max(own, other), true))
  return random.pick<Bounds>([{ min }, { max }, { min, max }])
}

export const isWithin = (value: number | null, { max, min }: Bounds): boolean =>
  value !== null && (min === undefined || value >= min) && (max === undefined || value <= max)

const figure =
  (key: string, of: (store: Store) => number | null, most?: number): Draw =>
  (random, model, sample) => {
    const own = of(model)
    const other = of(random.pick(sample.stores))
    if (own === null || other === null) return undefined
    const wanted = range(random, own, other, most)
    return { arguments: { [key]: wanted }, matches: (store) => isWithin(of(store), wanted) }
  }

/** As {@link range}, for dates. */
export const dates = (random: Prng, own: string, other: string): { readonly from?: string; readonly to?: string } => {
  const [from, to] = own < other ? [own, other] : [other, own]
  return random.pick<{ from?: string; to?: string }>([{ from }, { to }, { from, to }])
}

const created: Draw = (random, model, sample) => {
  const other = random.pick(sample.stores).created_on
  if (model.created_on === null || other === null) return undefined
  const wanted = dates(random, model.created_on, other)
  const { from = "", to = "9999-12-31" } = wanted
  return {
    arguments: { shop_created_between: wanted },
    matches: ({ created_on }) => created_on !== null && created_on >= from && created_on <= to
  }
}

const niches: Draw = (random, model, sample) => {
  if (model.niches.length === 0) return undefined
  const wanted = values(random, random.pick(model.niches).id, sample, (store) => store.niches.map(({ id }) => id))
  return {
    arguments: { niches: wanted.map((id) => (random.chance(0.5) ? id : (sample.nicheNames.get(id) ?? id))) },
    matches: (store) => store.niches.some(({ id }) => wanted.includes(id))
  }
}

const figureDraws = (isWanted: (argument: string) => boolean): ReadonlyArray<Draw> =>
  numberFigures.flatMap((name) => {
    const { argument, unit } = storeFigures[name]
    return isWanted(argument) ? [figure(argument, (store) => store[name], unit === "rating" ? 5 : undefined)] : []
  })

const common: ReadonlyArray<Draw> = [
  niches,
  oneOf("countries", (store) => store.country),
  oneOf("currencies", (store) => store.currency),
  oneOf("domains", (store) => store.domain_extension),
  oneOf("themes", (store) => store.theme),
  anyOf("languages", (store) => store.languages),
  anyOf("pixels", (store) => store.pixels),
  anyOf("social_networks", (store) => store.social_networks),
  anyOf("apps", (store) => store.apps),
  ...figureDraws((argument) => Object.hasOwn(StoreFilter.fields, argument)),
  created
]

/** What `search_products` has not. */
const further = figureDraws((argument) => !Object.hasOwn(StoreFilter.fields, argument))

/** Different filters, at most `count`, in random order; fewer where the model lacks figures. */
export const draw = (
  random: Prng,
  model: Store,
  sample: Sample,
  count: number,
  withFurther: boolean
): ReadonlyArray<StoreDraw> => {
  const left = withFurther ? [...common, ...further] : [...common]
  const drawn: Array<StoreDraw> = []
  while (drawn.length < count && left.length > 0) {
    const [draw] = left.splice(random.int(0, left.length - 1), 1)
    const one = draw?.(random, model, sample)
    if (one !== undefined) drawn.push(one)
  }
  return drawn
}

/** Of the stores that match all. */
export const shareOf = (draws: ReadonlyArray<StoreDraw>, { stores }: Sample): number =>
  stores.filter((store) => draws.every(({ matches }) => matches(store))).length / stores.length

export const argumentsOf = (draws: ReadonlyArray<StoreDraw>): StoreArguments =>
  Object.assign({}, ...draws.map((draw) => draw.arguments)) as StoreArguments

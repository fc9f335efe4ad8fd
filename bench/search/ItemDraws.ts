/** Filters on the item itself, drawn so that an item of the data matches. */
import type { AdQuery } from "../../src/domain/search/AdQuery.ts"
import type { ProductQuery } from "../../src/domain/search/ProductQuery.ts"
import type { Prng } from "../../demo/Prng.ts"
import type { Ad, Sample } from "./Sample.ts"
import * as StoreDraws from "./StoreDraws.ts"

export const priceRange = (random: Prng, { prices }: Sample): Pick<ProductQuery, "price"> => ({
  price: StoreDraws.range(random, random.pick(prices), random.pick(prices))
})

/** One to twelve months from 2020 on. */
export const months = (random: Prng): NonNullable<ProductQuery["product_created_between"]> => {
  const from = random.int(0, 60)
  const firstDay = (month: number) => `${2020 + Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, "0")}-01`
  return { from: firstDay(from), to: firstDay(from + random.int(1, 12)) }
}

type AdFilters = Pick<
  AdQuery,
  "media_types" | "ctas" | "status" | "active_days" | "ad_started_between" | "partnership_only"
>

type Draw = (random: Prng, model: Ad, other: Ad) => AdFilters

const draws: ReadonlyArray<Draw> = [
  (_, model, other) => ({ media_types: Array.from(new Set([model.media_type, other.media_type])) }),
  (random, model, other) => {
    const ctas = [model.cta, random.chance(0.4) ? other.cta : null].filter((cta) => cta !== null)
    return ctas.length === 0 ? {} : { ctas: Array.from(new Set(ctas)) }
  },
  (random, model, other) => {
    // Only ads that still run have run for a number of days.
    if (!model.is_active || random.chance(0.5)) return { status: model.is_active ? "active" : "inactive" }
    return { active_days: StoreDraws.range(random, model.days, other.days) }
  },
  (random, model, other) => ({ ad_started_between: StoreDraws.dates(random, model.started_on, other.started_on) }),
  (_, model) => (model.is_partnership ? { partnership_only: true } : {})
]

/** One to `most` filters. */
export const adFilters = (random: Prng, { ads }: Sample, most: number): AdFilters => {
  const drawn: AdFilters = {}
  while (Object.keys(drawn).length === 0) {
    const model = random.pick(ads)
    for (const draw of random.some(draws, random.int(1, most))) {
      Object.assign(drawn, draw(random, model, random.pick(ads)))
    }
  }
  return drawn
}

/** The relevance score of products, for the sort `recommended` (S78, D38). */

/** 2015-01-01 and 2020-01-01, in days since 1970-01-01. */
const oldest = 16_436
const reference = 18_262
const daysPerYear = 365.25
/** A factor of ten after two years. */
const recencyPerYear = 0.5
const growthWeight = 0.5
const micros = 1_000_000

export interface StoreRelevanceInput {
  /** Unknown is `null`. */
  readonly monthlyVisits: number | null
  readonly trafficGrowthPct: number | null
  readonly activeAds: number
}

/**
 * The score is the sum of a part of the store and a part of the product, each rounded to millionths, so that the order
 * of the products of one store does not depend on its figures.
 *
 * The part of the store is the sum of three terms:
 *
 * - traffic: `log10(1 + monthly visits)`, unknown counts as 0;
 * - growth: `0.5 * sign(g) * log10(1 + |g| / 10)` for a growth score of `g` percent, unknown counts as 0;
 * - ads: `log10(1 + active ads)`.
 */
export const storeMicros = ({ activeAds, monthlyVisits, trafficGrowthPct }: StoreRelevanceInput): number => {
  const traffic = Math.log10(1 + (monthlyVisits ?? 0))
  const growth = trafficGrowthPct ?? 0
  const growthTerm = growthWeight * Math.sign(growth) * Math.log10(1 + Math.abs(growth) / 10)
  return Math.round((traffic + growthTerm + Math.log10(1 + activeAds)) * micros)
}

/**
 * The part of the product: `0.5 * years since 2020-01-01` of its creation (negative before), in millionths.
 * `createdDay` is in days since 1970-01-01, with fractions; unknown (`null`) and older than 2015 count as 2015-01-01.
 *
 * Ten times the traffic weighs as much as ten times the ads, or as two years less of age. Recency is linear because the
 * scale is logarithmic: relevance halves every 7 months, and the order of two products does not depend on the current
 * day, so that scores need no updates.
 */
export const recencyMicros = (createdDay: number | null): number =>
  Math.round(((recencyPerYear * (Math.max(createdDay ?? oldest, oldest) - reference)) / daysPerYear) * micros)

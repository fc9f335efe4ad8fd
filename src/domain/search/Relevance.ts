/** The relevance score of a product: what `recommended` sorts by (decisions.md, "Data"). */

export interface RelevanceInput {
  /** Of the store; unknown is `null`. */
  readonly monthlyVisits: number | null
  readonly trafficGrowthPct: number | null
  readonly activeAds: number
  /** When the product was created, in days since 1970-01-01 (fractions allowed); unknown is `null`. */
  readonly createdDay: number | null
}

/** 2015-01-01 and 2020-01-01, in days since 1970-01-01. */
const oldest = 16_436
const reference = 18_262
const daysPerYear = 365.25
/** A tenth of the relevance after two years. */
const recencyPerYear = 0.5
const growthWeight = 0.5

/**
 * The sum of four terms, rounded to six decimals:
 *
 * - traffic: `log10(1 + monthly visits)`, unknown counts as 0;
 * - growth: `0.5 * sign(g) * log10(1 + |g| / 10)` for a growth score of `g` percent, unknown counts as 0;
 * - ads: `log10(1 + active ads)`;
 * - recency: `0.5 * years since 2020-01-01` of the product's creation (negative before), unknown or older than 2015 counts
 *   as 2015-01-01.
 *
 * So ten times the traffic weighs as much as ten times the ads or two years less of age. Recency is linear because the
 * scale is logarithmic: relevance decays by half every 7 months, and how two products compare does not depend on the day
 * of asking, so that scores need no upkeep as time passes.
 */
export const relevance = ({ activeAds, createdDay, monthlyVisits, trafficGrowthPct }: RelevanceInput): number => {
  const traffic = Math.log10(1 + (monthlyVisits ?? 0))
  const growth = trafficGrowthPct ?? 0
  const growthTerm = growthWeight * Math.sign(growth) * Math.log10(1 + Math.abs(growth) / 10)
  const ads = Math.log10(1 + activeAds)
  const recency = (recencyPerYear * (Math.max(createdDay ?? oldest, oldest) - reference)) / daysPerYear
  return Math.round((traffic + growthTerm + ads + recency) * 1e6) / 1e6
}

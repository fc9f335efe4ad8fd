/** The traffic growth score (S27, D35). */

/**
 * The sum of the month-over-month changes in percent, oldest month first. A pair whose earlier month is 0 is left out;
 * with fewer than two months there is no score.
 */
export const trafficGrowthPct = (visitsByMonth: ReadonlyArray<number>): number | null => {
  if (visitsByMonth.length < 2) return null
  let score = 0
  for (let index = 1; index < visitsByMonth.length; index++) {
    const earlier = visitsByMonth[index - 1] ?? 0
    const later = visitsByMonth[index] ?? 0
    if (earlier !== 0) score += ((later - earlier) / earlier) * 100
  }
  return score
}

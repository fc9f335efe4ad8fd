/** A store's traffic history as the columns of a chart, a month each. */
import type { ShopDetails } from "../../../domain/catalog/ShopItem.ts"
import type { Column } from "../shared/Chart.ts"
import type { Locale } from "../shared/Locale.ts"

/** Ten years; what lies further back than these from the newest month is left out. */
const maxMonths = 120

const numberOf = (month: string): number => Number(month.slice(0, -3)) * 12 + Number(month.slice(-2)) - 1

const monthOf = (number: number): string =>
  `${String(Math.floor(number / 12)).padStart(4, "0")}-${String((number % 12) + 1).padStart(2, "0")}`

/** `traffic` is oldest first; a month in between that is not on record has no value. */
export const trafficColumns = (traffic: ShopDetails["traffic"], locale: Locale): ReadonlyArray<Column> => {
  const [first] = traffic
  const last = traffic.at(-1)
  if (first === undefined || last === undefined) return []
  const visits = new Map(traffic.map((each) => [each.month, each.visits]))
  const end = numberOf(last.month)
  const start = Math.max(numberOf(first.month), end - maxMonths + 1)
  return Array.from({ length: end - start + 1 }, (_, place) => {
    const month = monthOf(start + place)
    const label = locale.month(month)
    return { label, short: label, value: visits.get(month) ?? null }
  })
}

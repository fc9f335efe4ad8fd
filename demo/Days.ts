/** Dates as numbers of days since 1970-01-01. */
import { dayMillis, daysSince1970 } from "../src/domain/Days.ts"

export const dayOf = daysSince1970

export const dateOf = (day: number): string => new Date(day * dayMillis).toISOString().slice(0, 10)

export const timeOf = (day: number, second: number): string => new Date(day * dayMillis + second * 1_000).toISOString()

/** As `YYYY-MM`. */
export const monthBefore = (day: number, months: number): string => {
  const date = new Date(day * dayMillis)
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - months, 1)).toISOString().slice(0, 7)
}

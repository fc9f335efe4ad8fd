/**
 * The credit period: a month, counted from the day on which the subscription began, in UTC (D7). Days are text,
 * `YYYY-MM-DD`.
 */

/** `start` is inclusive, `end` exclusive. */
export interface CreditPeriod {
  readonly start: string
  readonly end: string
}

/**
 * The period that contains `day`. If the subscription began on the 31st, periods of shorter months start on their last
 * day. Each period is counted from the first one, so that later ones start on the 31st again.
 */
export const periodOn = (beganOn: string, day: string): CreditPeriod => {
  const began = parts(beganOn)
  const on = parts(day)
  const sinceBegin = (on.year - began.year) * 12 + on.month - began.month
  const months = monthsLater(beganOn, sinceBegin) <= day ? sinceBegin : sinceBegin - 1
  return { start: monthsLater(beganOn, months), end: monthsLater(beganOn, months + 1) }
}

/** The period that contains a time in milliseconds since 1970. */
export const periodAt = (beganOn: string, millis: number): CreditPeriod => periodOn(beganOn, dayOf(millis))

/** Seconds from `nowMillis` to the end of a period, at least 1: a value for `Retry-After`. */
export const secondsUntil = (end: string, nowMillis: number): number =>
  Math.max(1, Math.ceil((Date.parse(end) - nowMillis) / 1000))

/** The UTC day of a time in milliseconds since 1970. */
export const dayOf = (millis: number): string => new Date(millis).toISOString().slice(0, 10)

const parts = (day: string): { readonly year: number; readonly month: number; readonly dayOfMonth: number } => ({
  year: Number(day.slice(0, 4)),
  month: Number(day.slice(5, 7)),
  dayOfMonth: Number(day.slice(8, 10))
})

const monthsLater = (day: string, months: number): string => {
  const { dayOfMonth, month, year } = parts(day)
  const index = year * 12 + (month - 1) + months
  const target = { year: Math.floor(index / 12), month: (index % 12) + 1 }
  const clamped = Math.min(dayOfMonth, daysIn(target.year, target.month))
  return `${pad(target.year, 4)}-${pad(target.month, 2)}-${pad(clamped, 2)}`
}

const daysIn = (year: number, month: number): number => {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
}

const pad = (value: number, digits: number): string => String(value).padStart(digits, "0")

/**
 * The credit period: a month, counted from the day on which the subscription began, in UTC (D7). Days are text,
 * `YYYY-MM-DD`.
 */
import { DateTime } from "effect"
import { dayOf } from "../Days.ts"

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
  const sinceBegin = monthOf(day) - monthOf(beganOn)
  const months = monthsLater(beganOn, sinceBegin) <= day ? sinceBegin : sinceBegin - 1
  return { start: monthsLater(beganOn, months), end: monthsLater(beganOn, months + 1) }
}

/** The period that contains a time in milliseconds since 1970. */
export const periodAt = (beganOn: string, millis: number): CreditPeriod => periodOn(beganOn, dayOf(millis))

/** Seconds from `nowMillis` to the end of a period, at least 1: a value for `Retry-After`. */
export const secondsUntil = (end: string, nowMillis: number): number =>
  Math.max(1, Math.ceil((Date.parse(end) - nowMillis) / 1000))

/** Of a month too short for the day, the last one. */
const monthsLater = (day: string, months: number): string =>
  DateTime.formatIsoDateUtc(DateTime.add(DateTime.makeUnsafe(day), { months }))

/** Months since the year 0. */
const monthOf = (day: string): number => Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7))

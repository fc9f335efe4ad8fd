/** UTC days, as text `YYYY-MM-DD` and as numbers. */

export const dayMillis = 86_400_000

/** The day of a time in milliseconds since 1970. */
export const dayOf = (millis: number): string => new Date(millis).toISOString().slice(0, 10)

/** Whole days from 1970-01-01 to a day. Negative before. */
export const daysSince1970 = (day: string): number => Math.round(Date.parse(`${day}T00:00:00Z`) / dayMillis)

/** Whole days between two days. Never negative: the clock of an importer may be ahead. */
export const daysBetween = (from: string, to: string): number => Math.max(0, daysSince1970(to) - daysSince1970(from))

/**
 * An ad packed into one positive Int32: nine flags, highest first (running 1 bit, media type 3, call to action 4,
 * partnership 1), then 22 bits of the day it started.
 */
import { ctas, mediaTypes } from "../../../domain/catalog/Enumerations.ts"
import type { AdStatus, Cta, MediaType } from "../../../domain/catalog/Enumerations.ts"
import type { AdRecord } from "./Records.ts"

const dayBits = 22
/** How many values flags have. */
export const flagValues = 512
export const lastDay = 2 ** dayBits - 1
const runningBit = 8
const mediaBit = 5
const ctaBit = 1

/** 0001-01-01 is day 1 here, in days since 1970-01-01 it is -719,162. */
const firstDayOffset = 719_163

/** The day number of days since 1970-01-01. */
export const dayNumber = (daysSince1970: number): number => daysSince1970 + firstDayOffset

/** The day number of a date `YYYY-MM-DD`. */
export const dayOf = (date: string): number => dayNumber(Math.round(Date.parse(`${date}T00:00:00Z`) / 86_400_000))

export const keyOf = (ad: AdRecord): number => {
  const media = mediaTypes.findIndex((mediaType) => mediaType === ad.mediaType)
  // A label that is not one of the filter's is none.
  const cta = ctas.findIndex((label) => label === ad.cta) + 1
  const flags = (Number(ad.isActive) << runningBit) | (media << mediaBit) | (cta << ctaBit) | Number(ad.isPartnership)
  return (flags << dayBits) | dayNumber(ad.startedDay)
}

export const flagsOf = (key: number): number => key >>> dayBits
export const startDayOf = (key: number): number => key & lastDay
export const isRunning = (flags: number): boolean => flags >>> runningBit === 1
/** Position in `mediaTypes`. */
export const mediaOf = (flags: number): number => (flags >>> mediaBit) & 7
/** Position in `ctas` and 1; 0 is none. */
export const ctaOf = (flags: number): number => (flags >>> ctaBit) & 15
export const isPartnership = (flags: number): boolean => (flags & 1) === 1

/** What is asked of an ad itself. Empty lists ask nothing. */
export interface AdCriteria {
  readonly status: AdStatus | "all"
  /** Asked for by another argument than the status. */
  readonly runningOnly: boolean
  readonly mediaTypes: ReadonlyArray<MediaType>
  readonly ctas: ReadonlyArray<Cta>
  readonly partnershipOnly: boolean
}

export const anyAd: AdCriteria = { status: "all", runningOnly: false, mediaTypes: [], ctas: [], partnershipOnly: false }

/** All values of flags that match, ascending. */
export const matchingFlags = (criteria: AdCriteria): ReadonlyArray<number> => {
  const media = new Set(criteria.mediaTypes.map((mediaType) => mediaTypes.indexOf(mediaType)))
  const labels = new Set(criteria.ctas.map((cta) => ctas.indexOf(cta) + 1))
  return Array.from({ length: flagValues }, (_, flags) => flags).filter(
    (flags) =>
      (criteria.status === "all" || isRunning(flags) === (criteria.status === "active")) &&
      (!criteria.runningOnly || isRunning(flags)) &&
      (media.size === 0 || media.has(mediaOf(flags))) &&
      (labels.size === 0 || labels.has(ctaOf(flags))) &&
      (!criteria.partnershipOnly || isPartnership(flags))
  )
}

/**
 * Orders the ads of one store: running first, then the one that started last; equal ones by id, highest first. Greater
 * comes first. At most 2^23.
 */
export const rankOf = (key: number): number => (key >>> (runningBit + dayBits)) * 2 ** dayBits + startDayOf(key)

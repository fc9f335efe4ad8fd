/**
 * An ad packed into one positive Int32: nine flags, highest first (running 1 bit, media type 3, call to action 4,
 * partnership 1), then 22 bits of the day it started. Besides, a bitmap of the ads for each value of a flag
 * that searches ask for.
 *
 * Cost: a few integer operations to pack or unpack an ad. The 22 bitmaps take 22 bits an ad, and are written in one pass.
 *
 * Source of the bitmaps: O'Neil, Quass, "Improved Query Performance with Variant Indexes", 1997 (value-list index).
 */
import { ctas, mediaTypes } from "../../../domain/catalog/Enumerations.ts"
import { daysSince1970 } from "../../../domain/Days.ts"
import { bitmapLength } from "./Bitmap.ts"
import type { IndexedAd } from "./IndexedRecords.ts"
import { shared } from "./Segment.ts"
import type { AdCriteria } from "../../../domain/search/CatalogQuery.ts"
import type { FlagKind } from "../../../domain/search/CatalogAnswer.ts"
import { flagKinds } from "../../../domain/search/CatalogAnswer.ts"

const dayBits = 22
/** Number of values of the nine flag bits. */
const flagValues = 512
export const lastDay = 2 ** dayBits - 1
const runningBit = 8
const mediaBit = 5
const ctaBit = 1

/** 0001-01-01 has the day number 1, and is -719,162 in days since 1970-01-01. */
const firstDayOffset = 719_163

/** The day number of days since 1970-01-01. */
export const dayNumber = (daysSince1970: number): number => daysSince1970 + firstDayOffset

/** The day number of a date `YYYY-MM-DD`. */
export const dayOf = (date: string): number => dayNumber(daysSince1970(date))

export const keyOf = (ad: IndexedAd): number => {
  const media = mediaTypes.findIndex((mediaType) => mediaType === ad.mediaType)
  // A label that is not in the vocabulary becomes 0, which means none.
  const cta = ctas.findIndex((label) => label === ad.cta) + 1
  const flags = (Number(ad.isActive) << runningBit) | (media << mediaBit) | (cta << ctaBit) | Number(ad.isPartnership)
  return (flags << dayBits) | dayNumber(ad.startedDay)
}

export const flagsOf = (key: number): number => key >>> dayBits
export const startDayOf = (key: number): number => key & lastDay
export const isRunning = (flags: number): boolean => flags >>> runningBit === 1
/** Position in `mediaTypes`. */
export const mediaOf = (flags: number): number => (flags >>> mediaBit) & 7
/** Position in `ctas` plus 1; 0 is none. */
export const ctaOf = (flags: number): number => (flags >>> ctaBit) & 15
export const isPartnership = (flags: number): boolean => (flags & 1) === 1

export const anyAd: AdCriteria = { status: "all", runningOnly: false, mediaTypes: [], ctas: [], partnershipOnly: false }

const isOf: Readonly<Record<FlagKind, ReadonlyArray<(flags: number) => boolean>>> = {
  status: [isRunning, (flags) => !isRunning(flags)],
  partnership: [isPartnership],
  media: mediaTypes.map((_, media) => (flags) => mediaOf(flags) === media),
  cta: ctas.map((_, cta) => (flags) => ctaOf(flags) === cta + 1)
}

const firstOf: Readonly<Record<FlagKind, number>> = {
  status: 0,
  partnership: isOf.status.length,
  media: isOf.status.length + isOf.partnership.length,
  cta: isOf.status.length + isOf.partnership.length + isOf.media.length
}

/**
 * Numbers of the bitmaps of a kind: running and not running; partnership; in the order of `mediaTypes`; of `ctas`.
 */
export const bitmapsOf = (kind: FlagKind): ReadonlyArray<number> => isOf[kind].map((_, at) => firstOf[kind] + at)

/** For each kind with a criterion, the bitmaps of which at least one must contain the ad. */
export const wantedBitmaps = (
  criteria: AdCriteria
): Readonly<Partial<Record<FlagKind | "running", ReadonlyArray<number>>>> => ({
  ...(criteria.status === "all" ? {} : { status: [firstOf.status + Number(criteria.status === "inactive")] }),
  ...(criteria.runningOnly ? { running: [firstOf.status] } : {}),
  ...(criteria.mediaTypes.length === 0
    ? {}
    : { media: criteria.mediaTypes.map((mediaType) => firstOf.media + mediaTypes.indexOf(mediaType)) }),
  ...(criteria.ctas.length === 0 ? {} : { cta: criteria.ctas.map((cta) => firstOf.cta + ctas.indexOf(cta)) }),
  ...(criteria.partnershipOnly ? { partnership: [firstOf.partnership] } : {})
})

/** The bitmaps of all kinds, concatenated. */
export const flagBitmaps = (keys: Int32Array): Uint32Array => {
  const tests = flagKinds.flatMap((kind) => isOf[kind])
  const ofFlags = Array.from({ length: flagValues }, (_, flags) =>
    Array.from(tests.keys()).filter((bitmap) => tests[bitmap]!(flags))
  )
  const length = bitmapLength(keys.length)
  const bitmaps = shared("Uint32Array", tests.length * length)
  for (let row = 0; row < keys.length; row++) {
    for (const bitmap of ofFlags[flagsOf(keys[row]!)]!) bitmaps[bitmap * length + (row >>> 5)]! |= 1 << (row & 31)
  }
  return bitmaps
}

/**
 * Rank within a store: running first, then latest start; ties are broken by the higher id. A greater rank comes first.
 * Less than 2^23.
 */
export const rankOf = (key: number): number => (key >>> (runningBit + dayBits)) * 2 ** dayBits + startDayOf(key)

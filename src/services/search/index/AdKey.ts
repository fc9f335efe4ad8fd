/**
 * An ad packed into one positive Int32: nine flags, highest first (running 1 bit, media type 3, call to action 4,
 * partnership 1), then 22 bits of the day it started.
 */
import { ctas, mediaTypes } from "../../../domain/catalog/Enumerations.ts"
import type { AdStatus, Cta, MediaType } from "../../../domain/catalog/Enumerations.ts"
import { bitmapLength } from "./Bitmap.ts"
import type { AdRecord } from "./Records.ts"
import { shared } from "./Segment.ts"

const dayBits = 22
/** How many values nine flags have. */
const flagValues = 512
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

/** What a flag may say, by kind. Each has a bitmap of the ads of which it holds: {@link flagBitmaps}. */
export const flagKinds = ["status", "partnership", "media", "cta"] as const
export type FlagKind = (typeof flagKinds)[number]

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

/** The numbers of the bitmaps of a kind: running and not; of partnership; in the order of `mediaTypes`; of `ctas`. */
export const bitmapsOf = (kind: FlagKind): ReadonlyArray<number> => isOf[kind].map((_, at) => firstOf[kind] + at)

/** Of each kind that is asked about, the bitmaps of which one is to have the ad. */
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

/** One bitmap after the other, of all kinds. */
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
 * Orders the ads of one store: running first, then the one that started last; equal ones by id, highest first. Greater
 * comes first. At most 2^23.
 */
export const rankOf = (key: number): number => (key >>> (runningBit + dayBits)) * 2 ** dayBits + startDayOf(key)

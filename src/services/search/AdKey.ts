/**
 * How an ad is packed into numbers, and how a filter on ads becomes ranges of them.
 *
 * An ad's key is `flags * 2^22 + day`: sorted keys of a store's ads answer "how many of them match" by arithmetic, without
 * looking at the ads. `flags` are nine bits, highest first: active (1), media type (3), call to action (4), partnership (1).
 */
import { ctas, mediaTypes } from "../../domain/catalog/Enumerations.ts"
import type { AdStatus, Cta, MediaType } from "../../domain/catalog/Enumerations.ts"

/** Days from 0001-01-01, which is 1, to 9999-12-31 fit. */
export const dayBits = 22
export const lastDay = 2 ** dayBits - 1

const epoch = Date.parse("0001-01-01T00:00:00Z")
const dayMillis = 86_400_000

/** The number of a date `YYYY-MM-DD`. In SQL: `date - date '0001-01-01' + 1`. */
export const day = (date: string): number => Math.round((Date.parse(date) - epoch) / dayMillis) + 1

/** Bits of {@link flags}. */
export const bits = { partnership: 0, cta: 1, media: 5, active: 8 } as const

const flags = (active: boolean, media: number, cta: number, partnership: boolean): number =>
  (Number(active) << bits.active) | (media << bits.media) | (cta << bits.cta) | Number(partnership)

/** 0 means no call to action. */
export const ctaCode = (cta: Cta): number => ctas.indexOf(cta) + 1
export const mediaCode = (media: MediaType): number => mediaTypes.indexOf(media)

/** What is asked of an ad itself. Empty lists ask nothing; days are inclusive. */
export interface AdCriteria {
  readonly status: AdStatus | "all"
  readonly media: ReadonlyArray<MediaType>
  readonly ctas: ReadonlyArray<Cta>
  readonly partnershipOnly: boolean
  readonly firstDay: number
  readonly lastDay: number
}

export const anyAd: AdCriteria = {
  status: "all",
  media: [],
  ctas: [],
  partnershipOnly: false,
  firstDay: 0,
  lastDay
}

/** Ranges of sorted keys, both ends inclusive, that hold exactly the matching ads. */
export interface KeyRanges {
  /** `ads_by_status` has keys of `active * 2^22 + day`. */
  readonly column: "ads" | "ads_by_status"
  readonly ranges: ReadonlyArray<readonly [low: number, high: number]>
}

/** Whether media, call to action or partnership are asked for. */
export const asksFlags = (criteria: AdCriteria): boolean =>
  criteria.media.length > 0 || criteria.ctas.length > 0 || criteria.partnershipOnly

/** Whether every ad matches. */
export const asksNothing = (criteria: AdCriteria): boolean =>
  !asksFlags(criteria) && criteria.status === "all" && criteria.firstDay <= 0 && criteria.lastDay >= lastDay

export const keyRanges = (criteria: AdCriteria): KeyRanges => {
  const column = asksFlags(criteria) ? "ads" : "ads_by_status"
  if (criteria.firstDay > criteria.lastDay) return { column, ranges: [] }
  const values = asksFlags(criteria) ? matchingFlags(criteria) : statuses(criteria).map(Number)
  const ranges: Array<[number, number]> = []
  for (const value of values) {
    const low = value * 2 ** dayBits + Math.max(criteria.firstDay, 0)
    const high = value * 2 ** dayBits + Math.min(criteria.lastDay, lastDay)
    const last = ranges.at(-1)
    if (last !== undefined && last[1] + 1 === low) last[1] = high
    else ranges.push([low, high])
  }
  return { column, ranges }
}

const statuses = (criteria: AdCriteria): ReadonlyArray<boolean> =>
  criteria.status === "all" ? [false, true] : [criteria.status === "active"]

/** Flags of at least this belong to running ads. */
export const activeFlags = 1 << bits.active

/** All values of flags that match, ascending; codes that no ad has are among them where that joins ranges. */
export const matchingFlags = (criteria: AdCriteria): ReadonlyArray<number> => {
  const wantedMedia = new Set(criteria.media.map(mediaCode))
  const wantedCtas = new Set(criteria.ctas.map(ctaCode))
  const found: Array<number> = []
  for (const active of statuses(criteria)) {
    for (let media = 0; media < 8; media++) {
      if (wantedMedia.size > 0 && !wantedMedia.has(media)) continue
      for (let cta = 0; cta < 16; cta++) {
        if (wantedCtas.size > 0 && !wantedCtas.has(cta)) continue
        if (!criteria.partnershipOnly) found.push(flags(active, media, cta, false))
        found.push(flags(active, media, cta, true))
      }
    }
  }
  return found
}

/** SQL over the record `ad a`: what this module packs. */
export const sqlDay = "(a.started_on - date '0001-01-01' + 1)"
const sqlList = (values: ReadonlyArray<string>) => `ARRAY[${values.map((value) => `'${value}'`).join(",")}]`
export const sqlFlags = `((a.is_active::int << ${bits.active})
  | ((array_position(${sqlList(mediaTypes)}, a.media_type) - 1) << ${bits.media})
  | (coalesce(array_position(${sqlList(ctas)}, a.cta), 0) << ${bits.cta})
  | a.is_partnership::int)`
export const sqlKey = `(${sqlFlags} * ${2 ** dayBits}::float8 + ${sqlDay})`
export const sqlStatusKey = `(a.is_active::int * ${2 ** dayBits}::float8 + ${sqlDay})`
/** Orders a store's ads: active first, newest, highest id. Bits: active (1), day (22), id (31). */
export const sqlPick = `((a.is_active::int::bigint << ${dayBits + 31}) | (${sqlDay}::bigint << 31) | a.id::bigint)`
/** The ad behind a pick. */
export const sqlIdOfPick = (pick: string) => `(${pick} & ${2 ** 31 - 1})::int`

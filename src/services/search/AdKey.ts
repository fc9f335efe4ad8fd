/**
 * How an ad is packed into numbers, and how a filter on ads becomes ranges of them.
 *
 * An ad's `flags` are nine bits, highest first: active (1), media type (3), call to action (4), partnership (1). Its keys
 * are some of these, one after the other, and then 22 bits of the day that it started: 31 bits at most. The sorted keys of
 * a store's ads answer "how many of them match" by arithmetic, without looking at the ads, as long as a filter forms few
 * ranges of keys; and there is more than one order of keys, so that nearly every filter does.
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

type Flag = keyof typeof bits

/** How many bits a flag has. */
const widths: Record<Flag, number> = { partnership: 1, cta: 4, media: 3, active: 1 }

/** Columns of `shop_ads`: which flags make up the key, highest bits first. The day follows. */
export const keyColumns = {
  by_status: ["active"],
  by_media: ["active", "media"],
  by_cta: ["active", "cta"],
  by_partnership: ["active", "partnership", "media"],
  by_flags: ["active", "media", "cta", "partnership"]
} as const satisfies Record<string, ReadonlyArray<Flag>>

export type KeyColumn = keyof typeof keyColumns

/** Ranges of sorted keys, both ends inclusive, that hold exactly the matching ads. */
export interface KeyRanges {
  readonly column: KeyColumn
  readonly ranges: ReadonlyArray<readonly [low: number, high: number]>
}

/** Whether media, call to action or partnership are asked for. */
export const asksFlags = (criteria: AdCriteria): boolean =>
  criteria.media.length > 0 || criteria.ctas.length > 0 || criteria.partnershipOnly

/** Whether every ad matches. */
export const asksNothing = (criteria: AdCriteria): boolean =>
  !asksFlags(criteria) && criteria.status === "all" && criteria.firstDay <= 0 && criteria.lastDay >= lastDay

const asked = (criteria: AdCriteria): ReadonlySet<Flag> =>
  new Set([
    ...(criteria.status === "all" ? [] : ["active" as const]),
    ...(criteria.media.length === 0 ? [] : ["media" as const]),
    ...(criteria.ctas.length === 0 ? [] : ["cta" as const]),
    ...(criteria.partnershipOnly ? ["partnership" as const] : [])
  ])

/** Codes of a flag that match, ascending; codes that no ad has are among them where all match, since that joins ranges. */
const codes = (criteria: AdCriteria, flag: Flag): ReadonlyArray<number> => {
  const all = Array.from({ length: 2 ** widths[flag] }, (_, code) => code)
  switch (flag) {
    case "active":
      return criteria.status === "all" ? all : [Number(criteria.status === "active")]
    case "media":
      return criteria.media.length === 0 ? all : ascending(criteria.media.map(mediaCode))
    case "cta":
      return criteria.ctas.length === 0 ? all : ascending(criteria.ctas.map(ctaCode))
    case "partnership":
      return criteria.partnershipOnly ? [1] : all
  }
}

const ascending = (values: ReadonlyArray<number>): ReadonlyArray<number> =>
  Array.from(new Set(values)).sort((a, b) => a - b)

/** All values of these flags in a row that match, ascending. */
const matching = (criteria: AdCriteria, flags: ReadonlyArray<Flag>): ReadonlyArray<number> =>
  flags.reduce<ReadonlyArray<number>>(
    (prefixes, flag) =>
      prefixes.flatMap((prefix) => codes(criteria, flag).map((code) => prefix * 2 ** widths[flag] + code)),
    [0]
  )

const rangesOf = (criteria: AdCriteria, column: KeyColumn): KeyRanges => {
  const ranges: Array<[number, number]> = []
  for (const value of matching(criteria, keyColumns[column])) {
    const low = value * 2 ** dayBits + Math.max(criteria.firstDay, 0)
    const high = value * 2 ** dayBits + Math.min(criteria.lastDay, lastDay)
    const last = ranges.at(-1)
    if (last !== undefined && last[1] + 1 === low) last[1] = high
    else ranges.push([low, high])
  }
  return { column, ranges }
}

/** By the column that needs the fewest ranges, of those that have all flags that are asked for. */
export const keyRanges = (criteria: AdCriteria): KeyRanges => {
  if (criteria.firstDay > criteria.lastDay) return { column: "by_status", ranges: [] }
  const wanted = asked(criteria)
  return columns
    .filter((column) => Array.from(wanted).every((flag) => new Set<Flag>(keyColumns[column]).has(flag)))
    .map((column) => rangesOf(criteria, column))
    .reduce((fewest, next) => (next.ranges.length < fewest.ranges.length ? next : fewest))
}

/** Of two with as few ranges the first is taken. */
export const columns: ReadonlyArray<KeyColumn> = ["by_status", "by_media", "by_cta", "by_partnership", "by_flags"]

/** Flags of at least this belong to running ads. */
export const activeFlags = 1 << bits.active

/** All values of flags that match, ascending; values that no ad has are among them. */
export const matchingFlags = (criteria: AdCriteria): ReadonlyArray<number> => matching(criteria, keyColumns.by_flags)

/** SQL over the record `ad a`: what this module packs. */
export const sqlDay = "(a.started_on - date '0001-01-01' + 1)"
const sqlList = (values: ReadonlyArray<string>) => `ARRAY[${values.map((value) => `'${value}'`).join(",")}]`
export const sqlFlags = `((a.is_active::int << ${bits.active})
  | ((array_position(${sqlList(mediaTypes)}, a.media_type) - 1) << ${bits.media})
  | (coalesce(array_position(${sqlList(ctas)}, a.cta), 0) << ${bits.cta})
  | a.is_partnership::int)`
/** Of the derived row `i`: a key of {@link keyColumns}. */
export const sqlKey = (column: KeyColumn): string => {
  const flags = keyColumns[column].reduce(
    (prefix, flag) => `((${prefix} << ${widths[flag]}) | ((i.flags::int >> ${bits[flag]}) & ${2 ** widths[flag] - 1}))`,
    "0"
  )
  return `((${flags} << ${dayBits}) | i.started)`
}
/** Orders a store's ads: active first, newest, highest id. Bits: active (1), day (22), id (31). */
export const sqlPick = `((a.is_active::int::bigint << ${dayBits + 31}) | (${sqlDay}::bigint << 31) | a.id::bigint)`
/** No running ad has a lower pick, and every stopped one has. */
export const sqlLowestRunningPick = `(1::bigint << ${dayBits + 31})`
/** The ad behind a pick. */
export const sqlIdOfPick = (pick: string) => `(${pick} & ${2 ** 31 - 1})::int`

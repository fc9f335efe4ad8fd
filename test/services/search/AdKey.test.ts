import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { adStatuses, ctas, mediaTypes } from "../../../src/domain/catalog/Enumerations.ts"
import * as AdKey from "../../../src/services/search/AdKey.ts"

const Day = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 40 }))
const Criteria = Schema.Struct({
  status: Schema.Literals([...adStatuses, "all"]),
  media: Schema.Array(Schema.Literals(mediaTypes)),
  ctas: Schema.Array(Schema.Literals(ctas)),
  partnershipOnly: Schema.Boolean,
  firstDay: Day,
  lastDay: Day
})
const Ad = Schema.Struct({
  isActive: Schema.Boolean,
  media: Schema.Literals(mediaTypes),
  cta: Schema.NullOr(Schema.Literals(ctas)),
  isPartnership: Schema.Boolean,
  day: Day
})
type Ad = typeof Ad.Type

/** By the criteria's own words. */
const matches = (ad: Ad, criteria: AdKey.AdCriteria): boolean =>
  (criteria.status === "all" || (criteria.status === "active") === ad.isActive) &&
  (criteria.media.length === 0 || criteria.media.includes(ad.media)) &&
  (criteria.ctas.length === 0 || (ad.cta !== null && criteria.ctas.includes(ad.cta))) &&
  (!criteria.partnershipOnly || ad.isPartnership) &&
  criteria.firstDay <= ad.day &&
  ad.day <= criteria.lastDay

/** As the SQL packs it. */
const flagsOf = (ad: Ad): number =>
  (ad.isActive ? 256 : 0) +
  32 * AdKey.mediaCode(ad.media) +
  2 * (ad.cta === null ? 0 : AdKey.ctaCode(ad.cta)) +
  (ad.isPartnership ? 1 : 0)

const keyOf = (ad: Ad, column: AdKey.KeyColumn): number => flagsIn[column](flagsOf(ad)) * 2 ** 22 + ad.day

/** As the migration's SQL says it. */
const flagsIn: Record<AdKey.KeyColumn, (flags: number) => number> = {
  by_status: (flags) => flags >> 8,
  by_media: (flags) => flags >> 5,
  by_cta: (flags) => ((flags >> 8) << 4) | ((flags >> 1) & 15),
  by_partnership: (flags) => ((((flags >> 8) << 1) | (flags & 1)) << 3) | ((flags >> 5) & 7),
  by_flags: (flags) => flags
}

describe("AdKey", () => {
  it.effect.prop(
    "an ad's key is in one of the ranges exactly if the ad matches",
    [Criteria, Ad],
    ([criteria, ad]) =>
      Effect.sync(() => {
        const { column, ranges } = AdKey.keyRanges(criteria)
        const key = keyOf(ad, column)
        assert.strictEqual(
          ranges.filter(([low, high]) => low <= key && key <= high).length,
          matches(ad, criteria) ? 1 : 0
        )
      }),
    { arbitrary: { runs: 2_000 } }
  )

  it("ranges that touch are one, so that few are left to add up", () => {
    const ranges = (criteria: Partial<AdKey.AdCriteria>) =>
      AdKey.keyRanges({ ...AdKey.anyAd, ...criteria }).ranges.length
    assert.strictEqual(ranges({}), 1)
    assert.strictEqual(ranges({ status: "active" }), 1)
    assert.strictEqual(ranges({ firstDay: 5 }), 2)
    assert.strictEqual(ranges({ status: "active", firstDay: 5 }), 1)
    assert.strictEqual(ranges({ media: ["video"] }), 2)
    assert.strictEqual(ranges({ media: ["video", "image"], status: "active" }), 1)
    assert.strictEqual(ranges({ ctas: ["Shop Now"] }), 2)
    assert.strictEqual(ranges({ partnershipOnly: true, firstDay: 5 }), 16)
    assert.strictEqual(ranges({ partnershipOnly: true }), 2)
    assert.strictEqual(ranges({ media: ["video"], firstDay: 5 }), 2)
    assert.strictEqual(ranges({ media: ["video"], ctas: ["Shop Now"], firstDay: 5, status: "active" }), 2)
    assert.strictEqual(ranges({ firstDay: 6, lastDay: 5 }), 0)
  })

  it("days are numbered from the first of the calendar, and all of them fit", () => {
    assert.strictEqual(AdKey.day("0001-01-01"), 1)
    assert.strictEqual(AdKey.day("2026-03-15") - AdKey.day("2026-02-28"), 15)
    assert.isBelow(AdKey.day("9999-12-31"), AdKey.lastDay)
  })

  it("the vocabularies fit their bits", () => {
    assert.isAtMost(mediaTypes.length, 8)
    assert.isBelow(ctas.length, 16)
  })
})

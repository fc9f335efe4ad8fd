import { assert, describe, it } from "@effect/vitest"
import { summary } from "../../src/cli/ImportReporting.ts"
import { nothingLoaded } from "../../src/services/import/BatchLoader.ts"

const { links, tallies: noTallies } = nothingLoaded
const report = {
  accepted: 12_000,
  rejected: 0,
  fromFiles: 0,
  stops: [],
  skipped: 0,
  otherCurrencies: 0,
  archiveAds: 0,
  unfit: new Map<string, number>(),
  tallies: noTallies,
  removals: 0,
  links,
  expiredAds: 0,
  keepsUnseenAds: false,
  electedNiches: 0,
  refusedRemovals: [],
  seconds: 4
}

describe("the summary of an import", () => {
  it("counts the optional values that did not fit, by field", () => {
    const unfit = new Map([
      ["details.tags", 1_200],
      ["created_at", 1]
    ])
    assert.include(
      summary("a.json", { ...report, unfit }),
      "  optional values that do not fit, unknown or cut: details.tags 1,200, created_at 1"
    )
    assert.notInclude(summary("a.json", report), "optional")
  })

  it("shows records per second, counting unchanged ones", () => {
    assert.include(summary("a.ndjson", report), "a.ndjson: 12,000 records in 4.0 s, 3,000/s")
  })

  it("shows no rate for very short imports", () => {
    assert.strictEqual(summary("a.ndjson", { ...report, accepted: 0, seconds: 0.2 }), "a.ndjson: 0 records in 0.2 s")
  })

  it("shows new, changed and removed records by type", () => {
    const tallies = { ...noTallies, product: { added: 2_000, changed: 10, removed: 3 } }
    assert.match(
      summary("a", { ...report, tallies }),
      /product +2,000 added +10 changed +3 removed\n.*twice in the input: 9,990/
    )
  })

  it("counts records that remove others apart from those that were in the catalog already", () => {
    const tallies = { ...noTallies, product: { added: 0, changed: 0, removed: 3 } }
    assert.match(
      summary("a", { ...report, accepted: 10, tallies, removals: 4 }),
      /3 removed\n {2}records that remove others: 4\n {2}in the catalog already, or twice in the input: 6$/
    )
    assert.notInclude(summary("a", { ...report, accepted: 4, tallies, removals: 4 }), "already")
  })

  it("shows how many amounts are not known to be in the currency of their store", () => {
    assert.include(summary("a", { ...report, otherCurrencies: 3 }), "not known to be in the currency of their store: 3")
  })

  it("shows what ads lack, and why ads that were not seen stay active", () => {
    assert.include(
      summary("a", { ...report, archiveAds: 7 }),
      "no call to action, landing page, image and media type: 7"
    )
    assert.include(summary("a", { ...report, keepsUnseenAds: true }), "could not be read to its end")
    assert.notInclude(summary("a", report), "ads")
  })

  it("shows what was not removed, and how to remove it", () => {
    const refusedRemovals = [{ domain: "a.com", gone: 51, products: 100, since: "2026-06-30" }]
    assert.include(
      summary("a", { ...report, refusedRemovals }),
      "a.com: 51 of its 100 products are not in these files and stay."
    )
    assert.include(summary("a", { ...report, refusedRemovals }), "--yes")
  })
})

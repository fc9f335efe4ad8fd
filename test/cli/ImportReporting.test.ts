import { assert, describe, it } from "@effect/vitest"
import { summary } from "../../src/cli/ImportReporting.ts"
import type { RowCounts } from "../../src/services/import/ImportReport.ts"
import type { LeftOut } from "../../src/services/import/ImportSource.ts"
import { nothingLoaded } from "../../src/services/import/LoadedBatch.ts"

const { links, tallies: noTallies } = nothingLoaded
const report = {
  read: 12_000,
  rejected: 0,
  leftOut: 0,
  parts: new Map<string, RowCounts>(),
  reasons: new Map<LeftOut, number>(),
  accepted: 12_000,
  repeated: 0,
  rejectedRecords: 0,
  stops: [],
  otherCurrencies: 0,
  archiveAds: 0,
  invalidFields: new Map<string, number>(),
  tallies: noTallies,
  removals: 0,
  older: 0,
  links,
  expiredAds: 0,
  pagesElsewhere: 0,
  keepsUnseenAds: false,
  chosenNiches: 0,
  refusedRemovals: [],
  seconds: 4
}

describe("the summary of an import", () => {
  it("counts the optional values that did not fit, by field", () => {
    const invalidFields = new Map([
      ["details.tags", 1_200],
      ["created_at", 1]
    ])
    assert.include(
      summary("a.json", { ...report, invalidFields }),
      "  optional values that do not fit, unknown or cut: details.tags 1,200, created_at 1"
    )
    assert.notInclude(summary("a.json", report), "optional")
  })

  it("begins with what was read, rejected and left out, and why, and the rows of a second", () => {
    const reasons = new Map<LeftOut, number>([
      ["notOnSale", 900],
      ["hidden", 100]
    ])
    assert.include(
      summary("a.ndjson", { ...report, read: 10_960, rejected: 40, leftOut: 1_000, reasons }),
      "a.ndjson: 10,960 rows read, 40 rejected, 1,000 left out, in 4.0 s (3,000 rows/s)\n" +
        "  left out: drafts and archived products: 900\n" +
        "  left out: products that the store does not show: 100\n"
    )
  })

  it("shows no rate for very short imports", () => {
    assert.strictEqual(
      summary("a.ndjson", { ...report, read: 1, accepted: 0, seconds: 0.2 }),
      "a.ndjson: 1 row read, 0 rejected, 0 left out, in 0.2 s"
    )
  })

  it("has a line for each store of several, and says how many others there are", () => {
    const rows = { read: 2, rejected: 1, leftOut: 3 }
    const parts = (count: number) =>
      new Map(Array.from({ length: count }, (_, at) => [`store${at}.example.com`, rows] as const))
    assert.notInclude(summary("a", { ...report, parts: parts(1) }), "store0")
    const shown = summary("a", { ...report, parts: parts(52) })
    assert.include(shown, "\n  store49.example.com: 2 rows read, 1 rejected, 3 left out\n  and 2 others")
    assert.notInclude(shown, "store50")
  })

  it("tells what is unchanged from what is repeated", () => {
    assert.include(
      summary("a", { ...report, accepted: 10, repeated: 4 }),
      "unchanged: 6\n  more than once in the input, where the last one counts: 4"
    )
  })

  it("shows new, changed and removed records by type", () => {
    const tallies = { ...noTallies, product: { added: 2_000, changed: 10, removed: 3 } }
    assert.match(
      summary("a", { ...report, tallies }),
      /product +2,000 added +10 changed +3 removed\n.*unchanged: 9,990/
    )
  })

  it("counts records that remove others apart from those that were in the catalog already", () => {
    const tallies = { ...noTallies, product: { added: 0, changed: 0, removed: 3 } }
    assert.match(
      summary("a", { ...report, accepted: 10, tallies, removals: 4 }),
      /3 removed\n {2}records that remove others: 4\n {2}in the catalog already, unchanged: 6$/
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

import { assert, describe, it } from "@effect/vitest"
import { summary } from "../../src/cli/ImportReporting.ts"
import { noTallies } from "../../src/services/import/BatchLoader.ts"

const report = { accepted: 12_000, rejected: 0, skipped: 0, tallies: noTallies, seconds: 4 }

describe("the summary of an import", () => {
  it("shows records per second, counting unchanged ones", () => {
    assert.include(summary("a.ndjson", report), "a.ndjson: 12,000 records in 4.0 s, 3,000/s")
  })

  it("shows no rate for very short imports", () => {
    assert.strictEqual(summary("a.ndjson", { ...report, accepted: 0, seconds: 0.2 }), "a.ndjson: 0 records in 0.2 s")
  })

  it("shows new and changed records by type", () => {
    const tallies = { ...noTallies, product: { added: 2_000, changed: 10 } }
    assert.match(summary("a", { ...report, tallies }), /product +2,000 added +10 changed\n.*twice in the input: 9,990/)
  })
})

/** By what an hour of load is judged. */
import { assert, describe, it } from "@effect/vitest"
import * as Report from "../../bench/faults/Report.ts"
import * as Soak from "../../bench/faults/Soak.ts"
import * as Trend from "../../bench/faults/Trend.ts"
import { books } from "../support/FaultSamples.ts"

/** A sample every half minute; `at` is the share of the run. */
const samplesOf = (hours: number, valueAt: (at: number) => number): ReadonlyArray<Trend.Sample> =>
  Array.from({ length: hours * 120 + 1 }, (_, index) => ({
    hours: index / 120,
    value: valueAt(index / 120 / hours)
  }))
const tenPercent = (start: number) => 0.1 * start

describe("the trend of a soak", () => {
  const cases = [
    ["a constant value", 1, () => 100, true],
    ["a value that falls", 1, (at: number) => 100 - 50 * at, true],
    ["a warm-up before a constant value", 1, (at: number) => (at < 0.2 ? 500 * at : 100), true],
    ["waves without a trend", 1, (at: number) => 100 + 8 * Math.sin(at * 300), true],
    ["growth by 9 % an hour", 1, (at: number) => 100 + 9 * at, true],
    ["growth by 12 % an hour", 1, (at: number) => 100 + 12 * at, false],
    ["growth by 12 % an hour under waves", 1, (at: number) => 100 + 12 * at + 8 * Math.sin(at * 300), false],
    ["growth by a tenth in one step", 1, (at: number) => (at < 0.6 ? 100 : 110), false],
    ["growth by 5 % an hour in two hours", 2, (at: number) => 100 + 10 * at, true],
    ["growth by 5 % an hour in five hours", 5, (at: number) => 100 + 25 * at, false],
    ["a value that is no number", 1, () => Number.NaN, false]
  ] as const
  it.each(cases)("of %s", (_, hours, valueAt, isFlat) => {
    assert.strictEqual(Trend.judge(samplesOf(hours, valueAt), tenPercent).isFlat, isFlat)
  })

  it("is the line by least squares after a quarter of the time", () => {
    const { atMost, perHour, start } = Trend.judge(
      samplesOf(1, (at) => 200 + 40 * at),
      tenPercent
    )
    assert.deepStrictEqual(
      [start, perHour, atMost].map((value) => value.toFixed(6)),
      ["210.000000", "40.000000", "21.000000"]
    )
  })

  it("is not flat where one sample is all there is", () => {
    assert.isFalse(Trend.judge([{ hours: 1, value: 1 }], tenPercent).isFlat)
    assert.isFalse(Trend.judge([], tenPercent).isFlat)
  })
})

const flat = { start: 100, perHour: 0, atMost: 10, isFlat: true }
const grown = { start: 100, perHour: 20, atMost: 10, isFlat: false }
const soak: Soak.Soak = {
  minutes: 60,
  calls: 9,
  failed: 0,
  refused: 3,
  measures: [{ name: "memory", ...flat }],
  grown: [{ name: "credit_entry", ...grown }],
  books,
  incidents: []
}

describe("a soak", () => {
  it("ends well when everything is flat but what grows for a known reason", () => {
    assert.deepStrictEqual(Soak.wrong(soak), [])
  })
  const wrong = [
    ["a measure that is not flat", { measures: [{ name: "memory", ...grown }] }, /^memory: 20\.0 more per hour/u],
    ["a table that grows for no known reason", { grown: [{ name: "session", ...grown }] }, /^session: 20 bytes/u],
    ["a call that failed", { failed: 1 }, /^1 calls failed/u],
    ["books that disagree", { books: { ...books, disagreements: ["a second charge"] } }, /^a second charge/u],
    ["a check that failed", { incidents: ["credits verify: 1 account differs"] }, /^credits verify/u]
  ] as const
  it.each(wrong)("fails by %s", (_, own, message) => {
    const found = Soak.wrong({ ...soak, ...own })
    assert.lengthOf(found, 1)
    assert.match(found.join(), message)
  })

  it("judges a measure by the points that have it", () => {
    const points = samplesOf(1, (at) => 100 + 20 * at).map(({ hours, value }, index) => ({
      hours,
      values: new Map([["memory", value], ...(index % 2 === 0 ? [] : [["descriptors", 50] as const])]),
      tables: new Map<string, number>()
    }))
    assert.deepStrictEqual(
      Soak.trendsOf(points, "values", tenPercent).map(({ isFlat, name }) => [name, isFlat]),
      [
        ["memory", false],
        ["descriptors", true]
      ]
    )
  })

  it("has its rule and what is wrong on the page, behind the faults", () => {
    const page = "# What faults do to calls\n\n## Hours of load\n\nNot measured yet.\n"
    const text = Report.withSoak(page, { ...soak, measures: [{ name: "memory", ...grown }] }, "npm run bench:faults --")
    assert.include(text, Report.soakRule)
    assert.include(text, "| memory | 100 | 20.0 | 10.0 | **no** |")
    assert.include(text, "# What faults do to calls")
    assert.notInclude(text, "Not measured yet.")
  })
})

import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { periodOn, secondsUntil } from "../../../src/domain/access/CreditPeriod.ts"
import { dayMillis, dayOf } from "../../../src/domain/Days.ts"

/** Days from 2000 to 2100, a leap century and one that is not. */
const Day = Schema.Int.check(Schema.isBetween({ minimum: 10_957, maximum: 47_481 }))
const day = (number: number) => dayOf(number * dayMillis)

describe("the period of a day", () => {
  it.prop("contains the day", [Day, Day], ([began, on]) => {
    const { end, start } = periodOn(day(began), day(on))
    assert.isTrue(start <= day(on) && day(on) < end, `${start} <= ${day(on)} < ${end}`)
  })

  it.prop("is the same for each of its days, and the next one begins where it ends", [Day, Day], ([began, on]) => {
    const period = periodOn(day(began), day(on))
    const last = dayOf(Date.parse(period.end) - dayMillis)
    assert.deepStrictEqual(periodOn(day(began), period.start), period)
    assert.deepStrictEqual(periodOn(day(began), last), period)
    assert.strictEqual(periodOn(day(began), period.end).start, period.end)
  })

  it.prop(
    "D7 starts on the day of the month on which the subscription began, or on the last one",
    [Day, Day],
    ([began, on]) => {
      const { start } = periodOn(day(began), day(on))
      const wanted = Number(day(began).slice(8))
      const lastOfMonth = new Date(Date.UTC(Number(start.slice(0, 4)), Number(start.slice(5, 7)), 0)).getUTCDate()
      assert.strictEqual(Number(start.slice(8)), Math.min(wanted, lastOfMonth))
    }
  )

  it("begun on the 31st does not drift: shorter months start on their last day", () => {
    const starts = ["01-31", "02-27", "02-28", "03-30", "03-31", "04-30", "05-31", "12-31"].map(
      (date) => periodOn("2025-01-31", `2025-${date}`).start
    )
    assert.deepStrictEqual(starts, [
      "2025-01-31",
      "2025-01-31",
      "2025-02-28",
      "2025-02-28",
      "2025-03-31",
      "2025-04-30",
      "2025-05-31",
      "2025-12-31"
    ])
  })

  it("begun on February 29 starts on it again in leap years", () => {
    assert.deepStrictEqual(periodOn("2024-02-29", "2025-03-01"), { start: "2025-02-28", end: "2025-03-29" })
    assert.deepStrictEqual(periodOn("2024-02-29", "2028-03-01"), { start: "2028-02-29", end: "2028-03-29" })
  })

  it("crosses the year", () => {
    assert.deepStrictEqual(periodOn("2025-11-15", "2026-01-01"), { start: "2025-12-15", end: "2026-01-15" })
  })
})

describe("the time until a period ends", () => {
  it("is counted in whole seconds, never less than one", () => {
    assert.strictEqual(secondsUntil("2026-02-01", Date.parse("2026-01-31T23:59:00Z")), 60)
    assert.strictEqual(secondsUntil("2026-02-01", Date.parse("2026-01-31T23:59:59.999Z")), 1)
    assert.strictEqual(secondsUntil("2026-02-01", Date.parse("2026-02-01T00:00:00Z")), 1)
  })
})

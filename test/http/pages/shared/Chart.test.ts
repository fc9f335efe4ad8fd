/** A chart is drawn to scale, and says the same as a table. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { columns, sparkline } from "../../../../src/http/pages/shared/Chart.ts"
import * as Locale from "../../../../src/http/pages/shared/Locale.ts"

const locale = Locale.of("en")
const of = (values: ReadonlyArray<number | null>) =>
  String(
    columns({
      id: "calls",
      title: "Calls per day",
      over: "Day",
      unit: "Calls",
      columns: values.map((value, day) => ({ label: `Day ${day}`, short: String(day), value })),
      locale
    })
  )

const heights = (chart: string) =>
  Array.from(chart.matchAll(/<rect[^>]* height="([^"]*)"/gu), ([, size]) => Number(size))

describe("Chart", () => {
  const Values = Schema.NonEmptyArray(Schema.NullOr(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1e9 }))))

  it.prop(
    "columns are as high as their values, within the plot, and every figure is in the table",
    [Values],
    ([values]) => {
      const chart = of(values)
      const drawn = heights(chart)
      const most = Math.max(...values.map((value) => value ?? 0))
      assert.strictEqual(drawn.length, values.length)
      drawn.forEach((size, place) => {
        const value = values[place] ?? 0
        assert.isTrue(size >= 0 && size <= 100, `${size}`)
        if (most > 0) assert.closeTo(size / Math.max(...drawn), value / most, 1e-9)
        assert.include(chart, `<td>Day ${place}</td>`)
        const shown = values[place] === null ? "unknown" : locale.number(value)
        assert.include(chart, `<td class="figure">${shown}</td>`)
      })
    }
  )

  const lineOf = (values: ReadonlyArray<number | null>) =>
    sparkline({
      title: "Running <ads>",
      columns: values.map((value, day) => ({ label: `Day ${day}`, short: String(day), value })),
      locale
    })

  it.prop("D121 a line goes from the least to the greatest value, and its text has them", [Values], ([values]) => {
    const known = values.flatMap((value, place) => (value === null ? [] : [{ value, place }]))
    const drawn = lineOf(values)
    if (known.length < 2) return assert.isUndefined(drawn)
    const line = String(drawn)
    const points = Array.from(line.matchAll(/([ML])([\d.]+) ([\d.]+)/gu), ([, by, x, y]) => ({
      by,
      x: Number(x),
      y: Number(y)
    }))
    assert.strictEqual(points.length, known.length)
    const [least, most] = [Math.min(...known.map(({ value }) => value)), Math.max(...known.map(({ value }) => value))]
    points.forEach(({ by, x, y }, at) => {
      const { place = 0, value = 0 } = known[at] ?? {}
      assert.strictEqual(by, known[at - 1]?.place === place - 1 ? "L" : "M")
      assert.closeTo(x, 4 + (place / (values.length - 1)) * 112, 0.06)
      assert.closeTo(y, most === least ? 16 : 4 + ((most - value) / (most - least)) * 24, 0.06)
    })
    const [first, last] = [known[0], known.at(-1)]
    assert.include(line, `Day ${first?.place} to Day ${last?.place}`)
    for (const value of [first?.value ?? 0, last?.value ?? 0, least, most]) assert.include(line, locale.number(value))
    assert.include(line, `role="img"`)
    assert.notInclude(line, "<ads>")
    assert.notInclude(line, "style=")
  })

  it("needs no style of its own, and its texts are escaped", () => {
    const chart = String(
      columns({
        id: "c",
        title: "<b>",
        over: "Day",
        unit: "Calls",
        columns: [{ label: '"><script>', short: "1", value: 3 }],
        locale
      })
    )
    assert.notInclude(chart, "style=")
    assert.notInclude(chart, "<b>")
    assert.notInclude(chart, "<script>")
    assert.strictEqual(heights(chart)[0], 75)
  })
})

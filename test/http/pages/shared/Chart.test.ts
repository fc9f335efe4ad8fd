/** A chart is drawn to scale, and says the same as a table. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { columns } from "../../../../src/http/pages/shared/Chart.ts"
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

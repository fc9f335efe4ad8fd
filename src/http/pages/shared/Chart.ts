/**
 * Charts as SVGs without styles of their own: columns with the same figures as a table, whose labels are HTML outside the SVG, so
 * that they keep their size; and a small line that says in words how it goes (D121).
 */
import { html } from "./Html.ts"
import type { Html } from "./Html.ts"
import type { Locale } from "./Locale.ts"

export interface Column {
  /** In full, such as a date. */
  readonly label: string
  /** On the axis. */
  readonly short: string
  /** At least 0; `null` if unknown. */
  readonly value: number | null
}

export interface Columns {
  /** Unique within the page. */
  readonly id: string
  readonly title: string
  /** What a column stands for, such as `Day`. */
  readonly over: string
  /** What is counted, such as `Calls`. */
  readonly unit: string
  /** At least one. */
  readonly columns: ReadonlyArray<Column>
  /** How a value is written; as a number by default. */
  readonly write?: (value: number) => string
  readonly locale: Locale
}

const height = 100
const step = 10
const gap = 2

/** The least of 2, 4, 6, 10, 20, 40 ... that is not less than the value. Its half is a whole number too. */
const roundUp = (value: number): number => {
  const atLeast = Math.max(2, value)
  const magnitude = 10 ** Math.floor(Math.log10(atLeast))
  return magnitude * ([1, 2, 4, 6].find((factor) => factor * magnitude >= atLeast) ?? 10)
}

/** First, middle and last, because more labels do not fit on the screen of a phone. */
const onAxis = (columns: ReadonlyArray<Column>): ReadonlyArray<string> => {
  const places = new Set([0, (columns.length - 1) >> 1, columns.length - 1])
  return Array.from(places, (place) => columns[place]?.short ?? "")
}

export const columns = ({ columns, id, locale, over, title, unit, write = locale.number }: Columns): Html => {
  const top = roundUp(Math.max(0, ...columns.map(({ value }) => value ?? 0)))
  const { text } = locale
  const bars = columns.map(({ label, value }, place) => {
    const size = ((value ?? 0) / top) * height
    return html`<rect
      class="bar"
      x="${place * step + gap / 2}"
      y="${height - size}"
      width="${step - gap}"
      height="${size}"
      ><title>
        ${text("layout.labeled", { label, value: value === null ? text("chart.unknown") : write(value) })}
      </title></rect
    >`
  })
  const width = columns.length * step
  return html`<figure class="chart">
    <figcaption id="${id}-title">${title}</figcaption>
    <div class="plot">
      <div class="scale" aria-hidden="true">
        <span>${locale.compact(top)}</span><span>${locale.compact(top / 2)}</span><span>0</span>
      </div>
      <svg viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" role="img" aria-labelledby="${id}-title">
        ${[0, height / 2, height].map((y) => html`<line class="grid" x1="0" x2="${width}" y1="${y}" y2="${y}" />`)}
        ${bars}
      </svg>
    </div>
    <div class="axis" aria-hidden="true">${onAxis(columns).map((label) => html`<span>${label}</span>`)}</div>
    <details>
      <summary>${text("chart.asTable")}</summary>
      <table>
        <thead>
          <tr>
            <th scope="col">${over}</th>
            <th scope="col" class="figure">${unit}</th>
          </tr>
        </thead>
        <tbody>
          ${columns.map(
            ({ label, value }) =>
              html`<tr>
                <td>${label}</td>
                <td class="figure">${value === null ? text("chart.unknown") : write(value)}</td>
              </tr>`
          )}
        </tbody>
      </table>
    </details>
  </figure>`
}

const line = { width: 120, height: 32, margin: 4 }

/** One decimal is a tenth of a pixel. */
const rounded = (value: number): number => Math.round(value * 10) / 10

/**
 * A line from the least to the greatest value, with a dot at its end and gaps where values are unknown. Its text has the first, the last, the least and the
 * greatest value. Nothing without two values that are known.
 */
export const sparkline = ({
  columns,
  locale,
  title,
  write = locale.number
}: Omit<Columns, "id" | "over" | "unit">): Html | undefined => {
  const known = columns.flatMap(({ label, value }, place) => (value === null ? [] : [{ label, place, value }]))
  const [first] = known
  const last = known.at(-1)
  if (first === undefined || last === undefined || first === last) return undefined
  const values = known.map(({ value }) => value)
  const [least, most] = [Math.min(...values), Math.max(...values)]
  const { height, margin, width } = line
  const x = (place: number) => rounded(margin + (place / (columns.length - 1)) * (width - 2 * margin))
  const y = (value: number) =>
    rounded(most === least ? height / 2 : margin + ((most - value) / (most - least)) * (height - 2 * margin))
  const path = known
    .map(({ place, value }, at) => `${known[at - 1]?.place === place - 1 ? "L" : "M"}${x(place)} ${y(value)}`)
    .join("")
  const label = locale.text("chart.line", {
    title,
    from: first.label,
    to: last.label,
    first: write(first.value),
    last: write(last.value),
    least: write(least),
    most: write(most)
  })
  return html`<svg class="sparkline" viewBox="0 0 ${width} ${height}" role="img" aria-label="${label}">
    <path d="${path}" />
    <circle cx="${x(last.place)}" cy="${y(last.value)}" r="3" />
  </svg>`
}

/** A table of data. Where the window is narrow it scrolls, so that it can take the focus and has a name. */
import { html } from "./Html.ts"
import type { Html } from "./Html.ts"

export interface Table {
  readonly label: string
  /** The columns, those of numbers as `figure`. */
  readonly heads: ReadonlyArray<string | { readonly figure: string }>
  readonly rows: ReadonlyArray<Html>
  /** A class of its own. */
  readonly kind?: "calls" | "market"
}

/** A column of a table of items. */
type Column<Item> = readonly [
  head: string,
  cell: (item: Item) => string | number | Html,
  /** The class of the cells. `name` is the column that names the row. */
  kind?: "figure" | "day" | "moment" | "wordy" | "name"
]

/** A table with a row for each item. */
export const tableOf = <Item>({
  columns,
  items,
  ...rest
}: Omit<Table, "heads" | "rows"> & {
  readonly columns: ReadonlyArray<Column<Item>>
  readonly items: ReadonlyArray<Item>
}): Html =>
  table({
    ...rest,
    heads: columns.map(([head, , kind]) => (kind === "figure" ? { figure: head } : head)),
    rows: items.map((item) => {
      const cells = columns.map(([, cell, kind]) =>
        kind === "name"
          ? html`<th scope="row" class="wordy">${cell(item)}</th>`
          : html`<td${kind !== undefined && html` class="${kind}"`}>${cell(item)}</td>`
      )
      return html`<tr>
        ${cells}
      </tr>`
    })
  })

export const table = ({ heads, kind, label, rows }: Table): Html =>
  html`<div class="table" tabindex="0" role="region" aria-label="${label}">
    <table ${kind !== undefined && html`class="${kind}"`}>
      <thead>
        <tr>
          ${heads.map((head) => (typeof head === "string" ? html`<th scope="col">${head}</th>` : html`<th scope="col" class="figure">${head.figure}</th>`))}
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div>`

/**
 * A table of data. Where its columns do not fit side by side, each row becomes a block of labeled values. What is wider still scrolls,
 * so the table can take the focus and has a name.
 */
import { html } from "./Html.ts"
import type { Html } from "./Html.ts"

/**
 * The class of the cells. `name`, `store` and `group` are columns that name the row. `figure` and `sum` are numbers; `sum` leaves the
 * class out, for a table of hundreds of them whose own class says the same.
 */
type Kind = "figure" | "sum" | "day" | "moment" | "wordy" | "name" | "store" | "group"

/** The head of a column as a link that sorts by it, and how the table is sorted by it now. */
export interface SortLink {
  readonly href: string
  readonly sorted?: "ascending" | "descending"
}

export type Column<Item> = readonly [
  head: string,
  cell: (item: Item) => string | number | Html,
  kind?: Kind | undefined,
  sort?: SortLink | undefined
]

const isFigure = (kind: Kind | undefined): boolean => kind === "figure" || kind === "sum"

const cellOf = (head: string, content: string | number | Html, kind: Kind | undefined): Html => {
  switch (kind) {
    case "name":
      return html`<th scope="row" class="wordy">${content}</th>`
    case "store":
    case "group":
      return html`<th scope="row" class="${kind}">${content}</th>`
    case undefined:
    case "sum":
      return html`<td data-label="${head}">${content}</td>`
    default:
      return html`<td class="${kind}" data-label="${head}">${content}</td>`
  }
}

const headOf = (head: string, kind: Kind | undefined, sort: SortLink | undefined): Html =>
  html`<th
    scope="col"
    ${isFigure(kind) && html`class="figure"`}
    ${sort?.sorted !== undefined && html`aria-sort="${sort.sorted}"`}
  >
    ${sort === undefined ? head : html`<a href="${sort.href}">${head}</a>`}
  </th>`

/** A row for each item. */
export const tableOf = <Item>({
  attributes,
  columns,
  items,
  kind,
  label,
  size = columns.length > 6 ? "large" : columns.length > 3 ? "medium" : "small"
}: {
  readonly label: string
  readonly columns: ReadonlyArray<Column<Item>>
  readonly items: ReadonlyArray<Item>
  /** A class of its own. */
  readonly kind?: "calls" | "market" | "stores" | "compared"
  /** How much room the columns need side by side: by their number, unless they are wide. */
  readonly size?: "small" | "medium" | "large"
  /** Attributes of a row. */
  readonly attributes?: (item: Item) => Html
}): Html =>
  html`<div class="table" tabindex="0" role="region" aria-label="${label}">
    <table class="${size}${kind !== undefined && ` ${kind}`}">
      <thead>
        <tr>
          ${columns.map(([head, , kind, sort]) => headOf(head, kind, sort))}
        </tr>
      </thead>
      <tbody>
        ${items.map((item) => {
          const cells = columns.map(([head, cell, kind]) => cellOf(head, cell(item), kind))
          return html`<tr ${attributes?.(item)}>
            ${cells}
          </tr>`
        })}
      </tbody>
    </table>
  </div>`

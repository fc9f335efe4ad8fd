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

import { html } from "./Html.ts"
import type { Html } from "./Html.ts"

/** A name and its value, for a `dl`. */
export const fact = (name: string, value: string | Html): Html =>
  html`<div>
    <dt>${name}</dt>
    <dd>${value}</dd>
  </div>`

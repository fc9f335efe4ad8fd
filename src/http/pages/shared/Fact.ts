import { html } from "./Html.ts"
import type { Html } from "./Html.ts"

/** A name and its value, for a `dl`. */
export const fact = (name: string, value: string | Html): Html =>
  html`<div>
    <dt>${name}</dt>
    <dd>${value}</dd>
  </div>`

/** A fact whose name says what it means when the pointer is over the fact or the name has the focus. `id`: unique within the page. */
export const explained = (id: string, name: string, value: string | Html, meaning: string): Html =>
  html`<div class="explained">
    <dt><span class="term" tabindex="0" aria-describedby="${id}-meaning">${name}</span></dt>
    <dd>${value} <span class="meaning" role="tooltip" id="${id}-meaning">${meaning}</span></dd>
  </div>`

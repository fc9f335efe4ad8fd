/** A labeled `<select>`. */
import { html } from "./Html.ts"
import type { Html } from "./Html.ts"

export interface Select {
  readonly name: string
  /** The name by default. */
  readonly id?: string
  readonly label: string
  readonly options: ReadonlyArray<{ readonly value: string; readonly label: string }>
  /** The selected value. */
  readonly chosen: string | undefined
}

export const select = ({ chosen, label, name, options, id = name }: Select): Html =>
  html` <div class="field">
    <label for="${id}">${label}</label>
    <select id="${id}" name="${name}">
      ${options.map((option) => html`<option value="${option.value}" ${option.value === chosen && html`selected`}>${option.label}</option>`)}
    </select>
  </div>`

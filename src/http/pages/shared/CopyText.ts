/** Text with a button that copies it. The button needs scripts. */
import { html } from "./Html.ts"
import type { Html } from "./Html.ts"
import type { Locale } from "./Locale.ts"

/** `named` is the id of the element that labels the text. Screen readers read it with the button. */
export const copyText = (options: {
  readonly id: string
  readonly named: string
  readonly text: string
  readonly locale: Locale
}): Html => {
  const { id, locale, named, text } = options
  return html`<div class="copy">
    <pre id="${id}">${text}</pre>
    <button
      type="button"
      class="secondary"
      data-copy="${id}"
      data-copied="${locale.text("copy.copied")}"
      data-selected="${locale.text("copy.selected")}"
      aria-describedby="${named}"
      hidden
    >
      ${locale.text("copy.copy")}
    </button>
  </div>`
}

/** Text to be taken elsewhere, with a button that copies it where scripts run. */
import { html } from "./Html.ts"
import type { Html } from "./Html.ts"
import type { Locale, Texts } from "./Locale.ts"

const en = { copy: "Copy", copied: "Copied" }

const texts: Texts<typeof en> = {
  en,
  de: { copy: "Kopieren", copied: "Kopiert" },
  fr: { copy: "Copier", copied: "Copié" },
  es: { copy: "Copiar", copied: "Copiado" }
}

/** `named` is the id of what says which text it is; whoever hears the page hears it with the button. */
export const copyText = (options: {
  readonly id: string
  readonly named: string
  readonly text: string
  readonly locale: Locale
}): Html => {
  const { id, locale, named, text } = options
  const { copied, copy } = texts[locale.language]
  return html`<div class="copy">
    <pre id="${id}">${text}</pre>
    <button
      type="button"
      class="secondary"
      data-copy="${id}"
      data-copied="${copied}"
      aria-describedby="${named}"
      hidden
    >
      ${copy}
    </button>
  </div>`
}

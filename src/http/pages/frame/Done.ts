/** What was just done, as the page says it that is shown afterwards. The address holds a word of a closed list, never a text. */
import { html } from "./Html.ts"
import type { Html } from "./Html.ts"

export const withDone = (path: string, word: string): string => `${path}?done=${word}`

/** `texts` has what each word says; any other word says nothing. */
export const doneNotice = (url: string, texts: Readonly<Record<string, string>>): Html | undefined => {
  const word = new URLSearchParams(url.split("?").slice(1).join("?")).get("done")
  const text = word !== null && Object.hasOwn(texts, word) ? texts[word] : undefined
  return text === undefined ? undefined : html`<p class="notice" role="status">${text}</p>`
}

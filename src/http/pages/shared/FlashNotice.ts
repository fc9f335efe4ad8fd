/**
 * A notice of a completed action, displayed on the page after it. The address holds a word of a closed list, never a text.
 */
import { html } from "./Html.ts"
import type { Html } from "./Html.ts"
import { paramsOf } from "./Query.ts"

export const withDone = (path: string, word: string): string => `${path}${path.includes("?") ? "&" : "?"}done=${word}`

/** The word in the address, if it is one of `words`. */
export const doneOf = <Word extends string>(url: string, words: ReadonlyArray<Word>): Word | undefined => {
  const given = paramsOf(url).get("done")
  return words.find((word) => word === given)
}

/** The notice for the word in the address; `textOf` gives its text. Unknown words give no notice. */
export const doneNotice = <Word extends string>(
  url: string,
  words: ReadonlyArray<Word>,
  textOf: (word: Word) => string
): Html | undefined => {
  const word = doneOf(url, words)
  return word === undefined ? undefined : said(textOf(word))
}

/** A notice that takes the focus when the page opens, so that screen readers read it first. */
export const said = (text: string | Html): Html =>
  html`<p class="notice" tabindex="-1" autofocus role="status">${text}</p>`

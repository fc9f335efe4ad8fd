/** What was just done, as the page says it that is shown afterwards. The address holds a word of a closed list, never a text. */
import { html } from "./Html.ts"
import type { Html } from "./Html.ts"
import { paramsOf } from "./Query.ts"

export const withDone = (path: string, word: string): string => `${path}?done=${word}`

/** The word in the address, if it is one of these. */
export const doneOf = <Word extends string>(url: string, words: ReadonlyArray<Word>): Word | undefined => {
  const given = paramsOf(url).get("done")
  return words.find((word) => word === given)
}

/** `textOf` is what each of the words says; any other word says nothing. */
export const doneNotice = <Word extends string>(
  url: string,
  words: ReadonlyArray<Word>,
  textOf: (word: Word) => string
): Html | undefined => {
  const word = doneOf(url, words)
  return word === undefined ? undefined : said(textOf(word))
}

/** That something was done. It has the focus when the page opens, so that whoever hears the page hears it first. */
export const said = (text: string | Html): Html =>
  html`<p class="notice" tabindex="-1" autofocus role="status">${text}</p>`

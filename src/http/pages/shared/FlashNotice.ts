/**
 * A notice of a completed action, displayed on the page after it. The address holds a word of a closed list, never a text.
 */
import * as EmailAddress from "../../../domain/access/EmailAddress.ts"
import { html } from "./Html.ts"
import type { Html } from "./Html.ts"
import { paramsOf } from "./Query.ts"

export const withDone = (path: string, word: string): string => `${path}${path.includes("?") ? "&" : "?"}done=${word}`

/**
 * Back to the form of a guest that was out of date, with the e-mail address that was entered in it. Not with other text: people
 * also type their password into that field, and browsers keep addresses.
 */
export const outOfDate = (path: string, email: string): string => {
  const kept = EmailAddress.mailable(email)
  return withDone(path, "out-of-date") + (kept === undefined ? "" : `&email=${encodeURIComponent(kept)}`)
}

/** The e-mail address of {@link outOfDate}. */
export const emailOf = (url: string): string | undefined => EmailAddress.mailable(paramsOf(url).get("email") ?? "")

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

/**
 * A notice of a completed action, displayed on the page after it. The address holds a word of a closed list, never a text.
 */
import { Schema } from "effect"
import * as EmailAddress from "../../../domain/access/EmailAddress.ts"
import { html } from "./Html.ts"
import type { Html } from "./Html.ts"
import { anyLength } from "../../shared/QueryParameters.ts"

export const withDone = (path: string, word: string): string => `${path}${path.includes("?") ? "&" : "?"}done=${word}`

/**
 * Back to the form of a guest that was out of date, with the e-mail address that was entered in it. Not with other text: people
 * also type their password into that field, and browsers keep addresses.
 */
export const outOfDate = (path: string, email: string): string => withAddress(path, "out-of-date", email)

const withAddress = (path: string, word: "out-of-date" | "sent", email: string): string => {
  const address = EmailAddress.mailable(email)
  return withDone(path, word) + (address === undefined ? "" : `&email=${encodeURIComponent(address)}`)
}

/** To the page that says to look into the mails of the address. */
export const sentTo = (path: string, email: string): string => withAddress(path, "sent", email)

/**
 * What the sign-in page says to who sent a form whose session had ended. The form may be the second of a double click, whose first
 * one ended the session: by a new password, or by closing the account.
 */
export const endings = ["ended", "ended-password", "ended-closing"] as const
export type Ending = (typeof endings)[number]

/** The parameter of {@link outOfDate} and {@link sentTo}. */
export const emailField = { email: Schema.optionalKey(Schema.String.check(Schema.isMaxCodePoints(anyLength))) }

/** The e-mail address of {@link outOfDate} and {@link sentTo}. */
export const emailOf = (email: string | undefined): string | undefined => EmailAddress.mailable(email ?? "")

/** The parameter of the address: one of the page's words. */
export const doneField = <const Words extends ReadonlyArray<string>>(words: Words) => ({
  done: Schema.optionalKey(Schema.Literals(words))
})

/**
 * The notice for the word of the address; `textOf` gives its text, and `refusals` are the words for what was not done. Other parts of a
 * page have notices for other words.
 */
export const doneNotice = <Word extends string>(
  done: string | undefined,
  words: ReadonlyArray<Word>,
  textOf: (word: Word) => string,
  refusals: ReadonlyArray<Word> = []
): Html | undefined => {
  const word = words.find((each) => each === done)
  if (word === undefined) return undefined
  return flashNotice(textOf(word), refusals.includes(word))
}

/** A notice that takes the focus when the page opens, so that screen readers read it first. */
export const flashNotice = (text: string | Html, isRefusal = false): Html =>
  html`<p class="notice${isRefusal && " refusal"}" tabindex="-1" autofocus role="status">${text}</p>`

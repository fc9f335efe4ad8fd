/** Third-party texts and links, marked as such, in any language and direction (D31, D49). */
import { html } from "./Html.ts"
import type { Html } from "./Html.ts"
import type { Locale } from "./Locale.ts"

/** Text among ours, whose direction keeps to itself. */
export const thirdPartyText = (text: string): Html => html`<bdi lang="" dir="auto">${text}</bdi>`

/** A name that somebody chose, in quotes, so that it does not read as a part of our own sentence. */
export const quoted = (name: string, { quotes: [open, close] }: Pick<Locale, "quotes">): Html =>
  html`${open}<bdi>${name}</bdi>${close}`

/**
 * As it is safe to be led to: on the web, and without a name before the host that could be taken for it. `undefined` for
 * anything else, such as a script.
 */
const address = (text: string | null): string | undefined => {
  const url = text === null ? null : URL.parse(text)
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:")) return undefined
  return url.username === "" && url.password === "" ? url.href : undefined
}

/**
 * A link out of here: it tells nobody where it was followed, gives nobody the window, and speaks for nobody. `otherwise`
 * stands where there is no address that could be followed.
 */
export const thirdPartyLink = (text: string | null, label: string | Html, otherwise?: Html): Html | undefined => {
  const href = address(text)
  return href === undefined
    ? otherwise
    : html`<a href="${href}" class="outward" rel="noopener noreferrer nofollow ugc">${label}</a>`
}

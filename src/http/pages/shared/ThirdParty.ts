/** Third-party texts and links, isolated in language and direction (D31, D49). */
import * as HostParts from "../../../domain/HostParts.ts"
import { html } from "./Html.ts"
import type { Html } from "./Html.ts"
import type { Locale } from "./Locale.ts"

/** Isolates the direction of a text within a sentence. */
export const thirdPartyText = (text: string): Html => html`<bdi lang="" dir="auto">${text}</bdi>`

/** A name chosen by a third party, in quotation marks, so that it cannot be read as part of the sentence. */
export const quoted = (name: string, { quotes: [open, close] }: Pick<Locale, "quotes">): Html =>
  html`${open}<bdi>${name}</bdi>${close}`

/** A host with its registrable domain in bold: its owner chooses the rest. */
export const hostOf = (host: string): Html => {
  const { after, before, owner } = HostParts.of(host)
  return html`<bdi class="host">${before}<strong>${owner}</strong>${after}</bdi>`
}

/**
 * An http(s) address without user info, which could be mistaken for the host. `undefined` for anything else, such as
 * `javascript:`.
 */
const address = (text: string | null): string | undefined => {
  const url = text === null ? null : URL.parse(text)
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:")) return undefined
  return url.username === "" && url.password === "" ? url.href : undefined
}

/**
 * An external link without referrer, without access to this window, and without endorsement in search engines. `otherwise`
 * replaces the link if there is no safe address.
 */
export const thirdPartyLink = (text: string | null, label: string | Html, otherwise?: Html): Html | undefined => {
  const href = address(text)
  return href === undefined
    ? otherwise
    : html`<a href="${href}" class="outward" rel="noopener noreferrer nofollow ugc">${label}</a>`
}

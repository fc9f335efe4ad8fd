/**
 * An image of the catalog: loaded from where its store has it, when it comes into sight, without telling from where it
 * was asked for. What cannot be loaded leaves the placeholder beneath it to be seen.
 */
import { html } from "./Html.ts"
import type { Html } from "./Html.ts"

export interface Picture {
  readonly src: string | null
  /** Width to height. */
  readonly ratio: "square" | "wide"
}

/** The page's policy refuses anything but https, and an address with a name or password in it is no image of a store. */
const address = (src: string | null): string | undefined => {
  const url = src === null ? null : URL.parse(src)
  return url !== null && url.protocol === "https:" && url.username === "" && url.password === "" ? url.href : undefined
}

/** Says nothing to who hears the page: what stands beside it says what is in it, as far as anybody knows. */
export const picture = ({ ratio, src }: Picture): Html => {
  const href = address(src)
  return html`<div class="picture ${ratio}">
    ${href !== undefined && html`<img src="${href}" alt="" loading="lazy" decoding="async" referrerpolicy="no-referrer" />`}
  </div>`
}

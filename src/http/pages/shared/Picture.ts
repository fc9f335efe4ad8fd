/**
 * An image of the catalog, loaded lazily from the store's server without a referrer. If it cannot be loaded, the
 * placeholder behind it stays visible.
 */
import * as DemoPictures from "../../../domain/catalog/PictureNames.ts"
import { html } from "./Html.ts"
import type { Html } from "./Html.ts"

export interface Picture {
  readonly src: string | null
  /** The aspect ratio. */
  readonly ratio: "square" | "wide"
}

/**
 * The content security policy allows only https and this origin, which has the images of the demo data. An address with
 * user info is refused.
 */
const address = (src: string | null): string | undefined => {
  const url = src === null ? null : URL.parse(src)
  if (url === null || url.username !== "" || url.password !== "") return undefined
  if (url.protocol === "https:") return url.href
  return DemoPictures.isPath(url.pathname) ? url.pathname : undefined
}

/** The image has an empty `alt`: the text beside it says what is known about it. */
export const picture = ({ ratio, src }: Picture): Html => {
  const href = address(src)
  return html`<div class="picture ${ratio}">
    ${href !== undefined && html`<img src="${href}" alt="" loading="lazy" decoding="async" referrerpolicy="no-referrer" />`}
  </div>`
}

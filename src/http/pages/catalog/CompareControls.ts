/** The controls that choose stores to compare (D117): a box at each store, and one form for all boxes of a page. */
import { html } from "../shared/Html.ts"
import type { Html } from "../shared/Html.ts"
import type { Locale } from "../shared/Locale.ts"

export const comparePath = "/dashboard/compare"

/** Stores side by side. */
export const maxCompared = 5

const formId = "compare"

export const compareBox = (
  { id, name }: { readonly id: number; readonly name: string },
  { text }: Pick<Locale, "text">
): Html =>
  html`<input
    type="checkbox"
    class="compare"
    form="${formId}"
    name="shop_ids"
    value="${id}"
    aria-label="${text("compare.choose", { name })}"
  />`

/** To be on the page once, after the boxes. */
export const compareForm = ({ text }: Pick<Locale, "text">): Html =>
  html`<form method="get" action="${comparePath}" id="${formId}" class="compare-form">
    <button type="submit" class="secondary outline">${text("compare.submit")}</button>
    <span class="aside">${text("compare.most", { most: maxCompared })}</span>
  </form>`

/** The address of the comparison of these stores. */
export const compareHref = (ids: ReadonlyArray<number>): string =>
  ids.length === 0 ? comparePath : `${comparePath}?shop_ids=${ids.join(",")}`

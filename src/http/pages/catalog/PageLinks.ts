/** Links to the other pages of a list with numbered pages. */
import { Schema } from "effect"
import { html } from "../shared/Html.ts"
import type { Html } from "../shared/Html.ts"
import type { Locale } from "../shared/Locale.ts"
import { PathId } from "../shared/PathId.ts"

/** The parameter of an address: a number from 1 to `last`. */
export const pageField = (last: number) => ({
  page: Schema.optionalKey(PathId.check(Schema.isBetween({ minimum: 1, maximum: last })))
})

/** The numbers of the first and the last page and of those around the current one; `undefined` is a gap. */
const window = (page: number, count: number): ReadonlyArray<number | undefined> => {
  const shown = Array.from({ length: count }, (_, index) => index + 1).filter(
    (each) => each === 1 || each === count || Math.abs(each - page) <= 1
  )
  return shown.flatMap((each, index) =>
    index > 0 && each - (shown[index - 1] ?? each) > 1 ? [undefined, each] : [each]
  )
}

/** Returns nothing for a single page. `page` may be after the last one. */
export const pageLinks = (options: {
  readonly page: number
  readonly last: number
  readonly hrefOf: (page: number) => string
  /** What is paged, where a page has several lists. */
  readonly of?: string
  readonly locale: Locale
}): Html | undefined => {
  const { hrefOf, last, locale, of, page } = options
  const { text } = locale
  const label =
    of === undefined ? text("pageLinks.pages") : text("layout.labeled", { label: text("pageLinks.pages"), value: of })
  if (last <= 1 && page === 1) return undefined
  return html`<nav class="paging" aria-label="${label}">
    <ul>
      ${page > 1 && html`<li><a rel="prev" href="${hrefOf(Math.min(page - 1, last))}">${text("pageLinks.previous")}</a></li>`}
      ${window(page, last).map((each) =>
        each === undefined
          ? html`<li aria-hidden="true">…</li>`
          : html`<li>
              <a
                href="${hrefOf(each)}"
                aria-label="${text("pageLinks.pageOf", { page: each, pages: last })}"
                ${each === page && html` aria-current="page"`}
                >${locale.number(each)}</a
              >
            </li>`
      )}
      ${page < last && html`<li><a rel="next" href="${hrefOf(page + 1)}">${text("pageLinks.next")}</a></li>`}
    </ul>
  </nav>`
}

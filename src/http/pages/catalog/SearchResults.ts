/** The results of a search: their number, the cards, links to the other pages, and the same search for an agent. */
import * as Page from "../../../domain/search/Page.ts"
import type { AdPagination, Pagination } from "../../../domain/search/Page.ts"
import type { SearchAddress } from "../../../domain/search/SearchAddress.ts"
import type { Reason } from "../../../domain/search/AdNotice.ts"
import type { Popular } from "../../../services/search/Vocabulary.ts"
import * as FilterChips from "./FilterChips.ts"
import { copyText } from "../shared/CopyText.ts"
import { html } from "../shared/Html.ts"
import type { Html } from "../shared/Html.ts"
import type { Locale } from "../shared/Locale.ts"
import { warningLines } from "./WarningTexts.ts"
import { pageLinks } from "./PageLinks.ts"
import type { Subject } from "./FilterForm.ts"

export interface Found {
  readonly subject: Subject
  /** The tool that returns the same results. */
  readonly tool: string
  readonly path: string
  readonly address: SearchAddress
  readonly locale: Locale
  readonly popular: Popular
  /** In canonical form. */
  readonly args: Readonly<Record<string, unknown>>
  /** Absent without results. */
  readonly list: Html | undefined
  readonly pagination: Pagination | AdPagination
  /** In the visitor's language: what was not understood, or has no effect. */
  readonly warnings: ReadonlyArray<string>
  /** Likewise: what the list leaves out, or how it compares. They are below it, so that it begins at the top (D119). */
  readonly remarks: ReadonlyArray<string>
  /** What can be done with the search. */
  readonly actions: Html
  readonly reasons: ReadonlyArray<Reason>
  /** The date of the data, `YYYY-MM-DD`. */
  readonly asOf: string | null
}

/** The number of items that are paged: stores if there is one ad of each. */
const countOf = ({ pagination }: Found): number =>
  "matching_shops" in pagination && pagination.matching_shops !== undefined
    ? pagination.matching_shops
    : pagination.total

/** How many pages can be requested. */
const pageCount = (found: Found): number =>
  Math.max(1, Math.min(Page.lastPage, Math.ceil(countOf(found) / found.pagination.per_page)))

const hrefOf = (found: Found, page: number): string =>
  FilterChips.hrefOf(found, found.address.canonical({ ...found.args, page }))

const summary = (found: Found): Html => {
  const { locale, pagination, subject } = found
  const { text } = locale
  const total = text(`search.total.${subject}`, { count: pagination.total })
  const isGrouped = "mode" in pagination && pagination.mode === "grouped_by_shop" && pagination.total > 0
  const stores = text("search.stores", { count: countOf(found) })
  return html`<div class="found">
    <p class="total" role="status">${isGrouped ? text("search.grouped", { ads: total, stores }) : total}</p>
    ${found.actions}
  </div>`
}

/** What is said of the list below it; of a search without results, all of it is above. */
const notes = (found: Found): Html => {
  const { asOf, locale, pagination, remarks } = found
  const { text } = locale
  const isGrouped = "mode" in pagination && pagination.mode === "grouped_by_shop" && found.list !== undefined
  return html`${isGrouped && html`<p class="aside">${text("search.onePerStore")}</p>`}
  ${
    remarks.length > 0 &&
    html`<div class="aside remarks" role="note">${remarks.map((remark) => html`<p dir="auto">${remark}</p>`)}</div>`
  }
  ${asOf !== null && html`<p class="aside">${text("search.asOf", { day: locale.date(asOf) })}</p>`}`
}

const paging = (found: Found): Html => {
  const { locale, pagination } = found
  const last = pageCount(found)
  const isCut = countOf(found) > Page.lastPage * pagination.per_page
  return html`${pageLinks({ page: pagination.page, last, hrefOf: (page) => hrefOf(found, page), locale })}
  ${
    isCut &&
    pagination.page === last &&
    html`<p class="aside">${locale.text("search.listed", { shown: Page.lastPage * pagination.per_page })}</p>`
  }`
}

const emptyState = (found: Found): Html => {
  const { locale, reasons, subject } = found
  const { text } = locale
  if (countOf(found) > 0) {
    return html`<div class="empty">
      <p>${text("search.pastLast")}</p>
      <p><a href="${hrefOf(found, 1)}">${text("search.toFirst")}</a></p>
    </div>`
  }
  // All that match are ads without a store: a warning says so, and how to see them.
  if (found.pagination.total > 0) return html``
  const filters = FilterChips.wholeFilters(found)
  if (filters.length === 0) return html`<div class="empty"><p>${text("search.noneYet")}</p></div>`
  return html`<div class="empty">
    <h2>${text(`search.nothing.${subject}`)}</h2>
    ${reasons.map((reason) => reason !== "past_the_last_result" && html`<p>${text(`search.reasons.${reason}`)}</p>`).filter((reason) => reason !== false)}
    <p>${text("search.leaveOut")}</p>
    <ul class="instead">
      ${filters.map(({ href, label }) => html`<li><a href="${href}">${text("search.without", { filter: label })}</a></li>`)}
    </ul>
  </div>`
}

/** The message by which a client makes exactly this search. Pages and tools have different numbers of results by default. */
const toolCall = ({ args, pagination, tool }: Found): string => {
  const size = pagination.per_page
  const exact = size === Page.window({}).perPage ? args : { ...args, per_page: size }
  return JSON.stringify(
    { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: tool, arguments: exact } },
    null,
    2
  )
}

const toolCallPanel = (found: Found): Html => {
  const { text } = found.locale
  return html`<details class="tool-call">
    <summary>${text("search.toolCall")}</summary>
    <p class="aside" id="tool-call-about">${text("search.toolCallHint", { tool: found.tool })}</p>
    ${copyText({ id: "tool-call", named: "tool-call-about", text: toolCall(found), locale: found.locale })}
  </details>`
}

export const cards = (all: ReadonlyArray<Html>): Html =>
  html`<ul class="cards">
    ${all}
  </ul>`

export const results = (found: Found): Html =>
  html`${summary(found)} ${warningLines(found.warnings)} ${found.list ?? emptyState(found)}
  ${found.list !== undefined && paging(found)} ${notes(found)} ${toolCallPanel(found)}`

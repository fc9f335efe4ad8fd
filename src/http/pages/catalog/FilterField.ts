/** What the fields of a search's form share: their context, labels, errors, hints and counts. */
import { textOf } from "../../../domain/ArgumentIssue.ts"
import type { ArgumentIssue } from "../../../domain/ArgumentIssue.ts"
import type { AdQuery } from "../../../domain/search/AdQuery.ts"
import type { MarketQuery } from "../../../domain/search/MarketQuery.ts"
import type { ProductQuery } from "../../../domain/search/ProductQuery.ts"
import type { Kind } from "../../../domain/search/SearchAddress.ts"
import type { Counts } from "../../../services/search/FilterCounts.ts"
import { html } from "../shared/Html.ts"
import type { Html } from "../shared/Html.ts"
import type { Locale } from "../shared/Locale.ts"

/** Of all pages with a form of filters. */
export type ArgumentName = keyof AdQuery | keyof ProductQuery | keyof typeof MarketQuery.Type

/** What was typed. */
export interface Typed {
  /** Of a field with one value, such as `monthly_revenue.min`. */
  value(field: string): string | undefined
  /** Of a list: names, and ids of niches. */
  entries(name: string): ReadonlyArray<string | number>
}

export const isTyped = (typed: Typed, field: string): boolean => typed.value(field) !== undefined

export interface Context {
  readonly locale: Locale
  readonly typed: Typed
  readonly issues: ReadonlyArray<ArgumentIssue>
  /** Absent when no search was made. */
  readonly counts?: Counts | undefined
}

export interface Named extends Context {
  readonly name: ArgumentName
  readonly kind: Kind
}

interface FieldNotice {
  readonly error: Html | undefined
  /** The ARIA attributes of the field, by which it refers to its error. */
  readonly attributes: Html | undefined
}

/** Whether what was typed into the field "From" is above what was typed into "To". */
export const isReversed = ({ code }: ArgumentIssue): boolean => code === "min_above_max" || code === "from_after_to"

/** What is wrong, in the words of the fields. */
export const sentenceOf = (issue: ArgumentIssue, locale: Locale): string => {
  if (!isReversed(issue)) return textOf(issue, locale)
  const { from, max, min, to } = issue.params
  return locale.text("search.boundsReversed", { from: String(min ?? from), to: String(max ?? to) })
}

/** What is wrong with a field, or with an entry of a list. */
export const noticeOf = ({ issues, locale }: Context, field: string, withEntries = false): FieldNotice => {
  const fieldIssues = issues.filter(
    ({ path }) =>
      path === field || (withEntries && path.startsWith(`${field}.`) && /^\d+$/u.test(path.slice(field.length + 1)))
  )
  return fieldIssues.length === 0
    ? { error: undefined, attributes: undefined }
    : {
        error: html`<p class="error" id="${field}-error">
          ${fieldIssues.map((issue) => html`<span data-issue="${issue.path}">${sentenceOf(issue, locale)}</span> `)}
        </p>`,
        attributes: html` aria-invalid="true" aria-describedby="${field}-error"`
      }
}

export const hintOf = ({ locale, name }: Named): Html | undefined => {
  const hint = locale.textOr(`filter.hints.${name}`, "")
  return hint === "" ? undefined : html`<p class="hint">${hint}</p>`
}

/** The id of the text that explains the counts. */
export const countsId = "filter-counts"

/** The blank separates the words of a label from its number where it is read aloud. */
export const counted = (count: number | undefined, locale: Locale): Html | undefined =>
  count === undefined ? undefined : html` <span>${locale.number(count)}</span>`

/** A value of an argument in the visitor's words; what has none, such as `Shop Now`, stays as it is. */
export const labelOf = (locale: Locale, name: ArgumentName, value: string): string => {
  switch (name) {
    case "languages":
      return locale.languageName(value)
    case "media_types":
      return locale.textOr(`card.mediaTypes.${value}`, value)
    case "group_by":
      return locale.textOr(`market.groupings.${value}`, value)
    case "sort_by":
      return locale.textOr(`filter.sorts.${value}`, value)
    case "sort_order":
      return locale.textOr(`filter.orders.${value}`, value)
    case "change_over":
      return locale.textOr(`filter.spans.${value}`, value)
    case "status":
      return locale.textOr(`filter.statuses.${value}`, value)
    default:
      return value
  }
}

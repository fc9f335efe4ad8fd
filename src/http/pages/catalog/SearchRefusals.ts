/** What a page with filters says of an address without results: what is wrong with it, and how to ask for less. */
import type { ArgumentIssue } from "../../../domain/ArgumentIssue.ts"
import type { Advice } from "../../../domain/search/Narrowing.ts"
import { maxAddress } from "../../../domain/search/SavedSearch.ts"
import { isReversed, sentenceOf } from "./FilterField.ts"
import type { Typed } from "./FilterField.ts"
import { isArgument, places } from "./FilterForm.ts"
import { refusal } from "../shared/Fields.ts"
import type { Problem, Refusal } from "../shared/Fields.ts"
import { html } from "../shared/Html.ts"
import type { Html } from "../shared/Html.ts"
import type { Locale } from "../shared/Locale.ts"

export const invalid = (issues: ReadonlyArray<ArgumentIssue>, locale: Locale, typed: Typed): Refusal =>
  refusal(400, { message: locale.text("search.invalid") }, ...issues.map((issue) => problemOf(issue, locale, typed)))

export const tooLong = (length: number, { text }: Locale): Refusal =>
  refusal(414, { message: text("search.tooLong", { length, limit: maxAddress }) })

/** The field of the issue, if there is one, and what is wrong with it. */
const problemOf = (issue: ArgumentIssue, locale: Locale, typed: Typed): Problem => {
  const { path } = issue
  const { text } = locale
  const [name = "", part = ""] = path.split(".")
  const sentence = sentenceOf(issue, locale)
  // The name of another page's argument, or of a part that the argument does not have, is no field of this page.
  const isUnknown = issue.code === "unknown_argument" || issue.code === "argument_not_among"
  if (isUnknown || !isArgument(name)) return { message: text("layout.labeled", { label: path, value: sentence }) }
  const [from, to] = [text("filter.from"), text("filter.to")]
  const ends: Readonly<Record<string, string>> = { min: from, from, max: to, to }
  const end = Object.hasOwn(ends, part) ? ends[part] : undefined
  // The entry of a list, unless the text of the issue repeats it.
  const entry =
    /^\d+$/u.test(part) && issue.params["value"] === undefined ? typed.entries(name)[Number(part)] : undefined
  const about = [
    text(`filter.names.${name}`),
    ...(end === undefined ? [] : [end]),
    ...(entry === undefined ? [] : [locale.quotes.join(String(entry))])
  ]
  const label = isReversed(issue) ? text(`filter.names.${name}`) : about.join(", ")
  const message = text("layout.labeled", { label, value: sentence })
  const problem = { message }
  return places[name] === "links" ? problem : { ...problem, field: end === undefined ? name : path }
}

export const tooSlow = ({ hasFilter, latePage, words }: Advice, { text }: Locale): Html =>
  html`<div class="panel" role="alert">
    <h2>${text("search.tooSlow")}</h2>
    ${words !== "none" && html`<p>${text(`search.words.${words}`)}</p>`}
    <p>${text(hasFilter ? "search.narrowFilter" : "search.addFilter")}</p>
    ${latePage !== undefined && html`<p>${text("search.earlierPage")}</p>`}
  </div>`

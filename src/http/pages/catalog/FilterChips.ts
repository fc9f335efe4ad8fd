/** The active filters, each with the address of the search without it. */
import { Result } from "effect"
import { textOf } from "../../../domain/ArgumentIssue.ts"
import type { ArgumentIssue } from "../../../domain/ArgumentIssue.ts"
import { searchKinds } from "../../../domain/search/SavedSearch.ts"
import type { SearchAddress } from "../../../domain/search/SearchAddress.ts"
import type { SearchKey } from "../../../services/accounts/SavedSearches.ts"
import type { Popular } from "../../../services/search/Vocabulary.ts"
import { labelOf } from "./FilterField.ts"
import type { ArgumentName } from "./FilterField.ts"
import { places } from "./FilterForm.ts"
import { html } from "../shared/Html.ts"
import type { Html } from "../shared/Html.ts"
import { sections } from "../shared/Layout.ts"
import type { Locale } from "../shared/Locale.ts"

type Arguments = Readonly<Record<string, unknown>>

export interface Chip {
  readonly label: string
  /** The first page of the search without the filter. */
  readonly href: string
}

export interface Context {
  readonly path: string
  readonly address: SearchAddress
  readonly locale: Locale
  readonly popular: Popular
  /** In canonical form. */
  readonly args: Arguments
}

/** The address of a page of the site. */
export const hrefOf = ({ address, path }: Pick<Context, "address" | "path">, args: Arguments): string => {
  const query = address.toAddress(args)
  return query === "" ? path : `${path}?${query}`
}

const without = (args: Arguments, name: string): Arguments =>
  Object.fromEntries(Object.entries(args).filter(([other]) => other !== name && other !== "page"))

/** Arguments that stay when all filters are removed. */
const settings: ReadonlySet<string> = new Set([
  "sort_by",
  "sort_order",
  "change_over",
  "per_page",
  "group_by",
  "niche_level",
  "limit"
])

/** Whether the argument is a filter; the others set the order and number of results. */
const isFilter = (name: string): name is ArgumentName =>
  Object.hasOwn(places, name) && name !== "page" && !settings.has(name)

const entryName = ({ locale, popular }: Context, name: ArgumentName, entry: unknown): string => {
  if (name === "niches" && (typeof entry === "string" || typeof entry === "number")) {
    return popular.nicheName(entry) ?? String(entry)
  }
  const value = String(entry)
  return name === "countries" ? locale.countryName(value) : labelOf(locale, name, value)
}

/** `5 to 10`, or what is said of one end. */
const bounds = ({ locale }: Context, value: object): string => {
  const { text } = locale
  const ends = new Map(
    Object.entries(value).map(([part, bound]: [string, unknown]) => [
      part === "min" || part === "from" ? "from" : "to",
      typeof bound === "number" ? locale.number(bound) : locale.date(String(bound))
    ])
  )
  const [from, to] = [ends.get("from"), ends.get("to")]
  if (from !== undefined && to !== undefined) return text("filter.between", { from, to })
  return from === undefined ? text("filter.atMost", { value: to ?? "" }) : text("filter.atLeast", { value: from })
}

/** With more values than this in total, an array is one chip, because each chip has a whole address. */
const maxChips = 30

const labeled = (context: Context, name: ArgumentName, value: string): string =>
  name === "query"
    ? context.locale.quotes.join(value)
    : context.locale.text("layout.labeled", { label: context.locale.text(`filter.names.${name}`), value })

const chipsOf = (context: Context, name: ArgumentName, value: unknown, isCrowded: boolean): ReadonlyArray<Chip> => {
  const { args } = context
  const rest = without(args, name)
  if (value === true) return [{ label: context.locale.text(`filter.names.${name}`), href: hrefOf(context, rest) }]
  if (!Array.isArray(value)) {
    const shown = typeof value === "object" && value !== null ? bounds(context, value) : entryName(context, name, value)
    return [{ label: labeled(context, name, shown), href: hrefOf(context, rest) }]
  }
  const entries: ReadonlyArray<unknown> = value
  if (isCrowded && entries.length > 1) {
    const shown = context.locale.text("search.several", { count: entries.length })
    return [{ label: labeled(context, name, shown), href: hrefOf(context, rest) }]
  }
  return entries.map((entry) => {
    const others = entries.filter((other) => other !== entry)
    return {
      label: labeled(context, name, entryName(context, name, entry)),
      href: hrefOf(context, others.length === 0 ? rest : { ...rest, [name]: others })
    }
  })
}

const filtersOf = ({ args }: Context): ReadonlyArray<readonly [ArgumentName, unknown]> =>
  Object.entries(args).flatMap(([name, value]) => (isFilter(name) ? [[name, value] as const] : []))

/** One chip for each value, without the arguments of `others`. */
const chips = (context: Context, others: ReadonlySet<string> = new Set()): ReadonlyArray<Chip> => {
  const filters = filtersOf(context).filter(([name]) => !others.has(name))
  const values = filters.reduce((sum, [, value]) => sum + (Array.isArray(value) ? value.length : 1), 0)
  return filters.flatMap(([name, value]) => chipsOf(context, name, value, values > maxChips))
}

/** Describes a saved search in words; of one that is no longer valid, what is wrong with it. */
export const summary = (
  { query, subject }: SearchKey,
  { locale, popular }: Pick<Context, "locale" | "popular">
): string => {
  const { address, decode } = searchKinds[subject]
  const decoded: Result.Result<object, ReadonlyArray<ArgumentIssue>> = decode(query)
  if (Result.isFailure(decoded)) {
    return decoded.failure.map((issue) => `${issue.path}: ${textOf(issue, locale)}`).join(" · ")
  }
  const args = decoded.success
  const applied = chips({ path: sections[subject], address, locale, popular, args: address.canonical(args) })
  return applied.length === 0 ? locale.text("saved.noFilters") : applied.map(({ label }) => label).join(" · ")
}

/** One chip for each filter: suggestions of what to remove from a search without results. */
export const wholeFilters = (context: Context): ReadonlyArray<Chip> =>
  filtersOf(context).flatMap(([name, value]) => {
    const [first, ...others] = chipsOf(context, name, value, true)
    return first === undefined || others.length > 0 ? [] : [first]
  })

/** `quick` are the arguments whose values quick filters show. */
export const chipBar = (context: Context, quick: ReadonlySet<string> = new Set()): Html | undefined => {
  const applied = chips(context, quick)
  if (applied.length === 0 && quick.size === 0) return undefined
  const { text } = context.locale
  const order = Object.fromEntries(Object.entries(context.args).filter(([name]) => settings.has(name)))
  return html`<nav class="chips" aria-label="${text("search.active")}">
    <ul>
      ${applied.map(({ href, label }) => html`<li><a href="${href}" class="chip" aria-label="${text("search.remove", { filter: label })}">${label}</a></li>`)}
      <li><a href="${hrefOf(context, order)}">${text("search.clear")}</a></li>
    </ul>
  </nav>`
}

/** The fields of a search's form, each as its argument is written (domain/search/SearchAddress.ts). */
import { Schema } from "effect"
import { textOf } from "../../../domain/ArgumentIssue.ts"
import type { ArgumentIssue } from "../../../domain/ArgumentIssue.ts"
import { countryCodes, currencyCodes } from "../../../domain/catalog/Iso.ts"
import { adStatuses, mediaTypes } from "../../../domain/catalog/Enumerations.ts"
import type { AdQuery } from "../../../domain/search/AdQuery.ts"
import { adSorts } from "../../../domain/search/AdQuery.ts"
import { defaults, SortOrder } from "../../../domain/search/Arguments.ts"
import * as Market from "../../../domain/search/MarketOverview.ts"
import type { MarketQuery } from "../../../domain/search/MarketOverview.ts"
import * as Page from "../../../domain/search/Page.ts"
import { productSorts } from "../../../domain/search/ProductQuery.ts"
import { shopSorts } from "../../../domain/search/ShopQuery.ts"
import type { ProductQuery } from "../../../domain/search/ProductQuery.ts"
import type { Kind } from "../../../domain/search/SearchAddress.ts"
import { written } from "../../../domain/search/SearchAddress.ts"
import type { Counts } from "../../../services/search/FilterCounts.ts"
import type { Popular } from "../../../services/search/Vocabulary.ts"
import { html } from "../shared/Html.ts"
import type { Html } from "../shared/Html.ts"
import { languageName } from "../shared/LanguageNames.ts"
import type { Locale } from "../shared/Locale.ts"

/** Of all pages with a form of filters. */
export type ArgumentName = keyof AdQuery | keyof ProductQuery | keyof MarketQuery

/** What was typed. */
export interface Typed {
  /** Of a field with one value, such as `monthly_revenue.min`. */
  value(field: string): string | undefined
  /** Of a list: names, and ids of niches. */
  entries(name: string): ReadonlyArray<string | number>
}

export const isTyped = (typed: Typed, field: string): boolean => typed.value(field) !== undefined

interface Context {
  readonly locale: Locale
  readonly typed: Typed
  readonly issues: ReadonlyArray<ArgumentIssue>
  /** None of a search that was not made. */
  readonly counts?: Counts | undefined
}

interface Named extends Context {
  readonly name: ArgumentName
  readonly kind: Kind
}

/** Line breaks are lost in a field of one line, and with them where one word ends. */
const oneLine = (text: string): string => text.replaceAll(/[\r\n]+/gu, " ")

interface Told {
  readonly error: Html | undefined
  /** Of the field that has it. */
  readonly attributes: Html | undefined
}

/** What is wrong with a field, or with an entry of a list. */
const told = ({ issues, locale }: Context, field: string, withEntries = false): Told => {
  const found = issues.filter(
    ({ path }) =>
      path === field || (withEntries && path.startsWith(`${field}.`) && /^\d+$/u.test(path.slice(field.length + 1)))
  )
  return found.length === 0
    ? { error: undefined, attributes: undefined }
    : {
        error: html`<p class="error" id="${field}-error">
          ${found.map((issue) => html`<span data-issue="${issue.path}">${textOf(issue, locale)}</span> `)}
        </p>`,
        attributes: html` aria-invalid="true" aria-describedby="${field}-error"`
      }
}

const hintOf = ({ locale, name }: { readonly locale: Locale; readonly name: ArgumentName }): Html | undefined => {
  const hint = locale.textOr(`filter.hints.${name}`, "")
  return hint === "" ? undefined : html`<p class="hint">${hint}</p>`
}

export const words = (context: Context & { readonly placeholder: string }): Html => {
  const { attributes, error } = told(context, "query")
  return html`<div>
    <label for="query">${context.locale.text("filter.names.query")}</label>
    ${error}
    <input
      type="search"
      id="query"
      name="query"
      placeholder="${context.placeholder}"
      autocomplete="off"
      value="${oneLine(context.typed.value("query") ?? "")}"
      ${attributes}
    />
  </div>`
}

/** A value to choose. */
interface Option {
  readonly value: string
  readonly label: string
  /** How many results it would leave. */
  readonly count?: number | undefined
}

const isMediaType = Schema.is(Schema.Literals(mediaTypes))
const isSort = Schema.is(Schema.Literals([...adSorts, ...productSorts, ...shopSorts, ...Market.marketSorts]))
const isGrouping = Schema.is(Schema.Literals(Market.groupings))
const isSortOrder = Schema.is(SortOrder)
const isStatus = Schema.is(Schema.Literals(["all", ...adStatuses]))

/** A value of an argument in the visitor's words; what has none, such as `Shop Now`, stays as it is. */
export const labelOf = (locale: Locale, name: ArgumentName, value: string): string => {
  switch (name) {
    case "languages":
      return languageName(locale, value)
    case "media_types":
      return isMediaType(value) ? locale.text(`card.mediaTypes.${value}`) : value
    case "group_by":
      return isGrouping(value) ? locale.text(`market.groupings.${value}`) : value
    case "sort_by":
      return isSort(value) ? locale.text(`filter.sorts.${value}`) : value
    case "sort_order":
      return isSortOrder(value) ? locale.text(`filter.orders.${value}`) : value
    case "status":
      return isStatus(value) ? locale.text(`filter.statuses.${value}`) : value
    default:
      return value
  }
}

/** The choices for numbers. */
const numbers: Readonly<Partial<Record<ArgumentName, ReadonlyArray<string>>>> = {
  per_page: ["10", "15", "20", "25"],
  niche_level: ["1", "2", "3", "4"],
  limit: ["10", "20", "50"]
}

const absent: Readonly<Partial<Record<ArgumentName, string>>> = {
  status: defaults.status,
  sort_by: defaults.sort_by,
  sort_order: defaults.sort_order,
  per_page: String(Page.window({}).perPage)
}

/** A choice among a few values. Another value of the address is an option too, so that sending the form does not lose it. */
export const choice = (context: Named): Html => {
  const { counts, kind, locale, name, typed } = context
  const { attributes, error } = told(context, name)
  const withCount = (value: string) => {
    const count = counts?.(name, value)
    return `${labelOf(locale, name, value)}${count === undefined ? "" : ` (${locale.number(count)})`}`
  }
  const values = kind._tag === "Choice" ? kind.values : (numbers[name] ?? [])
  const chosen = typed.value(name) ?? absent[name] ?? ""
  const all = values.includes(chosen) ? values : [...values, chosen]
  return html`<div>
    <label for="${name}">${locale.text(`filter.names.${name}`)}</label>
    ${error}
    <select id="${name}" name="${name}" ${attributes}>
      ${all.map((value) => html`<option value="${value}" ${value === chosen && html` selected`}>${withCount(value)}</option>`)}
    </select>
  </div>`
}

const part = (context: Named, field: string, label: string, type: "Text" | "Number"): Html => {
  const { name, typed } = context
  const { attributes } = told(context, field)
  const value = html`id="${field}" name="${field}" value="${typed.value(field) ?? ""}" autocomplete="off"${attributes}`
  if (type === "Text") {
    // A date field drops an invalid text, so that nobody would see what was typed.
    const isDay = attributes === undefined
    return html`<label>${label}<input type="${isDay ? "date" : "text"}" ${value} /></label>`
  }
  // Not of the type "number", for the same reason.
  const mode = name !== "traffic_growth_pct" && html` inputmode="decimal"`
  return html`<label
    ><span class="unseen">${label}</span><input type="text" placeholder="${label}" ${mode} ${value}
  /></label>`
}

const parts = (context: Named, kind: Extract<Kind, { readonly _tag: "Parts" }>, isAlone: boolean): Html => {
  const { locale, name } = context
  const { text } = locale
  const names = Object.entries(kind.parts)
  return html`<fieldset id="${name}">
    <legend${isAlone && html` class="unseen"`}>${text(`filter.names.${name}`)}</legend>
    ${hintOf(context)}${told(context, name).error}${names.map(([each]) => told(context, `${name}.${each}`).error).filter((error) => error !== undefined)}
    <div class="pair${names.some(([, type]) => type === "Text") && " days"}">
      ${names.map(([each, type], index) => part(context, `${name}.${each}`, index === 0 ? text("filter.from") : text("filter.to"), type))}
    </div>
  </fieldset>`
}

/** The id of the text that explains the counts. */
export const countsId = "filter-counts"

/** The blank separates the words of a label from its number where it is read aloud. */
const counted = (count: number | undefined, locale: Locale): Html | undefined =>
  count === undefined ? undefined : html` <span>${locale.number(count)}</span>`

const flag = (context: Named): Html => {
  const { counts, locale, name, typed } = context
  const { attributes, error } = told(context, name)
  const checked = (typed.value(name) === "true" || error !== undefined) && html` checked`
  const input = html`<input type="checkbox" id="${name}" name="${name}" value="true" ${checked}${attributes} />`
  return html`<fieldset>
    ${error}
    <div class="options">
      <label>${input}${locale.text(`filter.names.${name}`)}${counted(counts?.(name, "true"), locale)}</label>
    </div>
  </fieldset>`
}

/** Of the values without an option, at most this many are shown. */
const maxOthers = 100

/** Short markup, because a page has hundreds of them. */
const checkbox = (name: string, { count, label, value }: Option, isChecked: boolean, locale: Locale): Html => {
  const checked = isChecked && html` checked`
  const input = html`<input type="checkbox" name="${name}" value="${value}" ${checked} />`
  return html`<label>${input}${label}${counted(count, locale)}</label>`
}

const checklist = (
  context: Named,
  options: ReadonlyArray<Option>,
  {
    chosen,
    others,
    searchable
  }: { readonly chosen: ReadonlySet<string>; readonly others: ReadonlyArray<string>; readonly searchable: boolean }
): Html => {
  const { locale, name } = context
  const { text } = locale
  const list = `${name}-list`
  // Those that are chosen come first, where they are seen.
  const sorted = searchable
    ? [...options.filter(({ value }) => chosen.has(value)), ...options.filter(({ value }) => !chosen.has(value))]
    : options
  return html`${searchable && html`<div class="find" hidden><input type="search" data-filter="${list}" aria-label="${text("filter.find")}: ${text(`filter.names.${name}`)}" placeholder="${text("filter.find")}" autocomplete="off" /></div>`}
    <div class="options" id="${list}">
      ${others.slice(0, maxOthers).map((value) => checkbox(name, { value, label: value }, true, locale))}${sorted.map((option) => checkbox(name, option, chosen.has(option.value), locale))}
    </div>`
}

/** What people choose from, for each kind of list. */
const optionsOf = (context: Named & { readonly popular: Popular }): ReadonlyArray<Option> => {
  const { counts, kind, locale, name, popular } = context
  if (kind._tag !== "List") return []
  if (kind.values !== undefined) {
    return kind.values.map((value) => ({ value, label: labelOf(locale, name, value), count: counts?.(name, value) }))
  }
  if (name === "countries" || name === "currencies") {
    return codes(locale)[name].map((option) => ({ ...option, count: counts?.(name, option.value) }))
  }
  if (name !== "niches" && name !== "themes" && name !== "apps") return []
  return popular.options[name].map((option) => ({
    value: written(option.name, kind),
    label: option.name,
    count: counts?.(name, option.name)
  }))
}

const list = (context: Named & { readonly popular: Popular }, isAlone: boolean): Html => {
  const { counts, kind, locale, name, popular, typed } = context
  const { text } = locale
  const isOpen = kind._tag === "List" && kind.values === undefined && name !== "countries" && name !== "currencies"
  const options = optionsOf(context)
  const byFolded = new Map(options.map((option) => [option.value.toLowerCase(), option]))
  const chosen = new Set<string>()
  const more = new Map<string, Option>()
  const others: Array<string> = []
  for (const entry of typed.entries(name)) {
    const known = name === "niches" ? popular.nicheName(entry) : undefined
    const value = written(known ?? entry, kind)
    const option = byFolded.get(value.toLowerCase())
    chosen.add(option?.value ?? value)
    if (option === undefined && known === undefined) others.push(value)
    if (option === undefined && known !== undefined)
      more.set(value, { value, label: known, count: counts?.(name, known) })
  }
  const all = [...more.values(), ...options]
  const label = options.length === 0 ? text("filter.onePerLine") : text("filter.others")
  const field = html`<textarea name="${name}" rows="2" spellcheck="false" autocapitalize="none">
${others.join("\n")}</textarea>`
  const { error } = told(context, name, true)
  const about = [
    ...(error === undefined ? [] : [`${name}-error`]),
    ...(counts === undefined || options.length === 0 ? [] : [countsId])
  ]
  return html`<fieldset id="${name}"${about.length > 0 && html` aria-describedby="${about.join(" ")}"`}>
    <legend${isAlone && html` class="unseen"`}>${text(`filter.names.${name}`)}</legend>
    ${hintOf(context)}${error}
    ${all.length > 0 && checklist(context, all, { chosen, others: isOpen ? [] : others, searchable: options.length > 15 })}
    ${isOpen && html`<label>${label}${field}</label>`}
  </fieldset>`
}

/** The field or fields of an argument; `isAlone` when what is around it has its name already. */
export const control = (context: Named & { readonly popular: Popular; readonly isAlone: boolean }): Html => {
  const { isAlone, kind } = context
  switch (kind._tag) {
    case "List":
      return list(context, isAlone)
    case "Parts":
      return parts(context, kind, isAlone)
    case "Flag":
      return flag(context)
    case "Text":
    case "Number":
    case "Choice":
      return choice(context)
  }
}

interface Codes {
  readonly countries: ReadonlyArray<Option>
  readonly currencies: ReadonlyArray<Option>
}

const known = new WeakMap<Locale, Codes>()

/** By name, as the visitor's language sorts. */
const codes = (locale: Locale): Codes => {
  const found = known.get(locale)
  if (found !== undefined) return found
  const { compare } = new Intl.Collator(locale.tag)
  const named = (all: ReadonlySet<string>, name: (code: string) => string) =>
    Array.from(all, (value) => ({ value, label: name(value) })).toSorted((a, b) => compare(a.label, b.label))
  const made = {
    countries: named(countryCodes, locale.countryName),
    currencies: named(currencyCodes, (code) => `${locale.currencyName(code)} (${code})`)
  }
  known.set(locale, made)
  return made
}

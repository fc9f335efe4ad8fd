/** The fields of arguments that are lists: checkboxes to choose from, and a text for other values. */
import { countryCodes, currencyCodes } from "../../../domain/catalog/Iso.ts"
import { written } from "../../../domain/search/SearchAddress.ts"
import type { Popular } from "../../../services/search/Vocabulary.ts"
import { html } from "../shared/Html.ts"
import type { Html } from "../shared/Html.ts"
import type { Locale } from "../shared/Locale.ts"
import { counted, countsId, hintOf, labelOf, noticeOf } from "./FilterField.ts"
import type { Named } from "./FilterField.ts"

/** A value to choose. */
interface Option {
  readonly value: string
  readonly label: string
  /** How many results it would leave. */
  readonly count?: number | undefined
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
  return html`${searchable && html`<div class="find" hidden><input type="search" data-filter="${list}" aria-label="${text("layout.labeled", { label: text("filter.find"), value: text(`filter.names.${name}`) })}" placeholder="${text("filter.find")}" autocomplete="off" /></div>`}
    <div class="options" id="${list}">
      ${others.slice(0, maxOthers).map((value) => checkbox(name, { value, label: value }, true, locale))}${sorted.map((option) => checkbox(name, option, chosen.has(option.value), locale))}
    </div>`
}

/** What people choose from, for each kind of list. */
const choicesOf = (context: Named & { readonly popular: Popular }): ReadonlyArray<Option> => {
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

/** Most results first, so that zeros are last; those with as many by name. Without counts as they are. */
const optionsOf = (context: Parameters<typeof choicesOf>[0]): ReadonlyArray<Option> =>
  choicesOf(context).toSorted((one, other) =>
    one.count === undefined || other.count === undefined
      ? 0
      : other.count - one.count || context.locale.compare(one.label, other.label)
  )

export const list = (context: Named & { readonly popular: Popular }, isAlone: boolean): Html => {
  const { counts, kind, locale, name, popular, typed } = context
  const { text } = locale
  const isOpen = kind._tag === "List" && kind.values === undefined && name !== "countries" && name !== "currencies"
  const options = optionsOf(context)
  const byFolded = new Map(options.map((option) => [option.value.toLowerCase(), option]))
  const chosen = new Set<string>()
  const more = new Map<string, Option>()
  const others: Array<string> = []
  for (const entry of typed.entries(name)) {
    const nicheName = name === "niches" ? popular.nicheName(entry) : undefined
    const value = written(nicheName ?? entry, kind)
    const option = byFolded.get(value.toLowerCase())
    chosen.add(option?.value ?? value)
    if (option === undefined && nicheName === undefined) others.push(value)
    if (option === undefined && nicheName !== undefined)
      more.set(value, { value, label: nicheName, count: counts?.(name, nicheName) })
  }
  const all = [...more.values(), ...options]
  const label = options.length === 0 ? text("filter.onePerLine") : text("filter.others")
  const field = html`<textarea name="${name}" rows="2" spellcheck="false" autocapitalize="none">
${others.join("\n")}</textarea>`
  const { error } = noticeOf(context, name, true)
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

interface Codes {
  readonly countries: ReadonlyArray<Option>
  readonly currencies: ReadonlyArray<Option>
}

const codesByLocale = new WeakMap<Locale, Codes>()

/** By name, as the visitor's language sorts. */
const codes = (locale: Locale): Codes => {
  const sortedBefore = codesByLocale.get(locale)
  if (sortedBefore !== undefined) return sortedBefore
  const named = (all: ReadonlySet<string>, name: (code: string) => string) =>
    Array.from(all, (value) => ({ value, label: name(value) })).toSorted((a, b) => locale.compare(a.label, b.label))
  const sorted = {
    countries: named(countryCodes, locale.countryName),
    currencies: named(currencyCodes, (code) => `${locale.currencyName(code)} (${code})`)
  }
  codesByLocale.set(locale, sorted)
  return sorted
}

/** The visitor's language, and formats of numbers, dates and names in it, chosen by the browser's `Accept-Language`. */
import { DateTime } from "effect"
import { parseAccept } from "hono/utils/accept"
import * as Messages from "../../../domain/Messages.ts"
import type { Language, MessageKey, RichParams } from "../../../domain/Messages.ts"
import { html } from "./Html.ts"
import type { Html, Value } from "./Html.ts"

const { languages } = Messages

export type Locale = ReturnType<typeof make>

/** Longer headers are cut: no real browser sends as many languages. */
const maxHeaderCharacters = 500
const maxKept = 200

const kept = new Map<string, Locale>()

/** The locale for a request's `Accept-Language` (RFC 9110, 12.5.4). */
export const of = (acceptLanguage: string | undefined): Locale => {
  const tag = tagOf(acceptLanguage ?? "")
  const known = kept.get(tag.text)
  if (known !== undefined) return known
  const made = make(tag)
  if (kept.size >= maxKept) kept.clear()
  kept.set(tag.text, made)
  return made
}

interface Tag {
  readonly language: Language
  readonly text: string
}

const tagOf = (header: string): Tag => {
  const wanted = parseAccept(header.slice(0, maxHeaderCharacters))
    .filter(({ q }) => q > 0)
    .toSorted((one, other) => other.q - one.q)
  for (const { type } of wanted) {
    const tag = supported(type)
    if (tag !== undefined) return tag
  }
  return { language: languages[0], text: languages[0] }
}

const supported = (text: string): Tag | undefined => {
  const [, primary = "", region] = /^([a-z]{2})(?:-[a-z]{4})?(?:-([a-z]{2}|\d{3}))?$/iu.exec(text) ?? []
  const language = languages.find((known) => known === primary.toLowerCase())
  if (language === undefined) return undefined
  return { language, text: region === undefined ? language : `${language}-${region.toUpperCase()}` }
}

/** Quotation marks around third-party text. */
const quotes: Readonly<Record<Language, readonly [open: string, close: string]>> = {
  en: ["“", "”"],
  de: ["„", "“"],
  fr: ["«\u00a0", "\u00a0»"],
  es: ["«", "»"]
}

const code = (content: Value): Html => html`<code>${content}</code>`

const isCountry = /^[A-Z]{2}$/u
const isCurrency = /^[A-Z]{3}$/u

const make = ({ language, text: tag }: Tag) => {
  const number = new Intl.NumberFormat(tag, { maximumFractionDigits: 2 })
  const compact = new Intl.NumberFormat(tag, { notation: "compact", maximumFractionDigits: 1 })
  const percent = new Intl.NumberFormat(tag, { style: "percent", maximumFractionDigits: 1 })
  const day = new Intl.DateTimeFormat(tag, { dateStyle: "medium", timeZone: "UTC" })
  const dayAndMonth = new Intl.DateTimeFormat(tag, { day: "numeric", month: "short", timeZone: "UTC" })
  const month = new Intl.DateTimeFormat(tag, { month: "short", year: "numeric", timeZone: "UTC" })
  const moment = new Intl.DateTimeFormat(tag, { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" })
  const countries = new Intl.DisplayNames(tag, { type: "region" })
  const currencies = new Intl.DisplayNames(tag, { type: "currency" })
  const conjunction = new Intl.ListFormat(tag, { type: "conjunction" })
  const money = new Map<string, Intl.NumberFormat>()

  const moneyIn = (currency: string, digits: Intl.NumberFormatOptions): Intl.NumberFormat => {
    const key = `${currency}${digits.maximumFractionDigits ?? ""}${digits.notation ?? ""}`
    const known = money.get(key)
    if (known !== undefined) return known
    const made = new Intl.NumberFormat(tag, { style: "currency", currency, ...digits })
    money.set(key, made)
    return made
  }

  const inMoney =
    (digits: Intl.NumberFormatOptions, alone: (value: number) => string) => (value: number, currency: string | null) =>
      currency !== null && isCurrency.test(currency) ? moneyIn(currency, digits).format(value) : alone(value)

  const messages = Messages.make(language, tag)

  return {
    ...messages,
    /** A message with tags or with HTML parameters. `<code>` needs no parameter. */
    html: (key: MessageKey, params?: RichParams<Html>) => html`${messages.parts(key, { code, ...params })}`,
    language,
    /** BCP 47 language and region, such as `de-AT`. */
    tag,
    number: (value: number) => number.format(value),
    /** Abbreviated, such as `1.2K`. */
    compact: (value: number) => compact.format(value),
    /** Takes percent: 12.5 becomes `12.5%`. */
    percent: (value: number) => percent.format(value / 100),
    /** `currency` is an ISO 4217 code. Without a currency, formats the number alone. */
    money: inMoney({}, (value) => number.format(value)),
    /** As `money`, rounded to whole units, for estimates. */
    wholeMoney: inMoney({ maximumFractionDigits: 0 }, (value) => number.format(Math.round(value))),
    /** Such as `$12.3K`. */
    compactMoney: inMoney({ maximumFractionDigits: 1, notation: "compact" }, (value) => compact.format(value)),
    /** A day `YYYY-MM-DD`, or the UTC day of a time. */
    date: (at: string | DateTime.Utc) => day.format(typeof at === "string" ? new Date(at) : DateTime.toDate(at)),
    /** Without the year, for axes. */
    dayAndMonth: (at: string) => dayAndMonth.format(new Date(at)),
    /** A month as `YYYY-MM`. */
    month: (at: string) => month.format(new Date(`${at}-01`)),
    /** In UTC; scripts convert it to the visitor's time zone. */
    dateTime: (at: DateTime.Utc) =>
      html`<time datetime="${DateTime.formatIso(at)}" data-local>${moment.format(DateTime.toDate(at))} UTC</time>`,
    /** Takes an ISO 3166-1 alpha-2 code. */
    countryName: (code: string) => (isCountry.test(code) ? (countries.of(code) ?? code) : code),
    /** Takes an ISO 4217 code. */
    currencyName: (code: string) => (isCurrency.test(code) ? (currencies.of(code) ?? code) : code),
    quotes: quotes[language],
    /** `a, b and c`. */
    list: (items: ReadonlyArray<string>) => conjunction.format(items)
  }
}

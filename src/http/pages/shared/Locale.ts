/**
 * The visitor's language, and formats of numbers, dates and names in it, chosen by the browser's `Accept-Language` (D51) or by the
 * visitor (LanguageChoice).
 */
import { DateTime } from "effect"
import { parseAccept } from "hono/utils/accept"
import { currencyCodes } from "../../../domain/catalog/Iso.ts"
import { languageCodes } from "../../../domain/catalog/OtherNames.ts"
import * as Messages from "../../../domain/Messages.ts"
import type { Language, MessageKey, RichParams } from "../../../domain/Messages.ts"
import { once } from "../../../domain/Once.ts"
import { html } from "./Html.ts"
import type { Html, Value } from "./Html.ts"

const { languages } = Messages

/** `place`: the path and query of the visitor's page, where LanguageChoice leads back to. */
export type Locale = ReturnType<typeof make> & { readonly place?: string }

/**
 * Without the choice of another language: of an answer to a form, whose address has no page, and of a request of an app that is
 * refused, whose address the form would repeat.
 */
export const withoutPlace = (locale: Locale): Locale => {
  const { place: _, ...others } = locale
  return others
}

/** Longer headers are cut: no real browser sends as many languages. */
const maxHeaderCharacters = 500

/**
 * The locale for a request's `Accept-Language` (RFC 9110, 12.5.4). There is one for each language, whatever region the header
 * names: anyone can name ever new ones, and formats in ICU take memory that V8 does not count and hardly gives back.
 */
export const of = (acceptLanguage: string | undefined): Locale => locales[languageOf(acceptLanguage ?? "")]()

const languageOf = (header: string): Language => {
  const wanted = parseAccept(header.slice(0, maxHeaderCharacters))
    .filter(({ q }) => q > 0)
    .toSorted((one, other) => other.q - one.q)
  for (const { type } of wanted) {
    const primary = tag.exec(type)?.[1]?.toLowerCase()
    const language = languages.find((each) => each === primary)
    if (language !== undefined) return language
  }
  return languages[0]
}

/** A language, and a script or region that it does not matter. */
const tag = /^([a-z]{2})(?:-[a-z]{4})?(?:-(?:[a-z]{2}|\d{3}))?$/iu

/** Quotation marks around third-party text. */
const quotes: Readonly<Record<Language, readonly [open: string, close: string]>> = {
  en: ["“", "”"],
  de: ["„", "“"],
  fr: ["«\u00a0", "\u00a0»"],
  es: ["«", "»"]
}

/** By the English names of languages, which the catalog has. */
const codesOfLanguages = new Map(Object.entries(languageCodes))

const code = (content: Value): Html => html`<code>${content}</code>`

const isCountry = /^[A-Z]{2}$/u

/** With `full` from a thousand on where the language abbreviates no such number: `8.362` in German, not `8361,5`. */
const abbreviated = (value: number, compact: Intl.NumberFormat, full: (whole: number) => string): string =>
  Math.abs(value) < 1000 || compact.formatToParts(value).some(({ type }) => type === "compact")
    ? compact.format(value)
    : full(Math.round(value))

const make = (language: Language) => {
  const number = once(() => new Intl.NumberFormat(language, { maximumFractionDigits: 2 }))
  const compactNumber = once(() => new Intl.NumberFormat(language, { notation: "compact", maximumFractionDigits: 1 }))
  const compact = (value: number) => abbreviated(value, compactNumber(), (whole) => number().format(whole))
  const percent = once(() => new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 2 }))
  const dates = (options: Intl.DateTimeFormatOptions) => {
    const format = once(() => new Intl.DateTimeFormat(language, { ...options, timeZone: "UTC" }))
    return (date: Date) => format().format(date)
  }
  const day = dates({ dateStyle: "medium" })
  const dayAndMonth = dates({ day: "numeric", month: "short" })
  const month = dates({ month: "short", year: "numeric" })
  const moment = dates({ dateStyle: "medium", timeStyle: "short" })
  const names = (type: Intl.DisplayNamesType) => {
    const display = once(() => new Intl.DisplayNames(language, { type }))
    return (code: string) => display().of(code) ?? code
  }
  const countryName = names("region")
  const currencyName = names("currency")
  const languageName = names("language")
  const conjunction = once(() => new Intl.ListFormat(language, { type: "conjunction" }))
  const collator = once(() => new Intl.Collator(language))

  const inMoney = (
    digits: Intl.NumberFormatOptions,
    alone: (value: number) => string,
    write = (value: number, format: Intl.NumberFormat, _currency: string) => format.format(value)
  ) => {
    const formats = new Map<string, Intl.NumberFormat>()
    const formatOf = (currency: string): Intl.NumberFormat => {
      const madeBefore = formats.get(currency)
      if (madeBefore !== undefined) return madeBefore
      const format = new Intl.NumberFormat(language, { style: "currency", currency, ...digits })
      formats.set(currency, format)
      return format
    }
    return (value: number, currency: string | null) =>
      currency !== null && currencyCodes.has(currency) ? write(value, formatOf(currency), currency) : alone(value)
  }
  const wholeMoney = inMoney({ maximumFractionDigits: 0 }, (value) => number().format(Math.round(value)))

  const messages = Messages.of(language)

  return {
    ...messages,
    /** A message with tags or with HTML parameters. `<code>` needs no parameter. */
    html: (key: MessageKey, params?: RichParams<Html>) => html`${messages.parts(key, { code, ...params })}`,
    language,
    number: (value: number) => number().format(value),
    /** Abbreviated, such as `1.2K`. */
    compact,
    /** Takes percent: 12.5 becomes `12.5%`. */
    percent: (value: number) => percent().format(value / 100),
    /** `currency` is an ISO 4217 code. Without a currency, formats the number alone. */
    money: inMoney({}, (value) => number().format(value)),
    /** As `money`, rounded to whole units, for estimates. */
    wholeMoney,
    /** Such as `$12.3K`. */
    compactMoney: inMoney({ maximumFractionDigits: 1, notation: "compact" }, compact, (value, format, currency) =>
      abbreviated(value, format, (whole) => wholeMoney(whole, currency))
    ),
    /** A day `YYYY-MM-DD`, or the UTC day of a time. */
    date: (at: string | DateTime.Utc) => day(typeof at === "string" ? new Date(at) : DateTime.toDate(at)),
    /** Without the year, for axes. */
    dayAndMonth: (at: string) => dayAndMonth(new Date(at)),
    /** A month as `YYYY-MM`. */
    month: (at: string) => month(new Date(`${at}-01`)),
    /** In UTC; scripts convert it to the visitor's time zone. */
    dateTime: (at: DateTime.Utc) =>
      html`<time datetime="${DateTime.formatIso(at)}" data-local>${moment(DateTime.toDate(at))} UTC</time>`,
    /** Takes an ISO 3166-1 alpha-2 code. */
    countryName: (code: string) => (isCountry.test(code) ? countryName(code) : code),
    /** Takes an ISO 4217 code. */
    currencyName: (code: string) => (currencyCodes.has(code) ? currencyName(code) : code),
    /** Takes a language of Enumerations.ts, in English. Other values are returned unchanged. */
    languageName: (name: string) => {
      const code = codesOfLanguages.get(name)
      return code === undefined ? name : languageName(code)
    },
    quotes: quotes[language],
    /** `a, b and c`. */
    list: (items: ReadonlyArray<string>) => conjunction().format(items),
    /** Compares texts as the language sorts them. */
    compare: (one: string, other: string) => collator().compare(one, other)
  }
}

const locales: Readonly<Record<Language, () => Locale>> = {
  en: once(() => make("en")),
  de: once(() => make("de")),
  fr: once(() => make("fr")),
  es: once(() => make("es"))
}

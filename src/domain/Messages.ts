/** Texts of pages and of argument issues: `locales/*.json`, in ICU MessageFormat. */
import { IntlMessageFormat } from "intl-messageformat"
import de from "../../locales/de.json" with { type: "json" }
import en from "../../locales/en.json" with { type: "json" }
import es from "../../locales/es.json" with { type: "json" }
import fr from "../../locales/fr.json" with { type: "json" }

/** The first one is the default. */
export const languages = ["en", "de", "fr", "es"] as const
export type Language = (typeof languages)[number]

export type MessageKey = keyof typeof en

/** A language that lacks a message does not compile. */
export const catalogs: Readonly<Record<Language, Readonly<Record<MessageKey, string>>>> = { en, de, fr, es }

/** Numbers are formatted for the locale where the message says `number` or `plural`, otherwise as in code. */
export type Params = Readonly<Record<string, string | number>>

/** Values that are inserted unchanged, and functions for the tags of the message. */
export type RichParams<T> = Readonly<
  Record<string, string | number | T | ((content: ReadonlyArray<string | T>) => string | T)>
>

export interface Messages {
  readonly text: (key: MessageKey, params?: Params) => string
  /** For a key that may not exist. */
  readonly textOr: (key: string, otherwise: string) => string
  /** For a message with tags or with values other than text. */
  readonly parts: <T extends object>(key: MessageKey, params: RichParams<T>) => ReadonlyArray<string | T>
}

const isMessageKey = (key: string): key is MessageKey => Object.hasOwn(en, key)

type Parsed = ReturnType<IntlMessageFormat["getAst"]>

/** Parsed on first use, for all regions of a language. A message without parameters is stored as text. */
const kept: Readonly<Record<Language, Map<MessageKey, string | Parsed>>> = {
  en: new Map(),
  de: new Map(),
  fr: new Map(),
  es: new Map()
}

const parsed = (language: Language, key: MessageKey): string | Parsed => {
  const known = kept[language].get(key)
  if (known !== undefined) return known
  const source = catalogs[language][key]
  const message = new IntlMessageFormat(source, language)
  const made = /[{<]/u.test(source) ? message.getAst() : String(message.format())
  kept[language].set(key, made)
  return made
}

/** `tag` is the language with a region if it is known, such as `de-AT`. */
export const make = (language: Language, tag: string = language): Messages => {
  const number = new Intl.NumberFormat(tag)
  const plural = new Intl.PluralRules(tag)
  /** Shared, because each message would otherwise make its own. */
  const formatters = {
    getNumberFormat: (_: unknown, options?: Intl.NumberFormatOptions) =>
      options === undefined ? number : new Intl.NumberFormat(tag, options),
    getDateTimeFormat: (_: unknown, options?: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(tag, options),
    getPluralRules: (_: unknown, options?: Intl.PluralRulesOptions) =>
      options?.type === "ordinal" ? new Intl.PluralRules(tag, options) : plural
  }
  const formats = new Map<MessageKey, IntlMessageFormat>()

  const formatOf = (key: MessageKey, message: Parsed): IntlMessageFormat => {
    const known = formats.get(key)
    if (known !== undefined) return known
    const made = new IntlMessageFormat(message, tag, undefined, { formatters })
    formats.set(key, made)
    return made
  }

  const parts = <T extends object>(key: MessageKey, params: RichParams<T>): ReadonlyArray<string | T> => {
    const message = parsed(language, key)
    if (typeof message === "string") return [message]
    return formatOf(key, message)
      .formatToParts<T>(params)
      .map(({ value }): string | T => value)
  }

  const text = (key: MessageKey, params: Params = {}): string => {
    const message = parsed(language, key)
    return typeof message === "string" ? message : String(formatOf(key, message).format(params))
  }
  return { text, textOr: (key, otherwise) => (isMessageKey(key) ? text(key) : otherwise), parts }
}

/** For agents, logs and the command line. */
export const english: Messages = make("en")

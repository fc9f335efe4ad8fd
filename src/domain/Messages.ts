/** Texts of pages and of argument issues: `locales/*.json`, in ICU MessageFormat. */
import { IntlMessageFormat } from "intl-messageformat"
import de from "../../locales/de.json" with { type: "json" }
import en from "../../locales/en.json" with { type: "json" }
import es from "../../locales/es.json" with { type: "json" }
import fr from "../../locales/fr.json" with { type: "json" }
import { once } from "./Once.ts"

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

const make = (language: Language): Messages => {
  const number = new Intl.NumberFormat(language)
  const plural = new Intl.PluralRules(language)
  /** Shared, because each message would otherwise make its own. */
  const formatters = {
    getNumberFormat: (_: unknown, options?: Intl.NumberFormatOptions) =>
      options === undefined ? number : new Intl.NumberFormat(language, options),
    getDateTimeFormat: (_: unknown, options?: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(language, options),
    getPluralRules: (_: unknown, options?: Intl.PluralRulesOptions) =>
      options?.type === "ordinal" ? new Intl.PluralRules(language, options) : plural
  }
  /** Parsed on first use. A message without parameters is stored as text. */
  const parsed = new Map<MessageKey, string | IntlMessageFormat>()

  const formatOf = (key: MessageKey): string | IntlMessageFormat =>
    parsed.getOrInsertComputed(key, () => {
      const source = catalogs[language][key]
      const message = new IntlMessageFormat(source, language, undefined, { formatters })
      return /[{<]/u.test(source) ? message : String(message.format())
    })

  const parts = <T extends object>(key: MessageKey, params: RichParams<T>): ReadonlyArray<string | T> => {
    const message = formatOf(key)
    return typeof message === "string"
      ? [message]
      : message.formatToParts<T>(params).map(({ value }): string | T => value)
  }

  const text = (key: MessageKey, params: Params = {}): string => {
    const message = formatOf(key)
    return typeof message === "string" ? message : String(message.format(params))
  }
  return { text, textOr: (key, otherwise) => (isMessageKey(key) ? text(key) : otherwise), parts }
}

const made: Readonly<Record<Language, () => Messages>> = {
  en: once(() => make("en")),
  de: once(() => make("de")),
  fr: once(() => make("fr")),
  es: once(() => make("es"))
}

export const of = (language: Language): Messages => made[language]()

/** For agents, logs and the command line. */
export const english: Messages = of("en")

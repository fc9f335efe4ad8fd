/** Names of the catalog's languages in the visitor's language. */
import type { Language } from "../../../domain/catalog/Enumerations.ts"
import type { Locale } from "./Locale.ts"

const codes: Readonly<Record<Language, string>> = {
  English: "en",
  French: "fr",
  Spanish: "es",
  German: "de",
  Italian: "it",
  Portuguese: "pt",
  Dutch: "nl",
  Polish: "pl",
  Norwegian: "no",
  Swedish: "sv",
  Danish: "da",
  Finnish: "fi",
  Chinese: "zh",
  Japanese: "ja",
  Korean: "ko",
  Arabic: "ar",
  Russian: "ru",
  Turkish: "tr",
  Hindi: "hi",
  Thai: "th",
  Vietnamese: "vi",
  Indonesian: "id",
  Greek: "el",
  Czech: "cs",
  Hungarian: "hu",
  Romanian: "ro"
}

const known: ReadonlyMap<string, string> = new Map(Object.entries(codes))

/** The name of a language of Enumerations.ts. Other values are returned unchanged. */
export const languageName = (locale: Locale, language: string): string => {
  const code = known.get(language)
  return code === undefined ? language : (new Intl.DisplayNames(locale.tag, { type: "language" }).of(code) ?? language)
}

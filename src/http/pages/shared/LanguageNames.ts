/** Names of the catalog's languages in the visitor's language. */
import type { Locale } from "./Locale.ts"

const codes = "ar cs da de el en es fi fr hi hu id it ja ko nl no pl pt ro ru sv th tr vi zh".split(" ")

const english = new Intl.DisplayNames("en", { type: "language" })

/** By their English names, which the catalog has. */
const known = new Map(codes.map((code) => [english.of(code), code]))

/** The name of a language of Enumerations.ts. Other values are returned unchanged. */
export const languageName = (locale: Locale, language: string): string => {
  const code = known.get(language)
  return code === undefined ? language : (new Intl.DisplayNames(locale.tag, { type: "language" }).of(code) ?? language)
}

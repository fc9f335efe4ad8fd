/** ISO 3166-1 alpha-2 and ISO 4217, from the `countries-list` package. Codes are upper case here. */
import { countries } from "countries-list"

/** In the package, but only reserved in ISO 3166-1: Ascension and Tristan da Cunha, which are part of SH. */
const reserved: ReadonlySet<string> = new Set(["AC", "TA"])

/** `XK` (Kosovo) is not in ISO 3166-1 either. It stays on purpose: storefront platforms give it as a store's country. */
export const countryCodes: ReadonlySet<string> = new Set(Object.keys(countries).filter((code) => !reserved.has(code)))

/** In ISO 4217's list of current codes, but no country's first choice, so that the package has none of them. */
const furtherCurrencies = [
  // A second currency of Venezuela beside VES.
  "VED",
  // Units of account: Colombia, Mexico, Uruguay.
  "COU",
  "MXV",
  "UYW",
  // Of no country: special drawing rights, sucre, the African Development Bank's unit of account.
  "XDR",
  "XSU",
  "XUA"
]

export const currencyCodes: ReadonlySet<string> = new Set([
  ...Object.values(countries).flatMap((country): ReadonlyArray<string> => country.currency),
  ...furtherCurrencies
])

/** Country and currency codes, upper case: ISO 3166-1 alpha-2 and ISO 4217, from the package `countries-list`. */
import { countries, getCountryDataList } from "countries-list"
import { byName, translated } from "./OtherNames.ts"

/** In the package, but only reserved in ISO 3166-1: Ascension and Tristan da Cunha, which are part of SH. */
const reserved: ReadonlySet<string> = new Set(["AC", "TA"])

/** `XK` (Kosovo) is not in ISO 3166-1 either, but storefront platforms use it as the country of a store. */
export const countryCodes: ReadonlySet<string> = new Set(Object.keys(countries).filter((code) => !reserved.has(code)))

/** Codes of ISO 4217 that are not the first currency of any country, so that the package does not have them. */
const furtherCurrencies = [
  // The second currency of Venezuela, beside VES.
  "VED",
  // Units of account: Colombia, Mexico, Uruguay.
  "COU",
  "MXV",
  "UYW",
  // Without a country: special drawing rights, sucre, the unit of account of the African Development Bank.
  "XDR",
  "XSU",
  "XUA"
]

export const currencyCodes: ReadonlySet<string> = new Set([
  ...Object.values(countries).flatMap((country): ReadonlyArray<string> => country.currency),
  ...furtherCurrencies
])

const known = getCountryDataList().filter(({ iso2 }) => countryCodes.has(iso2))

/** The code of a country by its own name or that in a language of the pages, its alpha-3 code or another common name. */
export const countryCodeOf = byName([
  ...known.map(({ iso2, name }) => [name, iso2] as const),
  ...known.flatMap(({ iso2, iso3, native }) => [[iso3, iso2] as const, [native, iso2] as const]),
  ["UK", "GB"],
  ["Great Britain", "GB"],
  ["Britain", "GB"],
  ["England", "GB"],
  ["Scotland", "GB"],
  ["Wales", "GB"],
  ["Northern Ireland", "GB"],
  ["Holland", "NL"],
  ["Svizzera", "CH"],
  ["The Netherlands", "NL"],
  ["Hong Kong SAR", "HK"],
  ["Korea", "KR"],
  ["Korea, Republic of", "KR"],
  ["UAE", "AE"],
  ["PRC", "CN"],
  ["Großbritannien", "GB"],
  ["EE.UU.", "US"],
  ["E.U.A.", "US"],
  ...translated("region", countryCodes),
  ...known.flatMap(({ alias = [], iso2 }) => alias.map((name) => [name, iso2] as const))
])

/** The code of a currency by its name in a language of the pages, or its sign; of those that share it, the most common one. */
export const currencyCodeOf = byName([
  ["$", "USD"],
  ["US$", "USD"],
  ["dollar", "USD"],
  ["American dollar", "USD"],
  ["dollar américain", "USD"],
  ["dólar", "USD"],
  ["€", "EUR"],
  ["£", "GBP"],
  ["pound", "GBP"],
  ["sterling", "GBP"],
  ["Pfund", "GBP"],
  ["libra", "GBP"],
  ["pounds sterling", "GBP"],
  ["A$", "AUD"],
  ["C$", "CAD"],
  ["CA$", "CAD"],
  ["¥", "JPY"],
  ["yen", "JPY"],
  ["yuan", "CNY"],
  ["RMB", "CNY"],
  ["renminbi", "CNY"],
  ["₹", "INR"],
  ["rupee", "INR"],
  ["₩", "KRW"],
  ["won", "KRW"],
  ["₺", "TRY"],
  ["lira", "TRY"],
  ["zł", "PLN"],
  ["złoty", "PLN"],
  ["zloty", "PLN"],
  ["franc", "CHF"],
  ["Franken", "CHF"],
  ["krona", "SEK"],
  ["Kč", "CZK"],
  ["koruna", "CZK"],
  ["forint", "HUF"],
  ["leu", "RON"],
  ["lei", "RON"],
  ["R$", "BRL"],
  ["real", "BRL"],
  ["reais", "BRL"],
  ["peso", "MXN"],
  ["₽", "RUB"],
  ["ruble", "RUB"],
  ["rouble", "RUB"],
  ["Rubel", "RUB"],
  ["rand", "ZAR"],
  ["₪", "ILS"],
  ["shekel", "ILS"],
  ["baht", "THB"],
  ["₫", "VND"],
  ["dong", "VND"],
  ["rupiah", "IDR"],
  ...translated("currency", currencyCodes)
])

/** Country and currency codes, upper case: ISO 3166-1 alpha-2 and ISO 4217, from the package `countries-list`. */
import { countries, getCountryDataList } from "countries-list"

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

/** Longer texts are not looked up. In UTF-16 units. */
const maxName = 60

const fold = (name: string): string =>
  name
    .normalize("NFKD")
    .replaceAll(/[^\p{L}\p{N}\p{Sc}]/gu, "")
    .toLowerCase()

const byName = (entries: Iterable<readonly [name: string, code: string]>) => {
  const codes = new Map<string, string>()
  // The first entry wins: a name over an alias of another country.
  for (const [name, code] of entries) if (!codes.has(fold(name))) codes.set(fold(name), code)
  return (text: string): string | undefined => (text.length <= maxName ? codes.get(fold(text)) : undefined)
}

const known = getCountryDataList().filter(({ iso2 }) => countryCodes.has(iso2))

/** The code of a country by its English or native name, its alpha-3 code or another common name. */
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
  ["Korea", "KR"],
  ["UAE", "AE"],
  ["Etats-Unis", "US"],
  ["Vereinigte Staaten", "US"],
  ["Estados Unidos", "US"],
  ["Großbritannien", "GB"],
  ["Royaume-Uni", "GB"],
  ["Reino Unido", "GB"],
  ["Allemagne", "DE"],
  ["Alemania", "DE"],
  ["Frankreich", "FR"],
  ["Francia", "FR"],
  ["Spanien", "ES"],
  ["Espagne", "ES"],
  ...known.flatMap(({ alias = [], iso2 }) => alias.map((name) => [name, iso2] as const))
])

const currencyNames = new Intl.DisplayNames(["en"], { type: "currency" })

/** The code of a currency by its English name or its sign; of those that share a sign, the most common one. */
export const currencyCodeOf = byName([
  ["$", "USD"],
  ["dollar", "USD"],
  ["dollars", "USD"],
  ["€", "EUR"],
  ["euros", "EUR"],
  ["£", "GBP"],
  ["pound", "GBP"],
  ["pounds", "GBP"],
  ["¥", "JPY"],
  ["yen", "JPY"],
  ["yuan", "CNY"],
  ["RMB", "CNY"],
  ["₹", "INR"],
  ["rupee", "INR"],
  ["₩", "KRW"],
  ["₺", "TRY"],
  ["zł", "PLN"],
  ["franc", "CHF"],
  ...Array.from(currencyCodes, (code) => [currencyNames.of(code) ?? code, code] as const)
])

/** ISO 3166-1 alpha-2 and ISO 4217, from the `countries-list` package. Codes are upper case here. */
import { countries } from "countries-list"

export const countryCodes: ReadonlySet<string> = new Set(Object.keys(countries))

export const currencyCodes: ReadonlySet<string> = new Set(
  Object.values(countries).flatMap((country): ReadonlyArray<string> => country.currency)
)

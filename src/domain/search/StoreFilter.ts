/** The arguments of all search tools that filter by store (S48 to S59). */
import { Schema } from "effect"
import { languages, pixels, socialNetworks } from "../catalog/Enumerations.ts"
import { countryCodeOf, countryCodes, currencyCodeOf, currencyCodes } from "../catalog/Iso.ts"
import { problem } from "../ArgumentIssue.ts"
import * as Arguments from "./Arguments.ts"
import { queryWords } from "./SearchText.ts"

/** A niche by name (case-insensitive) or id. Text of digits is an id unless a niche has that name. */
export const NicheReference = Schema.Union([
  Arguments.Name,
  Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 2_147_483_647 }))
])
export type NicheReference = typeof NicheReference.Type

/** Free text of 1 to 200 characters with at least one letter, digit or symbol. */
export const Query = Schema.String.check(
  Schema.isNonEmpty({ problem: problem("empty_query") }).abort(),
  // The words of a text that is too long are not looked at.
  Schema.isMaxCodePoints(200).abort(),
  Schema.makeFilter((text: string) => queryWords(text).length > 0, { problem: problem("no_words") })
)

const list = <S extends Schema.Constraint>(item: S, maxEntries: number) =>
  Schema.Array(item).check(Schema.isMaxLength(maxEntries))

export const fields = {
  niches: Arguments.optional(
    list(NicheReference, 20),
    'Niche names or ids from list_filter_options with kind "niches"; an id may be a number or text. A parent includes its sub-niches. Up to 20.'
  ),
  countries: Arguments.optional(
    list(Arguments.code(countryCodes, "unknown_country", countryCodeOf), 50),
    "Store countries, ISO 3166-1 alpha-2, such as US. Up to 50."
  ),
  currencies: Arguments.optional(
    list(Arguments.code(currencyCodes, "unknown_currency", currencyCodeOf), 50),
    "Store currencies, ISO 4217, such as EUR. Up to 50."
  ),
  languages: Arguments.optional(Arguments.someOf(languages), "Store languages."),
  domains: Arguments.optional(
    list(
      Schema.String.check(
        Schema.isMaxCodePoints(64),
        Schema.isPattern(/^\.[^\s./\p{Cc}\p{Cs}]+(?:\.[^\s./\p{Cc}\p{Cs}]+)*$/u, {
          problem: problem("not_domain_extension")
        })
      ),
      50
    ),
    "Domain extensions with leading dot, such as .com or .co.uk. Up to 50."
  ),
  pixels: Arguments.optional(Arguments.someOf(pixels), "Tracking pixels on the store; any of them."),
  themes: Arguments.optional(
    list(Arguments.Name, 50),
    'Theme names from list_filter_options with kind "themes". Up to 50.'
  ),
  apps: Arguments.optional(
    list(Arguments.Name, 50),
    'Installed app names from list_filter_options with kind "apps" and a query; any of them. Up to 50.'
  ),
  social_networks: Arguments.optional(
    Arguments.someOf(socialNetworks),
    "Networks that the store has a page on; any of them."
  ),
  monthly_revenue: Arguments.optional(Arguments.Range, "Estimated monthly revenue in the store's currency."),
  monthly_visits: Arguments.optional(Arguments.Range, "Estimated monthly visits."),
  traffic_growth_pct: Arguments.optional(
    Arguments.SignedRange,
    "Traffic growth score in percent; negative bounds allowed."
  ),
  active_ads: Arguments.optional(Arguments.Range, "Number of currently active ads."),
  products_count: Arguments.optional(Arguments.Range, "Number of products in the store's catalog."),
  monthly_orders: Arguments.optional(Arguments.Range, "Estimated monthly orders."),
  shop_created_between: Arguments.optional(Arguments.DateRange, "Creation date of the store, YYYY-MM-DD, inclusive.")
} as const

export const StoreFilter = Schema.Struct(fields)
/** An absent key, an empty array and an empty range all mean "no filter". */
export type StoreFilter = typeof StoreFilter.Type

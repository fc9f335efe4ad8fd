/**
 * The arguments of all search tools that filter by store (S48 to S59).
 *
 * Read next: AdQuery, ProductQuery, ShopQuery and MarketQuery, the arguments of each tool; SearchText and WantedWords, what a `query` finds;
 * SearchAddress, a search as an address; Warnings, the warnings about arguments that have no effect or less than expected.
 */
import { Schema } from "effect"
import { languages, pixels, socialNetworks } from "../catalog/Enumerations.ts"
import { countryCodeOf, countryCodes, currencyCodeOf, currencyCodes } from "../catalog/Iso.ts"
import { languageOf, pixelOf, socialNetworkOf } from "../catalog/OtherNames.ts"
import { problem } from "../ArgumentIssue.ts"
import * as Scalars from "../Scalars.ts"
import * as Arguments from "./Arguments.ts"
import { queryWords } from "./SearchText.ts"

/** A niche by name (case-insensitive) or id. Text of digits is an id unless a niche has that name. */
export const NicheReference = Schema.Union([Arguments.Name, Scalars.Id])
export type NicheReference = typeof NicheReference.Type

/** Free text of 1 to `most` characters with at least one letter, digit or symbol. */
const words = (most: number) =>
  Schema.String.check(
    Schema.isNonEmpty({ problem: problem("empty_query") }).abort(),
    // The words of a text that is too long are not checked.
    Schema.isMaxCodePoints(most).abort(),
    Schema.makeFilter((text: string) => queryWords(text).length > 0, { problem: problem("no_words") })
  )

export const Query = words(200)

const list = <S extends Schema.Constraint>(item: S, maxEntries: number) =>
  Schema.Array(item).check(Schema.isMaxLength(maxEntries))

/** Alternatives to each other, each like a `query` (D101). */
export const queryAny = Arguments.optional(list(words(100), 10), "Like query; any one is enough.")

export const fields = {
  shop_ids: Arguments.optional(list(Scalars.Id, 50), "Store ids."),
  niches: Arguments.optional(list(NicheReference, 20), "Names or ids; includes sub-niches."),
  countries: Arguments.optional(
    list(Scalars.code(countryCodes, "unknown_country", countryCodeOf), 50),
    "ISO 3166-1 alpha-2."
  ),
  currencies: Arguments.optional(
    list(Scalars.code(currencyCodes, "unknown_currency", currencyCodeOf), 50),
    "ISO 4217."
  ),
  languages: Arguments.optional(Arguments.someOf(languages, languageOf), "Store languages."),
  domains: Arguments.optional(
    list(
      Arguments.trimming(
        Schema.String.check(
          Schema.isMaxCodePoints(100),
          Schema.isPattern(/^\s*\.[^\s./\p{Cc}\p{Cs}]+(?:\.[^\s./\p{Cc}\p{Cs}]+)*\s*$/u, {
            problem: problem("not_domain_extension")
          })
        )
      ),
      50
    ),
    "Endings such as .co.uk."
  ),
  pixels: Arguments.optional(Arguments.someOf(pixels, pixelOf), "Tracking pixels."),
  themes: Arguments.optional(list(Arguments.Name, 50), "Exact names."),
  apps: Arguments.optional(list(Arguments.Name, 50), "Exact names."),
  social_networks: Arguments.optional(Arguments.someOf(socialNetworks, socialNetworkOf), "Pages it has."),
  monthly_revenue: Arguments.optional(Arguments.Range, "Estimated."),
  monthly_visits: Arguments.optional(Arguments.Range, "Estimated."),
  traffic_growth_pct: Arguments.optional(Arguments.SignedRange, "Sum of monthly visit changes, percent."),
  active_ads: Arguments.optional(Arguments.Range, "Running now."),
  products_count: Arguments.optional(Arguments.Range, "Catalog size."),
  monthly_orders: Arguments.optional(Arguments.Range, "Estimated."),
  shop_created_between: Arguments.optional(Arguments.DateRange, "YYYY-MM-DD.")
} as const

/** Orders of stores and of their products. */
export const sorts = ["recommended", "revenue", "orders", "traffic", "traffic_growth", "active_ads"] as const

export const StoreFilter = Schema.Struct(fields)
/** An absent key, an empty array and an empty range all mean "no filter". */
export type StoreFilter = typeof StoreFilter.Type

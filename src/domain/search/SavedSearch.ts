/** Searches of the pages as their addresses have them: to be saved, counted again, and exported (D67, D68). */
import { Option, Schema } from "effect"
import { argumentDecoder } from "../ArgumentDecoder.ts"
import { clean } from "../catalog/ThirdPartyText.ts"
import { AdQuery } from "./AdQuery.ts"
import { ProductQuery } from "./ProductQuery.ts"
import * as SearchAddress from "./SearchAddress.ts"
import { ShopQuery } from "./ShopQuery.ts"

export const SearchSubject = Schema.Literals(["ads", "products", "stores"])
export type SearchSubject = typeof SearchSubject.Type

/** Longer addresses are lost on the way: of a sign-in that comes back, of proxies, of mail. In characters. */
export const maxAddress = 8_000

/** An account's saved searches. */
export const maxSavedSearches = 50

export const maxNameCharacters = 60

/** No character of it may be invisible or reorder text on pages. */
export const SavedSearchName = Schema.String.check(
  Schema.isBetweenCodePoints(1, maxNameCharacters).abort(),
  Schema.isPattern(/^[^\p{Cc}\p{Cs}]*$/u),
  Schema.makeFilter((text: string) => clean(text) === text)
)

interface SearchKind<Query> {
  /** Of an address's query; `None` for one that is refused. */
  readonly decode: (query: string) => Option.Option<Query>
  /** The same as it is saved. */
  readonly canonical: (query: string) => Option.Option<string>
  /** The search without its page, as it is saved: one text for one search. */
  readonly saved: (args: object) => string
  readonly address: SearchAddress.SearchAddress
}

const kind = <S extends Schema.Constraint & Schema.ConstraintDecoder<object>>(schema: S): SearchKind<S["Type"]> => {
  const address = SearchAddress.make(schema)
  const decodeArguments = argumentDecoder(schema)
  const decode = (query: string) =>
    query.length > maxAddress
      ? Option.none()
      : Option.getSuccess(decodeArguments(address.toArguments(SearchAddress.parse(query))).result)
  const saved = (args: object) => address.toAddress(address.canonical({ ...args, page: undefined }))
  return { address, decode, saved, canonical: (query) => Option.map(decode(query), saved) }
}

export const searchKinds = { ads: kind(AdQuery), products: kind(ProductQuery), stores: kind(ShopQuery) } as const

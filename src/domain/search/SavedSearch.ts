/** Searches of the pages, encoded as queries of their addresses, for saving, counting and exporting (D67, D68). */
import { Option, Result, Schema } from "effect"
import { argumentDecoder } from "../ArgumentDecoder.ts"
import { visibleName } from "../VisibleName.ts"
import type { ArgumentIssue } from "../ArgumentIssue.ts"
import { AdQuery, conflicts } from "./AdQuery.ts"
import { ProductQuery } from "./ProductQuery.ts"
import * as SearchAddress from "./SearchAddress.ts"
import { ShopQuery } from "./ShopQuery.ts"

export const SearchSubject = Schema.Literals(["ads", "products", "stores"])
export type SearchSubject = typeof SearchSubject.Type

/** Results of a page whose address does not say how many (D119): cards in full rows of 2, 3, 4 or 6. Tools have 10. */
export const perPage: Readonly<Record<SearchSubject, number>> = { ads: 12, products: 12, stores: 10 }

/** Longer addresses are truncated by some sign-ins, proxies and mail programs. In characters. */
export const maxAddress = 8_000

/** Limit for one account. */
export const maxSavedSearches = 50

/** Searches that an account was shown last and are kept without a name. */
export const maxRecentSearches = 5

export const maxNameCharacters = 60

export const SavedSearchName = visibleName(maxNameCharacters)

interface SearchKind<Query> {
  /** Decodes an address's query, or tells what is wrong with it. A query that is too long has no issues. */
  readonly decode: (query: string) => Result.Result<Query, ReadonlyArray<ArgumentIssue>>
  /** The canonical form of a query, in which it is saved. */
  readonly canonical: (query: string) => Option.Option<string>
  /** The canonical text of a search without its page: equal searches have equal texts. */
  readonly saved: (args: object) => string
  readonly address: SearchAddress.SearchAddress
}

/** `size` is the number of results of a page; `conflicts` finds issues between arguments, as for the tool. */
const kind = <S extends Schema.Constraint & Schema.ConstraintDecoder<object>>(
  schema: S,
  size: number,
  conflicts: (args: Readonly<Record<string, unknown>>) => ReadonlyArray<ArgumentIssue> = () => []
): SearchKind<S["Type"]> => {
  const address = SearchAddress.make(schema, SearchAddress.defaultsOf(size))
  const decodeArguments = argumentDecoder(schema)
  const decode: SearchKind<S["Type"]>["decode"] = (query) => {
    if (query.length > maxAddress) return Result.fail([])
    const { args, result } = decodeArguments(address.toArguments(SearchAddress.parse(query)))
    const issues = [...(Result.isFailure(result) ? result.failure : []), ...conflicts(args)]
    return issues.length > 0 ? Result.fail(issues) : result
  }
  const saved = (args: object) => address.toAddress(address.canonical({ ...args, page: undefined }))
  return { address, decode, saved, canonical: (query) => Option.map(Option.getSuccess(decode(query)), saved) }
}

export const searchKinds = {
  ads: kind(AdQuery, perPage.ads, conflicts),
  products: kind(ProductQuery, perPage.products),
  stores: kind(ShopQuery, perPage.stores)
} as const

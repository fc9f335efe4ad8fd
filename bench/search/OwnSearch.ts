/** The index's own answer to a case, without the way of a call around it. */
import * as Names from "../../src/services/search/Names.ts"
import * as Queries from "../../src/services/search/Queries.ts"
import type { Query } from "../../src/domain/search/CatalogQuery.ts"
import type { Catalog, SearchResult } from "../../src/domain/search/CatalogAnswer.ts"
import { search } from "../../src/services/search/index/Search.ts"
import type { Published } from "../../src/services/search/runtime/IndexState.ts"
import type { SearchCase } from "./SearchCase.ts"

const never = { check: () => {} }

/** Names resolved to codes: what the index and its peers are given, so that neither is measured for it. */
export const queryOf = (catalog: Catalog, searchCase: SearchCase, today: string): Query => {
  const names = Names.of(catalog)
  switch (searchCase.tool) {
    case "search_ads":
      return Queries.fromAdQuery(searchCase.arguments, names, today)
    case "search_products":
      return Queries.fromProductQuery(searchCase.arguments, names)
    case "search_shops":
      return Queries.fromShopQuery(searchCase.arguments, names)
  }
}

export const run = ({ list }: Published, query: Query): SearchResult => search(list, query, never)

/** One search that the benchmark asks for: a tool, its decoded arguments, and the class of search that it stands for. */
import type { AdQuery } from "../../src/domain/search/AdQuery.ts"
import type { ProductQuery } from "../../src/domain/search/ProductQuery.ts"
import type { ShopQuery } from "../../src/domain/search/ShopQuery.ts"

export type Tool = SearchCase["tool"]

interface Labeled {
  /** Unique in a run, such as `search_ads/one filter/17`. */
  readonly id: string
  readonly class: string
}

export interface AdCase extends Labeled {
  readonly tool: "search_ads"
  readonly arguments: AdQuery
}

export interface ProductCase extends Labeled {
  readonly tool: "search_products"
  readonly arguments: ProductQuery
}

export interface ShopCase extends Labeled {
  readonly tool: "search_shops"
  readonly arguments: ShopQuery
}

export type SearchCase = AdCase | ProductCase | ShopCase

export const tools = ["search_products", "search_ads", "search_shops"] as const satisfies ReadonlyArray<Tool>

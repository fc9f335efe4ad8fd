/** `/dashboard/products`: the results of `search_products` for people. */
import * as Queries from "../../../services/search/Queries.ts"
import * as SearchProducts from "../../../services/tools/SearchProducts.ts"
import { productCard } from "./ProductCard.ts"
import { sections } from "../shared/Layout.ts"
import * as SearchPage from "./SearchPage.ts"
import * as SearchResults from "./SearchResults.ts"

export const productsPath = sections.products

export const layer = SearchPage.layer({
  subject: "products",
  path: productsPath,
  tool: SearchProducts.make,
  filter: Queries.fromProductQuery,
  images: true,
  keptAs: "product",
  list: ({ results }, locale, { keep }) =>
    SearchResults.cards(
      results.map((product) =>
        productCard(product, locale, { shop: true, below: keep({ kind: "product", id: product.id }, product.title) })
      )
    ),
  reasons: () => []
})

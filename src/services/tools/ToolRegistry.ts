/** All tools, in the order of `tools/list` (S4). */
import { Context, Effect, Layer } from "effect"
import * as CompareAds from "./CompareAds.ts"
import * as CompareMarkets from "./CompareMarkets.ts"
import * as GetProduct from "./GetProduct.ts"
import * as GetShop from "./GetShop.ts"
import * as GetUsage from "./GetUsage.ts"
import * as ListChanges from "./ListChanges.ts"
import * as ListFilterOptions from "./ListFilterOptions.ts"
import * as SavedSearchTools from "./SavedSearchTools.ts"
import * as SearchAds from "./SearchAds.ts"
import * as SearchProducts from "./SearchProducts.ts"
import * as SearchShops from "./SearchShops.ts"
import type { RunnableTool } from "./ToolDefinition.ts"

export class ToolRegistry extends Context.Service<
  ToolRegistry,
  {
    readonly tools: ReadonlyArray<RunnableTool>
    find(name: string): RunnableTool | undefined
  }
>()("discovery/tools/ToolRegistry") {
  static readonly layer = Layer.effect(
    ToolRegistry,
    Effect.gen(function* () {
      const searches = yield* Effect.all({
        stores: SearchShops.make,
        ads: SearchAds.make,
        products: SearchProducts.make
      })
      const others = [
        yield* ListFilterOptions.make,
        searches.stores,
        searches.ads,
        searches.products,
        yield* GetShop.make,
        yield* GetProduct.make,
        yield* ListChanges.make,
        yield* CompareMarkets.make,
        yield* CompareAds.make,
        yield* SavedSearchTools.list,
        yield* SavedSearchTools.run(searches)
      ]
      // The free tool comes first: clients and test suites try the first tool with no arguments (P20).
      const tools = [GetUsage.tool, ...others]
      const byName = new Map<string, RunnableTool>(tools.map((tool) => [tool.name, tool]))
      return { tools, find: (name) => byName.get(name) }
    })
  )
}

/** The search services over a test database, with an index that is updated when a test asks for it. */
import { Layer } from "effect"
import { AdSearch, ProductSearch, ShopSearch } from "../../src/services/search/Searches.ts"
import { SearchRunner } from "../../src/services/search/SearchRunner.ts"
import { ItemReader } from "../../src/services/search/ItemReader.ts"
import { ShopReader } from "../../src/services/search/ShopReader.ts"
import { BoardReader } from "../../src/services/search/BoardReader.ts"
import { TrackedShopReader } from "../../src/services/search/TrackedShopReader.ts"
import { Vocabulary } from "../../src/services/search/Vocabulary.ts"
import * as TestIndex from "./TestIndex.ts"

export const layer = Layer.mergeAll(
  AdSearch.layer,
  ProductSearch.layer,
  ShopSearch.layer,
  ShopReader.layer,
  ItemReader.layer,
  TrackedShopReader.layer,
  BoardReader.layer,
  Vocabulary.layer
).pipe(Layer.provide(SearchRunner.layer), Layer.provideMerge(TestIndex.layer))

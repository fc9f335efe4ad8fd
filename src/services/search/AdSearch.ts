/** The search behind `search_ads` and the Ads page. */
import { Context } from "effect"
import type { Effect } from "effect"
import type { FoundAd } from "../../domain/catalog/AdItem.ts"
import type { AdQuery } from "../../domain/search/AdQuery.ts"
import type { AdPagination } from "../../domain/search/Page.ts"
import type { InvalidArguments, SearchTimeout, ServiceUnavailable } from "../../domain/ToolError.ts"

export interface AdPage {
  readonly ads: ReadonlyArray<FoundAd>
  readonly pagination: AdPagination
}

export class AdSearch extends Context.Service<
  AdSearch,
  {
    search(query: AdQuery): Effect.Effect<AdPage, InvalidArguments | SearchTimeout | ServiceUnavailable>
  }
>()("discovery/search/AdSearch") {}

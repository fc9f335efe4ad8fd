/** `/dashboard/ads`: the results of `search_ads` for people. */
import * as AdNotice from "../../../domain/search/AdNotice.ts"
import * as Queries from "../../../services/search/Queries.ts"
import * as SearchAds from "../../../services/tools/SearchAds.ts"
import { adCard } from "./AdCard.ts"
import { sections } from "../shared/Layout.ts"
import { changeIn } from "./StoreFigures.ts"
import * as SearchPage from "./SearchPage.ts"
import * as SearchResults from "./SearchResults.ts"

export const adsPath = sections.ads

export const layer = SearchPage.layer({
  subject: "ads",
  path: adsPath,
  tool: SearchAds.make,
  filter: Queries.fromAdQuery,
  images: true,
  keptAs: "ad",
  list: ({ results }, locale, { keep, viewed }) => {
    const change = changeIn(viewed.context.args, locale)
    return SearchResults.cards(
      results.map((ad) =>
        adCard(ad, locale, { shop: true, change, below: keep({ kind: "ad", id: ad.id }, ad.page_name) })
      )
    )
  },
  reasons: (query, { pagination }) => AdNotice.reasons(query, pagination)
})

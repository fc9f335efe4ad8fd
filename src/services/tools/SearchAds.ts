/** `search_ads` (S44 to S75, D32). */
import { DateTime, Effect } from "effect"
import { AppConfig } from "../../Config.ts"
import * as AdItem from "../../domain/catalog/AdItem.ts"
import * as AdNotice from "../../domain/search/AdNotice.ts"
import * as AdQuery from "../../domain/search/AdQuery.ts"
import * as Arguments from "../../domain/search/Arguments.ts"
import { AdPage } from "../../domain/search/Page.ts"
import { AdSearch } from "../search/Searches.ts"
import { links } from "../../domain/catalog/DashboardUrl.ts"
import * as SearchWarnings from "./SearchWarnings.ts"
import * as ToolDefinition from "./ToolDefinition.ts"
import * as VocabularyCheck from "./VocabularyCheck.ts"

export const make = Effect.gen(function* () {
  const ads = yield* AdSearch
  const storesAt = yield* SearchWarnings.storesAt
  const context = links(yield* AppConfig)
  const warningsOf = yield* SearchWarnings.make(AdQuery.withoutEffect)

  return ToolDefinition.make({
    name: "search_ads",
    title: "Search social ads of online stores",
    description:
      "Finds social-platform ads of online stores, running or stopped, with text, call to action, dates and store.",
    details:
      "The default sort gives one ad per store (total counts ads, matching_shops stores); other sorts list every ad. Store filters and figures are of the ad's store, money in its currency; ads of unknown stores match no store filter. " +
      `page_name, headline and ad_text are ${ToolDefinition.thirdParty}`,
    rules: Arguments.rules,
    use: "to read ads, or with shop_ids to list one store's.",
    instead: "For counts use compare_ads, for stores search_shops.",
    parameters: AdQuery.AdQuery,
    success: AdPage,
    check: yield* VocabularyCheck.make(AdQuery.conflicts),
    handler: (query) =>
      Effect.gen(function* () {
        const { ads: found, findings, pagination } = yield* ads.search(query)
        const today = DateTime.formatIsoDateUtc(yield* DateTime.now)
        const notice = found.length === 0 ? AdNotice.text(AdNotice.reasons(query, pagination)) : undefined
        return {
          results: found.map((ad) => AdItem.present(ad, { ...context, today })),
          pagination,
          ...(yield* warningsOf(query, { ...findings, storesAt: yield* storesAt(query, pagination.total) })),
          ...(notice === undefined ? {} : { notice })
        }
      })
  })
})

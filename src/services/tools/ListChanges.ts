/** `list_changes` (D111). */
import { Effect } from "effect"
import { AppConfig } from "../../Config.ts"
import * as ChangeQuery from "../../domain/search/ChangeQuery.ts"
import { ChangeFeed, present } from "../changes/ChangeFeed.ts"
import { dashboardUrl } from "../../domain/catalog/DashboardUrl.ts"
import * as SearchWarnings from "./SearchWarnings.ts"
import * as ToolDefinition from "./ToolDefinition.ts"
import * as VocabularyCheck from "./VocabularyCheck.ts"

export const make = Effect.gen(function* () {
  const feed = yield* ChangeFeed
  const context = { dashboardUrl: dashboardUrl(yield* AppConfig) }
  const names = yield* VocabularyCheck.make()
  const warningsOf = yield* SearchWarnings.make()

  const check: ToolDefinition.Check = (raw) =>
    Effect.map(ToolDefinition.within("filters", names)(raw), (found) =>
      ToolDefinition.joined([{ issues: ChangeQuery.conflicts(raw) }, found])
    )

  return ToolDefinition.make({
    name: "list_changes",
    title: "List what has changed",
    description:
      "Lists what has changed of stores, products and ads: prices, figures, apps, what is new, gone or stopped.",
    details: `Titles and names are ${ToolDefinition.thirdParty}`,
    use: "for what is new since a day or your last call.",
    instead: "For the present state use the searches.",
    parameters: ChangeQuery.ChangeArguments,
    asText: ["filters"],
    success: ChangeQuery.ChangePage,
    // As in search_ads.
    withoutParts: ["shop"],
    check,
    handler: (query, { accountId }) =>
      Effect.gen(function* () {
        const { changes, findings, known_since, pagination } = yield* feed.page(query, accountId)
        return {
          results: changes.map((change) => present(change, context)),
          pagination,
          known_since,
          ...(yield* warningsOf(query.filters ?? {}, findings))
        }
      })
  })
})

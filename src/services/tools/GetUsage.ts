/** `get_usage` (S106): plan, remaining credits and costs (S43, D47). */
import { Effect, Schema } from "effect"
import * as Tool from "effect/ai/Tool"
import * as Credit from "../../domain/access/Credit.ts"
import { Plan, SubscriptionStatus } from "../../domain/access/Account.ts"
import type { RunnableTool } from "./ToolDefinition.ts"
import * as ToolDefinition from "./ToolDefinition.ts"

/** Fields instead of a record: strict clients refuse `additionalProperties` with a schema. */
const costFields: Readonly<Record<ToolDefinition.ToolName, typeof Schema.Int>> = {
  get_usage: Schema.Int,
  list_filter_options: Schema.Int,
  search_shops: Schema.Int,
  search_ads: Schema.Int,
  search_products: Schema.Int,
  get_shop: Schema.Int,
  get_product: Schema.Int,
  compare_markets: Schema.Int,
  list_changes: Schema.Int,
  compare_ads: Schema.Int,
  list_saved_searches: Schema.Int,
  run_saved_search: Schema.Int
}

export const Usage = Schema.Struct({
  plan: Plan,
  status: SubscriptionStatus,
  credits: Schema.Struct({
    allowance: Schema.Int.annotate({ description: "Credits of this period." }),
    used: Schema.Int,
    remaining: Schema.Int
  }),
  period: Schema.Struct({
    start: Schema.String.annotate({ description: "YYYY-MM-DD, UTC, inclusive." }),
    end: Schema.String.annotate({ description: "YYYY-MM-DD, UTC, exclusive: then the credits renew." })
  }),
  costs: Schema.Struct(costFields).annotate({
    description: "Credits per successful call of each tool."
  })
})

export const tool: RunnableTool = ToolDefinition.make({
  name: "get_usage",
  title: "Get plan and remaining credits",
  description: "Gets the plan, the credits used and remaining, when they renew, and what each tool costs.",
  use: "to check that a credential works, or to budget before many calls.",
  instead: "For single past calls see the dashboard.",
  parameters: Tool.EmptyParams,
  success: Usage,
  withoutParts: ["costs"],
  handler: (_, { credits, plan, status }) =>
    Effect.succeed({
      plan,
      status,
      credits: {
        allowance: credits.allowance,
        used: credits.used,
        remaining: Credit.remaining(credits)
      },
      period: { start: credits.periodStart, end: credits.periodEnd },
      costs: Credit.costs
    })
})

/** `get_usage`: the plan, what is left of its credits, and what calls cost (decisions.md, "Data", last point). */
import { Effect, Schema } from "effect"
import * as Tool from "effect/ai/Tool"
import * as Credit from "../../domain/access/Credit.ts"
import { Plan, SubscriptionStatus } from "../../domain/access/Account.ts"
import type { RunnableTool } from "./ToolDefinition.ts"
import * as ToolDefinition from "./ToolDefinition.ts"

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
  costs: Schema.Record(Schema.String, Schema.Int).annotate({
    description: "Credits per successful call of each tool."
  })
})

/** `others` are the tools besides this one. */
export const make = (others: ReadonlyArray<RunnableTool>): RunnableTool => {
  const costs = Object.fromEntries([
    ["get_usage", Credit.costs.get_usage],
    ...others.map(({ cost, name }) => [name, cost])
  ])
  return ToolDefinition.make({
    name: "get_usage",
    title: "Get usage",
    description:
      "Tells the account's plan, the credits left in this period, when they renew, and what each tool costs. " +
      "Also the way to check that a credential works.",
    parameters: Tool.EmptyParams,
    success: Usage,
    handler: (_, { credits, plan, status }) =>
      Effect.succeed({
        plan,
        status,
        credits: {
          allowance: credits.allowance,
          used: credits.used,
          remaining: Math.max(0, Credit.remaining(credits))
        },
        period: { start: credits.periodStart, end: credits.periodEnd },
        costs
      })
  })
}

/** `list_filter_options` (D46): valid values of the filters `niches`, `themes` and `apps`. */
import { Effect, Schema } from "effect"
import { issueAt } from "../../domain/ArgumentIssue.ts"
import * as Arguments from "../../domain/search/Arguments.ts"
import { warnings } from "../../domain/search/Page.ts"
import * as Warnings from "../../domain/search/Warnings.ts"
import { Vocabulary } from "../search/Vocabulary.ts"
import * as ToolDefinition from "./ToolDefinition.ts"

const Parameters = Schema.Struct({
  kind: Arguments.oneOf(["niches", "themes", "apps"]).annotate({ description: "The filter." }),
  query: Arguments.optional(Arguments.PartOfName, "Part of a name; required for apps.")
})

const Options = Schema.Struct({
  results: Schema.Array(
    Schema.Struct({
      id: Schema.optionalKey(Schema.Int.annotate({ description: "Of a niche. Themes and apps have none." })),
      name: Schema.String,
      parent: Schema.NullOr(Schema.String).annotate({ description: "Name of the parent niche; null for a root." }),
      stores: Schema.Int.annotate({ description: "Number of stores it matches." })
    })
  ),
  warnings
})

const needsQuery: ToolDefinition.Check = (raw) =>
  Effect.succeed({
    issues: raw["kind"] === "apps" && raw["query"] === undefined ? [issueAt("query", "app_query_required")] : []
  })

export const make = Effect.gen(function* () {
  const vocabulary = yield* Vocabulary
  return ToolDefinition.make({
    name: "list_filter_options",
    title: "List valid niche, theme and app names",
    description: "Lists names (up to 50) that the niches, themes and apps filters accept, with store counts.",
    use: "before you filter: pass a returned name.",
    instead: "For other filters see the schemas.",
    details: "Do not guess: searches with unknown apps cost a credit and find nothing.",
    parameters: Parameters,
    success: Options,
    check: needsQuery,
    handler: Effect.fnUntraced(function* ({ kind, query }) {
      const results = yield* vocabulary.list(kind, query)
      if (results.length > 0 || query === undefined) return { results }
      return { results, warnings: [Warnings.noName(kind, query, yield* vocabulary.near(kind, query))] }
    })
  })
})

/** `list_saved_searches` and `run_saved_search` (D115): the searches that people save on the dashboard, for their agents. */
import { DateTime, Effect, Option, Result, Schema } from "effect"
import * as Tool from "effect/ai/Tool"
import * as Scalars from "../../domain/Scalars.ts"
import { lastPage, Pagination, warnings } from "../../domain/search/Page.ts"
import * as Arguments from "../../domain/search/Arguments.ts"
import { searchKinds } from "../../domain/search/SavedSearch.ts"
import type { SearchSubject } from "../../domain/search/SavedSearch.ts"
import { InvalidArguments } from "../../domain/ToolError.ts"
import type { ToolError } from "../../domain/ToolError.ts"
import * as ToolErrorMessages from "../../domain/ToolErrorMessages.ts"
import { SavedSearches } from "../accounts/SavedSearches.ts"
import type { RunnableTool } from "./ToolDefinition.ts"
import * as ToolDefinition from "./ToolDefinition.ts"

const toolNames = { stores: "search_shops", ads: "search_ads", products: "search_products" } as const
/** A text, because the values would cost agents more than they tell. */
const kind = Schema.String

/** Whatever object, as the tool of its kind describes it. */
const SomeObject = Schema.Record(Schema.String, Schema.Unknown)

const reader =
  <A extends object>({ decode }: { readonly decode: (query: string) => Result.Result<A, unknown> }) =>
  (query: string): Option.Option<Readonly<Record<string, unknown>>> =>
    Option.map(Result.getSuccess(decode(query)), (args) => Object.fromEntries(Object.entries(args)))

/** None for a search that is no longer valid. */
const argumentsOf: Readonly<Record<SearchSubject, ReturnType<typeof reader>>> = {
  stores: reader(searchKinds.stores),
  ads: reader(searchKinds.ads),
  products: reader(searchKinds.products)
}

const Saved = Schema.Struct({
  id: Schema.Int,
  name: Schema.String,
  kind: kind.annotate({ description: "The tool of the search: search_shops, search_ads or search_products." }),
  arguments: Schema.NullOr(SomeObject).annotate({
    description: "As that tool takes them. null if the search is no longer valid, because a name in it was removed."
  }),
  viewed_at: Schema.String.annotate({ description: "When its results were last viewed on the dashboard; ISO 8601." })
})

const SavedPage = Schema.Struct({ results: Schema.Array(Saved) })

export const list = Effect.gen(function* () {
  const saved = yield* SavedSearches
  return ToolDefinition.make({
    name: "list_saved_searches",
    title: "List saved searches",
    description: "Lists the searches that the account has saved.",
    use: "to find one by its name.",
    instead: "To run one use run_saved_search.",
    parameters: Tool.EmptyParams,
    success: SavedPage,
    handler: (_, { accountId }) =>
      Effect.map(saved.all(accountId), (searches) => ({
        results: searches.map((search) => ({
          id: search.id,
          name: search.name,
          kind: toolNames[search.subject],
          arguments: Option.getOrNull(argumentsOf[search.subject](search.query)),
          viewed_at: DateTime.formatIso(search.viewedAt)
        }))
      }))
  })
})

const Parameters = Schema.Struct({
  search_id: Scalars.Id.annotate({ description: "id in list_saved_searches." }),
  page: Arguments.optional(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: lastPage })), "Default 1.")
})

/** The answer of the tool of its kind, whose own schema says more. */
const RunPage = Schema.Struct({
  kind,
  results: Schema.Array(SomeObject).annotate({ description: "As the tool `kind` gives them." }),
  pagination: Schema.Struct({
    ...Pagination.fields,
    mode: Schema.optionalKey(Schema.String),
    matching_shops: Schema.optionalKey(Schema.Int)
  }),
  truncated: Schema.optionalKey(Schema.Literal(true)),
  warnings,
  notice: Schema.optionalKey(Schema.String)
})

const decodePage = Schema.decodeUnknownEffect(RunPage)

/** Those that a search is run by; they need of the caller what this one does. */
type SearchTool = RunnableTool<
  ToolDefinition.PreparedCall<ToolDefinition.StructuredContent, ToolError, ToolDefinition.Asker>
>

/** `tools` are those of each kind. */
export const run = Effect.fnUntraced(function* (tools: Readonly<Record<SearchSubject, SearchTool>>) {
  const saved = yield* SavedSearches
  return ToolDefinition.make({
    name: "run_saved_search",
    title: "Run a saved search",
    description: "Gives a page of results of a saved search.",
    use: "with an id of list_saved_searches.",
    instead: "For other arguments use the search's own tool.",
    parameters: Parameters,
    success: RunPage,
    withoutParts: ["pagination"],
    handler: Effect.fnUntraced(function* ({ page, search_id }: typeof Parameters.Type, asker: ToolDefinition.Asker) {
      const search = yield* Effect.catchTag(saved.get(asker.accountId, search_id), "SavedSearchNotFound", () =>
        Effect.fail(ToolErrorMessages.noSavedSearch(search_id))
      )
      const tool = tools[search.subject]
      const args = argumentsOf[search.subject](search.query)
      if (Option.isNone(args)) return yield* ToolErrorMessages.searchNotValid(search_id)
      const decoded = tool.decode({ ...args.value, ...(page === undefined ? {} : { page }) })
      const prepared = yield* ToolDefinition.prepare(tool, decoded)
      if (Result.isFailure(prepared)) {
        const { hints = [], issues } = prepared.failure
        return yield* InvalidArguments.fromIssues(issues, hints.length === 0 ? undefined : hints.join(" "))
      }
      const answer = yield* prepared.success.run(asker)
      // Every page of these tools has this form.
      return yield* Effect.orDie(decodePage({ ...answer, kind: toolNames[search.subject] }))
    })
  })
})

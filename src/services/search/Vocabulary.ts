/** The open vocabularies of the filters: niches, themes and apps, with the number of stores behind each. */
import { Context } from "effect"
import type { Effect } from "effect"
import type { ArgumentIssue, SearchTimeout, ServiceUnavailable } from "../../domain/ToolError.ts"

/** `parent` is the name of the parent niche; themes and apps have none. */
export interface FilterOption {
  readonly id: number
  readonly name: string
  readonly parent: string | null
  readonly stores: number
}

export class Vocabulary extends Context.Service<
  Vocabulary,
  {
    /** Up to 50, best match first; without a query the ones with most stores first. */
    list(
      kind: "niches" | "themes" | "apps",
      query: string | undefined
    ): Effect.Effect<ReadonlyArray<FilterOption>, SearchTimeout | ServiceUnavailable>
    /**
     * Unknown niches (`niches.3`) and themes (`themes.0`) in arguments as they were sent, before they are decoded, with
     * the nearest known name. Whatever is not an array of names or ids is left to the schema to complain about.
     */
    issues(
      args: Readonly<Record<string, unknown>>
    ): Effect.Effect<ReadonlyArray<ArgumentIssue>, SearchTimeout | ServiceUnavailable>
  }
>()("discovery/search/Vocabulary") {}

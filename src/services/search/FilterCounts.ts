/**
 * Counts for each value of a filter the results that it would leave (index/Facets.ts), by the value's name. The counts help
 * people to choose: a search is shown without them if they fail or take too long.
 */
import { Context, DateTime, Duration, Effect, Layer, Option } from "effect"
import { adStatuses, ctas, languages, mediaTypes, pixels, socialNetworks } from "../../domain/catalog/Enumerations.ts"
import * as StoreDomain from "../../domain/catalog/StoreDomain.ts"
import type { Facets } from "../../domain/search/CatalogAnswer.ts"
import type { Code, Filter, Mask } from "../../domain/search/CatalogQuery.ts"
import { lettersCode } from "../../domain/search/CatalogQuery.ts"
import * as InVersion from "./InVersion.ts"
import * as Names from "./Names.ts"
import type { NameCodes } from "./Queries.ts"
import { CatalogSearch } from "./CatalogSearch.ts"

/** The total of the search with this value in place of the argument's own values; `undefined` for other arguments. */
export type Counts = (argument: string, value: string) => number | undefined

export const countsOf = (facets: Facets, names: NameCodes): Counts => {
  const coded = (column: Code | "app", codes: ReadonlyArray<number>) =>
    codes.reduce((sum, code) => sum + (facets.codes[column].get(code) ?? 0), 0)
  const bit = (column: Mask, vocabulary: ReadonlyArray<string>, value: string) =>
    facets.masks[column][vocabulary.indexOf(value)]
  return (argument, value) => {
    switch (argument) {
      case "niches":
        return coded("niche", names.niche(value) ?? [])
      case "countries":
        return coded("country", [lettersCode(value)])
      case "currencies":
        return coded("currency", [lettersCode(value)])
      case "themes":
        return coded("theme", names.spellings("theme", value))
      case "apps":
        return coded("app", names.spellings("app", value))
      case "domains":
        return coded("extension", names.spellings("extension", StoreDomain.normalize(value)))
      case "languages":
        return bit("languages", languages, value)
      case "pixels":
        return bit("pixels", pixels, value)
      case "social_networks":
        return bit("networks", socialNetworks, value)
      case "media_types":
        return facets.flags?.media[mediaTypes.findIndex((each) => each === value)]
      case "ctas":
        return facets.flags?.cta[ctas.findIndex((each) => each === value)]
      case "partnership_only":
        return facets.flags?.partnership[0]
      case "status":
        return value === "all"
          ? facets.flags?.status.reduce((sum, count) => sum + count, 0)
          : facets.flags?.status[adStatuses.findIndex((each) => each === value)]
      default:
        return undefined
    }
  }
}

/** Maximum wait for counts. */
const limit = Duration.seconds(1)

export class FilterCounts extends Context.Service<
  FilterCounts,
  {
    /** `None` if they cannot be counted in time. `toFilter` takes the UTC date, `YYYY-MM-DD`. */
    of<Query extends Names.SentNames>(
      query: Query,
      toFilter: (query: Query, names: NameCodes, today: string) => Filter
    ): Effect.Effect<Option.Option<Counts>>
  }
>()("discovery/search/FilterCounts") {
  static readonly layer = Layer.effect(
    FilterCounts,
    Effect.map(CatalogSearch, (index) =>
      FilterCounts.of({
        of: (query, toFilter) =>
          Effect.gen(function* () {
            const today = DateTime.formatIsoDateUtc(yield* DateTime.now)
            const { answer, catalog } = yield* InVersion.answer(index.current, {
              names: query,
              query: (names) => toFilter(query, names, today),
              ask: (filter) => index.facets(filter)
            })
            return countsOf(answer, Names.of(catalog))
          }).pipe(
            Effect.timeoutOption(limit),
            Effect.orElseSucceed(() => Option.none()),
            Effect.catchDefect((defect) =>
              Effect.as(Effect.logError("Results of filters were not counted", defect), Option.none())
            ),
            Effect.withSpan("FilterCounts.of")
          )
      })
    )
  )
}

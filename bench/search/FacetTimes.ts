/** How long it takes, in this process, to count all facets of a page, and to group the stores or ads of a search. */
import { adGroups } from "../../src/services/search/index/AdGroups.ts"
import type { AdGroupKind, Grouping } from "../../src/domain/search/CatalogQuery.ts"
import { facets } from "../../src/services/search/index/Facets.ts"
import { overview } from "../../src/services/search/index/Overview.ts"
import type { Published } from "../../src/services/search/runtime/IndexState.ts"
import * as OwnSearch from "./OwnSearch.ts"
import type { FacetRow } from "./Results.ts"
import { tools } from "./SearchCase.ts"
import type { SearchCase } from "./SearchCase.ts"
import { summarize } from "./Summary.ts"

const never = { check: () => {} }

/** One of each kind; niches of one level cost what countries do. */
const groupings: ReadonlyArray<Grouping> = [
  { _tag: "Code", column: "country" },
  { _tag: "Code", column: "theme" },
  { _tag: "Mask", column: "pixels" },
  { _tag: "App" }
]

/** By a value of the ad, and by a code of its store. */
const adGroupings: ReadonlyArray<AdGroupKind> = [
  { _tag: "Flag", flag: "cta" },
  { _tag: "Code", column: "country" }
]

export const run = (
  published: Published,
  cases: ReadonlyArray<SearchCase>,
  warmUp: ReadonlyArray<SearchCase>,
  today: string
): ReadonlyArray<FacetRow> => {
  const time = (searchCase: SearchCase) => {
    const query = OwnSearch.queryOf(published, searchCase, today)
    const start = performance.now()
    facets(published.list, query, published.leaders, never)
    return { tool: searchCase.tool, words: query.words.length > 0, millis: performance.now() - start }
  }
  const timeOverviews = (searchCase: SearchCase) => {
    const query = OwnSearch.queryOf(published, searchCase, today)
    if (query.subject !== "stores") return []
    const { stores, words } = query
    return groupings.map((grouping) => {
      const start = performance.now()
      const asked = {
        subject: "stores",
        stores,
        words,
        grouping,
        hasPrices: false,
        order: "stores",
        limit: 20
      } as const
      overview(published.list, asked, published.leaders, never)
      return { tool: "compare_markets", words: words.length > 0, millis: performance.now() - start }
    })
  }
  const timeAdGroups = (searchCase: SearchCase) => {
    const query = OwnSearch.queryOf(published, searchCase, today)
    if (query.subject !== "ads") return []
    return adGroupings.map((grouping) => {
      const start = performance.now()
      adGroups(published.list, { ...query, subject: "ads", grouping }, never)
      return { tool: "compare_ads", words: query.words.length > 0, millis: performance.now() - start }
    })
  }
  for (const searchCase of warmUp) {
    time(searchCase)
    timeOverviews(searchCase)
    timeAdGroups(searchCase)
  }
  const trials = [...cases.map(time), ...cases.flatMap(timeOverviews), ...cases.flatMap(timeAdGroups)]
  return [...tools, "compare_markets", "compare_ads"].flatMap((tool) =>
    [false, true].map((words) => ({
      tool,
      words,
      ...summarize(trials.filter((one) => one.tool === tool && one.words === words).map(({ millis }) => millis))
    }))
  )
}

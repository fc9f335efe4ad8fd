/** How long it takes to count what each value of each filter would leave: all facets of a page, in this process. */
import { facets } from "../../src/services/search/index/Facets.ts"
import type { Published } from "../../src/services/search/runtime/IndexState.ts"
import * as OwnSearch from "./OwnSearch.ts"
import type { FacetRow } from "./Results.ts"
import { tools } from "./SearchCase.ts"
import type { SearchCase } from "./SearchCase.ts"
import { summarize } from "./Summary.ts"

const never = { check: () => {} }

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
  for (const searchCase of warmUp) time(searchCase)
  const trials = cases.map(time)
  return tools.flatMap((tool) =>
    [false, true].map((words) => ({
      tool,
      words,
      ...summarize(trials.filter((one) => one.tool === tool && one.words === words).map(({ millis }) => millis))
    }))
  )
}

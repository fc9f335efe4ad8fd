/**
 * How long the index alone takes for the cases of each class, in this process on one thread, the shortest of three runs, and how this
 * compares with the cost that is expected.
 */
import * as Cost from "../../src/services/search/index/Cost.ts"
import type { Published } from "../../src/services/search/runtime/IndexState.ts"
import * as Cases from "./Cases.ts"
import * as OwnSearch from "./OwnSearch.ts"
import type { SearchCase } from "./SearchCase.ts"
import { summarize } from "./Summary.ts"
import type { Summary } from "./Summary.ts"

/** A run that another process interrupts does not count. */
const rounds = 3

export interface IndexRow extends Summary {
  readonly tool: string
  readonly class: string
  /** Expected time by measured time, the median of the cases. */
  readonly expected: number
}

export const run = (
  published: Published,
  cases: ReadonlyArray<SearchCase>,
  warmUp: ReadonlyArray<SearchCase>,
  today: string
): ReadonlyArray<IndexRow> => {
  const time = (searchCase: SearchCase) => {
    const query = OwnSearch.queryOf(published, searchCase, today)
    let shortest = Number.POSITIVE_INFINITY
    for (let round = 0; round < rounds; round++) {
      const start = performance.now()
      OwnSearch.run(published, query)
      shortest = Math.min(shortest, performance.now() - start)
    }
    return { millis: shortest, expected: Cost.ofSearch(published.list, query) / 1_000_000 / shortest }
  }
  for (const searchCase of warmUp) time(searchCase)
  const trials = cases.map((searchCase) => ({ ...searchCase, ...time(searchCase) }))
  return Cases.groups(cases).map((group) => {
    const own = trials.filter((one) => one.tool === group.tool && one.class === group.class)
    return {
      ...group,
      ...summarize(own.map(({ millis }) => millis)),
      expected: summarize(own.map(({ expected }) => expected)).p50
    }
  })
}

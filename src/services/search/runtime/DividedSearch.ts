/**
 * Divides long searches of large catalogs over the search threads that have nothing to do (D57). A catalog of some hundred thousand
 * stores is one segment with a few small ones, and is searched by one thread.
 */
import { Effect } from "effect"
import * as Cost from "../index/Cost.ts"
import { divide, isDivisible, mergeParts } from "../index/Parts.ts"
import type { Query } from "../../../domain/search/CatalogQuery.ts"
import type { SearchFailure } from "../../limits/SearchPermits.ts"
import type { Published } from "./IndexState.ts"
import type { JobResult, Searcher } from "./Searcher.ts"
import type { Asked, Job } from "./SearchThread.ts"
import type { ThreadSearcher } from "./SearchThreads.ts"

/**
 * A part costs a message to a thread and one back, some 0.3 ms of CPU. Catalogs this large do not fit into the caches of a processor,
 * so their searches take up to twice as long as expected.
 */
const longNanos = 1_250_000

const isLong = ({ list }: Published, query: Query): boolean =>
  list.length > 1 && isDivisible(query) && Cost.ofSearch(list, query) > longNanos

const queryOf = (job: Job<Asked>): Query | undefined => (job.kind === "search" ? job.query : undefined)

export const divided = (threads: ThreadSearcher): Searcher => {
  let current: Published | undefined

  const inParts = Effect.fnUntraced(function* (published: Published, query: Query, hint?: () => string | undefined) {
    const results = yield* Effect.forEach(
      divide(published.list, threads.idle()),
      (views) => threads.run({ kind: "part", query: { query, views } }, hint),
      { concurrency: "unbounded" }
    )
    // Another list was shown before the last part began.
    if (results.some((result) => result.published !== published)) {
      return yield* threads.run({ kind: "search", query }, hint)
    }
    const parts = results.map(({ answer }) => answer)
    return { answer: mergeParts(query, parts), published }
  })

  return {
    isAnswering: threads.isAnswering,
    show: (published) =>
      Effect.suspend(() => {
        current = published
        return threads.show(published)
      }),
    run: <K extends Asked>(job: Job<K>, hint?: () => string | undefined) =>
      Effect.suspend(() => {
        const [published, query] = [current, queryOf(job)]
        if (threads.idle() < 2 || published === undefined || query === undefined || !isLong(published, query)) {
          return threads.run(job, hint)
        }
        // A job with such a query is a search, whose answer this is.
        return inParts(published, query, hint) as Effect.Effect<JobResult<K>, SearchFailure>
      })
  }
}

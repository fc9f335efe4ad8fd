/**
 * Counts the results of a search that are new since its last view (D67). A mark is the highest id of the version that was
 * searched. Later items have higher ids, so each result is counted once: ids come from a sequence, under the lock of the
 * catalog (services/import/CatalogVersion.ts), and are never reused. The count uses the search itself, with the mark as an
 * additional condition and without a page.
 */
import { Context, DateTime, Effect, Layer, Option } from "effect"
import type { Result } from "effect"
import { searchKinds } from "../../domain/search/SavedSearch.ts"
import type { SearchSubject } from "../../domain/search/SavedSearch.ts"
import type * as Narrowing from "../../domain/search/Narrowing.ts"
import type { ServiceUnavailable } from "../../domain/ToolError.ts"
import type { SearchFailure } from "../limits/SearchPermits.ts"
import type { Query } from "../../domain/search/CatalogQuery.ts"
import * as Queries from "./Queries.ts"
import type { NameCodes } from "./Queries.ts"
import { CatalogSearch } from "./CatalogSearch.ts"
import { OnSearched, SearchRunner } from "./SearchRunner.ts"

export interface Counting {
  readonly subject: SearchSubject
  /** In the form of a saved search. */
  readonly query: string
  readonly mark: number
}

interface Prepared {
  readonly args: Narrowing.Narrowable
  readonly toQuery: (names: NameCodes, today: string) => Query
}

const preparation =
  <Args extends Narrowing.Narrowable>(
    { decode }: { readonly decode: (query: string) => Result.Result<Args, unknown> },
    toQuery: (args: Args, names: NameCodes, today: string) => Query
  ) =>
  (query: string): Option.Option<Prepared> =>
    Option.map(Option.getSuccess(decode(query)), (args) => ({
      args,
      toQuery: (names, today) => toQuery(args, names, today)
    }))

const prepare: Readonly<Record<SearchSubject, (query: string) => Option.Option<Prepared>>> = {
  ads: preparation(searchKinds.ads, Queries.fromAdQuery),
  products: preparation(searchKinds.products, Queries.fromProductQuery),
  stores: preparation(searchKinds.stores, Queries.fromShopQuery)
}

export interface Marked<A> {
  readonly answer: A
  readonly mark: number
}

export class NewResults extends Context.Service<
  NewResults,
  {
    /**
     * Runs a search, and adds the mark of the version that its answer is of, which may be newer than the one at its start.
     */
    marked<A, E, R>(
      subject: SearchSubject,
      search: Effect.Effect<A, E, R>
    ): Effect.Effect<Marked<A>, E | ServiceUnavailable, R>
    /** `None` if the search is no longer valid, because a niche or a theme was removed. */
    count(counting: Counting): Effect.Effect<Option.Option<number>, SearchFailure>
  }
>()("discovery/search/NewResults") {
  static readonly layer = Layer.effect(
    NewResults,
    Effect.gen(function* () {
      const index = yield* CatalogSearch
      const runner = yield* SearchRunner

      const count = Effect.fn("NewResults.count")(function* ({ mark, query, subject }: Counting) {
        const prepared = prepare[subject](query)
        if (Option.isNone(prepared)) return Option.none<number>()
        const { args, toQuery } = prepared.value
        const today = DateTime.formatIsoDateUtc(yield* DateTime.now)
        return yield* runner
          .run({
            args,
            query: (names) => ({ ...toQuery(names, today), idAbove: mark, offset: 0, limit: 0 }),
            read: () => Effect.succeed([])
          })
          .pipe(
            Effect.map(({ total }) => Option.some(total)),
            Effect.catchTag("InvalidArguments", () => Effect.succeed(Option.none<number>()))
          )
      })

      const marked = Effect.fnUntraced(function* <A, E, R>(
        subject: SearchSubject,
        search: Effect.Effect<A, E, R>
      ): Effect.fn.Return<Marked<A>, E | ServiceUnavailable, R> {
        let { highestIds } = yield* index.current
        const answer = yield* Effect.provideService(search, OnSearched, (catalog) => void ({ highestIds } = catalog))
        return { answer, mark: highestIds[subject] }
      })

      return NewResults.of({ marked, count })
    })
  )
}

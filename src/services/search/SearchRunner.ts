/**
 * Runs a search (D104): names to codes, the index in memory, then the records of the page by id.
 *
 * The database may have a newer version than the index. This shows when a record is gone or has a newer version than the
 * searched list. The runner then waits for the index and repeats the search once. The second answer is final; records that
 * are gone are left out of it.
 */
import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import * as Narrowing from "../../domain/search/Narrowing.ts"
import type { Apart, Findings, UnknownName } from "../../domain/search/Warnings.ts"
import type { InvalidArguments } from "../../domain/ToolError.ts"
import { rowOf } from "../database/Rows.ts"
import * as Metrics from "../metrics/Metrics.ts"
import type { Query, SearchResult } from "./index/Query.ts"
import { lettersOf } from "./index/Segment.ts"
import type { SegmentList } from "./index/Segment.ts"
import * as InVersion from "./InVersion.ts"
import * as Names from "./Names.ts"
import type { NameCodes } from "./Queries.ts"
import { CatalogIndex } from "./runtime/CatalogIndex.ts"
import type { Published } from "./runtime/IndexState.ts"
import { SearchPermits } from "../limits/SearchPermits.ts"
import type { SearchFailure } from "../limits/SearchPermits.ts"

/** A record, with the newest version of the catalog that changed any of its fields. */
export interface Versioned {
  readonly id: number
  readonly version: number
}

type Read<Row> = (ids: ReadonlyArray<number>) => Effect.Effect<ReadonlyArray<Row>, SqlError.SqlError>

export interface Search<Row extends Versioned> {
  readonly args: Narrowing.Narrowable
  readonly query: (names: NameCodes) => Query
  /** Records by id, in any order. */
  readonly read: Read<Row>
}

export interface Found<Row> {
  /** In the order of the results. */
  readonly rows: ReadonlyArray<Row>
  readonly total: number
  readonly stores: number
  readonly findings: Findings
  /** The searched list, which has the figures of the stores. */
  readonly list: SegmentList
}

/** A result, and whether the index was up to date for it. */
export interface Attempt<A> {
  readonly answer: A
  readonly isCurrent: boolean
}

/** Called after each search with the list of segments that it was answered from. */
export const OnSearched = Context.Reference<(list: SegmentList) => void>("discovery/search/OnSearched", {
  defaultValue: () => () => undefined
})

/** With the codes of ISO 4217. */
export const currenciesOf = ({ currencies }: Pick<SearchResult, "currencies">): Findings["currencies"] =>
  currencies.map(({ currency, stores }) => ({ currency: currency === 0 ? null : lettersOf(currency, 3), stores }))

/** With the ids of stores that are not in the catalog. */
export const unknownOf = (
  names: ReadonlyArray<UnknownName>,
  { unknownIds }: Pick<SearchResult, "unknownIds">
): Findings["unknown"] => [...names, ...unknownIds.map((id) => ({ list: "shop_ids", name: String(id) }) as const)]

/** The words and the filters of a query, each alone; `undefined` if it does not have both. */
const partsOf = (query: Query): { readonly words: Query; readonly filters: Query } | undefined => {
  const { item, phrases, ...others } = query
  const hasWords = query.words.length > 0 || phrases !== undefined
  const hasFilters = query.stores.length > 0 || item !== undefined || query.isStoreless === true
  if (!hasWords || !hasFilters) return undefined
  const { isStoreless: _, ...words } = { ...others, stores: [], offset: 0, limit: 1 }
  return {
    words: { ...words, ...(phrases === undefined ? {} : { phrases }) },
    filters: { ...others, words: [], ...(item === undefined ? {} : { item }), offset: 0, limit: 1 }
  }
}

const decodeVersion = rowOf(Schema.Struct({ version: Schema.Int }))

export class SearchRunner extends Context.Service<
  SearchRunner,
  {
    run<Row extends Versioned>(search: Search<Row>): Effect.Effect<Found<Row>, InvalidArguments | SearchFailure>
    /** Runs `attempt`, and repeats it once if the index was out of date. */
    fresh<A, E>(attempt: Effect.Effect<Attempt<A>, E>): Effect.Effect<A, E | SearchFailure>
    /** The existing records, in the order of the ids. Without ids there is no query. */
    records<Row extends Versioned>(
      ids: ReadonlyArray<number>,
      read: Read<Row>,
      hint?: () => string
    ): Effect.Effect<ReadonlyArray<Row>, SearchFailure>
  }
>()("discovery/search/SearchRunner") {
  static readonly layer = Layer.effect(
    SearchRunner,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const index = yield* CatalogIndex
      const permits = yield* SearchPermits

      const fresh = Effect.fnUntraced(function* <A, E>(
        attempt: Effect.Effect<Attempt<A>, E>
      ): Effect.fn.Return<A, E | SearchFailure> {
        const first = yield* attempt
        if (first.isCurrent) return first.answer
        yield* Metrics.searchesRepeated.add({})
        const { version } = yield* permits.query(decodeVersion(sql`SELECT version FROM catalog`))
        yield* index.awaitVersion(version)
        return (yield* attempt).answer
      })

      const records = Effect.fnUntraced(function* <Row extends Versioned>(
        ids: ReadonlyArray<number>,
        read: Read<Row>,
        hint?: () => string
      ): Effect.fn.Return<ReadonlyArray<Row>, SearchFailure> {
        if (ids.length === 0) return []
        const rows = new Map((yield* permits.query(read(ids), hint)).map((row) => [row.id, row]))
        return ids.flatMap((id) => rows.get(id) ?? [])
      })

      /** The results of the words alone and of the filters alone, of a search that has no result. */
      const totalsApart = Effect.fnUntraced(function* (
        published: Published,
        query: (names: NameCodes) => Query,
        hint: () => string
      ): Effect.fn.Return<Apart | undefined, SearchFailure> {
        const parts = partsOf(query(Names.of(published)))
        if (parts === undefined) return undefined
        const words = yield* index.search(parts.words, hint)
        const filters = yield* index.search(parts.filters, hint)
        return { words: words.answer.total, filters: filters.answer.total }
      })

      const attempt = Effect.fnUntraced(function* <Row extends Versioned>(
        search: Search<Row>
      ): Effect.fn.Return<Attempt<Found<Row>>, InvalidArguments | SearchFailure> {
        const { args, query } = search
        const hint = () => Narrowing.hint(args)
        const ask = (asked: Query) => index.search(asked, hint)
        const { answer, published, unknown } = yield* InVersion.answer(index.current, { names: args, query, ask })
        const apart = answer.total === 0 ? yield* totalsApart(published, query, hint) : undefined
        const ids = answer.page.map(({ id }) => id)
        const rows = yield* records(ids, search.read, hint)
        return {
          answer: {
            rows,
            total: answer.total,
            stores: answer.stores,
            findings: {
              unknown: unknownOf(unknown, answer),
              storeless: answer.storeless,
              currencies: currenciesOf(answer),
              ...(apart === undefined ? {} : { apart })
            },
            list: published.list
          },
          isCurrent: rows.length === ids.length && rows.every((row) => row.version <= published.version)
        }
      })

      const run = Effect.fnUntraced(function* <Row extends Versioned>(
        search: Search<Row>
      ): Effect.fn.Return<Found<Row>, InvalidArguments | SearchFailure> {
        const found = yield* fresh(attempt(search))
        const onSearched = yield* OnSearched
        onSearched(found.list)
        return found
      })

      return SearchRunner.of({ run, fresh, records })
    })
  ).pipe(Layer.provide(SearchPermits.layer))
}

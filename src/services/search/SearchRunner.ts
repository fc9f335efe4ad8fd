/**
 * Runs a search (D104): names to codes, the index in memory, then the records of the page by id.
 *
 * The database may have a newer version than the index. This shows when a record is gone or has a newer version than the
 * searched list. The runner then waits for the index and repeats the search once. The second answer is final; records that
 * are gone are left out of it.
 */
import { Array, Context, Deferred, Effect, Exit, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError, Statement } from "effect/sql"
import type { AccountId } from "../../domain/access/Account.ts"
import * as Narrowing from "../../domain/search/Narrowing.ts"
import type { Apart, Findings, UnknownName } from "../../domain/search/Warnings.ts"
import type { InvalidArguments } from "../../domain/ToolError.ts"
import { batched } from "../database/BatchedRequests.ts"
import type { Entry } from "../database/BatchedRequests.ts"
import { rowOf } from "../database/Rows.ts"
import { CurrentAccount } from "../limits/CurrentAccount.ts"
import * as Metrics from "../metrics/Metrics.ts"
import type { Query } from "../../domain/search/CatalogQuery.ts"
import type { Catalog, SearchResult } from "../../domain/search/CatalogAnswer.ts"
import { lettersOf } from "../../domain/search/CatalogQuery.ts"
import * as InVersion from "./InVersion.ts"
import * as Names from "./Names.ts"
import type { NameCodes } from "./Queries.ts"
import { CatalogSearch } from "./CatalogSearch.ts"
import { figuresIn } from "./ShopFigures.ts"
import type { FiguresOf } from "./ShopFigures.ts"
import { SearchPermits } from "../limits/SearchPermits.ts"
import type { SearchFailure } from "../limits/SearchPermits.ts"
import * as ToolErrorMessages from "../../domain/ToolErrorMessages.ts"

/** A record, with the newest version of the catalog that changed any of its fields. */
export interface Versioned {
  readonly id: number
  readonly version: number
}

/**
 * Reads records by the relation `w (id, account_id, request)`, in any order. Each row has the number of the request that wants it;
 * `account_id` is the account that asks.
 */
type Read<Row> = (
  wanted: Statement.Fragment
) => Effect.Effect<ReadonlyArray<Row & { readonly request: number }>, SqlError.SqlError>

/**
 * The existing records, in the order of the ids. Without ids there is no query. `accountId` is needed where a record says what
 * the account has to do with it. `hint` suggests how to narrow a search that timed out.
 */
export type Reader<Row> = (
  ids: ReadonlyArray<number>,
  options?: { readonly accountId?: AccountId; readonly hint?: () => string }
) => Effect.Effect<ReadonlyArray<Row>, SearchFailure>

interface WantedRecords {
  readonly ids: ReadonlyArray<number>
  readonly accountId: AccountId | undefined
  /** The last caller to leave stops the statement. */
  readonly caller: { isGone: boolean; onLeave: () => void }
}

/** Searches whose records one statement reads, at most 25 records each. */
const maxBatch = 40

export interface Search<Row extends Versioned> {
  readonly args: Narrowing.Narrowable
  readonly query: (names: NameCodes) => Query
  /** The existing records, in the order of the ids. */
  readonly read: (ids: ReadonlyArray<number>, hint: () => string) => Effect.Effect<ReadonlyArray<Row>, SearchFailure>
}

export interface Found<Row> {
  /** In the order of the results. */
  readonly rows: ReadonlyArray<Row>
  readonly total: number
  /** Of an order that has one result for each store, always. */
  readonly stores: number | undefined
  readonly findings: Findings
  /** The version that was searched. */
  readonly catalog: Catalog
  /** Of the stores of the results. */
  readonly figuresOf: FiguresOf
}

/** A result, and whether the index was up to date for it. */
export interface Attempt<A> {
  readonly answer: A
  readonly isCurrent: boolean
}

/** Called after each search with the version of the catalog that it was answered from. */
export const OnSearched = Context.Reference<(catalog: Catalog) => void>("discovery/search/OnSearched", {
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
    /** What concurrent searches read with it is one statement, which belongs to none of them. */
    reader<Row extends Versioned>(read: Read<Row>): Reader<Row>
  }
>()("discovery/search/SearchRunner") {
  static readonly layer = Layer.effect(
    SearchRunner,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const index = yield* CatalogSearch
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

      const reader = <Row extends Versioned>(read: Read<Row>): Reader<Row> => {
        type Rows = ReadonlyArray<Row>
        type Entries = ReadonlyArray<Entry<WantedRecords, Rows, SearchFailure>>
        const readTogether = Effect.fnUntraced(function* (all: Entries): Effect.fn.Return<void> {
          const entries = all.filter(({ request }) => !request.caller.isGone)
          if (entries.length === 0) return
          const wanted = entries.flatMap(({ request: { accountId = 0, ids } }, request) =>
            ids.map((id) => ({ accountId, id, request }))
          )
          const [ids, accounts, requests] = [
            wanted.map(({ id }) => id),
            wanted.map(({ accountId }) => accountId),
            wanted.map(({ request }) => request)
          ]
          const relation = sql`unnest(${ids}::int[], ${accounts}::int[], ${requests}::int[]) AS w (id, account_id, request)`
          const areGone = Deferred.makeUnsafe<void>()
          let waiting = entries.length
          const onLeave = () => {
            if (--waiting === 0) Deferred.doneUnsafe(areGone, Exit.void)
          }
          for (const { request } of entries) request.caller.onLeave = onLeave
          const found = yield* permits
            .query(read(relation))
            .pipe(
              Effect.provideService(CurrentAccount, undefined),
              Effect.raceFirst(Effect.andThen(Deferred.await(areGone), Effect.interrupt)),
              Effect.exit
            )
          // A row that does not decode must not fail the searches of others.
          if (entries.length > 1 && Exit.hasDies(found)) {
            return yield* Effect.forEach(entries, (entry) => readTogether([entry]), { discard: true })
          }
          const rows = Exit.isSuccess(found) ? Map.groupBy(found.value, ({ request }) => request) : undefined
          for (const [request, entry] of entries.entries()) {
            entry.completeUnsafe(Exit.map(found, () => rows?.get(request) ?? []))
          }
        })
        const request = batched<WantedRecords, Rows, SearchFailure>({
          sql,
          // A statement that hangs delays no other; how many run is limited by permits.
          maxInFlight: Infinity,
          maxSize: Infinity,
          run: (entries) =>
            Effect.forEach(Array.chunksOf(entries, maxBatch), readTogether, { concurrency: "unbounded", discard: true })
        })
        return (ids, { accountId, hint } = {}) => {
          if (ids.length === 0) return Effect.succeed([])
          return Effect.suspend(() => {
            const caller = { isGone: false, onLeave: () => {} }
            const leave = Effect.sync(() => {
              caller.isGone = true
              caller.onLeave()
            })
            return request({ ids, accountId, caller }).pipe(
              Effect.onInterrupt(() => leave),
              (records) => permits.share(records),
              Effect.map((found) => {
                const rows = new Map(found.map((row) => [row.id, row]))
                return ids.flatMap((id) => rows.get(id) ?? [])
              }),
              Effect.catchTag("SearchTimeout", () => Effect.fail(ToolErrorMessages.tooSlow(hint?.())))
            )
          })
        }
      }

      /** The results of the words alone and of the filters alone, of a search that has no result. */
      const totalsApart = Effect.fnUntraced(function* (
        catalog: Catalog,
        query: (names: NameCodes) => Query,
        hint: () => string
      ): Effect.fn.Return<Apart | undefined, SearchFailure> {
        const parts = partsOf(query(Names.of(catalog)))
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
        const { answer, catalog, figures, unknown } = yield* InVersion.answer(index.current, {
          names: args,
          query,
          ask
        })
        const apart = answer.total === 0 ? yield* totalsApart(catalog, query, hint) : undefined
        const ids = answer.page.map(({ id }) => id)
        const rows = yield* search.read(ids, hint)
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
            catalog,
            figuresOf: figuresIn(figures)
          },
          isCurrent: rows.length === ids.length && rows.every((row) => row.version <= catalog.version)
        }
      })

      const run = Effect.fnUntraced(function* <Row extends Versioned>(
        search: Search<Row>
      ): Effect.fn.Return<Found<Row>, InvalidArguments | SearchFailure> {
        const found = yield* fresh(attempt(search))
        const onSearched = yield* OnSearched
        onSearched(found.catalog)
        return found
      })

      return SearchRunner.of({ run, fresh, reader })
    })
  ).pipe(Layer.provide(SearchPermits.layer))
}

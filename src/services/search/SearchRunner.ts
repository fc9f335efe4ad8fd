/**
 * Runs a search: names to ids, count, page, all of one state of the catalogue.
 *
 * Every statement tells the version that it saw. When they differ, an import was committed in between and the search
 * starts over; a catalogue that never rests is searched in one REPEATABLE READ transaction. So the usual search is two
 * statements, one when its count is cached, besides the estimates that it plans by, and no transaction.
 */
import { Context, Effect, Layer, Option } from "effect"
import type { Result } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import type { Statement } from "effect/sql"
import * as Page from "../../domain/search/Page.ts"
import type { ArgumentIssue, InvalidArguments } from "../../domain/ToolError.ts"
import { Catalogue } from "./Catalogue.ts"
import type { Snapshot } from "./Catalogue.ts"
import * as CountSql from "./CountSql.ts"
import * as Estimates from "./Estimates.ts"
import type { Names } from "./Names.ts"
import { ofOneVersion } from "./OneVersion.ts"
import * as PageSql from "./PageSql.ts"
import { isByStores } from "./Plan.ts"
import * as Planner from "./Planner.ts"
import * as SearchRequest from "./SearchRequest.ts"
import * as VersionCache from "./VersionCache.ts"

export interface Versioned {
  readonly version: number
}

export interface Search<Row extends Versioned> {
  readonly resolve: (names: Names) => Result.Result<SearchRequest.SearchRequest, ReadonlyArray<ArgumentIssue>>
  /** Joins records to the items that `ids` selects, and keeps its order: `SELECT id ... ORDER BY`. */
  readonly hydrate: (ids: Statement.Fragment) => Statement.Statement<Row>
}

export interface Found<Row> {
  readonly rows: ReadonlyArray<Row>
  readonly total: number
  readonly stores: number
  readonly window: Page.Window
}

interface Matched extends Counted {
  readonly ids: Statement.Fragment
}

interface Counted {
  readonly total: number
  /** Stores with a matching item; always counted for grouped searches, for others 0 when they were not. */
  readonly stores: number
}

const factsAbout = ({ counts }: Snapshot, { items }: SearchRequest.SearchRequest): Planner.Facts =>
  items._tag === "Ads"
    ? { stores: counts.shops, holders: counts.advertisers, items: counts.ads }
    : { stores: counts.shops, holders: counts.shops, items: counts.products }

/** A key is some hundred bytes. */
const maxCached = 2_000

export class SearchRunner extends Context.Service<
  SearchRunner,
  {
    run<Row extends Versioned>(search: Search<Row>): Effect.Effect<Found<Row>, InvalidArguments | SqlError.SqlError>
  }
>()("discovery/search/SearchRunner") {
  static readonly layer: Layer.Layer<SearchRunner, never, SqlClient.SqlClient | Catalogue> = Layer.effect(
    SearchRunner,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const catalogue = yield* Catalogue
      const counts = VersionCache.make<Counted>(maxCached)
      const estimates = Estimates.make(sql)

      /** None: another version was seen on the way. */
      const counted = Effect.fnUntraced(function* (
        snapshot: Snapshot,
        request: SearchRequest.SearchRequest,
        facts: Planner.Facts
      ): Effect.fn.Return<Option.Option<Counted>, SqlError.SqlError> {
        const key = SearchRequest.countKey(request)
        const cached = counts.get(snapshot.version, key)
        if (cached !== undefined) return Option.some(cached)
        const [row] = yield* CountSql.count(sql, request, Planner.chooseCount(request, facts)).unprepared
        if (row === undefined || row.version !== snapshot.version) return Option.none()
        counts.set(snapshot.version, key, row)
        return Option.some(row)
      })

      const factsOf = Effect.fnUntraced(function* (
        snapshot: Snapshot,
        request: SearchRequest.SearchRequest
      ): Effect.fn.Return<Planner.Facts, SqlError.SqlError> {
        const facts = factsAbout(snapshot, request)
        if (request.words.length === 0) {
          if (request.store.length === 0 || !isByStores(request)) return facts
          return { ...facts, matchingStores: yield* estimates.stores(snapshot.version, request.store) }
        }
        const table = request.items._tag === "Ads" ? "ad_search" : "product_search"
        const hits = yield* estimates.hits(snapshot.version, table, request.words)
        const stores =
          request.store.length === 0 ? facts.stores : yield* estimates.stores(snapshot.version, request.store)
        const expected = facts.items * Math.min(1, stores / Math.max(1, facts.stores))
        if (Planner.isByIndex(hits, expected)) return { ...facts, text: { hits, candidates: expected } }
        const candidates = yield* counted(snapshot, SearchRequest.ofWholeStores(request), facts)
        return {
          ...facts,
          text: {
            hits,
            candidates: Option.match(candidates, { onNone: () => facts.items, onSome: ({ total }) => total })
          }
        }
      })

      /** How many items match, and a query for those of the page. None: another version was seen on the way. */
      const matched = Effect.fnUntraced(function* (
        snapshot: Snapshot,
        request: SearchRequest.SearchRequest,
        facts: Planner.Facts
      ): Effect.fn.Return<Option.Option<Matched>, SqlError.SqlError> {
        const key = SearchRequest.countKey(request)
        const atOnce = Planner.chooseAtOnce(request, facts)
        if (Option.isSome(atOnce) && counts.get(snapshot.version, key) === undefined) {
          const [row] = yield* PageSql.pageAndCount(sql, request, atOnce.value).unprepared
          if (row === undefined || row.version !== snapshot.version) return Option.none()
          counts.set(snapshot.version, key, { total: row.total, stores: row.stores })
          return Option.some({ ...row, ids: sql`SELECT unnest(${row.ids}::int[])` })
        }
        return Option.map(yield* counted(snapshot, request, facts), (known) => ({
          ...known,
          ids: PageSql.page(sql, request, Planner.choosePage(request, known, facts))
        }))
      })

      /** None: another version was seen on the way. */
      const answer = Effect.fnUntraced(function* <Row extends Versioned>(
        { hydrate }: Search<Row>,
        request: SearchRequest.SearchRequest,
        snapshot: Snapshot,
        ifCurrent: (found: Found<Row>) => Effect.Effect<Option.Option<Found<Row>>, SqlError.SqlError>
      ): Effect.fn.Return<Option.Option<Found<Row>>, SqlError.SqlError> {
        const { window } = request
        const nothing = { rows: [], total: 0, stores: 0, window }
        if (SearchRequest.isEmpty(request)) return yield* ifCurrent(nothing)

        const facts = yield* factsOf(snapshot, request)
        const matching = yield* matched(snapshot, request, facts)
        if (Option.isNone(matching)) return Option.none()
        const { ids, stores, total } = matching.value
        const isBehind = Page.offset(window) >= (request.order._tag === "Grouped" ? stores : total)
        if (isBehind) return yield* ifCurrent({ ...nothing, total, stores })
        const rows = yield* hydrate(ids).unprepared
        if (rows.some((row) => row.version !== snapshot.version)) return Option.none()
        const found = { rows, total, stores, window }
        if (rows.length > 0) return Option.some(found)
        return yield* Effect.tap(ifCurrent(found), (current) =>
          Option.isSome(current)
            ? Effect.logWarning("Derived rows have no records: DerivedData.verify tells which")
            : Effect.void
        )
      })

      return SearchRunner.of({
        run: (search) =>
          ofOneVersion(sql, catalogue, {
            resolve: search.resolve,
            answer: (request, snapshot, ifCurrent) => answer(search, request, snapshot, ifCurrent)
          })
      })
    })
  )
}

/**
 * What answers queries of the catalog: the index in memory (runtime/CatalogIndex), or an engine on other machines. Each answer is of
 * one version of the catalog, whose codes the query has (InVersion).
 */
import { Context } from "effect"
import type { Effect, Option } from "effect"
import type {
  AdGroups,
  Catalog,
  Facets,
  Overview,
  SearchResult,
  StoreIds,
  StoreValues
} from "../../domain/search/CatalogAnswer.ts"
import type { AdGroupsQuery, Filter, OverviewQuery, Query, StoreIdsQuery } from "../../domain/search/CatalogQuery.ts"
import type { ServiceUnavailable } from "../../domain/ToolError.ts"
import type { SearchFailure } from "../limits/SearchPermits.ts"

export interface Answered<A> {
  readonly answer: A
  /** The version that the answer is of. */
  readonly catalog: Catalog
}

/** Figures of stores of one version of the catalog; stores that it does not have are absent. */
export interface WithFigures {
  readonly catalog: Catalog
  readonly figures: ReadonlyMap<number, StoreValues>
}

export interface Progress {
  readonly phase: "connecting" | "building" | "catching_up"
  /** Of rows: stores, products and ads. */
  readonly done: number
  readonly total: number
}

export interface SearchStatus {
  /** Whether there is a version to search in. */
  readonly isReady: boolean
  /** Whether searches are answered. */
  readonly isAnswering: boolean
  /** The version that is searched; none before the first one. */
  readonly version: Option.Option<number>
  /** Number of versions in the database that are newer, at the last check. */
  readonly lagVersions: number
  /** Age of the oldest of them. */
  readonly lagSeconds: number
  /** Progress of the first build. */
  readonly progress: Progress
  /** Why there is nothing to search in, if a retry cannot help. */
  readonly failure: Option.Option<string>
}

/** Suggests how to narrow a search that timed out. */
type Hint = () => string | undefined

export class CatalogSearch extends Context.Service<
  CatalogSearch,
  {
    /** The newest version that is searched. Fails with the time to wait if there is none. */
    readonly current: Effect.Effect<Catalog, ServiceUnavailable>
    /** With the figures of the stores on the page. */
    search(query: Query, hint?: Hint): Effect.Effect<Answered<SearchResult> & WithFigures, SearchFailure>
    facets(query: Filter): Effect.Effect<Answered<Facets>, SearchFailure>
    overview(query: OverviewQuery, hint?: Hint): Effect.Effect<Answered<Overview>, SearchFailure>
    adGroups(query: AdGroupsQuery, hint?: Hint): Effect.Effect<Answered<AdGroups>, SearchFailure>
    /** All stores that match, for what is no search: such as their changes. */
    storeIds(query: StoreIdsQuery, hint?: Hint): Effect.Effect<Answered<StoreIds>, SearchFailure>
    figures(storeIds: ReadonlyArray<number>): Effect.Effect<WithFigures, SearchFailure>
    /** Returns when this version or a later one is searched, or after a second. */
    awaitVersion(version: number): Effect.Effect<void>
    readonly status: Effect.Effect<SearchStatus>
  }
>()("discovery/search/CatalogSearch") {}

/**
 * A case as the peers take it: arguments decided and names looked up, as our own services do before they plan. So what is
 * compared is how data is laid out and asked for, not how arguments are read.
 */
import { Effect, Result } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import { Catalogue } from "../../../src/services/search/Catalogue.ts"
import type { Names } from "../../../src/services/search/Names.ts"
import * as SearchRequest from "../../../src/services/search/SearchRequest.ts"
import * as ShopRequest from "../../../src/services/search/ShopRequest.ts"
import type { Condition, Figure } from "../../../src/services/search/StorePredicate.ts"
import type { ArgumentIssue } from "../../../src/domain/ToolError.ts"
import * as Page from "../../../src/domain/search/Page.ts"
import { PeerError } from "../Peer.ts"
import type { Answer, SearchCase } from "../SearchCase.ts"

export type PeerRequest = SearchRequest.SearchRequest | ShopRequest.ShopRequest

/** A peer gives a search up after this. */
export const timeoutSeconds = 20

export const tooSlow = (): PeerError =>
  new PeerError({ message: `The search took longer than ${timeoutSeconds} seconds.` })

const decide = (
  searchCase: SearchCase,
  names: Names,
  today: string
): Result.Result<PeerRequest, ReadonlyArray<ArgumentIssue>> => {
  switch (searchCase.tool) {
    case "search_ads":
      return SearchRequest.fromAdQuery(searchCase.arguments, names, today)
    case "search_products":
      return SearchRequest.fromProductQuery(searchCase.arguments, names)
    case "search_shops":
      return ShopRequest.fromShopQuery(searchCase.arguments, names)
  }
}

export const make = (searchCase: SearchCase, names: Names, today: string): Effect.Effect<PeerRequest, PeerError> => {
  const decided = decide(searchCase, names, today)
  if (Result.isSuccess(decided)) return Effect.succeed(decided.success)
  const issues = decided.failure.map(({ message, path }) => `${path} ${message}`)
  return Effect.fail(new PeerError({ message: `${searchCase.id}: ${issues.join("; ")}` }))
}

export const isForItems = (request: PeerRequest): request is SearchRequest.SearchRequest => "items" in request

/** Whether the page is of one ad per store, and stores are counted too. */
export const isGrouped = (request: PeerRequest): boolean => isForItems(request) && request.order._tag === "Grouped"

export interface Counted {
  readonly total: number
  /** Stores with a matching ad; 0 unless grouped. */
  readonly stores: number
}

/** A count first, so that a page that cannot hold anything is not asked for. */
export const answer = <E>(
  request: PeerRequest,
  count: Effect.Effect<Counted, E>,
  page: Effect.Effect<ReadonlyArray<number>, E>
): Effect.Effect<Answer, E> =>
  Effect.gen(function* () {
    const { stores, total } = yield* count
    const isBeyond = Page.offset(request.window) >= (isGrouped(request) ? stores : total)
    const ids = isBeyond ? [] : yield* page
    return { ids, total, ...(isGrouped(request) ? { stores } : {}) }
  })

const wholeNumbers: ReadonlySet<Figure> = new Set(["visits", "n_active", "products_count", "orders", "reviews"])
/** One beyond what an integer column can hold. */
const beyond = 2 ** 31

export interface Bounds {
  readonly type: "integer" | "double"
  readonly min?: number
  readonly max?: number
}

/** A whole figure is compared with whole bounds: an index of integers is of no use for a bound that is a fraction. */
export const bounds = ({ column, max, min }: Extract<Condition, { readonly _tag: "Between" }>): Bounds => {
  if (!wholeNumbers.has(column)) {
    return { type: "double", ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) }
  }
  return {
    type: "integer",
    ...(min === undefined ? {} : { min: Math.min(Math.ceil(min), beyond) }),
    ...(max === undefined ? {} : { max: Math.min(Math.floor(max), beyond) })
  }
}

/** Positions of the bits of a mask: what it names in the order of Enumerations.ts. */
export const bitsOf = (mask: number): ReadonlyArray<number> =>
  Array.from({ length: 31 }, (_, bit) => bit).filter((bit) => (mask & (1 << bit)) !== 0)

export interface KnownCatalogue {
  readonly names: Names
  /** Differs for every catalogue, and for every version of it. */
  readonly identity: string
}

export const readCatalogue: Effect.Effect<KnownCatalogue, SqlError.SqlError, SqlClient.SqlClient> = Effect.gen(
  function* () {
    const sql = yield* SqlClient.SqlClient
    const catalogue = yield* Catalogue
    const { names, version } = yield* catalogue.latest
    const [row] = yield* sql<{ identity: string }>`
      SELECT concat_ws('-', system_identifier, (SELECT oid FROM pg_database WHERE datname = current_database()))
        AS identity
      FROM pg_control_system()`
    return { names, identity: `${row?.identity}-${version}` }
  }
).pipe(Effect.provide(Catalogue.layer))

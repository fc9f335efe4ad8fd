/**
 * Another way to answer the same searches over the same data, measured beside the index.
 *
 * A peer gets the query that the index gets, names resolved to codes, and answers exactly what it answers: same
 * membership, same order with its ties (`index/Query.ts`), same totals.
 */
import { Schema } from "effect"
import type { Effect, Scope } from "effect"
import type { EmbeddedConnection } from "../../src/services/database/EmbeddedPostgres.ts"
import type { Query } from "../../src/domain/search/CatalogQuery.ts"
import type { Published } from "../../src/services/search/runtime/IndexState.ts"

export class PeerError extends Schema.TaggedError<PeerError>()("PeerError", {
  message: Schema.String,
  cause: Schema.optionalKey(Schema.Defect())
}) {}

export interface PeerEnvironment {
  /** The PostgreSQL over the scale data; a peer may make a schema of its own in it, and nothing else. */
  readonly connection: EmbeddedConnection
  /** An existing folder for files of this peer alone, kept between runs; belongs to this size of data. */
  readonly folder: string
  /** The index that it is measured beside. */
  readonly published: Published
}

export interface Found {
  /** Of the page, in order. Of a peer that only counts there are none. */
  readonly ids?: ReadonlyArray<number>
  readonly total: number
  /** Stores with a matching ad, where the order is `Grouped`. */
  readonly stores: number
}

export interface SearchPeer {
  /** As a table's head shows it, such as `DuckDB, 1 thread`. */
  readonly name: string
  /** What it is, in a sentence for the page: schema, indexes, version, settings. */
  readonly description: string
  /** How often each case is asked for, of it and of the index; the shortest time counts. */
  readonly rounds: number
  /** Builds what is missing; quick when everything is there from an earlier run. Called once, before any search. */
  readonly prepare: Effect.Effect<void, PeerError>
  /**
   * Interruptible: a search is given up after 20 seconds, and must leave nothing running. One at a time; the connection is
   * open already, so that only the search itself is measured.
   */
  readonly search: (query: Query) => Effect.Effect<Found, PeerError>
}

/** What a module in `peers/` exports as `make`. */
export type MakePeer = (environment: PeerEnvironment) => Effect.Effect<SearchPeer, PeerError, Scope.Scope>

/**
 * Another way to answer the same searches over the same data, measured beside ours.
 *
 * A peer answers exactly what the tools answer: same membership, same order with its ties (`SearchRequest.Order`,
 * `ShopRequest.Order`), same totals. What a word finds is given by `SearchText.queryWords` over the documents that our
 * derived tables hold; a peer may copy these, for they are data.
 */
import { Schema } from "effect"
import type { Effect, Scope } from "effect"
import type { EmbeddedConnection } from "../../src/services/database/EmbeddedPostgres.ts"
import type { Answer, SearchCase } from "./SearchCase.ts"

export class PeerError extends Schema.TaggedError<PeerError>()("PeerError", {
  message: Schema.String,
  cause: Schema.optionalKey(Schema.Defect())
}) {}

export interface PeerEnvironment {
  /** The PostgreSQL over the scale data; a peer may make a schema of its own in it, and nothing else. */
  readonly connection: EmbeddedConnection
  /** An existing folder for files of this peer alone, kept between runs; belongs to this size of data. */
  readonly folder: string
  /** UTC date `YYYY-MM-DD`: what `active_days` counts to. */
  readonly today: string
}

export interface SearchPeer {
  /** As a table's head shows it, such as `DuckDB, 1 thread`. */
  readonly name: string
  /** What it is, in a sentence for the page: schema, indexes, version, settings. */
  readonly description: string
  /** Builds what is missing; quick when everything is there from an earlier run. Called once, before any search. */
  readonly prepare: Effect.Effect<void, PeerError>
  /**
   * Interruptible: a search is given up after 20 seconds, and must leave nothing running. One at a time; the connection is
   * open already, so that only the search itself is measured.
   */
  readonly search: (searchCase: SearchCase) => Effect.Effect<Answer, PeerError>
}

/** What a module in `peers/` exports as `make`. */
export type MakePeer = (environment: PeerEnvironment) => Effect.Effect<SearchPeer, PeerError, Scope.Scope>

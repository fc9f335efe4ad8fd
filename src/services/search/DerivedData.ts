/** What searches read, kept in step with the records that imports write. */
import { Context } from "effect"
import type { Effect } from "effect"
import type { SqlError } from "effect/sql"

/** What a batch has written or deleted. */
export interface Touched {
  /**
   * Every store whose record, traffic, products or ads were written or deleted, deleted stores too. All their search
   * rows are derived anew.
   */
  readonly shopIds: Iterable<number>
  /** Ads without a store that were written or deleted. Ads with a store may be listed too, but need not. */
  readonly adIds?: Iterable<number>
}

/** Rows written or deleted; all 0 when the records say what they said before. `version` is the catalogue's, afterwards. */
export interface Changes {
  readonly shops: number
  readonly products: number
  readonly ads: number
  readonly names: number
  readonly version: number
}

/** Told after each step of a long run; units are items, products and ads together. */
export type Progress = (done: number, total: number) => Effect.Effect<void>

export class DerivedData extends Context.Service<
  DerivedData,
  {
    /**
     * First step of the transaction of every batch: imports take turns, so that two of them neither deadlock nor see
     * half of each other.
     */
    readonly lock: Effect.Effect<void, SqlError.SqlError>
    /**
     * Last step of the same transaction, after the records are written: what searches see moves together with the
     * records, or not at all. Unchanged rows are not written, and without a change the catalogue's version stays.
     */
    refresh(touched: Touched): Effect.Effect<Changes, SqlError.SqlError>
    /**
     * Everything, in a transaction of its own (or the caller's): after a first load that wrote records without
     * `refresh`, or after a change of the rules. On an empty catalogue indexes are built last, which is several times
     * faster; otherwise rows are replaced in place, and searches go on meanwhile.
     */
    rebuild(progress?: Progress): Effect.Effect<Changes, SqlError.SqlError>
    /** Derives everything anew, compares and rolls back: `Changes` that are all 0 prove that nothing is out of step. */
    readonly verify: Effect.Effect<Changes, SqlError.SqlError>
  }
>()("discovery/search/DerivedData") {}

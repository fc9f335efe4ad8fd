/** What every step of a search is given: the conditions on stores, a way to stop, and thresholds between strategies. */
import type { PreparedCondition } from "./StoreSelection.ts"

/** Checked regularly by long computations. */
export interface Cancel {
  /** Throws {@link Canceled} once the search is to stop. */
  readonly check: () => void
}

export class Canceled extends Error {}

/** Thresholds between the strategies of a search. They affect its cost, never its result; tests vary them. */
export interface Tuning {
  /** Up to this number of hits of words, hits are handled one by one; above it, bitmaps are cheaper. */
  readonly fewHits: number
  /**
   * The longest walk over a permutation: at least this number of rows, or this multiple of the matching items if that is
   * more. The filter may correlate with the order, so the next match can be far away.
   */
  readonly leastSteps: number
  readonly stepsAMatch: number
  /** The median of up to this number of values is selected; of more, a histogram narrows them down first. */
  readonly fewValues: number
  /** The first stores of a segment that are kept for each order, and read when nothing is asked for. */
  readonly firstStores: number
  /** The first stores of a segment by their best score that are kept, and read before all others. */
  readonly bestStores: number
}

export const defaultTuning: Tuning = {
  fewHits: 4_096,
  leastSteps: 16_384,
  stepsAMatch: 3,
  fewValues: 2_048,
  firstStores: 500,
  bestStores: 1_024
}

/** Passed to every step of a search. */
export interface Run {
  readonly conditions: ReadonlyArray<PreparedCondition>
  readonly cancel: Cancel
  readonly tuning: Tuning
}

/** Steps between two calls of {@link Cancel.check}: a fraction of a millisecond. */
export const stepsBetweenChecks = 65_536

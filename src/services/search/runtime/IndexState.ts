/**
 * What one version of the catalog looks like in memory: a list of segments, and what is needed to read it.
 *
 * A state is complete and immutable. Every change makes a new one that shares what did not change.
 */
import type { Leaders } from "../index/Facets.ts"
import type { SpellingKind, Spellings } from "../index/Records.ts"
import type { SegmentList } from "../index/Segment.ts"
import { countVocabulary } from "../index/Vocabulary.ts"
import type { VocabularyCounts } from "../index/Vocabulary.ts"

/**
 * Which catalog, and which of its versions. Each version has a new random token: a database that does not have this
 * pair has another history, such as one that was restored from an older backup.
 */
export interface Identity {
  readonly catalogId: string
  readonly version: number
  readonly token: string
}

export interface Niche {
  readonly id: number
  readonly parentId: number | null
  readonly name: string
}

/** The spelling with id `n` stands at `n - 1`. */
export type SpellingNames = Readonly<Record<SpellingKind, ReadonlyArray<string>>>

export interface IndexState {
  readonly identity: Identity
  readonly niches: ReadonlyArray<Niche>
  readonly spellings: SpellingNames
  /** The first `bases` segments hold consecutive ranges of stores; those behind them are deltas, oldest first. */
  readonly bases: number
  readonly list: SegmentList
}

/** What searches and pages read. Can be cloned to other threads; arrays of segments are shared, not copied. */
export interface Published extends Identity {
  readonly list: SegmentList
  readonly spellings: SpellingNames
  readonly leaders: Leaders
  readonly niches: ReadonlyArray<Niche>
  readonly vocabulary: VocabularyCounts
}

/** `spellings` has at least the names of the state. */
export const publish = (state: IndexState, spellings: Spellings): Published => ({
  ...state.identity,
  list: state.list,
  spellings: state.spellings,
  leaders: {
    theme: [...spellings.leaders("theme")],
    app: [...spellings.leaders("app")],
    extension: [...spellings.leaders("extension")]
  },
  niches: state.niches,
  vocabulary: countVocabulary(state.list, spellings)
})

export const namesOf = (spellings: Spellings): SpellingNames => ({
  theme: [...spellings.names("theme")],
  app: [...spellings.names("app")],
  extension: [...spellings.names("extension")]
})

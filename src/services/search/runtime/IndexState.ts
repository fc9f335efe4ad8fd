/**
 * One version of the index in memory: a list of segments, and the names to read it with. Complete and immutable; a change
 * makes a new state that shares all unchanged parts.
 */
import type { Leaders } from "../index/Facets.ts"
import type { SpellingKind, Spellings } from "../index/Records.ts"
import type { SegmentList } from "../index/Segment.ts"
import { countVocabulary } from "../index/Vocabulary.ts"
import type { VocabularyCounts } from "../index/Vocabulary.ts"

/**
 * A catalog and one of its versions. Each version has a new random token: a database that lacks this pair has another
 * history, for example because it was restored from a backup.
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

/** The spelling with id `n` is at `n - 1`. */
export type SpellingNames = Readonly<Record<SpellingKind, ReadonlyArray<string>>>

export interface IndexState {
  readonly identity: Identity
  readonly niches: ReadonlyArray<Niche>
  readonly spellings: SpellingNames
  /** The first `bases` segments hold consecutive ranges of stores. The rest are deltas, oldest first. */
  readonly bases: number
  readonly list: SegmentList
}

/**
 * The part of a state that searches and pages read. It can be cloned to other threads, which share the arrays of segments.
 */
export interface Published extends Identity {
  readonly list: SegmentList
  readonly spellings: SpellingNames
  readonly leaders: Leaders
  readonly niches: ReadonlyArray<Niche>
  readonly vocabulary: VocabularyCounts
}

/** `spellings` must have at least the names of the state. */
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

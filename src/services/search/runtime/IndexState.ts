/**
 * One version of the index in memory: a list of segments, and the names to read it with. Complete and immutable; a change
 * makes a new state that shares all unchanged parts.
 */
import { Schema } from "effect"
import type { Leaders } from "../index/Facets.ts"
import { spellingKinds } from "../../../domain/search/CatalogQuery.ts"
import type { Spellings } from "../index/IndexedRecords.ts"
import type { SpellingKind, Subject } from "../../../domain/search/CatalogQuery.ts"
import { record } from "../index/Segment.ts"
import type { SegmentList } from "../index/Segment.ts"
import { countVocabulary } from "../index/NameCounts.ts"
import type { Catalog, Niche } from "../../../domain/search/CatalogAnswer.ts"

/**
 * A catalog and one of its versions. Each version has a new random token: a database that lacks this pair has another
 * history, for example because it was restored from a backup.
 */
export const Identity = Schema.Struct({ catalogId: Schema.String, version: Schema.Int, token: Schema.String })
export type Identity = typeof Identity.Type

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
export interface Published extends Identity, Catalog {
  readonly list: SegmentList
  readonly spellings: SpellingNames
  readonly leaders: Leaders
}

/** `spellings` must have at least the names of the state. */
export const publish = (state: IndexState, spellings: Spellings): Published => ({
  ...state.identity,
  list: state.list,
  spellings: state.spellings,
  leaders: record(spellingKinds, (kind) => [...spellings[kind].leaders]),
  niches: state.niches,
  vocabulary: countVocabulary(state.list, spellings),
  highestIds: record(["stores", "products", "ads"], (subject: Subject) => highestId(state.list, subject))
})

const highestId = (list: SegmentList, subject: Subject): number =>
  list.reduce((found, { segment }) => {
    const highest = subject === "stores" ? segment.storeIds.at(-1) : segment[subject].highestId[0]
    return Math.max(found, highest ?? 0)
  }, 0)

export const namesOf = (spellings: Spellings): SpellingNames =>
  record(spellingKinds, (kind) => [...spellings[kind].names])

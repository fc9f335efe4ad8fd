/**
 * The open vocabularies of the live stores of a list: every name, its number of stores, and its spelling. Cost: one pass over
 * the stores and their apps, and one over the spellings.
 */
import { byStores, foldName } from "../../../domain/search/FoldName.ts"
import { spellingKinds } from "../../../domain/search/CatalogQuery.ts"
import type { Spellings } from "./IndexedRecords.ts"
import type { SpellingKind } from "../../../domain/search/CatalogQuery.ts"
import { record } from "./Segment.ts"
import type { SegmentList } from "./Segment.ts"
import type { VocabularyCounts, VocabularyEntry } from "../../../domain/search/CatalogAnswer.ts"

/** One pass over the stores. */
export const countVocabulary = (list: SegmentList, spellings: Spellings): VocabularyCounts => {
  const niches = new Map<number, number>()
  const tallies = record(spellingKinds, (kind) => new Tally(spellings[kind]))
  let [stores, products, ads] = [0, 0, 0]
  for (const { columns, live, segment } of list) {
    for (let row = 0; row < live.length; row++) {
      if (live[row] === 0) continue
      products += segment.products.offsets[row + 1]! - segment.products.offsets[row]!
      ads += segment.ads.offsets[row + 1]! - segment.ads.offsets[row]!
      if (row < segment.pseudoStores) continue
      stores++
      const niche = columns.codes.niche[row]!
      if (niche !== 0) niches.set(niche, (niches.get(niche) ?? 0) + 1)
      for (const kind of ["theme", "extension"] as const) {
        const id = columns.codes[kind][row]!
        if (id !== 0) tallies[kind].add(id, stores)
      }
      for (let at = columns.appOffsets[row]!; at < columns.appOffsets[row + 1]!; at++) {
        tallies.app.add(columns.apps[at]!, stores)
      }
    }
  }
  return { niches, ...record(spellingKinds, (kind) => tallies[kind].entries()), stores, products, ads }
}

/** Stores of each spelling, and of each name by the id of its first spelling. */
class Tally {
  readonly #texts: ReadonlyArray<string>
  readonly #leaders: ReadonlyArray<number>
  readonly #spellings: Uint32Array
  readonly #names: Uint32Array
  /** The last store that was counted for each name, so that one with two spellings of an app counts once. */
  readonly #lastStore: Uint32Array

  constructor({ leaders, names }: Spellings[SpellingKind]) {
    this.#texts = names
    this.#leaders = leaders
    this.#spellings = new Uint32Array(this.#leaders.length)
    this.#names = new Uint32Array(this.#leaders.length)
    this.#lastStore = new Uint32Array(this.#leaders.length)
  }

  /** Stores are numbered from 1. */
  add(id: number, store: number): void {
    const leader = this.#leaders[id]!
    this.#spellings[id]!++
    this.#names[leader]! += +(this.#lastStore[leader] !== store)
    this.#lastStore[leader] = store
  }

  entries(): ReadonlyArray<VocabularyEntry> {
    const used = Array.from(this.#leaders.keys()).filter((id) => this.#spellings[id] !== 0)
    const byLeader = Map.groupBy(used, (id) => this.#leaders[id]!)
    const textOf = (id: number) => this.#texts[id - 1]!
    return Array.from(byLeader, ([id, ids]) => {
      const [best] = ids.toSorted(
        (a, b) => this.#spellings[b]! - this.#spellings[a]! || (textOf(a) < textOf(b) ? -1 : 1)
      )
      const name = textOf(best!)
      return { id, name, folded: foldName(name), stores: this.#names[id]!, ids }
    }).sort(byStores)
  }
}

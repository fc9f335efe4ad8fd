/**
 * The open vocabularies of the live stores of a list: every name, its number of stores, and its spelling. Cost: one pass over
 * the stores and their apps, and one over the spellings.
 */
import type { SpellingKind, Spellings } from "./Records.ts"
import type { SegmentList } from "./Segment.ts"

export interface VocabularyEntry {
  /** The first id of the name. */
  readonly id: number
  /** Of spellings that differ only in case, the one with the most stores; among equals, the first by code units. */
  readonly name: string
  readonly stores: number
  /** The ids of all its spellings, as stores have them. */
  readonly ids: ReadonlyArray<number>
}

export interface VocabularyCounts extends Readonly<Record<SpellingKind, ReadonlyArray<VocabularyEntry>>> {
  /** Stores by niche, without the niches below it. */
  readonly niches: ReadonlyMap<number, number>
  readonly stores: number
  readonly products: number
  readonly ads: number
}

/** One pass over the stores: some milliseconds for 200,000. */
export const countVocabulary = (list: SegmentList, spellings: Spellings): VocabularyCounts => {
  const niches = new Map<number, number>()
  const tallies = { theme: new Tally(), app: new Tally(), extension: new Tally() }
  const appLeaders = spellings.leaders("app")
  /** The last store that was counted for each app. */
  const lastStore = new Map<number, number>()
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
        if (id === 0) continue
        tallies[kind].spelling(id)
        tallies[kind].name(spellings.leaders(kind)[id]!)
      }
      for (let at = columns.appOffsets[row]!; at < columns.appOffsets[row + 1]!; at++) {
        tallies.app.spelling(columns.apps[at]!)
        const leader = appLeaders[columns.apps[at]!]!
        if (lastStore.get(leader) === stores) continue
        lastStore.set(leader, stores)
        tallies.app.name(leader)
      }
    }
  }
  return {
    niches,
    theme: tallies.theme.entries(spellings, "theme"),
    app: tallies.app.entries(spellings, "app"),
    extension: tallies.extension.entries(spellings, "extension"),
    stores,
    products,
    ads
  }
}

/** Stores of each spelling and of each name. */
class Tally {
  readonly #spellings = new Map<number, number>()
  readonly #names = new Map<number, number>()

  spelling(id: number): void {
    this.#spellings.set(id, (this.#spellings.get(id) ?? 0) + 1)
  }

  name(leader: number): void {
    this.#names.set(leader, (this.#names.get(leader) ?? 0) + 1)
  }

  entries(spellings: Spellings, kind: SpellingKind): ReadonlyArray<VocabularyEntry> {
    const names = spellings.names(kind)
    const leaders = spellings.leaders(kind)
    const byLeader = Map.groupBy(this.#spellings.keys(), (id) => leaders[id]!)
    const textOf = (id: number) => names[id - 1]!
    return Array.from(byLeader, ([id, ids]) => {
      const [best] = ids.toSorted(
        (a, b) => (this.#spellings.get(b) ?? 0) - (this.#spellings.get(a) ?? 0) || (textOf(a) < textOf(b) ? -1 : 1)
      )
      return { id, name: textOf(best!), stores: this.#names.get(id) ?? 0, ids }
    })
  }
}

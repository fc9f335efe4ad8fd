/** The input of segments: the fields of catalog records that filters, orders, words and figures use. */
import type { RecordedField } from "../../../domain/catalog/Figures.ts"
import type { Mover } from "../../../domain/catalog/Movers.ts"
import { foldName } from "../../../domain/search/FoldName.ts"
import type { SpellingKind } from "../../../domain/search/CatalogQuery.ts"

/** Its numbers are those of the record, by their fields. */
export interface IndexedStore extends Readonly<Record<RecordedField, number | null>> {
  readonly id: number
  readonly name: string
  readonly domain: string
  /** With a leading dot. */
  readonly extension: string
  readonly country: string
  readonly currency: string | null
  readonly niche_id: number | null
  readonly languages: ReadonlyArray<string>
  readonly pixels: ReadonlyArray<string>
  readonly social_networks: ReadonlyArray<string>
  readonly apps: ReadonlyArray<string>
  readonly theme: string | null
  /** Days since 1970-01-01. */
  readonly created_day: number | null
  /** Visits by month, oldest first. */
  readonly visits: ReadonlyArray<number>
  /** `null` if none is known. */
  readonly changes: Readonly<Record<Mover, number | null>> | null
}

export interface IndexedProduct {
  readonly id: number
  readonly title: string
  readonly price: number
  /** Milliseconds since 1970-01-01. */
  readonly createdAt: number | null
  /** When it was first imported, in seconds since 1970-01-01. */
  readonly firstSeen: number
}

export interface IndexedAd {
  readonly id: number
  readonly isActive: boolean
  readonly mediaType: string
  readonly cta: string | null
  readonly isPartnership: boolean
  /** Days since 1970-01-01. */
  readonly startedDay: number
  readonly pageName: string
  readonly headline: string | null
  readonly adText: string | null
}

/** A store with all its items. */
export interface StoreContent {
  readonly store: IndexedStore
  readonly products: ReadonlyArray<IndexedProduct>
  readonly ads: ReadonlyArray<IndexedAd>
}

/** The ads of a pseudo-store. Its id is negative, see Segment.ts. */
export interface PseudoStoreContent {
  readonly id: number
  readonly ads: ReadonlyArray<IndexedAd>
}

/** The texts whose words a document has. A product also has those of its store, an ad those of `ofAdsOf`. */
export const texts = {
  ofStore: ({ domain, name }: IndexedStore): ReadonlyArray<string> => [name, domain],
  ofProduct: ({ title }: IndexedProduct): ReadonlyArray<string> => [title],
  ofAdsOf: ({ name }: IndexedStore): ReadonlyArray<string> => [name],
  ofAd: ({ adText, headline, pageName }: IndexedAd): ReadonlyArray<string | null> => [pageName, headline, adText]
} as const

/**
 * Exact spellings of open vocabularies and their ids, from 1. Ids are never reused, so that segments built at different
 * times agree; a snapshot stores the lists. Spellings that differ only in case are one name, identified by the id of the
 * first spelling.
 */
export class Spellings implements Readonly<Record<SpellingKind, SpellingsOfKind>> {
  readonly theme: SpellingsOfKind
  readonly app: SpellingsOfKind
  readonly extension: SpellingsOfKind

  constructor(names?: Readonly<Record<SpellingKind, ReadonlyArray<string>>>) {
    this.theme = new SpellingsOfKind(names?.theme)
    this.app = new SpellingsOfKind(names?.app)
    this.extension = new SpellingsOfKind(names?.extension)
  }
}

class SpellingsOfKind {
  /** The spelling with id `n` is at `n - 1`. */
  readonly names: Array<string> = []
  /** For each id, the first id of the same name. The entry at 0 is 0. */
  readonly leaders: Array<number> = [0]
  readonly #ids = new Map<string, number>()
  readonly #leaderOf = new Map<string, number>()

  constructor(names: ReadonlyArray<string> = []) {
    for (const name of names) this.intern(name)
  }

  /** The id of a spelling; a new spelling gets the next one. */
  intern(name: string): number {
    const known = this.#ids.get(name)
    if (known !== undefined) return known
    const id = this.names.push(name)
    this.#ids.set(name, id)
    this.leaders.push(this.#leaderOf.getOrInsert(foldName(name), id))
    return id
  }
}

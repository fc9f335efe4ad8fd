/** The input of segments: the fields of catalog records that filters, orders, words and figures use. */
import { Schema } from "effect"
import { fold } from "../Names.ts"

export const StoreRecord = Schema.Struct({
  id: Schema.Int,
  name: Schema.String,
  domain: Schema.String,
  /** With a leading dot. */
  extension: Schema.String,
  country: Schema.String,
  currency: Schema.NullOr(Schema.String),
  nicheId: Schema.NullOr(Schema.Int),
  languages: Schema.Array(Schema.String),
  pixels: Schema.Array(Schema.String),
  socialNetworks: Schema.Array(Schema.String),
  apps: Schema.Array(Schema.String),
  theme: Schema.NullOr(Schema.String),
  /** Days since 1970-01-01. */
  createdDay: Schema.NullOr(Schema.Int),
  monthlyRevenue: Schema.NullOr(Schema.Finite),
  monthlyOrders: Schema.NullOr(Schema.Int),
  /** As stated by the source; `null` means that the products on record are counted. */
  productsCount: Schema.NullOr(Schema.Int),
  trustpilotRating: Schema.NullOr(Schema.Finite),
  trustpilotReviews: Schema.NullOr(Schema.Int),
  /** Visits by month, oldest first. */
  visits: Schema.Array(Schema.Int)
})
export type StoreRecord = typeof StoreRecord.Type

export interface ProductRecord {
  readonly id: number
  readonly title: string
  readonly price: number
  /** Milliseconds since 1970-01-01. */
  readonly createdAt: number | null
  /** When it was first imported, in seconds since 1970-01-01. */
  readonly firstSeen: number
}

export interface AdRecord {
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
  readonly store: StoreRecord
  readonly products: ReadonlyArray<ProductRecord>
  readonly ads: ReadonlyArray<AdRecord>
}

/** The ads of a pseudo-store. Its id is negative, see Segment.ts. */
export interface PseudoStoreContent {
  readonly id: number
  readonly ads: ReadonlyArray<AdRecord>
}

export const spellingKinds = ["theme", "app", "extension"] as const
export type SpellingKind = (typeof spellingKinds)[number]

/**
 * Exact spellings of open vocabularies and their ids, from 1. Ids are never reused, so that segments built at different
 * times agree; a snapshot stores the lists. Spellings that differ only in case are one name, identified by the id of the
 * first spelling.
 */
export class Spellings {
  readonly #kinds: Readonly<Record<SpellingKind, SpellingsOfKind>>

  constructor(names: Readonly<Record<SpellingKind, ReadonlyArray<string>>> = { theme: [], app: [], extension: [] }) {
    this.#kinds = {
      theme: new SpellingsOfKind(names.theme),
      app: new SpellingsOfKind(names.app),
      extension: new SpellingsOfKind(names.extension)
    }
  }

  /** The id of a spelling; a new spelling gets the next one. */
  intern(kind: SpellingKind, name: string): number {
    return this.#kinds[kind].intern(name)
  }

  /** The spelling with id `n` is at `n - 1`. */
  names(kind: SpellingKind): ReadonlyArray<string> {
    return this.#kinds[kind].names
  }

  /** For each id, the first id of the same name. The entry at 0 is 0. */
  leaders(kind: SpellingKind): ReadonlyArray<number> {
    return this.#kinds[kind].leaders
  }
}

class SpellingsOfKind {
  readonly names: Array<string> = []
  readonly leaders: Array<number> = [0]
  readonly #ids = new Map<string, number>()
  readonly #leaderOf = new Map<string, number>()

  constructor(names: ReadonlyArray<string>) {
    for (const name of names) this.intern(name)
  }

  intern(name: string): number {
    const known = this.#ids.get(name)
    if (known !== undefined) return known
    const id = this.names.push(name)
    this.#ids.set(name, id)
    const folded = fold(name)
    const leader = this.#leaderOf.get(folded) ?? id
    this.#leaderOf.set(folded, leader)
    this.leaders.push(leader)
    return id
  }
}

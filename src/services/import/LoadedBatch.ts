/** What loading a batch of records has done, and the sum of several. */
import { Record } from "effect"
import * as AdLinks from "./AdLinks.ts"
import type { LinkCounts } from "./AdLinks.ts"
import type { Touched } from "./CatalogVersion.ts"
import type { Reject } from "./ImportSource.ts"
import type { NicheVote } from "./Niches.ts"

/** Counts of rows that were inserted, changed and removed. */
export interface Tally {
  readonly added: number
  readonly changed: number
  readonly removed: number
}

export const tables = ["niche", "category", "shop", "traffic_month", "product", "ad"] as const
export type Tallies = Readonly<Record<(typeof tables)[number], Tally>>

export const noTally: Tally = { added: 0, changed: 0, removed: 0 }

const noTallies: Tallies = {
  niche: noTally,
  category: noTally,
  shop: noTally,
  traffic_month: noTally,
  product: noTally,
  ad: noTally
}

export interface LoadedBatch {
  readonly tallies: Tallies
  /** How many accepted records remove others. */
  readonly removals: number
  /** How many accepted records change nothing because newer data are known. */
  readonly older: number
  readonly rejects: ReadonlyArray<Reject>
  readonly touched: Touched
  readonly links: LinkCounts
  /** Votes for the niches of stores, from their products and categories. */
  readonly votes: ReadonlyArray<NicheVote>
  /** Stores whose record states a niche. */
  readonly statedNiches: ReadonlyArray<number>
  /** Stores that have a niche although their record states none. */
  readonly unstatedNiches: ReadonlyArray<number>
}

export const nothingLoaded: LoadedBatch = {
  tallies: noTallies,
  removals: 0,
  older: 0,
  rejects: [],
  touched: { items: [], figures: [], niches: false },
  links: AdLinks.none,
  votes: [],
  statedNiches: [],
  unstatedNiches: []
}

export const sum = (a: LoadedBatch, b: LoadedBatch): LoadedBatch => ({
  tallies: Record.map(a.tallies, (tally, table) => sumOfCounts(tally, b.tallies[table])),
  removals: a.removals + b.removals,
  older: a.older + b.older,
  rejects: [...a.rejects, ...b.rejects],
  touched: sumOfTouched([a.touched, b.touched]),
  links: sumOfCounts(a.links, b.links),
  votes: [...a.votes, ...b.votes],
  statedNiches: [...a.statedNiches, ...b.statedNiches],
  unstatedNiches: [...a.unstatedNiches, ...b.unstatedNiches]
})

export const sumOfCounts = <Name extends string>(
  a: Readonly<Record<Name, number>>,
  b: Readonly<Record<Name, number>>
): Readonly<Record<Name, number>> => Record.map(a, (count, name) => count + b[name])

export const sumOfTouched = (all: ReadonlyArray<Touched>): Touched => ({
  items: all.flatMap(({ items }) => Array.from(items)),
  figures: all.flatMap(({ figures }) => Array.from(figures)),
  niches: all.some(({ niches }) => niches)
})

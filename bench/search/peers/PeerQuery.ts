/** What peers that speak SQL share: a query of the index is what they are asked. */
import { Effect } from "effect"
import { storeFigures } from "../../../src/domain/catalog/Figures.ts"
import type { Figure } from "../../../src/domain/catalog/Figures.ts"
import type { ItemCondition, Order, Query, Range } from "../../../src/domain/search/CatalogQuery.ts"
import { PeerError } from "../Peer.ts"
import type { Found } from "../Peer.ts"

/** A peer gives a search up after this. */
export const timeoutSeconds = 20

export const tooSlow = (): PeerError =>
  new PeerError({ message: `The search took longer than ${timeoutSeconds} seconds.` })

/** The figures of an order that peers have: not the changes of figures. */
export const figuresOf = (order: Extract<Order, { readonly _tag: "ByStore" }>): ReadonlyArray<Figure> =>
  order.figures.filter((figure) => figure !== undefined && Object.hasOwn(storeFigures, figure)) as ReadonlyArray<Figure>

export const isGrouped = ({ order }: Query): boolean => order._tag === "Grouped"

export interface Counted {
  readonly total: number
  /** Stores with a matching ad; 0 unless grouped. */
  readonly stores: number
}

/** A count first, so that a page that cannot hold anything is not asked for. */
export const answer = <E>(
  query: Query,
  count: Effect.Effect<Counted, E>,
  page: Effect.Effect<ReadonlyArray<number>, E>
): Effect.Effect<Found, E> =>
  Effect.gen(function* () {
    const { stores, total } = yield* count
    const isBeyond = query.offset >= (isGrouped(query) ? stores : total)
    return { ids: isBeyond ? [] : yield* page, total, stores }
  })

export const isWhole = (figure: Figure): boolean => {
  const { unit } = storeFigures[figure]
  return unit === "count" || unit === "day"
}
/** One beyond what an integer column can hold. */
const beyond = 2 ** 31

export interface Bounds {
  readonly type: "integer" | "double"
  readonly min?: number
  readonly max?: number
}

const finite = ({ max, min }: Range) => ({
  ...(Number.isFinite(min) ? { min } : {}),
  ...(Number.isFinite(max) ? { max } : {})
})

/** A whole figure is compared with whole bounds: an index of integers is of no use for a bound that is a fraction. */
export const bounds = (column: Figure, range: Range): Bounds => {
  const { max, min } = finite(range)
  if (!isWhole(column)) return { type: "double", ...finite(range) }
  return {
    type: "integer",
    ...(min === undefined ? {} : { min: Math.min(Math.ceil(min), beyond) }),
    ...(max === undefined ? {} : { max: Math.min(Math.floor(max), beyond) })
  }
}

/** The range of a price. No search of the benchmark asks for creation days, which no peer has. */
export const priceRange = ({ created, price }: Extract<ItemCondition, { readonly _tag: "Product" }>): Range => {
  if (created !== undefined || price === undefined) throw new RangeError("no peer knows when products were created")
  return price
}

/** Bounds of a price. */
export const priceBounds = (item: Extract<ItemCondition, { readonly _tag: "Product" }>) => finite(priceRange(item))

/** Positions of the bits of a mask: what it names in the order of Enumerations.ts. */
export const bitsOf = (mask: number): ReadonlyArray<number> =>
  Array.from({ length: 32 }, (_, bit) => bit).filter((bit) => ((mask >>> bit) & 1) === 1)

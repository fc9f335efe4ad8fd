/**
 * The history of a store (D112): what it had on earlier days, from what it has now and the changes of the log, undone one by one from
 * the newest. A day has the values after its last change. Its day of the data is the newest one so far, because sources deliver
 * data of different days.
 */
import { Schema } from "effect"
import { dayMillis, dayOf, daysSince1970 } from "../Days.ts"
import { adKinds, productKinds } from "./Changes.ts"
import { twoDecimals } from "./TwoDecimals.ts"

/** What starts again by itself: an import that does not write to the log changes only some of it. */
export const parts = ["figures", "products", "ads"] as const
export type Part = (typeof parts)[number]

/** The kinds of changes that lead from the values of one day to those of another. */
export const kindsOf = {
  figures: ["figure_changed"],
  products: productKinds,
  ads: adKinds
} as const satisfies Readonly<Record<Part, ReadonlyArray<string>>>

export type Kind = (typeof kindsOf)[Part][number]

/** The figures of the log that have a series, as the log names them. */
export const figuresOfLog = ["monthly_revenue", "products_count"] as const

/** A change of the log. */
export interface Change {
  readonly version: number
  /** The day of the data, `YYYY-MM-DD`. */
  readonly on: string
  readonly kind: Kind
  readonly record: number | null
  readonly name: string | null
  readonly old: number | null
  readonly new: number | null
  /** Whether the ad has left the store for another one. */
  readonly hasLeft: boolean
}

/** From where on the changes are known: those of later versions. */
export interface Start {
  readonly version: number
  readonly on: string
}

export interface Known {
  readonly starts: Readonly<Record<Part, Start>>
  /** The newest day of the catalog's data, `YYYY-MM-DD`. */
  readonly until: string
  readonly revenue: number | null
  /** As the store's record states it. */
  readonly statedProducts: number | null
  readonly products: number
  /** By the id of the product; absent if there are too many. */
  readonly prices: ReadonlyMap<number, number> | undefined
  readonly activeAds: number
  /** Of kinds of {@link kindsOf}, oldest first. */
  readonly changes: ReadonlyArray<Change>
}

export const names = ["estimated_monthly_revenue", "products_count", "median_price", "active_ads"] as const
export type Name = (typeof names)[number]

const byName = <A>(of: (name: Name) => A): Readonly<Record<Name, A>> => ({
  estimated_monthly_revenue: of("estimated_monthly_revenue"),
  products_count: of("products_count"),
  median_price: of("median_price"),
  active_ads: of("active_ads")
})

export interface Point {
  /** `YYYY-MM-DD`. */
  readonly on: string
  readonly value: number | null
}

const day = Schema.String.annotate({ description: "YYYY-MM-DD." })

/** The values of a day, as `get_shop` returns them. */
export const Row = Schema.Struct({ on: day, ...byName(() => Schema.NullOr(Schema.Finite)) })
export type Row = typeof Row.Type

export const partsOf: Readonly<Record<Name, ReadonlyArray<Part>>> = {
  estimated_monthly_revenue: ["figures"],
  products_count: ["figures", "products"],
  median_price: ["products"],
  active_ads: ["ads"]
}

const figureOf: Readonly<Partial<Record<Name, (typeof figuresOfLog)[number]>>> = {
  estimated_monthly_revenue: "monthly_revenue",
  products_count: "products_count"
}

/** Whether a value may be another one by the change. */
const concerns = (name: Name, { kind, name: figure }: Change): boolean =>
  partsOf[name].includes(partOf(kind)) &&
  (kind !== "figure_changed" || figure === figureOf[name]) &&
  (name !== "products_count" || (kind !== "price_up" && kind !== "price_down"))

const partOf = (kind: Kind): Part =>
  parts.find((part) => (kindsOf[part] as ReadonlyArray<string>).includes(kind)) ?? "figures"

const median = (prices: Iterable<number>): number | null => {
  const sorted = Float64Array.from(prices).toSorted()
  const middle = sorted.length >> 1
  const upper = sorted[middle]
  if (upper === undefined) return null
  return twoDecimals(sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2)
}

/** The state of a store, which changes are undone in. */
class State {
  revenue: number | null
  stated: number | null
  products: number
  readonly prices: Map<number, number> | undefined
  activeAds: number

  constructor({ activeAds, prices, products, revenue, statedProducts }: Known) {
    this.revenue = revenue
    this.stated = statedProducts
    this.products = products
    this.prices = prices === undefined ? undefined : new Map(prices)
    this.activeAds = activeAds
  }

  value(name: Name): number | null {
    switch (name) {
      case "estimated_monthly_revenue":
        return this.revenue
      case "products_count":
        return this.stated ?? (this.products === 0 ? null : this.products)
      case "median_price":
        return this.prices === undefined ? null : median(this.prices.values())
      case "active_ads":
        return this.activeAds
    }
  }

  undo({ hasLeft, kind, name, old, record }: Change): void {
    const wasActive = name === "active" ? 1 : 0
    switch (kind) {
      case "figure_changed":
        if (name === "monthly_revenue") this.revenue = old
        else if (name === "products_count") this.stated = old
        return
      case "product_appeared":
      case "product_back":
        this.products--
        this.prices?.delete(record ?? 0)
        return
      case "product_removed":
        this.products++
        this.prices?.set(record ?? 0, old ?? 0)
        return
      case "price_up":
      case "price_down":
        this.prices?.set(record ?? 0, old ?? 0)
        return
      case "ad_appeared":
        this.activeAds -= wasActive
        return
      case "ad_moved":
        this.activeAds += hasLeft ? wasActive : -wasActive
        return
      case "ad_removed":
        this.activeAds += wasActive
        return
      case "ad_running":
        this.activeAds--
        return
      case "ad_stopped":
        this.activeAds++
    }
  }
}

/** Days back from `until` to `from`, newest first: each day, or every so many weeks, so that there are at most `most`. */
const daysOf = (from: string, until: string, most: number): ReadonlyArray<string> => {
  const last = daysSince1970(until)
  const days = last - daysSince1970(from) + 1
  const step = days <= most ? 1 : Math.ceil(days / most / 7) * 7
  return Array.from({ length: Math.max(0, Math.ceil(days / step)) }, (_, at) => dayOf((last - at * step) * dayMillis))
}

const later = (one: string, other: string): string => (one > other ? one : other)

interface DatedChange {
  readonly change: Change
  /** The newest day of its part so far. */
  readonly on: string
}

const dated = ({ changes, starts }: Known): ReadonlyArray<DatedChange> => {
  const newest: Record<Part, string> = {
    figures: starts.figures.on,
    products: starts.products.on,
    ads: starts.ads.on
  }
  return changes.flatMap((change) => {
    const part = partOf(change.kind)
    if (change.version <= starts[part].version) return []
    newest[part] = later(newest[part], change.on)
    return [{ change, on: newest[part] }]
  })
}

/** What undoes the changes of a known history. */
const past = (known: Known) => {
  const changes = dated(known)
  const ofName = (name: Name) => {
    const own = partsOf[name]
    const from = own.map((part) => known.starts[part].on).reduce(later)
    // The days of one part never decrease; changes of two parts can be undone in any order.
    const undone = changes
      .filter(({ change }) => concerns(name, change))
      .toSorted((one, other) => (one.on < other.on ? -1 : one.on > other.on ? 1 : 0))
    const isKnown = name !== "median_price" || known.prices !== undefined
    /** The values at the end of days, newest first; `null` before it is known. */
    const on = (days: ReadonlyArray<string>): ReadonlyArray<number | null> => {
      const state = new State(name === "median_price" ? known : { ...known, prices: undefined })
      let next = undone.length - 1
      return days.map((day) => {
        if (day < from || !isKnown) return null
        for (let last = undone[next]; last !== undefined && last.on > day; last = undone[--next])
          state.undo(last.change)
        return state.value(name)
      })
    }
    // An import that was stopped may have left a change of a later day.
    const until = later(known.until, undone.at(-1)?.on ?? from)
    return { from, until: later(from, until), isKnown, hasChanged: undone.length > 0, on }
  }
  return ofName
}

/** At most `most` points, oldest first. A figure that has never changed has only the first; none if it is not known. */
export const pointsOf = (known: Known, most: number): Readonly<Record<Name, ReadonlyArray<Point>>> => {
  const ofName = past(known)
  const points = (name: Name): ReadonlyArray<Point> => {
    const { from, hasChanged, isKnown, on, until } = ofName(name)
    if (!isKnown) return []
    const days = hasChanged ? daysOf(from, until, most) : [from]
    const values = on(days)
    return days.map((day, at) => ({ on: day, value: values[at] ?? null })).toReversed()
  }
  return byName(points)
}

/** All values at the end of at most `most` days, oldest first, without days that have the values of the day before. */
export const rowsOf = (known: Known, most: number): ReadonlyArray<Row> => {
  const ofName = past(known)
  const all = byName(ofName)
  const from = names.map((name) => all[name].from).reduce((one, other) => (one < other ? one : other))
  const until = names.map((name) => all[name].until).reduce(later)
  const days = daysOf(from, until, most)
  const values = byName((name) => all[name].on(days))
  return days
    .map((on, at): Row => ({ on, ...byName((name) => values[name][at] ?? null) }))
    .toReversed()
    .filter((row, at, rows) => at === 0 || names.some((name) => row[name] !== rows[at - 1]?.[name]))
}

export interface PriceChange {
  readonly on: string
  readonly old: number | null
  readonly new: number | null
}

export const Price = Schema.Struct({
  on: day,
  price: Schema.Finite
})
export type Price = typeof Price.Type

/**
 * The newest `most` prices of a product, oldest first, each from the day on which it was new. `changes` are those of its price and its
 * appearance since `from`, oldest first; `price` is the one that it has now.
 */
export const pricesOf = (
  changes: ReadonlyArray<PriceChange>,
  { from, most, price }: { readonly from: string; readonly most: number; readonly price: number }
): ReadonlyArray<Price> => {
  const [first] = changes
  const byDay = new Map<string, number>()
  if (first === undefined) byDay.set(from, price)
  else if (first.old !== null) byDay.set(from, first.old)
  let newest = from
  for (const change of changes) {
    newest = later(newest, change.on)
    if (change.new !== null) byDay.set(newest, change.new)
  }
  return Array.from(byDay, ([on, price]) => ({ on, price })).slice(-most)
}

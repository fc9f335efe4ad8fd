/**
 * The currencies of the stores whose money a search compares: those that filters of money are tested for, and those that an
 * order by money ranks. Where only the order is by money, these are the matching stores. A filter of money may leave out all
 * stores of a currency: what meets all else is matched and counted first, and then the filters of money narrow it.
 *
 * Cost: 3 ns a store; with a filter of money, items are counted for each store a second time. Where nothing else is asked for, the
 * counts of a segment are kept. With one currency asked for, nothing.
 */
import { matchItems, matchStores, narrowItems, narrowStores } from "./Matching.ts"
import type { ItemFilter, Matching } from "./Matching.ts"
import { isOfAll } from "../../../domain/search/CatalogQuery.ts"
import type {
  Filter,
  ItemCondition,
  Query,
  Range,
  StoreCondition,
  StoreNumber
} from "../../../domain/search/CatalogQuery.ts"
import { stepsBetweenChecks } from "./Run.ts"
import type { Run } from "./Run.ts"
import type { SegmentView } from "./Segment.ts"
import type { CurrencyCount } from "../../../domain/search/CatalogAnswer.ts"

/** Figures in the currency of the store. A price of a product is the other money. */
const money: ReadonlySet<StoreNumber> = new Set<StoreNumber>(["revenue", "avg_price"])

export type ComparingQuery = Filter & Partial<Pick<Query, "order">>

export interface Compared {
  /** Revenue, the average price, or both. A store counts if one of these is known. */
  readonly figures: ReadonlyArray<StoreNumber>
  /** Products always have a price, so that every store with a matching one counts. */
  readonly price: boolean
  readonly isFiltered: boolean
}

export const moneyOf = (condition: StoreCondition): ReadonlyArray<StoreNumber> =>
  condition._tag === "Between" && money.has(condition.column) ? [condition.column] : []

const priceOf = (item: ItemCondition | undefined): Range | undefined =>
  item?._tag === "Product" ? item.price : undefined

export const withoutPrice = (item: ItemCondition | undefined): Pick<Filter, "item"> => {
  if (item === undefined) return {}
  if (item._tag === "Ad") return { item }
  return item.created === undefined ? {} : { item: { _tag: "Product", created: item.created } }
}

export const comparedIn = ({ item, order, stores }: ComparingQuery): Compared => {
  const filtered = stores.flatMap(moneyOf)
  const sorted = order?._tag === "ByStore" ? order.figures.filter((figure) => figure !== undefined) : []
  return {
    figures: Array.from(new Set([...filtered, ...sorted.filter((figure) => money.has(figure))])),
    price: priceOf(item) !== undefined || (order?._tag === "ByItem" && order.column === "price"),
    isFiltered: filtered.length > 0 || priceOf(item) !== undefined
  }
}

/** Whether a filter or the order compares money, so that the matching stores are counted by currency. */
export const comparesMoney = (query: ComparingQuery): boolean => {
  const { figures, price } = comparedIn(query)
  return figures.length > 0 || price
}

/** One more than the largest code. */
const codes = 26 ** 3 + 1

/** How one segment is matched. */
interface Steps<M> {
  readonly match: (view: SegmentView, filter: Filter, run: Run) => M
  readonly narrow: (view: SegmentView, matched: M, filter: Filter, run: Run) => M
  readonly storesOf: (matched: M) => Uint32Array
}

export interface CountedMatching<M> {
  /** The matches of a segment. Called once for each. */
  readonly match: (view: SegmentView) => M
  /** Of the segments that were matched. Exact; none if no money is compared or one currency is asked for. */
  readonly currencies: () => ReadonlyArray<CurrencyCount>
}

export const countedStores = (query: ComparingQuery, run: Run): CountedMatching<Uint32Array> =>
  counted(
    { match: matchStores, narrow: (view, rows, _, money) => narrowStores(view, rows, money), storesOf: (rows) => rows },
    query,
    run
  )

export const countedItems = (query: ComparingQuery & ItemFilter, run: Run): CountedMatching<Matching> => {
  const { subject } = query
  return counted(
    {
      match: (view, filter, others) => matchItems(view, { ...filter, subject }, others),
      narrow: (view, matched, filter, money) => narrowItems(view, matched, { ...filter, subject }, money),
      storesOf: ({ stores }) => stores
    },
    query,
    run
  )
}

const counted = <M>({ match, narrow, storesOf }: Steps<M>, query: ComparingQuery, run: Run): CountedMatching<M> => {
  const compared = comparedIn(query)
  const sums = new Map<number, number>()
  const add = (counts: ReadonlyArray<CurrencyCount>) => {
    for (const { currency, stores } of counts) sums.set(currency, (sums.get(currency) ?? 0) + stores)
  }
  const isOne = query.stores.some(
    (condition) => condition._tag === "AnyOf" && condition.column === "currency" && condition.values.length === 1
  )
  const isCounted = !isOne && comparesMoney(query)
  const { money, others } = parted(query, run)
  const isAll = isOfAll(others.query)
  return {
    match: (view) => {
      if (!isCounted) return match(view, query, run)
      const matchOthers = () => match(view, others.query, others.run)
      if (isAll) {
        add(ofAll(view, query, compared, () => storesOf(matchOthers()), run))
        return match(view, query, run)
      }
      const matched = matchOthers()
      add(count(view, storesOf(matched), compared, run))
      return compared.isFiltered ? narrow(view, matched, money.query, money.run) : matched
    },
    currencies: () =>
      Array.from(sums, ([currency, stores]) => ({ currency, stores })).sort(
        (one, other) => one.currency - other.currency
      )
  }
}

interface Part {
  readonly query: Filter
  readonly run: Run
}

/** The filters of money, and all else. */
const parted = (
  { item, order: _order, ...filter }: ComparingQuery,
  run: Run
): { readonly money: Part; readonly others: Part } => {
  const price = priceOf(item)
  const isMoney = (condition: StoreCondition) => moneyOf(condition).length > 0
  const part = (conditions: Run["conditions"], query: Filter): Part => ({
    query: { ...query, stores: conditions },
    run: { ...run, conditions }
  })
  return {
    money: part(run.conditions.filter(isMoney), {
      subject: filter.subject,
      stores: [],
      words: [],
      ...(price === undefined ? {} : { item: { _tag: "Product", price } })
    }),
    others: part(
      run.conditions.filter((condition) => !isMoney(condition)),
      { ...filter, ...withoutPrice(item) }
    )
  }
}

/** The counts of a segment when nothing but money is asked for. Made by the first search that needs them. */
const countsOf = new WeakMap<SegmentView, Map<string, ReadonlyArray<CurrencyCount>>>()

const ofAll = (
  view: SegmentView,
  { subject }: ComparingQuery,
  compared: Compared,
  rows: () => Uint32Array,
  run: Run
): ReadonlyArray<CurrencyCount> => {
  const key = `${subject} ${compared.price} ${compared.figures.toSorted().join()}`
  return countsOf
    .getOrInsertComputed(view, () => new Map())
    .getOrInsertComputed(key, () => count(view, rows(), compared, run))
}

/** By code. Kept, because 140 KB for each search make collections of garbage. Searches of a thread do not overlap. */
const [even, odd] = [new Uint32Array(codes), new Uint32Array(codes)]

/** By column of a segment. */
const codesOf = new WeakMap<Uint32Array, ReadonlyArray<number>>()

/** Those that stores of a segment have, ascending: a few of 17,577, so that a search neither clears nor reads all counters. */
const codesIn = (currency: Uint32Array): ReadonlyArray<number> =>
  codesOf.getOrInsertComputed(currency, () => {
    const isUsed = new Uint8Array(codes)
    for (let row = 0; row < currency.length; row++) isUsed[currency[row]!] = 1
    return Array.from(isUsed.keys()).filter((code) => isUsed[code] === 1)
  })

/**
 * Stores of one currency mostly follow each other, and a counter that was just written cannot be read at once: two rows at a time
 * have counters of their own.
 */
const count = (
  { columns }: SegmentView,
  rows: Uint32Array,
  compared: Compared,
  { cancel }: Run
): ReadonlyArray<CurrencyCount> => {
  const { currency } = columns.codes
  const [first, second = first] = compared.price ? [] : compared.figures.map((figure) => columns.figures[figure])
  const used = codesIn(currency)
  for (const code of used) even[code] = odd[code] = 0
  for (let from = 0; from < rows.length; from += stepsBetweenChecks) {
    cancel.check()
    const to = Math.min(rows.length, from + stepsBetweenChecks)
    if (first === undefined || second === undefined) countAll(currency, rows, from, to)
    else countKnown(currency, first, second, rows, from, to)
  }
  const found: Array<CurrencyCount> = []
  for (const code of used) {
    const stores = even[code]! + odd[code]!
    if (stores > 0) found.push({ currency: code, stores })
  }
  return found
}

const countAll = (currency: Uint32Array, rows: Uint32Array, from: number, to: number): void => {
  let at = from
  for (; at + 1 < to; at += 2) {
    even[currency[rows[at]!]!]!++
    odd[currency[rows[at + 1]!]!]!++
  }
  if (at < to) even[currency[rows[at]!]!]!++
}

/** Those of which at least one figure is known, that is, not NaN. */
const countKnown = (
  currency: Uint32Array,
  first: Float64Array,
  second: Float64Array,
  rows: Uint32Array,
  from: number,
  to: number
): void => {
  const isKnown = (row: number): number => +!(Number.isNaN(first[row]) && Number.isNaN(second[row]))
  let at = from
  for (; at + 1 < to; at += 2) {
    const [one, next] = [rows[at]!, rows[at + 1]!]
    even[currency[one]!]! += isKnown(one)
    odd[currency[next]!]! += isKnown(next)
  }
  if (at < to) even[currency[rows[at]!]!]! += isKnown(rows[at]!)
}

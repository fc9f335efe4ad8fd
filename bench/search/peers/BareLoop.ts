/**
 * The lower bound: for each case the plainest loop over the index's own columns that counts the same total, written out as one
 * would by hand for this case alone. It makes no page, cannot be canceled and knows one case; so nothing that answers
 * any search can be expected to be faster.
 */
import { Effect } from "effect"
import { ctas, mediaTypes } from "../../../src/domain/catalog/Enumerations.ts"
import { wholeOf } from "../../../src/domain/search/SearchText.ts"
import * as AdKey from "../../../src/services/search/index/AdKey.ts"
import { priceCodes } from "../../../src/services/search/index/RowFilter.ts"
import type { ItemCondition, Query, StoreCondition } from "../../../src/domain/search/CatalogQuery.ts"
import type { Items, Segment, SegmentView, Words } from "../../../src/services/search/index/Segment.ts"
import { readRows, wordCount, wordText } from "../../../src/services/search/index/Words.ts"
import type { MakePeer } from "../Peer.ts"
import * as PeerQuery from "./PeerQuery.ts"

/** How many of the words each row has. */
const hitsOf = (words: Words, rows: number, wanted: Query["words"]): Uint8Array => {
  const hits = new Uint8Array(rows)
  const all = wanted.flatMap((spellings, index) => spellings.map((spelling) => ({ index, spelling })))
  for (const { index, spelling } of all) {
    const [from, to] = wordsWith(words, spelling)
    for (let word = from; word < to; word++) {
      const postings = (words.cumulative[word + 1] ?? 0) - (words.cumulative[word] ?? 0)
      const found = new Uint32Array(postings)
      readRows(words, rows, word, found, 0)
      for (const row of found) if (hits[row] === index) hits[row] = index + 1
    }
  }
  return hits
}

const wordsWith = (words: Words, spelling: string): readonly [number, number] => {
  const whole = wholeOf(spelling)
  const prefix = whole ?? spelling
  const count = wordCount(words)
  const first = (isThere: (word: string) => boolean): number => {
    let low = 0
    let high = count
    while (low < high) {
      const middle = (low + high) >>> 1
      if (isThere(String.fromCharCode(...wordText(words, middle)))) high = middle
      else low = middle + 1
    }
    return low
  }
  const isBehind = (word: string) => (whole === undefined ? !word.startsWith(prefix) : word !== whole)
  return [first((word) => word >= prefix), first((word) => word >= prefix && isBehind(word))]
}

/** Arrays that a loop reads, by name; what it tests is the source of an expression. */
class Source {
  readonly arrays = new Map<string, unknown>()
  name(array: unknown): string {
    const name = `a${this.arrays.size}`
    this.arrays.set(name, array)
    return name
  }
}

const bounded = (value: string, { max, min }: { readonly min: number; readonly max: number }): string =>
  [
    ...(Number.isFinite(min) ? [`${value} >= ${min}`] : []),
    ...(Number.isFinite(max) ? [`${value} <= ${max}`] : [])
  ].join(" && ") || `${value} === ${value}`

const table = (values: ReadonlyArray<number>, size: number): Uint8Array => {
  const wanted = new Uint8Array(size)
  for (const value of values) if (value < size) wanted[value] = 1
  return wanted
}

const largest = (column: Uint32Array): number => column.reduce((most, value) => Math.max(most, value), 0)

const sizes = new WeakMap<Uint32Array, number>()
const sizeOf = (column: Uint32Array): number => {
  const known = sizes.get(column) ?? largest(column) + 1
  sizes.set(column, known)
  return known
}

const storeTest = ({ columns, segment }: SegmentView, condition: StoreCondition, source: Source): string => {
  switch (condition._tag) {
    case "AnyOf": {
      const column = columns.codes[condition.column]
      if (condition.values.length === 1) return `${source.name(column)}[s] === ${condition.values[0]}`
      return `${source.name(table(condition.values, sizeOf(column)))}[${source.name(column)}[s]] === 1`
    }
    case "AnyId":
      return `${source.name(new Set(condition.ids))}.has(${source.name(segment.storeIds)}[s])`
    case "AnyBit":
      return `(${source.name(columns.masks[condition.column])}[s] & ${condition.mask}) !== 0`
    case "AnyApp": {
      const wanted = source.name(table(condition.values, sizeOf(columns.apps)))
      const [offsets, apps] = [source.name(columns.appOffsets), source.name(columns.apps)]
      return `(() => { for (let i = ${offsets}[s]; i < ${offsets}[s + 1]; i++) if (${wanted}[${apps}[i]] === 1) return true; return false })()`
    }
    case "Between":
      return bounded(`${source.name(columns.figures[condition.column])}[s]`, condition.range)
  }
}

const rowFilter = ({ ads, products }: Segment, item: ItemCondition, source: Source): string => {
  if (item._tag === "Product") {
    const [low, end] = priceCodes(products.prices, PeerQuery.priceRange(item))
    const price = source.name(products.price)
    return `${price}[i] >= ${low} && ${price}[i] < ${end}`
  }
  const { ctas: labels, mediaTypes: media, partnershipOnly, runningOnly, status } = item.criteria
  const wantedFlags = Array.from({ length: 512 }, (_, flags) => flags).filter(
    (flags) =>
      (status === "all" || AdKey.isRunning(flags) === (status === "active")) &&
      (!runningOnly || AdKey.isRunning(flags)) &&
      (media.length === 0 || media.some((one) => mediaTypes.indexOf(one) === AdKey.mediaOf(flags))) &&
      (labels.length === 0 || labels.some((one) => ctas.indexOf(one) + 1 === AdKey.ctaOf(flags))) &&
      (!partnershipOnly || AdKey.isPartnership(flags))
  )
  const wanted = source.name(table(wantedFlags, 512))
  const keys = source.name(ads.keys)
  return (
    `${wanted}[${keys}[i] >>> 22] === 1 && (${keys}[i] & ${AdKey.lastDay}) >= ${item.firstDay} && ` +
    `(${keys}[i] & ${AdKey.lastDay}) <= ${item.lastDay}`
  )
}

type Count = (hits: Uint8Array | undefined) => readonly [total: number, stores: number]

const rowsOf = (
  view: SegmentView,
  { subject }: Query
): { readonly words: Words; readonly rows: number; readonly items?: Items } => {
  const { segment } = view
  if (subject === "stores") return { words: segment.words, rows: segment.storeIds.length }
  const items = segment[subject]
  return { words: items.words, rows: items.ids.length, items }
}

/** The loop of one case over one segment. */
const compile = (view: SegmentView, query: Query): Count => {
  const source = new Source()
  const { segment } = view
  const { items } = rowsOf(view, query)
  const stores = query.stores.map((condition) => `(${storeTest(view, condition, source)})`)
  const ofItem = [
    ...(query.item === undefined ? [] : [`(${rowFilter(segment, query.item, source)})`]),
    ...(query.words.length === 0 ? [] : [`hits[i] === ${query.words.length}`])
  ]
  const first = query.subject === "stores" || stores.length > 0 ? segment.pseudoStores : 0
  const isMatching = [`${source.name(view.live)}[s] === 1`, ...stores].join(" && ")
  const body = () => {
    if (items === undefined) {
      const word = query.words.length === 0 ? "" : `hits[s] === ${query.words.length} && `
      return `if (${word}${isMatching}) total++`
    }
    const offsets = source.name(items.offsets)
    const count =
      ofItem.length === 0
        ? `n = ${offsets}[s + 1] - ${offsets}[s]`
        : `for (let i = ${offsets}[s]; i < ${offsets}[s + 1]; i++) if (${ofItem.join(" && ")}) n++`
    return `if (${isMatching}) {
      let n = 0
      ${count}
      total += n
      if (n > 0 && s >= ${segment.pseudoStores}) stores++
    }`
  }
  const loop = `for (let s = ${first}; s < ${segment.storeIds.length}; s++) { ${body()} }`
  const names = Array.from(source.arrays.keys())
  // oxlint-disable-next-line no-implied-eval, no-new-func -- a loop for one case is what is measured
  const make = new Function(
    ...names,
    `return function (hits) { let total = 0, stores = 0; ${loop}; return [total, stores] }`
  ) as (...arrays: ReadonlyArray<unknown>) => Count
  return make(...source.arrays.values())
}

export const make: MakePeer = ({ published }) => {
  /** The loops of the case that is asked for again and again: writing them is not measured. */
  let compiled: { readonly query: Query; readonly loops: ReadonlyArray<() => readonly [number, number]> } | undefined
  const loopsOf = (query: Query) => {
    if (compiled?.query === query) return compiled.loops
    const loops = published.list.map((view) => {
      const count = compile(view, query)
      const { rows, words } = rowsOf(view, query)
      return () => count(query.words.length === 0 ? undefined : hitsOf(words, rows, query.words))
    })
    compiled = { query, loops }
    return loops
  }
  return Effect.succeed({
    name: "bare loop",
    description:
      "For each case the plainest loop over the columns of the index that counts the same total, compiled for that case alone, the " +
      "words' postings read into a byte a row before it. It only counts: no page, no order. The shortest of five runs each.",
    rounds: 5,
    prepare: Effect.void,
    search: (query) =>
      Effect.sync(() => {
        const counts = loopsOf(query).map((loop) => loop())
        return {
          total: counts.reduce((sum, [total]) => sum + total, 0),
          stores: counts.reduce((sum, [, stores]) => sum + stores, 0)
        }
      })
  })
}

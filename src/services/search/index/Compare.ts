/**
 * Compares two indexes value by value, independent of their segments, codes and spelling ids. Also checks the invariants
 * of each: permutations are complete and ordered, unions of postings are correct.
 *
 * Words of a row are compared by two sums of hashes (16 bytes a row) in one pass over the postings, and listed only where
 * the sums differ. For 200,000 stores with 5 million products and 2 million ads this takes some tens of seconds.
 */
import * as AdKey from "./AdKey.ts"
import type { SpellingKind } from "../../../domain/search/CatalogQuery.ts"
import { livePlaces, record } from "./Segment.ts"
import { lettersOf, masks, storeNumbers } from "../../../domain/search/CatalogQuery.ts"
import type { Items, Place, SegmentList, SegmentView, Words } from "./Segment.ts"
import { bitmapLength, setRows } from "./Bitmap.ts"
import { compareText, isAfterLast, readRows, wordCount, wordText } from "./Words.ts"

export interface Contents {
  readonly list: SegmentList
  readonly spellings: Readonly<Record<SpellingKind, ReadonlyArray<string>>>
}

/** The text names the store, and the item if the difference is in one. */
type Report = (difference: string) => void

/** Up to `limit` differences as text for people. `a` and `b` name the two sides. */
export const differences = (
  a: Contents,
  b: Contents,
  names: readonly [a: string, b: string],
  limit = 20
): ReadonlyArray<string> => {
  const all: Array<string> = []
  const report: Report = (difference) => void (all.length < limit && all.push(difference))
  for (const [index, side] of [a, b].entries()) checkWhole(side.list, (fault) => report(`${names[index]}: ${fault}`))
  const left = storesOf(a, names[0])
  const right = storesOf(b, names[1])
  let [at, to] = [0, 0]
  while ((at < left.length || to < right.length) && all.length < limit) {
    const idA = left[at]?.id ?? Number.POSITIVE_INFINITY
    const idB = right[to]?.id ?? Number.POSITIVE_INFINITY
    if (idA === idB) compareStores(left[at++]!, right[to++]!, report)
    else if (idA < idB) report(`store ${left[at++]!.id} is in ${names[0]} only`)
    else report(`store ${right[to++]!.id} is in ${names[1]} only`)
  }
  return all
}

/** A store of one of the two sides, which `side` names. */
interface Store extends Place {
  readonly side: string
  readonly hashes: SegmentHashes
  readonly spellings: Contents["spellings"]
}

const storesOf = ({ list, spellings }: Contents, side: string): ReadonlyArray<Store> => {
  const hashes = new Map(list.map((view) => [view, hashesOf(view)] as const))
  return livePlaces(list).map((place) => ({ ...place, side, hashes: hashes.get(place.view)!, spellings }))
}

const compareStores = (a: Store, b: Store, report: Report): void => {
  compareRows(`store ${a.id}`, "stores", a, a.row, b, b.row, report)
  compareItems("product", "products", a, b, report)
  compareItems("ad", "ads", a, b, report)
}

/** Compares items in the default order of the store, which is equal for equal records. */
const compareItems = (name: string, kind: "products" | "ads", a: Store, b: Store, report: Report): void => {
  const [left, right] = [a.view.segment[kind], b.view.segment[kind]]
  const [fromA, fromB] = [left.offsets[a.row]!, right.offsets[b.row]!]
  const [countA, countB] = [left.offsets[a.row + 1]! - fromA, right.offsets[b.row + 1]! - fromB]
  if (countA !== countB) return report(`store ${a.id}: it has ${countA} ${kind} in ${a.side}, ${countB} in ${b.side}`)
  for (let at = 0; at < countA; at++) {
    const [idA, idB] = [left.ids[fromA + at]!, right.ids[fromB + at]!]
    if (idA !== idB) {
      return report(`store ${a.id}: at place ${at} is ${name} ${idA} in ${a.side}, ${idB} in ${b.side}`)
    }
    compareRows(`${name} ${idA}`, kind, a, fromA + at, b, fromB + at, report)
  }
}

const compareRows = (
  what: string,
  table: Table,
  a: Store,
  rowA: number,
  b: Store,
  rowB: number,
  report: Report
): void => {
  const [left, right] = [valuesOf[table](a, rowA), valuesOf[table](b, rowB)]
  for (const [name, value] of Object.entries(left)) {
    if (!Object.is(value, right[name])) report(`${what}: ${name} is ${value} in ${a.side}, ${right[name]} in ${b.side}`)
  }
  const [hashesA, hashesB] = [a.hashes[table], b.hashes[table]]
  if (hashesA.first[rowA] === hashesB.first[rowB] && hashesA.second[rowA] === hashesB.second[rowB]) return
  const [wordsA, wordsB] = [wordsOf(a.view, table, rowA), wordsOf(b.view, table, rowB)]
  const only = (own: ReadonlySet<string>, other: ReadonlySet<string>) =>
    Array.from(own)
      .filter((word) => !other.has(word))
      .join(" ")
  report(`${what}: words of ${a.side} only: "${only(wordsA, wordsB)}"; of ${b.side} only: "${only(wordsB, wordsA)}"`)
}

type Values = Readonly<Record<string, number | string>>

/** The values of a row, by name. */
const valuesOf: Readonly<Record<Table, (store: Store, row: number) => Values>> = {
  stores: ({ spellings, view: { columns } }, row) => {
    const spelling = (kind: SpellingKind, id: number): string =>
      id === 0 ? "none" : (spellings[kind][id - 1] ?? `unknown spelling ${id}`)
    const apps = columns.apps.slice(columns.appOffsets[row], columns.appOffsets[row + 1])
    return {
      ...record(storeNumbers, (name) => columns.figures[name][row]!),
      ...record(masks, (name) => columns.masks[name][row]!),
      relevance: columns.relevance[row]!,
      niche: columns.codes.niche[row]!,
      country: letters(columns.codes.country[row]!, 2),
      currency: letters(columns.codes.currency[row]!, 3),
      theme: spelling("theme", columns.codes.theme[row]!),
      extension: spelling("extension", columns.codes.extension[row]!),
      apps: Array.from(apps, (id) => spelling("app", id))
        .sort()
        .join(", ")
    }
  },
  products: ({ view }, row) => {
    const { created, price, prices, recency } = view.segment.products
    return { price: prices[price[row]!]!, created: created[row]!, recency: recency[row]! }
  },
  ads: ({ view }, row) => ({ key: view.segment.ads.keys[row]! })
}

const letters = (code: number, length: number) => (code === 0 ? "none" : lettersOf(code, length))

type SegmentHashes = Readonly<Record<Table, RowHashes>>

/** Two sums over the word hashes of each row. */
interface RowHashes {
  readonly first: Uint32Array
  readonly second: Uint32Array
}

const tableOf = ({ segment }: SegmentView, table: Table): { readonly words: Words; readonly rows: number } =>
  table === "stores"
    ? { words: segment.words, rows: segment.storeIds.length }
    : { words: segment[table].words, rows: segment[table].ids.length }

const tables = ["stores", "products", "ads"] as const
type Table = (typeof tables)[number]

const hashesOf = (view: SegmentView): SegmentHashes => record(tables, (table) => rowHashes(view, table))

const rowHashes = (view: SegmentView, table: Table): RowHashes => {
  const { rows, words } = tableOf(view, table)
  const first = new Uint32Array(rows)
  const second = new Uint32Array(rows)
  const withWord = new Uint32Array(rows)
  for (let word = 0; word < wordCount(words); word++) {
    const text = wordText(words, word)
    const [hashA, hashB] = [hash(text, 0x811c9dc5), hash(text, 0x01234567)]
    const end = readRows(words, rows, word, withWord, 0)
    for (let at = 0; at < end; at++) {
      first[withWord[at]!]! += hashA
      second[withWord[at]!]! += hashB
    }
  }
  return { first, second }
}

/** FNV-1a over code units, with a final mix of the bits. */
const hash = (text: Uint16Array, seed: number): number => {
  let value = seed
  for (const unit of text) value = Math.imul(value ^ unit, 0x01000193)
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  return (value ^ (value >>> 13)) >>> 0
}

/** Scans all postings of the segment, which is acceptable for the few rows that differ. */
const wordsOf = (view: SegmentView, table: Table, row: number): ReadonlySet<string> => {
  const { rows, words } = tableOf(view, table)
  const withWord = new Uint32Array(rows)
  const texts = new Set<string>()
  for (let word = 0; word < wordCount(words); word++) {
    const end = readRows(words, rows, word, withWord, 0)
    if (withWord.subarray(0, end).includes(row)) texts.add(String.fromCharCode(...wordText(words, word)))
  }
  return texts
}

/** Checks what is determined by other arrays of the same segment. */
const checkWhole = (list: SegmentList, report: Report): void => {
  const stores = new Set<number>()
  for (const [index, view] of list.entries()) {
    const { segment } = view
    const reportHere = (fault: string) => report(`segment ${index}: ${fault}`)
    segment.storeIds.forEach((id, row) => {
      if (row > 0 && segment.storeIds[row - 1]! >= id) reportHere(`store ${id} is not in order`)
      if (id < 0 !== row < segment.pseudoStores) reportHere(`store ${id} is in the wrong place`)
      if (view.live[row] === 0) return
      if (stores.has(id)) reportHere(`store ${id} is live twice`)
      stores.add(id)
    })
    const { ads, products } = segment
    checkItems(products, segment.storeIds.length, (fault) => reportHere(`products: ${fault}`))
    checkItems(ads, segment.storeIds.length, (fault) => reportHere(`ads: ${fault}`))
    checkOrder("price", products.byPrice, (row) => products.prices[products.price[row]!]!, products.ids, reportHere)
    checkOrder("created", products.byCreated, (row) => products.created[row]!, products.ids, reportHere)
    checkOrder("started", ads.byStarted, (row) => AdKey.startDayOf(ads.keys[row]!), ads.ids, reportHere)
    if (AdKey.flagBitmaps(ads.keys).some((bits, at) => bits !== ads.flags[at]))
      reportHere("the bitmaps of flags are wrong")
    for (const table of tables) {
      const { rows, words } = tableOf(view, table)
      checkWords(words, rows, (fault) => reportHere(`words of ${table}: ${fault}`))
    }
  }
}

const checkItems = ({ highestId, ids, offsets, stores }: Items, storeRows: number, report: Report): void => {
  if (offsets.length !== storeRows + 1 || offsets[storeRows] !== ids.length)
    report("the offsets do not end with the rows")
  const higher = ids.find((id) => id > highestId[0]!)
  if (higher !== undefined) report(`id ${higher} is above the highest`)
  for (let store = 0; store < storeRows; store++) {
    for (let row = offsets[store]!; row < offsets[store + 1]!; row++) {
      if (stores[row] !== store) report(`row ${row} is not of store row ${store}`)
    }
  }
}

/** NaN sorts before all numbers. */
const checkOrder = (
  name: string,
  rows: Uint32Array,
  keyOf: (row: number) => number,
  ids: Int32Array,
  report: Report
): void => {
  const seen = new Uint8Array(ids.length)
  let previous = Number.NEGATIVE_INFINITY
  let previousId = Number.NEGATIVE_INFINITY
  for (const row of rows) {
    const key = Number.isNaN(keyOf(row)) ? Number.NEGATIVE_INFINITY : keyOf(row)
    if (key < previous || (key === previous && ids[row]! < previousId)) return report(`the order by ${name} is wrong`)
    previous = key
    previousId = ids[row]!
    if (row < seen.length) seen[row] = 1
  }
  if (rows.length !== ids.length || seen.includes(0)) report(`the order by ${name} does not have each row once`)
}

const checkWords = (words: Words, rows: number, report: Report): void => {
  for (let word = 1; word < wordCount(words); word++) {
    if (!isAfterLast(words, word)) return report(`word ${word} is not in order`)
  }
  const { prefixBitmaps, prefixOffsets, prefixText } = words
  const withPrefix = new Uint32Array(rows)
  for (let prefix = 0; prefix < prefixOffsets.length - 1; prefix++) {
    const text = prefixText.subarray(prefixOffsets[prefix], prefixOffsets[prefix + 1])
    const union = new Uint32Array(bitmapLength(rows))
    for (let word = 0; word < wordCount(words); word++) {
      if (compareText(wordText(words, word).subarray(0, text.length), text) !== 0) continue
      const end = readRows(words, rows, word, withPrefix, 0)
      setRows(union, withPrefix, 0, end)
    }
    const stored = prefixBitmaps.subarray(prefix * union.length, (prefix + 1) * union.length)
    if (union.some((bits, at) => bits !== stored[at])) report(`the union of "${String.fromCharCode(...text)}" is wrong`)
  }
}

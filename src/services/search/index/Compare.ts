/**
 * Compares two indexes value by value, independent of their segments, codes and spelling ids. Also checks the invariants
 * of each: permutations are complete and ordered, unions of postings are correct.
 *
 * Words of a row are compared by two sums of hashes (16 bytes a row) in one pass over the postings, and listed only where
 * the sums differ. For 200,000 stores with 5 million products and 2 million ads this takes some tens of seconds.
 */
import * as AdKey from "./AdKey.ts"
import type { SpellingKind } from "./Records.ts"
import { figures, lettersOf, livePlaces, masks } from "./Segment.ts"
import type { Items, Place, SegmentList, SegmentView, Words } from "./Segment.ts"
import { bitmapLength, setRows } from "./Bitmap.ts"
import { compareText, readRows, wordCount, wordText } from "./Words.ts"

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
  const found: Array<string> = []
  const report: Report = (difference) => void (found.length < limit && found.push(difference))
  for (const [index, side] of [a, b].entries()) checkWhole(side.list, (fault) => report(`${names[index]}: ${fault}`))
  const left = readerOf(a)
  const right = readerOf(b)
  let [at, to] = [0, 0]
  while ((at < left.places.length || to < right.places.length) && found.length < limit) {
    const idA = left.places[at]?.id ?? Number.POSITIVE_INFINITY
    const idB = right.places[to]?.id ?? Number.POSITIVE_INFINITY
    if (idA === idB) compareStores(left.read(at++), right.read(to++), names, report)
    else if (idA < idB) report(`store ${left.places[at++]!.id} is in ${names[0]} only`)
    else report(`store ${right.places[to++]!.id} is in ${names[1]} only`)
  }
  return found
}

interface StoreReader extends Place {
  readonly hashes: SegmentHashes
  readonly contents: Contents
}

const readerOf = (contents: Contents) => {
  const places = livePlaces(contents.list)
  const hashes = new Map(contents.list.map((view) => [view, hashesOf(view)] as const))
  return {
    places,
    read: (at: number): StoreReader => {
      const place = places[at]!
      return { ...place, hashes: hashes.get(place.view)!, contents }
    }
  }
}

type Names = readonly [a: string, b: string]

const compareStores = (a: StoreReader, b: StoreReader, names: Names, report: Report): void => {
  const differ = (what: string, left: string | number | undefined, right: string | number | undefined) => {
    if (!Object.is(left, right)) report(`store ${a.id}: ${what} is ${left} in ${names[0]}, ${right} in ${names[1]}`)
  }
  const [left, right] = [a.view.columns, b.view.columns]
  for (const name of figures) differ(name, left.figures[name][a.row], right.figures[name][b.row])
  for (const name of masks) differ(name, left.masks[name][a.row], right.masks[name][b.row])
  differ("relevance", left.relevance[a.row], right.relevance[b.row])
  differ("niche", left.codes.niche[a.row], right.codes.niche[b.row])
  differ("country", letters(left.codes.country[a.row]!, 2), letters(right.codes.country[b.row]!, 2))
  differ("currency", letters(left.codes.currency[a.row]!, 3), letters(right.codes.currency[b.row]!, 3))
  for (const kind of ["theme", "extension"] as const) {
    differ(kind, spelling(a, kind, left.codes[kind][a.row]!), spelling(b, kind, right.codes[kind][b.row]!))
  }
  differ("apps", appsOf(a), appsOf(b))
  compareWords(`store ${a.id}`, a, b, names, report, "stores", a.row, b.row)
  compareItems("product", "products", a, b, names, report)
  compareItems("ad", "ads", a, b, names, report)
}

const letters = (code: number, length: number) => (code === 0 ? "none" : lettersOf(code, length))

const spelling = ({ contents }: StoreReader, kind: SpellingKind, id: number): string =>
  id === 0 ? "none" : (contents.spellings[kind][id - 1] ?? `unknown spelling ${id}`)

const appsOf = (reader: StoreReader): string => {
  const { appOffsets, apps } = reader.view.columns
  return Array.from(apps.slice(appOffsets[reader.row], appOffsets[reader.row + 1]), (id) => spelling(reader, "app", id))
    .sort()
    .join(", ")
}

/** The values of an item's row, by name. */
const valuesOf = ({ segment }: SegmentView, kind: "products" | "ads", row: number): Record<string, number> => {
  if (kind === "ads") return { key: segment.ads.keys[row]! }
  const { created, price, prices, recency } = segment.products
  return { price: prices[price[row]!]!, created: created[row]!, recency: recency[row]! }
}

/** Compares items in the default order of the store, which is equal for equal records. */
const compareItems = (
  name: string,
  kind: "products" | "ads",
  a: StoreReader,
  b: StoreReader,
  names: Names,
  report: Report
): void => {
  const [left, right] = [a.view.segment[kind], b.view.segment[kind]]
  const [fromA, fromB] = [left.offsets[a.row]!, right.offsets[b.row]!]
  const [countA, countB] = [left.offsets[a.row + 1]! - fromA, right.offsets[b.row + 1]! - fromB]
  if (countA !== countB) {
    return report(`store ${a.id}: it has ${countA} ${kind} in ${names[0]}, ${countB} in ${names[1]}`)
  }
  for (let at = 0; at < countA; at++) {
    const [rowA, rowB] = [fromA + at, fromB + at]
    const [idA, idB] = [left.ids[rowA]!, right.ids[rowB]!]
    if (idA !== idB) {
      return report(`store ${a.id}: at place ${at} is ${name} ${idA} in ${names[0]}, ${idB} in ${names[1]}`)
    }
    const [valuesA, valuesB] = [valuesOf(a.view, kind, rowA), valuesOf(b.view, kind, rowB)]
    for (const [what, value] of Object.entries(valuesA)) {
      if (Object.is(value, valuesB[what])) continue
      report(`${name} ${idA}: ${what} is ${value} in ${names[0]}, ${valuesB[what]} in ${names[1]}`)
    }
    compareWords(`${name} ${idA}`, a, b, names, report, kind, rowA, rowB)
  }
}

type Table = "stores" | "products" | "ads"
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

const hashesOf = (view: SegmentView): SegmentHashes => ({
  stores: rowHashes(view, "stores"),
  products: rowHashes(view, "products"),
  ads: rowHashes(view, "ads")
})

const rowHashes = (view: SegmentView, table: Table): RowHashes => {
  const { rows, words } = tableOf(view, table)
  const first = new Uint32Array(rows)
  const second = new Uint32Array(rows)
  const found = new Uint32Array(rows)
  for (let word = 0; word < wordCount(words); word++) {
    const text = wordText(words, word)
    const [hashA, hashB] = [hash(text, 0x811c9dc5), hash(text, 0x01234567)]
    const end = readRows(words, rows, word, found, 0)
    for (let at = 0; at < end; at++) {
      first[found[at]!]! += hashA
      second[found[at]!]! += hashB
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

const compareWords = (
  what: string,
  a: StoreReader,
  b: StoreReader,
  names: Names,
  report: Report,
  table: Table,
  rowA: number,
  rowB: number
): void => {
  const [left, right] = [a.hashes[table], b.hashes[table]]
  if (left.first[rowA] === right.first[rowB] && left.second[rowA] === right.second[rowB]) return
  const [wordsA, wordsB] = [wordsOf(a.view, table, rowA), wordsOf(b.view, table, rowB)]
  const only = (own: ReadonlySet<string>, other: ReadonlySet<string>) =>
    Array.from(own)
      .filter((word) => !other.has(word))
      .join(" ")
  report(
    `${what}: words of ${names[0]} only: "${only(wordsA, wordsB)}"; of ${names[1]} only: "${only(wordsB, wordsA)}"`
  )
}

/** Scans all postings of the segment, which is acceptable for the few rows that differ. */
const wordsOf = (view: SegmentView, table: Table, row: number): ReadonlySet<string> => {
  const { rows, words } = tableOf(view, table)
  const found = new Uint32Array(rows)
  const own = new Set<string>()
  for (let word = 0; word < wordCount(words); word++) {
    const end = readRows(words, rows, word, found, 0)
    if (found.subarray(0, end).includes(row)) own.add(String.fromCharCode(...wordText(words, word)))
  }
  return own
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
    for (const table of ["stores", "products", "ads"] as const) {
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
    if (compareText(wordText(words, word - 1), wordText(words, word)) >= 0)
      return report(`word ${word} is not in order`)
  }
  const { prefixBitmaps, prefixOffsets, prefixText } = words
  const found = new Uint32Array(rows)
  for (let prefix = 0; prefix < prefixOffsets.length - 1; prefix++) {
    const text = prefixText.subarray(prefixOffsets[prefix], prefixOffsets[prefix + 1])
    const union = new Uint32Array(bitmapLength(rows))
    for (let word = 0; word < wordCount(words); word++) {
      if (compareText(wordText(words, word).subarray(0, text.length), text) !== 0) continue
      const end = readRows(words, rows, word, found, 0)
      setRows(union, found, 0, end)
    }
    const kept = prefixBitmaps.subarray(prefix * union.length, (prefix + 1) * union.length)
    if (union.some((bits, at) => bits !== kept[at])) report(`the union of "${String.fromCharCode(...text)}" is wrong`)
  }
}

/**
 * The arrays of a segment view by name, for snapshots and for the estimate of memory.
 *
 * The types of the segment determine the table: an array that is missing or has another kind does not compile.
 */
import { codes, figures, kindOf, masks } from "../index/Segment.ts"
import type { ArrayKind, SegmentView, TypedArray } from "../index/Segment.ts"

type Kinds<T> = T extends Float64Array
  ? "Float64Array"
  : T extends Int32Array
    ? "Int32Array"
    : T extends Uint32Array
      ? "Uint32Array"
      : T extends Uint16Array
        ? "Uint16Array"
        : T extends Uint8Array
          ? "Uint8Array"
          : { readonly [K in keyof T as T[K] extends object ? K : never]: Kinds<T[K]> }

type KindTree = ArrayKind | { readonly [name: string]: KindTree }

const each = <Name extends string, Kind extends ArrayKind>(names: ReadonlyArray<Name>, kind: Kind) =>
  // Object.fromEntries loses the names.
  Object.fromEntries(names.map((name) => [name, kind])) as Readonly<Record<Name, Kind>>

const words = {
  text: "Uint16Array",
  textOffsets: "Uint32Array",
  cumulative: "Float64Array",
  starts: "Float64Array",
  gaps: "Uint8Array",
  bitmaps: "Uint32Array",
  prefixText: "Uint16Array",
  prefixOffsets: "Uint32Array",
  prefixBitmaps: "Uint32Array"
} as const

const items = {
  offsets: "Uint32Array",
  ids: "Int32Array",
  stores: "Uint32Array",
  highestId: "Int32Array",
  words
} as const

const viewKinds: Kinds<SegmentView> = {
  segment: {
    storeIds: "Int32Array",
    words,
    products: {
      ...items,
      price: "Uint32Array",
      prices: "Float64Array",
      created: "Float64Array",
      recency: "Int32Array",
      byPrice: "Uint32Array",
      byCreated: "Uint32Array"
    },
    ads: { ...items, keys: "Int32Array", flags: "Uint32Array", byStarted: "Uint32Array" }
  },
  columns: {
    figures: each(figures, "Float64Array"),
    codes: each(codes, "Uint32Array"),
    masks: each(masks, "Uint32Array"),
    relevance: "Int32Array",
    appOffsets: "Uint32Array",
    apps: "Uint32Array"
  },
  live: "Uint8Array"
}

export interface NamedArray {
  /** Its path, such as `segment.products.ids`. */
  readonly name: string
  readonly array: TypedArray
}

const visit = (kinds: KindTree, name: string, leaf: (name: string, kind: ArrayKind) => void): void => {
  if (typeof kinds === "string") return leaf(name, kinds)
  for (const [key, kind] of Object.entries(kinds)) visit(kind, name === "" ? key : `${name}.${key}`, leaf)
}

/** In a fixed order. */
export const arraysOf = (view: SegmentView): ReadonlyArray<NamedArray> => {
  const found: Array<NamedArray> = []
  visit(viewKinds, "", (name, kind) => {
    const array = name.split(".").reduce<unknown>((at, key) => Reflect.get(Object(at), key), view)
    if (!ArrayBuffer.isView(array) || kindOf(array as TypedArray) !== kind)
      throw new Error(`${name} is not of the kind ${kind}`)
    found.push({ name, array: array as TypedArray })
  })
  return found
}

/** The inverse of {@link arraysOf}. `get` returns the array with this name and kind, or throws. */
export const viewOf = (pseudoStores: number, get: (name: string, kind: ArrayKind) => TypedArray): SegmentView => {
  const tree: Record<string, unknown> = {}
  visit(viewKinds, "", (name, kind) => {
    const path = name.split(".")
    const last = path.pop() ?? ""
    let at = tree
    for (const key of path) at = (at[key] ??= {}) as Record<string, unknown>
    at[last] = get(name, kind)
  })
  Object.assign(Object(tree["segment"]), { pseudoStores })
  // Made from every name and kind of the table, which the compiler checks against this type.
  return tree as unknown as SegmentView
}

/** Bytes of a view in memory, and approximately in a snapshot. */
export const bytesOf = (view: SegmentView): number =>
  arraysOf(view).reduce((sum, { array }) => sum + array.byteLength, 0)

/** The arrays of a segment view by name, for snapshots, and their bytes. */
import type { SegmentView, TypedArray } from "../index/Segment.ts"

export interface NamedArray {
  /** Its path, such as `segment.products.ids`. */
  readonly name: string
  readonly array: TypedArray
}

/** The view with other arrays; what is no array stays. */
export const mapArrays = (view: SegmentView, map: (named: NamedArray) => TypedArray): SegmentView => {
  const mapped = (value: unknown, name: string): unknown => {
    if (ArrayBuffer.isView(value)) return map({ name, array: value as TypedArray })
    if (typeof value !== "object" || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [key, mapped(inner, name === "" ? key : `${name}.${key}`)])
    )
  }
  // It has the form of the view.
  return mapped(view, "") as SegmentView
}

/** In the order of the view's fields. */
export const arraysOf = (view: SegmentView): ReadonlyArray<NamedArray> => {
  const found: Array<NamedArray> = []
  mapArrays(view, (named) => {
    found.push(named)
    return named.array
  })
  return found
}

/** Bytes of the arrays in a view, in a part of one, or in a list. */
export const bytesOf = (of: unknown): number => {
  if (ArrayBuffer.isView(of)) return of.byteLength
  return typeof of === "object" && of !== null ? Object.values(of).reduce((sum, part) => sum + bytesOf(part), 0) : 0
}

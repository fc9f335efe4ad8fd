/** The arrays of a segment view by name, for snapshots and for the estimate of memory. */
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

/** Bytes of a view in memory, and approximately in a snapshot. */
export const bytesOf = (view: SegmentView): number =>
  arraysOf(view).reduce((sum, { array }) => sum + array.byteLength, 0)

/** Lists cut so that an answer stays within its 64 KiB (D30). */

const encoder = new TextEncoder()

/** The first items, at most so many, whose JSON takes at most so many bytes of UTF-8, commas included. */
export const fit = <A>(
  items: ReadonlyArray<A>,
  limits: { readonly maxItems: number; readonly maxBytes: number }
): ReadonlyArray<A> => {
  let bytes = 0
  const end = items.findIndex((item, index) => {
    bytes += encoder.encode(JSON.stringify(item)).length + 1
    return index >= limits.maxItems || bytes > limits.maxBytes
  })
  return end === -1 ? items : items.slice(0, end)
}

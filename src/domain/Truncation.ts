/** The bound on the size of an answer: 64 KiB of UTF-8 JSON. The last items are dropped first (S32, D30). */

export const maxBytes = 64 * 1024

/** The JSON of a page of results, truncated to {@link maxBytes}. The pagination always remains. */
export const toJson = (envelope: object): string => {
  const json = JSON.stringify(envelope)
  // A UTF-16 unit takes at most three bytes, so that most answers need no count.
  if (json.length * 3 <= maxBytes || Buffer.byteLength(json) <= maxBytes) return json
  return "results" in envelope && Array.isArray(envelope.results) ? drop(envelope, envelope.results) : json
}

const drop = (envelope: object, results: ReadonlyArray<unknown>): string => {
  const cut = (items: ReadonlyArray<unknown>) => JSON.stringify({ ...envelope, results: items, truncated: true })
  // One byte more: the first item has no comma.
  const left = maxBytes - Buffer.byteLength(cut([])) + 1
  return cut(fit(results, { maxItems: results.length, maxBytes: left }))
}

/** The first items, within `maxItems` and within `maxBytes` of UTF-8 JSON, commas included. */
export const fit = <A>(
  items: ReadonlyArray<A>,
  limits: { readonly maxItems: number; readonly maxBytes: number }
): ReadonlyArray<A> => {
  let bytes = 0
  const end = items.findIndex((item, index) => {
    bytes += Buffer.byteLength(JSON.stringify(item)) + 1
    return index >= limits.maxItems || bytes > limits.maxBytes
  })
  return end === -1 ? items : items.slice(0, end)
}

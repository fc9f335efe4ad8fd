/** The bound on the size of an answer: 64 KiB of UTF-8 JSON. The last items are dropped first (S32, D30). */

export const maxBytes = 64 * 1024

interface Truncated {
  readonly json: string
  /** How many results it has; absent of an answer without a list of them. */
  readonly results?: number
}

/** The JSON of a page of results, truncated to {@link maxBytes}. The pagination always remains. */
export const truncated = (envelope: object): Truncated => {
  const json = JSON.stringify(envelope)
  const results = "results" in envelope && Array.isArray(envelope.results) ? envelope.results : undefined
  // A UTF-16 unit takes at most three bytes, so that most answers need no count.
  const isWhole = json.length * 3 <= maxBytes || Buffer.byteLength(json) <= maxBytes
  if (results === undefined) return { json }
  return isWhole ? { json, results: results.length } : drop(envelope, results)
}

export const toJson = (envelope: object): string => truncated(envelope).json

const drop = (envelope: object, results: ReadonlyArray<unknown>): Truncated => {
  const cut = (items: ReadonlyArray<unknown>) => JSON.stringify({ ...envelope, results: items, truncated: true })
  // One byte more: the first item has no comma.
  const left = maxBytes - Buffer.byteLength(cut([])) + 1
  const kept = fit(results, { maxItems: results.length, maxBytes: left })
  return { json: cut(kept), results: kept.length }
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

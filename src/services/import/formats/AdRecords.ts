/** Which records are ads of the Meta Ad Library, and where they are in its pages, lists and tables. */
import { isForeign, maxDepth } from "./Foreign.ts"
import type { Foreign } from "./Foreign.ts"

/** Names of the objects and lists that contain ads on the library's pages. */
export const wrappers = [
  "ad_library_main",
  "search_results_connection",
  "edges",
  "node",
  "collated_results",
  "results",
  "data",
  "ads"
]

/** The ads in a record, which may be one ad, a page of ads, or a collated group. What is nested too deeply is no ad. */
export const adsIn = (value: unknown): ReadonlyArray<Foreign> => adsWithin(value, 0)

const adsWithin = (value: unknown, depth: number): ReadonlyArray<Foreign> => {
  // What is no object is no ad, and is rejected.
  if (depth > maxDepth) return [{}]
  if (Array.isArray(value)) return value.flatMap((item) => adsWithin(item, depth + 1))
  if (!isForeign(value)) return [{}]
  if (isAd(value)) return [value]
  const wrapped = wrappers.filter((name) => name in value)
  if (wrapped.length === 0) return [value]
  const lists = wrapped.filter((name) => typeof value[name] === "object" && value[name] !== null)
  return lists.length === 0 ? [{}] : lists.flatMap((name) => adsWithin(value[name], depth + 1))
}

/** Whether the value is a page of the library, or a list of pages, without ads. */
export const isEmptyPage = (value: unknown): boolean => isEmptyWithin(value, 0)

const isEmptyWithin = (value: unknown, depth: number): boolean => {
  if (depth > maxDepth) return false
  if (Array.isArray(value)) return value.every((item) => isEmptyWithin(item, depth + 1))
  if (!isForeign(value)) return false
  const inner = wrappers.find((name) => name in value)
  return inner !== undefined && isEmptyWithin(value[inner], depth + 1)
}

/** The names that the library's pages give the id. */
export const idNames = ["ad_archive_id", "adArchiveID", "adArchiveId"]

/** Whether the record is from the library's pages. */
export const isPageAd = (record: Foreign): boolean => idNames.some((name) => name in record)

const archiveStarts = ["ad_delivery_start_time", "ad_creation_time"]
/** Names of fields that only `ads_archive` has; the last ones are those of its older versions. */
const archiveNames = [
  ...archiveStarts,
  "ad_snapshot_url",
  "ad_creative_bodies",
  "ad_creative_link_titles",
  "ad_creative_body",
  "ad_creative_link_title"
]

/** Whether a record with these names is from `ads_archive`. The library's own tables of it name the id as its pages do. */
const isOfArchive = (has: (name: string) => boolean): boolean => ["id", ...idNames].some(has) && archiveNames.some(has)

/** Whether the record is from `ads_archive`. */
export const isArchiveAd = (record: Foreign): boolean => isOfArchive((name) => name in record)

export const isAd = (record: Foreign): boolean => isPageAd(record) || isArchiveAd(record)

/** Whether a table has ads of the library's pages, in columns such as `snapshot.title` or `snapshot/title`, or of `ads_archive`. */
export const isHeader = (header: ReadonlyArray<string>): boolean =>
  (isOfArchive((name) => header.includes(name)) && archiveStarts.some((name) => header.includes(name))) ||
  (header.some((name) => idNames.includes(name)) && header.some((name) => /^snapshot[./]/u.test(name)))

/** The record of a row of such a table. In one of `ads_archive`, an empty cell does not make it another kind of ad. */
export const ofRow = (header: ReadonlyArray<string>, cells: ReadonlyArray<string>): Foreign => {
  const record = Object.fromEntries(header.flatMap((name, at) => ((cells[at] ?? "") === "" ? [] : [[name, cells[at]]])))
  return isOfArchive((name) => header.includes(name))
    ? { ...record, ad_creation_time: record["ad_creation_time"] }
    : record
}

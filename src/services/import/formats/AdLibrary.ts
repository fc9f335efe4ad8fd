/**
 * Reads ads of the Meta Ad Library: from its pages, in both casings, wrapped or flattened, and from the official API
 * `ads_archive`.
 *
 * The address of a snapshot holds the caller's access token, and personal data is beside the ads: none of it is read.
 */
import { Result } from "effect"
import type { ArgumentIssue } from "../../../domain/ArgumentIssue.ts"
import * as Fields from "../../../domain/catalog/RecordFields.ts"
import { AdRecord } from "../../../domain/catalog/Records.ts"
import * as LenientDecoder from "../../../domain/catalog/LenientDecoder.ts"
import * as RecordDecoder from "../../../domain/catalog/RecordDecoder.ts"
import { clean } from "../../../domain/catalog/ThirdPartyText.ts"
import type { LibraryAd, Reading } from "../ImportSource.ts"
import {
  address,
  day,
  firstText,
  flag,
  foreign,
  isForeign,
  list,
  parseAny,
  snakeCase,
  text,
  unflatten,
  Unread
} from "./Foreign.ts"
import type { Foreign } from "./Foreign.ts"
import { adsIn, idNames, isArchiveAd, isPageAd } from "./AdRecords.ts"
import { bodyOf, ctaOf, imageOf, isTemplate, mediaTypeOf, resolved, shownMedia, unwrapped } from "./AdSnapshot.ts"
import { Ids } from "./Ids.ts"
import { keptAd, nothing, refused } from "./Reading.ts"

const libraryPage = "https://www.facebook.com/ads/library/?id="

const latest = (...days: ReadonlyArray<string | null>): string | null =>
  days.reduce((last, found) => (found !== null && (last === null || found > last) ? found : last), null)

const earliest = (one: string, other: string): string => (one < other ? one : other)

export interface Source {
  /** The day on which the ads were seen, `YYYY-MM-DD`. */
  readonly asOf: string
  readonly ids: Ids
  readonly pageIds: Ids
}

/** `first`: the first records of the file. */
export const sourceOf = (asOf: string, first: ReadonlyArray<Foreign>): Source => {
  const ads = first.flatMap(adsIn).map((ad) => foreign(snakeCase(ad)))
  return {
    asOf,
    ids: new Ids(ads.map((ad) => ad["ad_archive_id"] ?? ad["id"])),
    pageIds: new Ids(ads.map((ad) => ad["page_id"]))
  }
}

export const read = (record: Foreign, line: number, source: Source): Reading =>
  isPageAd(record) && !isArchiveAd(record) ? fromPage(record, line, source) : fromArchive(record, line, source)

interface AdParts {
  readonly id: string | null | Unread
  readonly pageId: string | null | Unread
  /** The address that the ad displays, if its landing page is unknown. */
  readonly caption: string | null
  /** `Unread` is a value that is there. */
  readonly fields: Foreign
}

/** The id of a page is a key as well. */
const isPageId = RecordDecoder.guardOf(Fields.identifier(200))

const issuesOf = (result: Result.Result<unknown, ReadonlyArray<ArgumentIssue>>): ReadonlyArray<ArgumentIssue> =>
  Result.isFailure(result) ? result.failure : []

const toReading = (parts: AdParts, line: number): Reading => {
  const unread = Object.entries({ ad_archive_id: parts.id, ...parts.fields }).flatMap(([field, value]) =>
    value instanceof Unread ? [{ line, field, reason: value.reason }] : []
  )
  const id = parts.id instanceof Unread ? null : parts.id
  // Without the id of its page, an ad is found a store by the page that it links to.
  const pageId = parts.pageId instanceof Unread ? null : parts.pageId
  const decoded = decode({
    type: "ad",
    key: id ?? "",
    ad_archive_id: id,
    ad_library_url: id === null ? null : Fields.addressOf(libraryPage, id),
    ...Object.fromEntries(Object.entries(parts.fields).filter(([, value]) => !(value instanceof Unread)))
  })
  if (unread.length > 0 || Result.isFailure(decoded)) {
    const named = (field: string) => (field === "key" ? "ad_archive_id" : field)
    const others = issuesOf(decoded).filter(
      ({ path }) =>
        !unread.some(({ field }) => field === named(path)) &&
        // It follows from the other days and the status, which are reported.
        (path !== "last_seen_on" || parts.fields[path] !== null)
    )
    const reading = refused(line, others)
    return {
      ...reading,
      rejects: [...unread, ...reading.rejects],
      ...(parts.id instanceof Unread ? { lacksRecords: true } : keptAd(id))
    }
  }
  const record: LibraryAd = {
    type: "library_ad",
    ad: decoded.success.record,
    page_id: isPageId(pageId) ? pageId : null,
    caption: parts.caption === null ? null : clean(parts.caption)
  }
  const invalidFields =
    parts.pageId === record.page_id ? decoded.success.invalidFields : [...decoded.success.invalidFields, "page_id"]
  return { rows: [{ line, record }], rejects: [], invalidFields }
}

/** The value, or that it cannot be read; `undefined` if there is none. */
const required = <A>(found: A | null, written: unknown, example: string): A | Unread | undefined => {
  if (found !== null) return found
  const isThere = written !== undefined && written !== null && !(typeof written === "string" && written.trim() === "")
  return isThere ? new Unread(`cannot be read as ${example}`) : undefined
}

const given = (name: string, value: unknown): Foreign => (value === undefined ? {} : { [name]: value })

const aDay = "a day such as 2026-03-02"

const decode = LenientDecoder.make(AdRecord)

/** In the form of the platform. One that is no address stays as it is: decoding leaves it out and counts it. */
const webUrl = (found: string | null): string | null => (found === null ? null : (URL.parse(found)?.href ?? found))

const fromPage = (found: Foreign, line: number, { asOf, ids, pageIds }: Source): Reading => {
  const record = foreign(snakeCase(unflatten(found)))
  const snapshot = foreign(record["snapshot"])
  const cards = list(snapshot["cards"]).map(foreign)
  const [first = {}] = cards
  const isActive = flag(record["is_active"])
  const startedOn = day(record["start_date"])
  // For a running ad, this is the day on which it was last seen. A day after the date of the data has not come.
  const endsOn = day(record["end_date"])
  if (startedOn !== null && startedOn > asOf) return notStarted(ids.read(record["ad_archive_id"]))
  const media = mediaTypeOf(snapshot)
  const isTemplated = isTemplate(text(snapshot["title"])) || isTemplate(bodyOf(snapshot["body"]))
  const reading = toReading(
    {
      id: ids.read(record["ad_archive_id"]),
      pageId: pageIds.read(record["page_id"]) ?? pageIds.read(snapshot["page_id"]),
      caption: null,
      fields: {
        page_name: firstText(record["page_name"], snapshot["page_name"]) ?? "",
        ...given(
          "status",
          required(isActive === null ? null : isActive ? "active" : "inactive", record["is_active"], "yes or no")
        ),
        media_type: media === null || media instanceof Unread ? shownMedia(snapshot, cards) : media,
        headline: resolved(text(snapshot["title"]), text(first["title"])),
        ad_text: resolved(bodyOf(snapshot["body"]), bodyOf(first["body"])),
        cta: ctaOf(snapshot),
        landing_url: webUrl(
          unwrapped(
            address(snapshot["link_url"]) ?? (isTemplated || cards.length > 0 ? address(first["link_url"]) : null)
          )
        ),
        image_url: webUrl(imageOf(snapshot, cards)),
        ...given("started_on", required(startedOn, record["start_date"], aDay)),
        last_seen_on: latest(startedOn, endsOn === null ? (isActive === true ? asOf : null) : earliest(endsOn, asOf)),
        is_partnership: isForeign(snapshot["branded_content"])
      }
    },
    line
  )
  return media instanceof Unread && reading.rows.length > 0
    ? { ...reading, invalidFields: [...(reading.invalidFields ?? []), "media_type"] }
    : reading
}

/** An ad that starts after the date of the data. It was seen, if it is stored. */
const notStarted = (id: string | null | Unread): Reading => ({
  ...nothing,
  leftOut: ["notStarted"],
  ...(id instanceof Unread ? { lacksRecords: true } : keptAd(id))
})

const escapes: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t" }

/** The first text of a list. In tables, a list is written as JSON or as Python writes it, or is the text alone. */
const firstOf = (value: unknown): string | null => {
  if (typeof value !== "string") return text(list(value)[0])
  if (!/^\s*\[/u.test(value)) return text(value)
  const parsed = parseAny(value)
  if (Array.isArray(parsed)) return text(parsed[0])
  const [start, quote] = /^\s*\[\s*(["'])/u.exec(value) ?? []
  if (start === undefined) return text(value)
  let first = ""
  for (let at = start.length; at < value.length; at++) {
    const sign = value.charAt(at)
    if (sign === quote) return text(first)
    if (sign === "\\") at++
    first += sign === "\\" ? (escapes[value.charAt(at)] ?? value.charAt(at)) : sign
  }
  return text(value)
}

const fromArchive = (record: Foreign, line: number, { asOf, ids, pageIds }: Source): Reading => {
  const first = (names: ReadonlyArray<string>): unknown =>
    names.map((name) => record[name]).find((value) => value !== undefined)
  const id = ids.read(first(["id", ...idNames]))
  const startedOn = day(record["ad_delivery_start_time"]) ?? day(record["ad_creation_time"])
  const stopsOn = day(record["ad_delivery_stop_time"])
  if (startedOn !== null && startedOn > asOf) return notStarted(id)
  const isActive = stopsOn === null || stopsOn > asOf
  const reading = toReading(
    {
      id,
      pageId: pageIds.read(record["page_id"]),
      caption: firstOf(first(["ad_creative_link_captions", "ad_creative_link_caption"])),
      fields: {
        page_name: text(record["page_name"]) ?? "",
        status: isActive ? "active" : "inactive",
        media_type: "image",
        headline: resolved(firstOf(first(["ad_creative_link_titles", "ad_creative_link_title"])), null),
        ad_text: resolved(firstOf(first(["ad_creative_bodies", "ad_creative_body"])), null),
        ...given(
          "started_on",
          required(startedOn, record["ad_delivery_start_time"] ?? record["ad_creation_time"], aDay)
        ),
        last_seen_on: latest(startedOn, stopsOn === null ? asOf : earliest(stopsOn, asOf))
      }
    },
    line
  )
  return { ...reading, archiveAds: reading.rows.length }
}

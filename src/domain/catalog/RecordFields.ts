/** The fields of catalog records: each cleans its value where possible and rejects it otherwise. */
import { Schema, SchemaTransformation } from "effect"
import { problem, refused } from "../ArgumentIssue.ts"
import { check, cleaned, cleanedOrNull, withDefault } from "../FieldRules.ts"
import { CalendarDate, hasNoControl, isCalendarDate, maxInteger } from "../Scalars.ts"
import { hasUserInfo } from "../UserInfo.ts"
import { distinct as withoutRepetition } from "./Distinct.ts"
import { remembering } from "./Remembering.ts"
import * as StoreDomain from "./StoreDomain.ts"
import { clean } from "./ThirdPartyText.ts"

/** Absent and `null` mean unknown. */
export const nullable = <S extends Schema.Codec<unknown, unknown>>(schema: S) =>
  withDefault(Schema.NullOr(schema), null)

/** Blanks other than single spaces. */
const blanks = /\s{2,}|[^\S ]/u

/** Most text is printable ASCII with single spaces inside. */
const mayNeedCleaning = /[^ -~]| {2}|^ | $/

const oneLine = (text: string): string =>
  mayNeedCleaning.test(text) ? clean(blanks.test(text) ? text.replaceAll(/\s+/gu, " ") : text) : text

/** Characters are Unicode code points. UTF-16 units are never fewer: short text needs no counting. */
const isAtMost = (text: string, maxCharacters: number): boolean =>
  text.length <= maxCharacters || (text.length <= 2 * maxCharacters && Array.from(text).length <= maxCharacters)

const hasAtMost = (maxCharacters: number) =>
  check((text: string) => isAtMost(text, maxCharacters), problem("too_long", { most: maxCharacters }))

/** One filter, because millions of texts are checked. */
const hasOneTo = (maxCharacters: number) =>
  check(
    (text: string) => text !== "" && isAtMost(text, maxCharacters),
    (text) => (text === "" ? refused("empty") : refused("too_long", { most: maxCharacters }))
  )

/** Third-party text on one line: 1 to `maxCharacters` after cleaning. */
export const line = (maxCharacters: number) =>
  cleaned(oneLine, Schema.String, hasOneTo(maxCharacters)).annotate({ cutTo: maxCharacters })

/** As {@link line}; blank text is unknown. */
export const nullableLine = (maxCharacters: number) => nullableText(maxCharacters, oneLine)

/** Third-party text with its line breaks; blank text is unknown. */
export const nullableText = (maxCharacters: number, cleanText: (text: string) => string = clean) =>
  cleanedOrNull(cleanText, hasAtMost(maxCharacters)).annotate({ cutTo: maxCharacters })

const isAscii = /^[ -~]*$/u

/** In normalization form C, as the same characters can be written in two ways. */
export const inFormC = (text: string): string => (isAscii.test(text) ? text : text.normalize("NFC"))

/** An identifier of another system, in normalization form C. */
export const identifier = (maxCharacters: number) =>
  cleaned(inFormC, Schema.String, hasOneTo(maxCharacters), hasNoControl)

const maxUrlCharacters = 2_048

/** A URL that is safe to show as a link. */
export const WebUrl = Schema.String.check(
  check(
    (text: string) => isSafeUrl(text),
    (text) => [
      ...(isAtMost(text, maxUrlCharacters) ? [] : [refused("too_long", { most: maxUrlCharacters })]),
      ...(isWebUrl(text) ? [] : [refused("not_web_address")]),
      ...(hasUserInfo(text) ? [refused("user_info")] : [])
    ]
  )
)

const isSafeUrl = (text: string): boolean =>
  isAtMost(text, maxUrlCharacters) && (plainUrl.test(text) || (isWebUrl(text) && !hasUserInfo(text)))

/** Scheme and authority, and the rest. */
const webUrl = /^(https?:\/\/[^\s\p{Cc}\p{Cs}/?#\\]*)((?:[/?#\\][^\s\p{Cc}\p{Cs}]*)?)$/iu

/** Most URLs. Labels of letters, digits and hyphens are a valid host, unless one is punycode or the last one a number. */
const plainUrl = /^https?:\/\/(?:(?!xn--)[a-z0-9-]+\.)+[a-z]+(?:[/?#][!-~]*)?$/

/** What follows the authority cannot make a URL invalid. Without an authority, slashes are skipped. */
const isWebUrl = (text: string): boolean => {
  const [, origin = "", rest = ""] = webUrl.exec(text) ?? []
  return origin.endsWith("//") ? canParse(origin + rest) : canParse(origin)
}

const canParse = remembering((address) => URL.canParse(address))

/** The address of what has the id; `null` if it would be too long, or the id has half of a surrogate pair, which has no encoding. */
export const addressOf = (start: string, id: string): string | null => {
  const address = id.isWellFormed() ? `${start}${encodeURIComponent(id)}` : null
  return address !== null && isAtMost(address, maxUrlCharacters) ? address : null
}

export const Domain = cleaned(
  StoreDomain.normalize,
  Schema.String,
  check((text: string) => StoreDomain.extension(text) !== null, problem("not_domain")),
  check((text: string) => !StoreDomain.isOfPlatform(text), problem("platform_domain"))
)

/** From 0. */
const isAtMostNumber = (maximum: number) =>
  check((number: number) => number >= 0 && number <= maximum, problem("not_between", { minimum: 0, maximum }))

export const Count = Schema.Int.check(isAtMostNumber(maxInteger))

export const amount = (maximum: number) => Schema.Finite.check(isAtMostNumber(maximum))

const firstDate = "1990-01-01"
const lastDate = "2099-12-31"

/** A plausible day for a store or an ad. */
export const Day = CalendarDate.check(
  check(
    (text: string) => text >= firstDate && text <= lastDate,
    problem("date_out_of_range", { first: firstDate, last: lastDate })
  )
)

const isMonth = remembering(
  (text) => /^\d{4}-(?:0[1-9]|1[0-2])$/u.test(text) && text >= firstDate.slice(0, 7) && text <= lastDate.slice(0, 7)
)

/** `YYYY-MM`. */
export const Month = Schema.String.check(check((text: string) => isMonth(text), problem("not_month")))

const timestamp = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})$/u
const utc = /^(?:199\d|20\d\d)-\d{2}-\d{2}T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/u
/** Days that every month has. */
const commonDay = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])/

const isDate = remembering(isCalendarDate)

/** Whether a timestamp is already in the stored form, and between 1990 and 2099. */
const isUtc = (text: string): boolean => utc.test(text) && (commonDay.test(text) || isDate(text.slice(0, 10)))

const inUtc = (text: string): string => {
  // Most files have this form already.
  if (isUtc(text)) return text
  const withMillis = text.length === 20 ? text.replace("Z", ".000Z") : text
  if (isUtc(withMillis)) return withMillis
  const day = timestamp.exec(text)?.[1]
  if (day === undefined || !isDate(day)) return text
  const time = Date.parse(text)
  return Number.isFinite(time) ? new Date(time).toISOString() : text
}

/** ISO 8601 with `Z` or an offset; decoded to UTC with milliseconds, such as `2026-03-02T08:11:40.000Z`. */
export const Timestamp = cleaned(inUtc, Schema.String, check(isUtc, problem("not_time")))

/** A list without repetition. */
export const distinct = <S extends Schema.Codec<string, string>>(item: S, maxEntries: number) =>
  Schema.Array(item)
    .pipe(
      Schema.decode(
        SchemaTransformation.transform<ReadonlyArray<S["Type"]>, ReadonlyArray<S["Type"]>>({
          decode: withoutRepetition,
          encode: (items) => items
        })
      ),
      Schema.check(Schema.isMaxLength(maxEntries))
    )
    .annotate({ clean: (items) => (Array.isArray(items) ? withoutRepetition(items) : items), cutTo: maxEntries })

/** Of a list: absent means empty. */
export const emptyByDefault = <S extends Schema.Codec<ReadonlyArray<string>, unknown>>(list: S) => withDefault(list, [])

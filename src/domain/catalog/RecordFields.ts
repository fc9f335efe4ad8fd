/** The fields of catalog records: each cleans its value where possible and rejects it otherwise. */
import { Effect, Schema, SchemaTransformation } from "effect"
import { problem, refused } from "../ArgumentIssue.ts"
import { CalendarDate, hasNoControl, isCalendarDate, maxInteger } from "../search/Arguments.ts"
import { hasUserInfo } from "../UserInfo.ts"
import { distinct as withoutRepetition } from "./Distinct.ts"
import { ofText } from "./RecordDecoder.ts"
import { remembering } from "./Remembering.ts"
import * as StoreDomain from "./StoreDomain.ts"
import { clean } from "./ThirdPartyText.ts"

/** Absent and `null` mean unknown. */
export const nullable = <S extends Schema.Codec<unknown, unknown>>(schema: S) =>
  Schema.NullOr(schema)
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed(null)))
    .annotate({ absent: { value: null } })

/** Applied when decoding only: values in the catalog are clean. */
const cleaned = (decode: (text: string) => string) => SchemaTransformation.transform({ decode, encode: (text) => text })

/** Blanks other than single spaces. */
const blanks = /\s{2,}|[^\S ]/u

/** Most text is printable ASCII with single spaces inside. */
const mayNeedCleaning = /[^ -~]| {2}|^ | $/

const oneLine = (text: string): string =>
  mayNeedCleaning.test(text) ? clean(blanks.test(text) ? text.replaceAll(/\s+/gu, " ") : text) : text

const oneLineText = Schema.String.pipe(Schema.decode(cleaned(oneLine)))

/** Characters are Unicode code points. UTF-16 units are never fewer: short text needs no counting. */
const isAtMost = (text: string, maxCharacters: number): boolean =>
  text.length <= maxCharacters || (text.length <= 2 * maxCharacters && Array.from(text).length <= maxCharacters)

const hasAtMost = (maxCharacters: number) => {
  const passes = (text: string) => isAtMost(text, maxCharacters)
  return Schema.makeFilter(passes, { passes, problem: problem("too_long", { most: maxCharacters }) })
}

/** One filter, because millions of texts are checked. */
const hasOneTo = (maxCharacters: number) => {
  const passes = (text: string) => text !== "" && isAtMost(text, maxCharacters)
  return Schema.makeFilter(
    (text: string) =>
      passes(text) || refused(text === "" ? "empty" : "too_long", text === "" ? {} : { most: maxCharacters }),
    { passes }
  )
}

/** Third-party text on one line: 1 to `maxCharacters` after cleaning. */
export const line = (maxCharacters: number) =>
  oneLineText.check(hasOneTo(maxCharacters)).annotate({ tidy: ofText(oneLine), cutTo: maxCharacters })

/** As {@link line}; blank text is unknown. */
export const nullableLine = (maxCharacters: number) => nullableText(maxCharacters, oneLine)

/** Third-party text with its line breaks; blank text is unknown. */
export const nullableText = (maxCharacters: number, tidy: (text: string) => string = clean) =>
  Schema.NullOr(Schema.String.check(hasAtMost(maxCharacters)))
    .pipe(
      Schema.encodeTo(
        Schema.NullOr(Schema.String),
        SchemaTransformation.transform({
          decode: (text: string | null) => (text === null ? null : tidy(text) || null),
          encode: (text) => text
        })
      ),
      Schema.withDecodingDefaultKey(Effect.succeed(null))
    )
    .annotate({ tidy: ofText((text) => tidy(text) || null), absent: { value: null }, cutTo: maxCharacters })

const isAscii = /^[ -~]*$/u

/** In normalization form C, as the same characters can be written in two ways. */
export const inFormC = (text: string): string => (isAscii.test(text) ? text : text.normalize("NFC"))

/** An identifier of another system, in normalization form C. */
export const identifier = (maxCharacters: number) =>
  Schema.String.pipe(Schema.decode(cleaned(inFormC)))
    .check(hasOneTo(maxCharacters), hasNoControl)
    .annotate({ tidy: ofText(inFormC) })

const maxUrlCharacters = 2_048

/** A URL that is safe to show as a link. */
export const WebUrl = Schema.String.check(
  Schema.makeFilter(
    (text: string) =>
      isSafeUrl(text) || [
        ...(isAtMost(text, maxUrlCharacters) ? [] : [refused("too_long", { most: maxUrlCharacters })]),
        ...(isWebUrl(text) ? [] : [refused("not_web_address")]),
        ...(hasUserInfo(text) ? [refused("user_info")] : [])
      ],
    { passes: (text: string) => isSafeUrl(text) }
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

export const Domain = Schema.String.pipe(Schema.decode(cleaned(StoreDomain.normalize)))
  .check(
    Schema.makeFilter((text: string) => StoreDomain.extension(text) !== null, { problem: problem("not_domain") }),
    Schema.makeFilter((text: string) => !StoreDomain.isOfPlatform(text), { problem: problem("platform_domain") })
  )
  .annotate({ tidy: ofText(StoreDomain.normalize) })

export const Count = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: maxInteger }))

export const amount = (maximum: number) =>
  Schema.Finite.check(
    Schema.isBetween({ minimum: 0, maximum }, { passes: (amount: number) => amount >= 0 && amount <= maximum })
  )

const firstDate = "1990-01-01"
const lastDate = "2099-12-31"

/** A plausible day for a store or an ad. */
export const Day = CalendarDate.check(
  Schema.makeFilter((text: string) => text >= firstDate && text <= lastDate, {
    problem: problem("date_out_of_range", { first: firstDate, last: lastDate })
  })
)

const isMonth = remembering(
  (text) => /^\d{4}-(?:0[1-9]|1[0-2])$/u.test(text) && text >= firstDate.slice(0, 7) && text <= lastDate.slice(0, 7)
)

/** `YYYY-MM`. */
export const Month = Schema.String.check(
  Schema.makeFilter((text: string) => isMonth(text), { problem: problem("not_month") })
)

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
export const Timestamp = Schema.String.pipe(Schema.decode(cleaned(inUtc)))
  .check(Schema.makeFilter(isUtc, { passes: isUtc, problem: problem("not_time") }))
  .annotate({ tidy: ofText(inUtc) })

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
    .annotate({ tidy: (items) => (Array.isArray(items) ? withoutRepetition(items) : items), cutTo: maxEntries })

/** Of a list: absent means empty. */
export const emptyByDefault = <S extends Schema.Codec<ReadonlyArray<string>, unknown>>(list: S) =>
  list.pipe(Schema.withDecodingDefaultKey(Effect.succeed([]))).annotate({ absent: { value: [] } })

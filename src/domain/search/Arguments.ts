/**
 * Schemas that the arguments of all search tools share. Each decodes exactly what S44 to S77 allow, and has the
 * description that the client's model reads.
 */
import { Schema, SchemaTransformation } from "effect"
import { echo } from "../ArgumentDecoder.ts"
import { problem, refused } from "../ArgumentIssue.ts"
import type { IssueCode } from "../ArgumentIssue.ts"
import { sortOrderOf } from "../catalog/OtherNames.ts"
import type { ByName } from "../catalog/OtherNames.ts"
import { clean } from "../catalog/ThirdPartyText.ts"

/**
 * An argument that may be absent. The description belongs to the key: on a schema with checks it would be lost in the
 * JSON Schema.
 */
export const optional = <S extends Schema.Top>(schema: S, description: string) =>
  Schema.optionalKey(schema).pipe(Schema.annotateKey({ description }))

/** The maximum of the type `integer` of PostgreSQL. */
export const maxInteger = 2_147_483_647

/** The id of a record, as results carry it. */
export const Id = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: maxInteger }))

export const recordId = (description: string) => Id.pipe(Schema.annotateKey({ description }))

/** Characters that no name has: PostgreSQL refuses U+0000 and unpaired surrogates, and terminals interpret the others. */
const control = /[\p{Cc}\p{Cs}]/u

const isWithoutControl = (text: string): boolean => !control.test(text)

export const hasNoControl = Schema.makeFilter(isWithoutControl, {
  passes: isWithoutControl,
  problem: problem("control_characters")
})

/** Leaves out blanks around a text. */
export const trimming = <S extends Schema.Codec<string>>(schema: S) =>
  schema.pipe(Schema.decode(SchemaTransformation.trim())).check(Schema.isTrimmed())

const isWritten = Schema.makeFilter((text: string) => text === "" || clean(text) !== "", {
  problem: problem("empty_name")
})

/** A part of a name: 1 to 100 characters. */
export const PartOfName = Schema.String.check(
  Schema.isNonEmpty({ problem: problem("empty_name") }),
  Schema.isMaxCodePoints(100).abort(),
  hasNoControl,
  isWritten
)

const isClean = (text: string): boolean => clean(text) === text

/** A name out of an open vocabulary. As in imports, blanks around it and invisible characters are left out. */
export const Name = PartOfName.pipe(
  Schema.decode(SchemaTransformation.transform({ decode: clean, encode: (name) => name }))
).check(Schema.makeFilter(isClean))

/**
 * A member of a closed vocabulary. For a wrong value ArgumentDecoder suggests the one that `meant` finds, else the one that is
 * spelled alike.
 */
export const oneOf = <const L extends ReadonlyArray<string>>(values: L, meant?: ByName) =>
  meant === undefined ? Schema.Literals(values) : Schema.Literals(values).annotate({ meant })

/** The same limit as for other lists, although a vocabulary may be smaller: duplicates are harmless. */
const maxMembers = 50

/**
 * Rules for the arguments of every search. A tool's description states them once, so that the schema of its arguments
 * leaves out {@link ruled}.
 */
export const rules =
  "Arguments are optional and combined with AND; no text is empty. Lists match any of up to 50 values; bounds are inclusive, from 0."

/** The same for a tool whose filters are one of its arguments. */
export const rulesOfFilters =
  "Filters are optional and combined with AND; no text is empty. Lists match any of up to 50 values; bounds are inclusive, from 0."

/** The keywords that {@link rules} cover. */
export const ruled = { maxItems: maxMembers, minimum: 0, minLength: 1 } as const

/** Several members of a closed vocabulary; none means no filter. */
export const someOf = <const L extends ReadonlyArray<string>>(values: L, meant?: ByName) =>
  Schema.Array(oneOf(values, meant)).check(Schema.isMaxLength(Math.max(maxMembers, values.length)))

/** Only ASCII letters: upper case of others can be ASCII, such as that of `ß`. */
export const toUpperCase = (text: string): string => text.replaceAll(/[a-z]/gu, (letter) => letter.toUpperCase())

/** A code as its list writes it. */
export const codeIn = (text: string): string => toUpperCase(text.trim())

const upperCase = SchemaTransformation.transform({ decode: codeIn, encode: (text: string) => text })

/**
 * A code of an ISO list, accepted in either case and with blanks around it, and decoded to upper case. `codeOf` finds the code
 * of a name for the suggestion.
 */
export const code = (codes: ReadonlySet<string>, unknown: IssueCode, codeOf: ByName) =>
  Schema.String.check(
    Schema.makeFilter((text: string) => {
      if (codes.has(codeIn(text))) return true
      const suggestion = codeOf(text)
      return refused(unknown, { value: echo(text), ...(suggestion === undefined ? {} : { suggestion }) })
    })
  ).pipe(Schema.decode(upperCase))

const bounds = (bound: Schema.Codec<number>) =>
  Schema.Struct({
    min: Schema.optionalKey(bound),
    max: Schema.optionalKey(bound)
  }).check(
    Schema.makeFilter(({ max, min }) =>
      min !== undefined && max !== undefined && min > max
        ? { path: ["min"], issue: refused("min_above_max", { min, max }) }
        : undefined
    )
  )

/** Inclusive bounds, both optional; neither means no filter. Unknown figures never match a bound. */
export const Range = bounds(Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0)))
export type Range = typeof Range.Type

/** Whether a range has a bound: without one it is no filter (D27). */
export const isBound = (range: Range | undefined): range is Range =>
  range !== undefined && (range.min !== undefined || range.max !== undefined)

/** As {@link Range}, with negative bounds (S61: only `traffic_growth_pct`). */
export const SignedRange = bounds(Schema.Finite)

const datePattern = /^\d{4}-\d{2}-\d{2}$/u

/** A calendar date of the proleptic Gregorian calendar, years 0001 to 9999. */
export const CalendarDate = Schema.String.check(
  Schema.isPattern(datePattern, { problem: problem("not_date") }),
  Schema.makeFilter(
    (text: string) => !datePattern.test(text) || existsOnCalendar(text) || refused("no_such_date", { date: text })
  )
)

const daysOfMonths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** Whether {@link CalendarDate} accepts the text. */
export const isCalendarDate = (text: string): boolean => datePattern.test(text) && existsOnCalendar(text)

/** By arithmetic: imports check every record, and a `Date` costs twenty times as much. */
const existsOnCalendar = (text: string): boolean => {
  const [year, month, day] = [Number(text.slice(0, 4)), Number(text.slice(5, 7)), Number(text.slice(8, 10))]
  const isLeapYear = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  const days = month === 2 && isLeapYear ? 29 : (daysOfMonths[month - 1] ?? 0)
  return year >= 1 && day >= 1 && day <= days
}

/** Inclusive dates, both optional; neither means no filter. */
export const DateRange = Schema.Struct({
  from: Schema.optionalKey(CalendarDate),
  to: Schema.optionalKey(CalendarDate)
}).check(
  Schema.makeFilter(({ from, to }) =>
    from !== undefined && to !== undefined && from > to
      ? { path: ["from"], issue: refused("from_after_to", { from, to }) }
      : undefined
  )
)
export type DateRange = typeof DateRange.Type

export const SortOrder = oneOf(["asc", "desc"], sortOrderOf)
export type SortOrder = typeof SortOrder.Type

/** The defaults of arguments, in every search that has them. */
export const defaults = { status: "all", partnership_only: false, sort_by: "recommended", sort_order: "desc" } as const

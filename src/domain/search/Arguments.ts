/**
 * Schemas that the arguments of all search tools share (D105). Each decodes exactly what S44 to S77 allow, and has the
 * description that the client's model reads.
 */
import { Schema, SchemaTransformation } from "effect"
import { problem, refused } from "../ArgumentIssue.ts"
import { defaultSpan, spanNames } from "../catalog/Movers.ts"
import { sortOrderOf, spanOf } from "../catalog/OtherNames.ts"
import type { ByName } from "../catalog/OtherNames.ts"
import { clean } from "../catalog/ThirdPartyText.ts"
import { CalendarDate, Id, hasNoControl } from "../Scalars.ts"

/**
 * An argument that may be absent. The description belongs to the key: on a schema with checks it would be lost in the
 * JSON Schema.
 */
export const optional = <S extends Schema.Top>(schema: S, description: string) =>
  Schema.optionalKey(schema).pipe(Schema.annotateKey({ description }))

export const recordId = (description: string) => Id.pipe(Schema.annotateKey({ description }))

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
 * Rules for the arguments of every search. A tool's description states them once, and the server's instructions the limits of
 * texts and bounds, so that the schema of its arguments leaves out {@link ruled}.
 */
export const rules = "Filters combine with AND, list values (up to 50) with OR; bounds are inclusive."

/** The keywords that these cover. */
export const ruled: ReadonlyArray<readonly [keyword: string, limit: number]> = [
  ["maxItems", 20],
  ["maxItems", maxMembers],
  ["maxLength", 100],
  ["maxLength", 200],
  ["minimum", 0],
  ["minLength", 1]
]

/** Several members of a closed vocabulary; none means no filter. */
export const someOf = <const L extends ReadonlyArray<string>>(values: L, meant?: ByName) =>
  Schema.Array(oneOf(values, meant)).check(Schema.isMaxLength(Math.max(maxMembers, values.length)))

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

/** The span of an order by a change (D120). */
export const ChangeOver = oneOf(spanNames, spanOf)

/** The defaults of arguments, in every search that has them. */
export const defaults = {
  status: "all",
  partnership_only: false,
  without_shop: false,
  sort_by: "recommended",
  sort_order: "desc",
  change_over: defaultSpan
} as const

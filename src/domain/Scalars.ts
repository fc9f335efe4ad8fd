/** Ids, codes and calendar dates, as every boundary decodes them. */
import { Schema } from "effect"
import { echo } from "./ArgumentDecoder.ts"
import { problem, refused } from "./ArgumentIssue.ts"
import type { IssueCode } from "./ArgumentIssue.ts"
import { check, cleaned } from "./FieldRules.ts"

/** The maximum of the type `integer` of PostgreSQL. */
export const maxInteger = 2_147_483_647

/** The id of a record, as results carry it. */
export const Id = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: maxInteger }))

/** Characters that no name has: PostgreSQL refuses U+0000 and unpaired surrogates, and terminals interpret the others. */
const control = /[\p{Cc}\p{Cs}]/u

export const hasNoControl = check((text: string) => !control.test(text), problem("control_characters"))

/** Only ASCII letters: upper case of others can be ASCII, such as that of `ß`. */
export const toUpperCase = (text: string): string => text.replaceAll(/[a-z]/gu, (letter) => letter.toUpperCase())

/** A code as its list writes it. */
export const codeIn = (text: string): string => toUpperCase(text.trim())

/**
 * A code of an ISO list, accepted in either case and with blanks around it, and decoded to upper case. `codeOf` finds the code
 * of a name for the suggestion.
 */
export const code = (codes: ReadonlySet<string>, unknown: IssueCode, codeOf: (name: string) => string | undefined) =>
  cleaned(
    codeIn,
    Schema.String.check(
      check(
        (text: string) => codes.has(codeIn(text)),
        (text) => {
          const suggestion = codeOf(text)
          return refused(unknown, { value: echo(text), ...(suggestion === undefined ? {} : { suggestion }) })
        }
      )
    )
  )

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

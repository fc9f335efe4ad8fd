/**
 * Reads ids, which spreadsheets and data frames may have written as numbers. A rounded number is the id of nothing, or of something
 * else.
 */
import { Unread } from "./Foreign.ts"

const rounded = new Unread(
  "cannot be read as an id: a spreadsheet has rounded it; export it again with the column formatted as text"
)
const inexact = new Unread(
  `cannot be read as an id: a number above ${Number.MAX_SAFE_INTEGER} loses digits in most programs; write it as text`
)
const noId = new Unread("cannot be read as an id: must be text or a whole number")

/** A whole number as data frames and spreadsheets write it. */
const withZeros = /^(\d+)\.00?$/u
/** Spreadsheets and data frames write the sign of the exponent; ids such as `2e10` have none. */
const withExponent = /^(\d)(?:[.,](\d+))?e\+(\d{1,3})$/iu
/** The digits that a spreadsheet keeps. */
const keptDigits = 15

const ofNumber = (digits: string): string | Unread => (Number.isSafeInteger(Number(digits)) ? digits : inexact)

/** A number with all its digits, such as `1.234567e+6`, is the id. */
const ofExponent = ([, first = "", others = "", exponent]: ReadonlyArray<string | undefined>): string | Unread =>
  others.length === Number(exponent) ? ofNumber(first + others) : rounded

const isRoundedInFull = (digits: string): boolean =>
  digits.length > keptDigits && /^\d+$/u.test(digits) && /^0+$/u.test(digits.slice(keptDigits))

/** Reads the ids of one column or name. */
export class Ids {
  #showsExponents = false

  /** `first`: the first values of the file, by which the form of all is known. */
  constructor(first: ReadonlyArray<unknown> = []) {
    for (const value of first) this.read(value)
  }

  /** `null` if there is none. */
  read(value: unknown): string | null | Unread {
    if (value === null || value === undefined) return null
    if (typeof value === "number") {
      return Number.isSafeInteger(value) ? String(value) : Number.isInteger(value) ? inexact : noId
    }
    if (typeof value !== "string") return noId
    const trimmed = value.trim()
    if (trimmed === "") return null
    const exponent = withExponent.exec(trimmed)
    if (exponent !== null) {
      this.#showsExponents = true
      return ofExponent(exponent)
    }
    const whole = withZeros.exec(trimmed)?.[1]
    if (this.#showsExponents && isRoundedInFull(whole ?? trimmed)) return rounded
    return whole === undefined ? trimmed : ofNumber(whole)
  }
}

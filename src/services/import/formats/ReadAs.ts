/** The ways to read values of a table that a map can name, and how fields of records use them. */
import { Result } from "effect"
import { remembering } from "../../../domain/catalog/Remembering.ts"
import {
  address,
  amount,
  day,
  flag,
  host,
  isForeign,
  joined,
  parseAny,
  powerOfTen,
  Unread,
  wholeAmount,
  wholeText
} from "./Foreign.ts"
import { Ids } from "./Ids.ts"
import { monthOf, months } from "./Traffic.ts"

export const valueKinds = ["text", "number", "money", "list", "date", "yes_no", "domain"] as const
export type ValueKind = (typeof valueKinds)[number]

/** What a field of a record accepts, and how it is read by default. */
export interface Field {
  readonly as: ValueKind
  /** Fractions are rounded. */
  readonly isWhole?: true
  /** The precision of a date. */
  readonly to?: "day" | "month" | "time"
  /** Words that are accepted in any case. */
  readonly words?: ReadonlyArray<string>
  /** Converts another spelling to that of the record; "" is unknown. */
  readonly translate?: (text: string) => string
  /** The words for yes and no. */
  readonly flags?: readonly [yes: string, no: string]
  readonly isAddress?: true
  readonly isId?: true
}

export interface ReadOptions {
  readonly as: ValueKind
  readonly separator: string | undefined
  /** The form of a date, such as `DD.MM.YYYY`, or of a number, such as `1.234,56`. */
  readonly form: string | undefined
  /** The meanings of written values; "" is unknown. */
  readonly values: Readonly<Record<string, string>> | undefined
  /** By what numbers are divided, such as 100 for cents. */
  readonly divideBy?: number | undefined
}

/** Returns `undefined` for an unknown value. */
export type Read = (value: unknown) => unknown

const structure = new Unread("cannot be read as a value: it is an object or a list of such")

const isStructure = (value: unknown): boolean => isForeign(Array.isArray(value) ? value[0] : value)

/** Returns how to read the field, or what is wrong with the form. `first`: the first values of the file. */
export const make = (
  field: Field,
  options: ReadOptions,
  first: ReadonlyArray<unknown> = []
): Result.Result<Read, string> =>
  Result.map(readerOf(field, options, first), (read) => (value) => (isStructure(value) ? structure : read(value)))

const readerOf = (field: Field, options: ReadOptions, first: ReadonlyArray<unknown>): Result.Result<Read, string> => {
  const { as, form, separator } = options
  const meant = meanings(options.values)
  const spelled = spelling(field)
  const ofText =
    (read: (text: string) => unknown): Read =>
    (value) => {
      const text = meant(written(value))
      return text === undefined ? undefined : read(text)
    }
  switch (as) {
    case "text": {
      if (field.isId === true) {
        const ids = new Ids(first)
        return Result.succeed((value) => {
          const id = ids.read(typeof value === "number" ? value : meant(written(value)))
          return typeof id === "string" ? spelled(id) : (id ?? undefined)
        })
      }
      return Result.succeed(
        ofText((text) => spelled(field.isAddress === true ? (address(text) ?? text) : text) || undefined)
      )
    }
    case "domain":
      return Result.succeed(ofText(host))
    case "list":
      return Result.succeed((value) =>
        itemsOf(value, separator).flatMap((item) => {
          const text = meant(item)
          return text === undefined ? [] : spelled(text)
        })
      )
    case "yes_no":
      return Result.succeed(
        ofText((text) => {
          const answer = flag(text)
          return answer === null ? notFlag : field.flags === undefined ? answer : field.flags[answer ? 0 : 1]
        })
      )
    case "number":
    case "money": {
      if (form !== undefined && !/^1[.,' ]?234(?:[.,]56)?$/u.test(form)) {
        return Result.fail(`must be an example of how numbers are written, such as "1.234,56" or "1,234.56"`)
      }
      const sign = form === undefined ? undefined : decimalSignOf(form)
      const { divideBy = 1 } = options
      return Result.succeed((value) => {
        const stated = typeof value === "number" ? value : meant(written(value))
        if (stated === undefined) return undefined
        const number =
          typeof stated === "number"
            ? stated
            : numberOf(stated, as, sign, field.isWhole === true ? wholeAmount : amount)
        if (number === null) return notNumber[as]
        return field.isWhole === true ? Math.round(number / divideBy) : number / divideBy
      })
    }
    case "date":
      return Result.map(dateReader(field.to ?? "day", form), (reader) => ofText(remembering(reader)))
  }
}

const notNumber = {
  number: new Unread("cannot be read as a number such as 1234.5"),
  money: new Unread("cannot be read as an amount such as 1234.50")
}
const notFlag = new Unread("cannot be read as yes or no")

/** An access token in an address is a secret of its owner. */
const token = /([?&])access_token=[^&#]*&?/giu

/** Trimmed text without access tokens; blank text is unknown. For a JSON list, its first item. */
const written = (value: unknown): string | undefined => {
  const one: unknown = Array.isArray(value) ? value[0] : value
  if (typeof one === "number" || typeof one === "boolean") return String(one)
  if (typeof one !== "string") return undefined
  const trimmed = one.trim()
  if (trimmed === "") return undefined
  return trimmed.includes("access_token=") ? trimmed.replaceAll(token, "$1").replace(/[?&]$/u, "") : trimmed
}

const meanings = (values: Readonly<Record<string, string>> | undefined) => {
  // Most fields have no values, and a lookup costs as much as reading a text.
  if (values === undefined) return (text: string | undefined) => text
  const table = new Map(Object.entries(values))
  return (text: string | undefined): string | undefined => {
    const meant = text === undefined ? undefined : (table.get(text) ?? text)
    return meant === "" ? undefined : meant
  }
}

const spelling = ({ translate, words }: Field) => {
  if (words === undefined) return translate ?? ((text: string) => text)
  const spellings = new Map(words.map((word) => [word.toLowerCase(), word]))
  return (text: string): string => spellings.get(text.toLowerCase()) ?? translate?.(text) ?? text
}

const itemsOf = (value: unknown, separator: string | undefined): ReadonlyArray<string> => {
  if (Array.isArray(value)) return value.flatMap((item) => written(item) ?? [])
  const text = written(value)
  if (text === undefined) return []
  const parsed = text.startsWith("[") && separator === undefined ? parseList(text) : undefined
  return parsed === undefined ? joined(text, separator) : parsed.flatMap((item) => written(item) ?? [])
}

const parseList = (text: string): ReadonlyArray<unknown> | undefined => {
  const value = parseAny(text)
  return Array.isArray(value) ? value : undefined
}

/** For `1.234` it is the comma, because the point separates thousands. */
const decimalSignOf = (form: string): "," | "." => (/,56$|^1\.234$/u.test(form) ? "," : ".")

const scales: Readonly<Record<string, number>> = { k: 1e3, m: 1e6, b: 1e9 }

/** `12.5K` is 12,500. Only money may have other letters or signs beside its digits. */
const numberOf = (
  text: string,
  as: "number" | "money",
  sign: "," | "." | undefined,
  parse: typeof amount
): number | null => {
  const [, digits = text, scale = ""] = /^(.*\d)\s?([kmb])$/isu.exec(text) ?? []
  if (as === "number" && /[^\d\s.,+'\u2019-]/u.test(digits.replace(powerOfTen, "$1"))) return null
  const number = scale === "" ? parse(digits, sign) : amount(digits, sign)
  // Rounding removes binary errors such as 1199999.9999999998.
  return number === null || scale === ""
    ? number
    : Number((number * (scales[scale.toLowerCase()] ?? 1)).toPrecision(12))
}

type DateParts = Readonly<Partial<Record<string, string>>>

const tokens: Readonly<Record<string, string>> = {
  YYYY: String.raw`(?<year>\d{4})`,
  YY: String.raw`(?<year>\d{2})`,
  MMMM: String.raw`(?<name>[A-Za-z]{3})[A-Za-z]*\.?`,
  MMM: String.raw`(?<name>[A-Za-z]{3})[A-Za-z]*\.?`,
  MM: String.raw`(?<month>\d{1,2})`,
  M: String.raw`(?<month>\d{1,2})`,
  DD: String.raw`(?<day>\d{1,2})`,
  D: String.raw`(?<day>\d{1,2})`,
  HH: String.raw`(?<hour>\d{1,2})`,
  mm: String.raw`(?<minute>\d{2})`,
  ss: String.raw`(?<second>\d{2})`
}

const patternOf = (form: string): RegExp | undefined => {
  const parts = form.split(/(YYYY|YY|MMMM|MMM|MM|M|DD|D|HH|mm|ss)/u)
  const source = parts.map((part) => tokens[part] ?? part.replaceAll(/[$()*+./?[\\\]^{|}-]/gu, String.raw`\$&`))
  try {
    return new RegExp(`^${source.join("")}(?:[\\sT,].*)?$`, "su")
  } catch {
    // A part that occurs twice makes a duplicate group name.
    return undefined
  }
}

const two = (text: string | undefined) => (text ?? "").padStart(2, "0")

const yearOf = (digits: string): string =>
  digits.length === 4 ? digits : `${Number(digits) > 69 ? "19" : "20"}${digits}`

const dateReader = (
  to: "day" | "month" | "time",
  form: string | undefined
): Result.Result<(text: string) => string | Unread, string> => {
  if (form === undefined) {
    return Result.succeed(
      (text) =>
        plainDate(text, to) ??
        new Unread(
          `cannot be read as a date such as ${examples[to]}; name its form in the map, such as "form": "DD.MM.YYYY"`
        )
    )
  }
  const pattern = patternOf(form)
  const has = (part: string) => pattern?.source.includes(`(?<${part}>`) === true
  if (pattern === undefined || !has("year") || !(has("month") || has("name")) || !(to === "month" || has("day"))) {
    return Result.fail(`must have YYYY, MM${to === "month" ? "" : " and DD"}, such as "DD.MM.YYYY" or "MMM DD, YYYY"`)
  }
  return Result.succeed((text) => {
    const parts: DateParts = pattern.exec(text)?.groups ?? {}
    if (parts["year"] === undefined) return new Unread(`cannot be read as a date of the form ${form}`)
    const month = parts["month"] ?? String(months.indexOf(parts["name"]?.toLowerCase() ?? "") + 1)
    const yearAndMonth = `${yearOf(parts["year"])}-${two(month)}`
    if (to === "month") return yearAndMonth
    const date = `${yearAndMonth}-${two(parts["day"])}`
    return to === "day" ? date : `${date}T${two(parts["hour"])}:${two(parts["minute"])}:${two(parts["second"])}Z`
  })
}

const examples = { day: "2026-03-02", month: "2026-03", time: "2026-03-02T09:11:40Z" } as const

const time = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)\s?(Z|UTC|[+-]\d{2}:?\d{2})?$/u

const plainDate = (text: string, to: "day" | "month" | "time"): string | undefined => {
  if (to === "month") {
    const month = monthOf(text)
    return /^\d{4}-\d{2}$/u.test(month) ? month : (day(text)?.slice(0, 7) ?? undefined)
  }
  if (to === "time") {
    const [, date, clock, zone = "Z"] = time.exec(text) ?? []
    if (date !== undefined) return `${date}T${clock}${zone === "UTC" ? "Z" : zone}`
    const whole = wholeText(text) ?? ""
    const seconds = /^\d{9,13}$/u.test(whole) ? Number(whole) : undefined
    if (seconds !== undefined) return new Date(whole.length > 10 ? seconds : seconds * 1000).toISOString()
    const found = day(text)
    return found === null ? undefined : `${found}T00:00:00Z`
  }
  return day(text) ?? undefined
}

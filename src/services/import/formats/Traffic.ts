/** Reads visits by month as CSV: a row per store and month (`domain,month,visits`), or a column per month. */
import { Result } from "effect"
import * as LenientDecoder from "../../../domain/catalog/LenientDecoder.ts"
import * as RecordDecoder from "../../../domain/catalog/RecordDecoder.ts"
import { TrafficMonthRecord } from "../../../domain/catalog/Records.ts"
import { rejects } from "../ImportSource.ts"
import type { ImportRow, Reject } from "../ImportSource.ts"
import { text, wholeAmount } from "./Foreign.ts"
import { decoded, nothing } from "./Reading.ts"
import type { Table } from "./Reading.ts"

const { fields } = TrafficMonthRecord
const decode = LenientDecoder.make(TrafficMonthRecord)
const decodeShop = RecordDecoder.make(fields.shop)
const isKnownMonth = RecordDecoder.guardOf(fields.month)
const isCount = RecordDecoder.guardOf(fields.visits)

/** Converts `2026/6`, `2026-06-01`, `06/2026` or `Jun 2026` to `2026-06`. Other text is returned, and rejected later. */
export const monthOf = (written: string): string => {
  const yearFirst = /^(\d{4})[-/.](\d{1,2})(?:[-/.]\d{1,2})?(?:[T ].*)?$/u.exec(written)
  if (yearFirst !== null) return `${yearFirst[1]}-${yearFirst[2]?.padStart(2, "0")}`
  const monthFirst = /^(\d{1,2})[-/.](\d{4})$/u.exec(written)
  if (monthFirst !== null) return `${monthFirst[2]}-${monthFirst[1]?.padStart(2, "0")}`
  const named = /^([A-Za-z]{3})[a-z]*[ -](\d{4})$/u.exec(written)
  const at = months.indexOf(named?.[1]?.toLowerCase() ?? "")
  return at < 0 ? written : `${named?.[2]}-${String(at + 1).padStart(2, "0")}`
}

/** The first three letters of their English names. */
export const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
const isMonth = (name: string) => /^\d{4}-\d{2}$/u.test(monthOf(name.trim()))

export const places = (header: ReadonlyArray<string>) => {
  const lower = header.map((name) => name.trim().toLowerCase())
  return {
    domain: lower.findIndex((name) => name === "domain" || name === "shop"),
    month: lower.findIndex((name) => name === "month" || name === "date"),
    visits: lower.findIndex((name) => name === "visits" || name === "monthly_visits"),
    columns: header.flatMap((name, at) => (isMonth(name) ? [{ month: monthOf(name.trim()), at }] : []))
  }
}

export const isHeader = (header: ReadonlyArray<string>): boolean => {
  const { columns, domain, month, visits } = places(header)
  return domain >= 0 && ((month >= 0 && visits >= 0) || columns.length > 0)
}

export const make = (header: ReadonlyArray<string>): Table => {
  const { columns, domain, month, visits } = places(header)
  const visitsOf = (shop: string, month: string, count: string | null) =>
    decode({ type: "traffic_month", shop, month, visits: wholeAmount(count) ?? count ?? "" })
  const checked = columns.map((column) => ({ ...column, isValid: isKnownMonth(column.month) }))
  return (cells, line) => {
    const shop = text(cells[domain]) ?? ""
    if (month >= 0 && visits >= 0) {
      return decoded(line, visitsOf(shop, monthOf(text(cells[month]) ?? ""), text(cells[visits])))
    }
    const rows: Array<ImportRow> = []
    const wrong: Array<Reject> = []
    const decodedShop = decodeShop(shop)
    for (const { at, isValid, month } of checked) {
      const count = text(cells[at])
      // An empty cell means that the number is unknown.
      if (count === null) continue
      const number = wholeAmount(count)
      // The store is decoded once for its row, and the month once for its column.
      if (Result.isSuccess(decodedShop) && isValid && isCount(number)) {
        rows.push({
          line,
          sourceRows: rows.length === 0 ? 1 : 0,
          record: { type: "traffic_month", shop: decodedShop.success, month, visits: number }
        })
        continue
      }
      const record = visitsOf(shop, month, count)
      if (Result.isSuccess(record))
        rows.push({ line, sourceRows: rows.length === 0 ? 1 : 0, record: record.success.record })
      else wrong.push(...rejects(line, record.failure))
    }
    if (rows.length + wrong.length === 0) return { ...nothing, leftOut: ["empty"] }
    // A row with a wrong number is counted as rejected.
    return { rows: wrong.length === 0 ? rows : rows.map((row) => ({ ...row, sourceRows: 0 })), rejects: wrong }
  }
}

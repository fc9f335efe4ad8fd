/** Rows as the body of an insert, in the format JSONCompactEachRow: a line for each. */
import { Readable } from "node:stream"

/**
 * A value of a column. A whole number that a double does not hold is a text of digits, which ClickHouse reads as a number.
 * Null is for nullable columns: as a number, ClickHouse would read it as 0.
 */
export type Value = string | number | boolean | null | ReadonlyArray<Value>

export type Row = ReadonlyArray<Value>

/** Enough that a chunk costs little, and little enough that the connection limits what is in memory. */
const chunkLength = 64 * 1024

/** JSON has no such number, and would say null. */
const check = (value: Value): void => {
  if (typeof value === "number") {
    if (!Number.isFinite(value)) throw new TypeError("A number of a row is not finite")
  } else if (Array.isArray(value)) {
    for (const each of value) check(each)
  }
}

function* lines(rows: ReadonlyArray<Row>): Generator<string> {
  let chunk = ""
  for (const row of rows) {
    chunk += `${JSON.stringify(row)}\n`
    if (chunk.length < chunkLength) continue
    yield chunk
    chunk = ""
  }
  if (chunk !== "") yield chunk
}

/** Read as the connection takes it. Throws before anything is sent if a number is not finite. */
export const of = (rows: ReadonlyArray<Row>): Readable => {
  for (const row of rows) check(row)
  return Readable.from(lines(rows), { objectMode: false })
}

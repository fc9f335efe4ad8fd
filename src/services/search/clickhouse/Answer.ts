/**
 * Reads an answer of ClickHouse to its end and decides whether it is one.
 *
 * Status 200 says little: ClickHouse sends it with the first rows, and writes an error that comes later behind them. So rows are
 * asked for as one JSON document with their number in it, which no part of an answer can be, and nothing is returned before its
 * end.
 */
import { Option, Result, Schema } from "effect"
import { addAbortSignal, type Readable } from "node:stream"
import * as ClickHouseErrors from "./ClickHouseErrors.ts"
import type { ClickHouseError, Request } from "./ClickHouseErrors.ts"

export interface Answer {
  readonly status: number
  /** Of the header `X-ClickHouse-Exception-Code`. */
  readonly code: string | undefined
  readonly body: string
  /** The body has ended before it was whole, or above the limit. */
  readonly fault: "cut" | "too large" | undefined
}

/** What came before the fault is kept: a cut body may end with an error. */
export const read = async (
  stream: Readable,
  maxBytes: number,
  signal: AbortSignal
): Promise<Pick<Answer, "body" | "fault">> => {
  // The library listens to the signal only until an answer begins.
  addAbortSignal(signal, stream)
  const chunks: Array<Buffer> = []
  const bodyOf = () => Buffer.concat(chunks).toString("utf8")
  let bytes = 0
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      bytes += chunk.length
      // Leaving the loop destroys the stream, and with it the connection.
      if (bytes > maxBytes) return { body: "", fault: "too large" }
      chunks.push(chunk)
    }
    return { body: bodyOf(), fault: undefined }
  } catch {
    return { body: bodyOf(), fault: "cut" }
  }
}

const exception = /\bCode: (\d{1,6})\. DB::\w*Exception:/u

/** An error in a text that should be rows: behind the marker of ClickHouse 25.11 and newer, or without one. */
const lateError = (request: Request, body: string): ClickHouseError | undefined => {
  const marked = body.lastIndexOf("\r\n__exception__\r\n", body.length - 20)
  const tail = marked === -1 ? body.slice(-20_000) : body.slice(marked)
  const code = exception.exec(tail)?.[1]
  return code === undefined ? undefined : ClickHouseErrors.ofCode(request, Number(code), tail)
}

/** The error of an answer, if it is one. `isRows` says that its text is data of the catalog, which may quote errors. */
const errorOf = (request: Request, { body, code, fault, status }: Answer): ClickHouseError | undefined => {
  const isFailure = code !== undefined || status < 200 || status > 299
  if (isFailure) {
    const said = Number(code ?? /Code: (\d{1,6})\b/u.exec(body)?.[1])
    return Number.isSafeInteger(said)
      ? ClickHouseErrors.ofCode(request, said, body)
      : ClickHouseErrors.ofStatus(request, status)
  }
  if (fault === "too large") return ClickHouseErrors.broken(request, "an answer above the limit of bytes")
  if (fault === "cut") return lateError(request, body) ?? ClickHouseErrors.broken(request, "the answer was cut")
  return undefined
}

const Document = Schema.Struct({
  meta: Schema.Array(Schema.Struct({ name: Schema.String })),
  data: Schema.Array(Schema.Array(Schema.Unknown)),
  rows: Schema.Int
})
const decodeDocument = Schema.decodeUnknownOption(Schema.fromJsonString(Document))

/** The rows of an answer in the format JSONCompact, by the names of their columns. */
export const rows = (
  request: Request,
  answer: Answer
): Result.Result<ReadonlyArray<Readonly<Record<string, unknown>>>, ClickHouseError> => {
  const error = errorOf(request, answer)
  if (error !== undefined) return Result.fail(error)
  const found = Option.getOrUndefined(decodeDocument(answer.body))
  if (found === undefined || found.rows !== found.data.length) {
    return Result.fail(lateError(request, answer.body) ?? ClickHouseErrors.broken(request, "an answer of another form"))
  }
  const names = found.meta.map(({ name }) => name)
  return Result.succeed(
    found.data.map((values) => Object.fromEntries(names.map((name, index) => [name, values[index]])))
  )
}

/** For what returns no rows. A command on a cluster returns a line for each host, which is not read. */
export const done = (request: Request, answer: Answer): Result.Result<void, ClickHouseError> => {
  const error = errorOf(request, answer) ?? lateError(request, answer.body)
  return error === undefined ? Result.void : Result.fail(error)
}

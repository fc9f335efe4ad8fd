/** Reads the catalog's own format: one record a line, as JSON (docs/import.md). */
import { Effect, Predicate, Result, Stream } from "effect"
import { decode } from "../../domain/catalog/Records.ts"
import { UnreadableInput } from "./ImportError.ts"
import { rejects } from "./ImportSource.ts"
import type { ImportChunk, ImportRow, Reject } from "./ImportSource.ts"
import type { InputFile } from "./InputFile.ts"
import { Lines } from "./Lines.ts"
import type { Line } from "./Lines.ts"

export const read = (file: InputFile): Stream.Stream<ImportChunk, UnreadableInput> =>
  Stream.suspend(() => {
    const lines = new Lines()
    let isBeginning = true
    return file.content.pipe(
      Stream.map((part) => ("damage" in part ? [lines.breakOff(part.damage)] : lines.push(part))),
      Stream.concat(Stream.sync(() => lines.end())),
      Stream.filter((cut) => cut.length > 0),
      Stream.mapEffect((cut) => {
        const first = isBeginning ? cut[0] : undefined
        isBeginning = false
        return first !== undefined && "text" in first && !first.text.trimStart().startsWith("{")
          ? Effect.fail(notNative(file, first.text))
          : Effect.sync(() => toChunk(cut, file.bytesRead()))
      })
    )
  })

const notNative = (file: InputFile, firstLine: string): UnreadableInput =>
  new UnreadableInput({
    message: `${file.name} is not a file of records: a line holds one JSON object, and the first one ${
      firstLine.trimStart().startsWith("[") ? "begins an array" : "does not begin with {"
    }.`
  })

const toChunk = (lines: ReadonlyArray<Line>, position: number): ImportChunk => {
  const rows: Array<ImportRow> = []
  const bad: Array<Reject> = []
  for (const line of lines) {
    const row = toRow(line)
    if (Result.isSuccess(row)) rows.push(row.success)
    else bad.push(...row.failure)
  }
  return { rows, rejects: bad, skipped: 0, position }
}

const toRow = (line: Line): Result.Result<ImportRow, ReadonlyArray<Reject>> => {
  const whole = (reason: string) => Result.fail([{ line: line.number, field: "", reason }])
  if ("problem" in line) return whole(line.problem)
  const json = parse(line.text)
  if (Result.isFailure(json)) {
    return whole(line.isUnfinished ? "the input ends in the middle of this record" : json.failure)
  }
  if (Predicate.hasProperty(json.success, "products") && !Predicate.hasProperty(json.success, "type")) {
    return whole("is a storefront's products.json; import it with --format storefront")
  }
  return Result.mapBoth(decode(json.success), {
    onSuccess: (record) => ({ line: line.number, record }),
    onFailure: (issues) => rejects(line.number, issues)
  })
}

const parse = (text: string): Result.Result<unknown, string> =>
  Result.try({
    try: (): unknown => JSON.parse(text),
    // V8 quotes a part of the text, which is untrusted and may be long; the position is enough to find it.
    catch: (error) => {
      const position = error instanceof Error ? /at position (\d+)/u.exec(error.message)?.[1] : undefined
      return position === undefined ? "is not JSON" : `is not JSON: see character ${Number(position) + 1}`
    }
  })

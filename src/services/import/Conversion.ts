/** Splits a file of any container into its records, and converts them to readings. */
import { Effect, Result, Stream } from "effect"
import * as BoundedJson from "../../domain/BoundedJson.ts"
import { CsvRows } from "./CsvRows.ts"
import type * as Format from "./formats/Format.ts"
import * as OtherKinds from "./formats/OtherKinds.ts"
import { join, nothing } from "./formats/Reading.ts"
import type { UnreadableInput } from "./ImportError.ts"
import type { ImportChunk, Reading } from "./ImportSource.ts"
import type { InputFile } from "./InputFile.ts"
import { JsonItems } from "./JsonItems.ts"
import { Lines } from "./Lines.ts"

/** Its place is set by FileReader. */
export const chunk = (reading: Reading): ImportChunk => ({ ...reading, position: 0 })

/** Whether there is anything to tell the importer. */
export const hasAny = ({ kept = [], leftOut = [], rejects, rows }: Reading | ImportChunk): boolean =>
  rows.length + rejects.length + leftOut.length + kept.length > 0

/** Converts what a container holds: JSON values, lines of text, or rows of a table. */
export interface Converter {
  readonly item?: (item: unknown, line: number) => Reading
  readonly text?: (text: string, line: number) => Reading
  readonly row?: (cells: ReadonlyArray<string>, line: number) => Reading
  /** Called for a row that cannot be read, which is rejected. */
  readonly lost?: () => void
  /** Converts what is buffered. `isCut`: the file was truncated, so that more of it may be missing. */
  readonly end?: (isCut: boolean) => Reading
}

export const convert = (
  file: InputFile,
  container: Format.Container,
  converter: Converter
): Stream.Stream<ImportChunk, UnreadableInput> =>
  Stream.suspend(() => {
    const splitter = splitterOf(container, converter)
    let damage: string | undefined
    const pieces = file.content.pipe(
      Stream.map((part) => {
        if ("damage" in part) {
          damage ??= part.damage
          return nothing
        }
        return damage === undefined ? splitter.push(part) : nothing
      })
    )
    const last = Stream.fromEffect(
      Effect.map(
        Effect.promise(() => splitter.end(damage)),
        ({ line, problem, reading }) => {
          const reason = damage ?? problem
          return reason === undefined
            ? reading
            : {
                ...reading,
                rejects: [...reading.rejects, { line, field: "", reason, isStop: true }],
                lacksRecords: true
              }
        }
      )
    )
    return Stream.concat(pieces, last).pipe(Stream.filter(hasAny), Stream.map(chunk))
  })

interface Splitter {
  readonly push: (bytes: Uint8Array) => Reading
  /** Returns the remaining records, and why the input ended too early, if it did. */
  readonly end: (
    damage: string | undefined
  ) => Promise<{ readonly reading: Reading; readonly line: number; readonly problem: string | undefined }>
}

const splitterOf = (container: Format.Container, converter: Converter): Splitter => {
  switch (container._tag) {
    case "Lines": {
      const lines = new Lines()
      let last = 0
      const convert = (cut: ReturnType<Lines["push"]>): Reading =>
        join(
          cut.map((line) => {
            last = line.number
            if ("problem" in line) return problem(line.number, line.problem)
            if (converter.text !== undefined) return converter.text(line.text, line.number)
            const json = parseJson(line.text)
            return Result.isSuccess(json)
              ? (converter.item?.(json.success, line.number) ?? nothing)
              : problem(line.number, line.isUnfinished ? "the input ends in the middle of this record" : json.failure)
          })
        )
      return {
        push: (bytes) => convert(lines.push(bytes)),
        end: (damage) =>
          Promise.resolve({
            // In a damaged file, an unfinished line is not a record.
            reading: damage === undefined ? convert(lines.end()) : nothing,
            line: last + 1,
            problem: undefined
          })
      }
    }
    case "Json": {
      const items = new JsonItems(container.path)
      let count = 0
      const convert = (found: ReadonlyArray<unknown>) =>
        join(found.map((item) => converter.item?.(item, ++count) ?? nothing))
      return {
        push: (bytes) => convert(items.push(bytes)),
        end: () => {
          items.end()
          return Promise.resolve({ reading: nothing, line: count + 1, problem: items.problem })
        }
      }
    }
    case "Csv": {
      const rows = new CsvRows(container)
      const lost = (line: number): Reading => {
        converter.lost?.()
        return problem(line, "is not UTF-8 text; save the table as UTF-8")
      }
      const convert = (parsed: ReturnType<CsvRows["push"]>) =>
        join(
          parsed.map(({ cells, isUnreadable, line }) =>
            isUnreadable ? lost(line) : (converter.row?.(cells, line) ?? nothing)
          )
        )
      return {
        push: (bytes) => convert(rows.push(bytes)),
        end: async (damage) => {
          const parsed = convert(damage === undefined ? await rows.end() : [])
          const isCut = damage !== undefined || rows.problem !== undefined
          const { line, reason } = rows.problem ?? { line: rows.lines + 1, reason: undefined }
          return { reading: join([parsed, converter.end?.(isCut) ?? nothing]), line, problem: reason }
        }
      }
    }
  }
}

/** What cannot be parsed may have been a product. */
const problem = (line: number, reason: string): Reading => ({
  rows: [],
  rejects: [{ line, field: "", reason }],
  lacksRecords: true
})

const parseJson = (text: string): Result.Result<unknown, string> => {
  if (BoundedJson.isExcessive(text, BoundedJson.ofFile)) return Result.fail(`has ${BoundedJson.limitsOfFile}`)
  return Result.try({
    try: (): unknown => JSON.parse(text),
    // V8's message quotes the text, which is of a third party and may be long; the position is enough to find the error.
    catch: (error) => {
      const almost = OtherKinds.almostJson(text, "character")
      if (almost !== undefined) return almost
      const position = error instanceof Error ? /at position (\d+)/u.exec(error.message)?.[1] : undefined
      return position === undefined ? "is not JSON" : `is not JSON: see character ${Number(position) + 1}`
    }
  })
}

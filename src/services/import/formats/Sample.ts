/** The first records of a file in any container, by which a map is checked or guessed. */
import { Result } from "effect"
import { CsvRows, layoutOf } from "../CsvRows.ts"
import { JsonItems, listsIn } from "../JsonItems.ts"
import { foreign, isForeign, parse, recordsIn } from "./Foreign.ts"
import type { Foreign } from "./Foreign.ts"
import type { Container } from "./Format.ts"
import * as OtherKinds from "./OtherKinds.ts"
import type { FoundList } from "../JsonItems.ts"

export interface Sample {
  /** The names of columns; for JSON, the paths of values. */
  readonly columns: ReadonlyArray<string>
  readonly records: ReadonlyArray<Foreign>
}

/** More records would not show more. */
const maxRecords = 100
const maxDepth = 6

/** Finds out how a file of no known format contains its records, or why it has none. */
export const containerOf = (head: string, columns: ReadonlyArray<string>): Result.Result<Container, string> => {
  const text = head.replace(/^\uFEFF/u, "").trimStart()
  if (text === "") return Result.fail("holds nothing but blanks")
  if (!/^[{[]/u.test(text)) {
    const layout = layoutOf(head)
    return layout.header.length === 0 ? Result.fail("is no table") : Result.succeed({ _tag: "Csv", ...layout })
  }
  const [first = "", ...others] = text.split("\n", 3)
  if (others.some((line) => line.trim() !== "") && parse(first) !== undefined) {
    return Result.succeed({ _tag: "Lines" })
  }
  const found = ({ items }: FoundList) =>
    columns.filter((column) => items.some((item) => at(column)(foreign(item)) !== undefined)).length
  const lists = listsIn(text).map((list) => ({ path: list.path, columns: found(list) }))
  const problem = lists.length === 0 ? OtherKinds.almostJson(head) : undefined
  if (problem !== undefined) return Result.fail(problem)
  const best = lists.reduce(
    (best, list) => (list.columns > best.columns ? list : best),
    lists[0] ?? { path: "$", columns: 0 }
  )
  return Result.succeed({ _tag: "Json", path: best.path })
}

/** Reads a value by its name or its path, such as `pricing.amount`. For the items of a list, it returns a list. */
export const at = (column: string): ((record: Foreign) => unknown) => {
  const path = column.split(".")
  return (record) => (Object.hasOwn(record, column) ? record[column] : walk(record, path, 0))
}

const walk = (value: unknown, path: ReadonlyArray<string>, from: number): unknown => {
  const name = path[from]
  if (name === undefined) return value
  if (Array.isArray(value)) {
    if (/^\d{1,4}$/u.test(name)) return walk(value[Number(name)], path, from + 1)
    const found = value.map((item) => walk(item, path, from)).filter((item) => item !== undefined)
    return found.length === 0 ? undefined : found
  }
  return isForeign(value) && Object.hasOwn(value, name) ? walk(value[name], path, from + 1) : undefined
}

/** `head`: the beginning of the file, which may end within a record. */
export const of = (head: string, isWhole: boolean, container: Container): Sample => {
  switch (container._tag) {
    case "Csv": {
      const { header } = container
      // The parser returns a row only after some characters behind it. Empty lines are no rows.
      const rows = new CsvRows(container).push(new TextEncoder().encode(isWhole ? `${head}\n\n\n\n` : head))
      const records = rows
        .slice(0, maxRecords)
        .map(({ cells }) => Object.fromEntries(header.map((name, at) => [name, cells[at]])))
      return { columns: header.filter((name) => name !== ""), records }
    }
    case "Lines":
      return ofRecords(recordsIn(head, maxRecords))
    case "Json": {
      const items = new JsonItems(container.path).push(new TextEncoder().encode(head))
      return ofRecords(items.filter(isForeign))
    }
  }
}

export const ofRecords = (all: ReadonlyArray<Foreign>): Sample => {
  const records = all.slice(0, maxRecords)
  return { columns: Array.from(new Set(records.flatMap((record) => pathsOf(record, "", 0)))), records }
}

const pathsOf = (value: unknown, path: string, depth: number): ReadonlyArray<string> => {
  const items = Array.isArray(value) ? value.filter(isForeign) : isForeign(value) ? [value] : []
  if (items.length === 0 || depth >= maxDepth) return path === "" ? [] : [path]
  return items
    .slice(0, maxRecords)
    .flatMap((item) =>
      Object.entries(item).flatMap(([name, inner]) => pathsOf(inner, path === "" ? name : `${path}.${name}`, depth + 1))
    )
}

/** Reads compact answers back, as a client would have to that knows only docs/tools.md: cells by their dotted names. */
import { assert } from "@effect/vitest"

const splitAt = (text: string, separator: string): ReadonlyArray<string> => {
  const parts = [""]
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? ""
    if (character === separator) parts.push("")
    else parts.push(`${parts.pop()}${character}${character === "\\" ? (text[++at] ?? "") : ""}`)
  }
  return parts
}

const escapes: Readonly<Record<string, string>> = { t: "\t", n: "\n", r: "\r" }

const plain = (text: string): string => text.replaceAll(/\\(.)/gsu, (_, mark: string) => escapes[mark] ?? mark)

/** Numbers and booleans are text as well. */
const textIn = (cell: string): string | null => (cell === "" ? null : cell === '""' ? "" : plain(cell))

const listIn = (cell: string): ReadonlyArray<string | null> =>
  cell === "[]"
    ? []
    : splitAt(cell, ";").map((member, index) => textIn(index === 0 ? member : member.replace(/^ /u, "")))

const fill = (template: string, cell: string | undefined, cellOf: (name: string) => string): string =>
  template.replaceAll(/\\(.)|\{([^}]*)\}|\*/gsu, (found, escaped: string | undefined, name: string | undefined) => {
    if (escaped !== undefined) return "*{".includes(escaped) ? escaped : found
    const text = cell === '""' ? "" : (cell ?? "")
    if (name === "* with - for spaces") return text.replaceAll(" ", "-")
    if (name === "* as YYYYMMDD" || name === "* as YYYYMMDDThhmmss") {
      return text.replace(/^(....)(..)(..)/u, "$1-$2-$3").replace(/T(..)(..)(..)$/u, "T$1:$2:$3")
    }
    return name === undefined ? text : cellOf(name)
  })

export type Cells = ReadonlyMap<string, string>

export interface Read {
  readonly single: Cells
  readonly tables: ReadonlyMap<string, ReadonlyArray<Cells>>
}

const pairOf = (text: string): readonly [string, string] => {
  const at = text.indexOf("=")
  return [text.slice(0, at), text.slice(at + 1)]
}

export const read = (text: string): Read => {
  const single = new Map<string, string>()
  const raw = new Map<
    string,
    { readonly common: ReadonlyArray<readonly [string, string]>; readonly lines: ReadonlyArray<string> }
  >()
  const rest = text.split("\n")
  for (let line = rest.shift(); line !== undefined; line = rest.shift()) {
    const [, table, rows, every] = /^([\w.]+)\[(\d+)\](?::|, every row: (.*))$/su.exec(line) ?? []
    if (table !== undefined) {
      const common = every === undefined ? [] : splitAt(every, "\t").map(pairOf)
      raw.set(table, { common, lines: rest.splice(0, Number(rows) + 1) })
    } else {
      const [, name = "", value = ""] = /^([\w.]+): (.*)$/su.exec(line) ?? []
      const pairs = splitAt(value, "\t")
      if (/^\w[\w.]*=/u.test(value) && pairs.every((pair) => /^\w[\w.]*=/u.test(pair)) && isNested(name)) {
        for (const [inner, cell] of pairs.map(pairOf)) single.set(`${name}.${inner}`, cell)
      } else {
        single.set(name, value)
      }
    }
  }
  const rowsOf = (name: string) => {
    const [header = "", ...lines] = raw.get(name)?.lines ?? []
    return lines.map((line) => {
      const cells = splitAt(line, "\t")
      return new Map(header.split("\t").map((column, index) => [column, cells[index] ?? ""]))
    })
  }
  const shared = new Set<string>()
  const tables = new Map<string, ReadonlyArray<Cells>>()
  for (const [name, { common }] of raw) {
    const rows = rowsOf(name).map((row) => {
      const all = new Map(row)
      for (const other of raw.keys()) {
        const id = row.get(`${other}.id`)
        if (id === undefined) continue
        shared.add(other)
        const found = rowsOf(other).find((each) => each.get("id") === id)
        for (const column of rowsOf(other)[0]?.keys() ?? []) all.set(`${other}.${column}`, found?.get(column) ?? "")
      }
      const cellOf = (column: string) => all.get(column) ?? ""
      const filled = common.map(([column, template]) => {
        const names = Array.from(template.matchAll(/(?<!\\)\{([^}]*)\}/gu), ([, each = ""]) => each)
        const own = row.get(column) ?? ""
        const isWhole = /^https?:\/\//u.test(own) || !/(?<!\\)\*/u.test(template)
        if (own !== "" && isWhole) return [column, own] as const
        const isNull =
          template.includes("*") && !template.includes("\\*")
            ? row.get(column) === ""
            : names.some((each) => cellOf(each) === "")
        return [column, isNull ? "" : fill(template, row.get(column), cellOf)] as const
      })
      return new Map(Array.from([...all, ...filled], ([column, cell]) => [column, cell]))
    })
    tables.set(name, rows)
  }
  for (const name of shared) tables.delete(name)
  return { single, tables }
}

/** The single values and lists of an answer by their dotted names. */
const leavesOf = (value: unknown, path = ""): ReadonlyArray<readonly [string, unknown]> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.entries(value).flatMap(([name, inner]) => leavesOf(inner, path === "" ? name : `${path}.${name}`))
    : [[path, value]]

const isRecords = (value: unknown): value is ReadonlyArray<unknown> =>
  Array.isArray(value) && value.some((each) => typeof each === "object" && each !== null)

/** D69: what people wrote, in a table that exceeds its budget. */
const mayBeCut = (name: string): boolean => ["ad_text", "headline", "page_name", "title", "shop.name"].includes(name)

const assertLeaves = (read: Cells | undefined, whole: unknown) => {
  for (const [name, expected] of leavesOf(whole)) {
    const cell = read?.get(name)
    if (cell === undefined && expected === null) {
      // A record that is absent as a whole: none of its values is there.
      for (const [other, value] of read ?? []) if (other.startsWith(`${name}.`)) assert.strictEqual(value, "", other)
      continue
    }
    if (cell === undefined) return assert.fail(name)
    if (Array.isArray(expected)) {
      assert.deepStrictEqual(
        listIn(cell),
        expected.map((member) => (typeof member === "object" ? JSON.stringify(member) : String(member))),
        name
      )
    } else if (typeof expected === "string" && mayBeCut(name) && textIn(cell) !== expected) {
      const [line, found] = [expected.replaceAll(/\s+/gu, " "), textIn(cell) ?? ""]
      assert.isTrue(found.endsWith("…") && line.startsWith(found.slice(0, -1)), `${name}: ${found}`)
    } else {
      assert.strictEqual(
        textIn(cell),
        expected === null || typeof expected === "string" ? expected : JSON.stringify(expected),
        name
      )
    }
  }
}

/** Every value of the whole answer is in its compact text. */
export const assertSame = (text: string, whole: object): void => {
  const { single, tables } = read(text)
  for (const [name, value] of Object.entries(whole)) {
    if (isRecords(value)) {
      assert.lengthOf(tables.get(name) ?? [], value.length, name)
      for (const [row, record] of value.entries()) assertLeaves(tables.get(name)?.[row], record)
    } else {
      assertLeaves(single, { [name]: value })
    }
  }
}

/** Records of an answer that are on one line. */
const isNested = (name: string): boolean =>
  ["pagination", "credits", "period", "costs", "total", "niche", "shop"].includes(name)

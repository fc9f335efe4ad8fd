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

const plain = (text: string): string =>
  text.replaceAll(/\\(?:u([0-9a-f]{4})|(.))/gsu, (_, code: string | undefined, mark: string) =>
    code === undefined ? (escapes[mark] ?? mark) : String.fromCharCode(Number.parseInt(code, 16))
  )

/** Numbers and booleans are text as well. */
const textIn = (cell: string): string | null => (cell === "-" ? null : cell === '""' ? "" : plain(cell))

const listIn = (cell: string): ReadonlyArray<string | null> =>
  cell === "[]"
    ? []
    : splitAt(cell, ";").map((member, index) => textIn(index === 0 ? member : member.replace(/^ /u, "")))

/** The value that a pattern of `every row` and the cells of a row make: `*` is the own cell, and `{column}` another one. */
const made = (pattern: string, cell: string, valueOf: (name: string) => string): string => {
  if (!/[*{]/u.test(pattern.replaceAll(/\\./gsu, ""))) return pattern
  const names = Array.from(pattern.matchAll(/\{([^}]*)\}/gu), ([, name = ""]) => name)
  if (cell === "-" || (!pattern.includes("*") && names.some((name) => valueOf(name) === "-"))) return "-"
  return pattern
    .replaceAll(/\{([^}]*)\}/gu, (_, name: string) => valueOf(name))
    .replace("*", () => (cell === '""' ? "" : cell))
}

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
  const rowsOf = (name: string): ReadonlyArray<Cells> => {
    const [header = "", ...lines] = raw.get(name)?.lines ?? []
    const common = new Map(raw.get(name)?.common)
    return lines.map((line) => {
      const cells = splitAt(line, "\t")
      const own = new Map(header.split("\t").map((column, index) => [column, cells[index] ?? ""]))
      const all = new Map(own)
      for (const other of raw.keys()) {
        const id = own.get(`${other}.id`)
        if (id === undefined) continue
        shared.add(other)
        const found = rowsOf(other).find((each) => each.get("id") === id)
        for (const column of rowsOf(other)[0]?.keys() ?? []) all.set(`${other}.${column}`, found?.get(column) ?? "-")
      }
      const valueOf = (column: string): string => {
        const template = common.get(column)
        return template === undefined ? (all.get(column) ?? "") : made(template, own.get(column) ?? "", valueOf)
      }
      return new Map(Array.from([...all.keys(), ...common.keys()], (column) => [column, valueOf(column)]))
    })
  }
  const shared = new Set<string>()
  const tables = new Map(Array.from(raw.keys(), (name) => [name, rowsOf(name)]))
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

/** D69: numbers have three decimals at most. */
const shown = (value: unknown): string => JSON.stringify(typeof value === "number" ? Number(value.toFixed(3)) : value)

const assertLeaves = (read: Cells | undefined, whole: unknown) => {
  for (const [name, expected] of leavesOf(whole)) {
    const cell = read?.get(name)
    if (cell === undefined && expected === null) {
      // A record that is absent as a whole: none of its values is there.
      for (const [other, value] of read ?? []) if (other.startsWith(`${name}.`)) assert.strictEqual(value, "-", other)
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
        expected === null || typeof expected === "string" ? expected : shown(expected),
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

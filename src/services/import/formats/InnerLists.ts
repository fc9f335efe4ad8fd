/** Lists within the items of a document that a map reads: there is a record for each item of the list that the columns of its key are in. */
import { Result } from "effect"
import { echo } from "../../../domain/ArgumentDecoder.ts"
import { foreign, isForeign, Unread } from "./Foreign.ts"
import type { Foreign } from "./Foreign.ts"
import type { Container } from "./Format.ts"
import { fieldsOf, recordNames } from "./MapFields.ts"
import type { RecordName } from "./MapFields.ts"
import type { Mapping } from "./Mapping.ts"
import type * as ReadAs from "./ReadAs.ts"
import * as Sample from "./Sample.ts"

/** The fields that say which record it is. */
const identity: Readonly<Record<RecordName, ReadonlyArray<string>>> = {
  shop: ["domain"],
  product: ["key"],
  ad: ["key"],
  traffic_month: ["shop", "month"]
}

export interface InnerLists {
  /** The records in an item of the document; `undefined` if it is of a list that has none of the columns of the map that are required. */
  readonly divide: (item: Foreign) => ReadonlyArray<Foreign> | undefined
  /** Reads a column of a record. */
  readonly get: (column: string) => (record: Foreign) => unknown
}

/** `items`: the first of the document. A failure names a required field that has several values for one record. */
export const make = (
  { fields, record }: Mapping,
  required: ReadonlySet<string>,
  container: Container,
  items: ReadonlyArray<Foreign>
): Result.Result<InnerLists, string> => {
  const listsOfField = (name: string) => {
    const { column } = fields[name] ?? {}
    return column === undefined ? [] : listsOf(items, column)
  }
  const lists = identity[record].map(listsOfField).reduce((a, b) => (b.length > a.length ? b : a), [])
  for (const name of required) {
    const inner = listsOfField(name).find((list) => !lists.includes(list))
    if (inner === undefined || isLowest(name)) continue
    const size = items.reduce((most, item) => Math.max(most, sizeOf(item, inner)), 0)
    const of = lists.length === 0 ? "" : `, of which there is one for each item of \`${echo(lists.at(-1) ?? "")}\``
    if (size > 1) {
      return Result.fail(`\`fields.${name}\`: \`${echo(inner)}\` has ${size} items where a record takes one${of}`)
    }
  }
  const columns = Array.from(required).flatMap((name) => fields[name]?.column ?? [])
  const isAmongLists = container._tag === "Json" && container.path !== "$.*" && columns.length > 0
  return Result.succeed({
    divide: (item) =>
      isAmongLists && columns.every((column) => Sample.at(column)(item) === undefined)
        ? undefined
        : lists.reduce<ReadonlyArray<Foreign>>((all, list) => all.flatMap((one) => dividedAt(one, list)), [item]),
    get: (column) => {
      const read = Sample.at(column)
      const isPrice = fields["price"]?.column === column
      return (from) => {
        const value = read(from)
        if (!Array.isArray(value) || value.length < 2) return value
        return isPrice || listsOf([from], column).length > 0 ? new Several(value) : value
      }
    }
  })
}

/** The values of a column in the items of a list, for one record. */
export class Several {
  readonly #values: ReadonlyArray<unknown>

  constructor(values: ReadonlyArray<unknown>) {
    this.#values = values
  }

  /** A list takes all values, a price the lowest, and an address the first. Other fields take one value. */
  read(name: string, way: ReadAs.ValueKind, read: ReadAs.Read): unknown {
    const values = this.#values
    if (way === "list" || isAddress(name)) return read(values)
    if (!isLowest(name)) return new Unread(`cannot be read: it has ${values.length} values where a record takes one`)
    const found = values.map(read)
    const prices = found.filter((price) => typeof price === "number")
    return found.find((price) => price instanceof Unread) ?? (prices.length === 0 ? undefined : Math.min(...prices))
  }
}

const isAddress = (name: string): boolean => recordNames.some((record) => fieldsOf[record][name]?.isAddress === true)
const isLowest = (name: string): boolean => name === "price"

const isPlace = (name: string): boolean => /^\d{1,4}$/u.test(name)

/** The paths of the lists of objects that a column is within, the outermost first. */
const listsOf = (records: ReadonlyArray<Foreign>, column: string): ReadonlyArray<string> => {
  const path = column.split(".")
  const lists = new Set<string>()
  const look = (value: unknown, from: number): void => {
    const name = path[from]
    if (name === undefined) return
    if (Array.isArray(value)) {
      if (isPlace(name)) return look(value[Number(name)], from + 1)
      if (value.some(isForeign)) lists.add(path.slice(0, from).join("."))
      for (const item of value) if (isForeign(item)) look(item, from)
    } else if (isForeign(value) && Object.hasOwn(value, name)) look(value[name], from + 1)
  }
  for (const record of records) if (!Object.hasOwn(record, column)) look(record, 0)
  return Array.from(lists).toSorted((a, b) => a.length - b.length)
}

/** How many items the list at a path has. */
const sizeOf = (record: Foreign, list: string): number => {
  const found = Sample.at(list)(record)
  return Array.isArray(found) ? found.length : 0
}

/** The record once for each item of a list in it, with the item in place of the list; none without such an item. */
const dividedAt = (record: Foreign, list: string): ReadonlyArray<Foreign> => {
  const divide = (value: unknown, [name, ...inner]: ReadonlyArray<string>): ReadonlyArray<unknown> => {
    if (name === undefined) return Array.isArray(value) ? value : (value ?? null) === null ? [] : [value]
    if (Array.isArray(value)) return divide(value[Number(name)], inner).map((one) => value.with(Number(name), one))
    return isForeign(value) && Object.hasOwn(value, name)
      ? divide(value[name], inner).map((one) => ({ ...value, [name]: one }))
      : []
  }
  return divide(record, list.split(".")).map(foreign)
}

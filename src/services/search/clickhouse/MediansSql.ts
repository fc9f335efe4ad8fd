/**
 * Exact medians of a figure of groups of stores, by counts: shards send how many values are in which bucket, never the values. The buckets
 * of the two middle values are divided, until each has one value: three times at most, because a bucket is the first bits of a number.
 */
import { Array as Arr, Effect, Schema } from "effect"
import type { Figure } from "../../../domain/catalog/Figures.ts"
import type { OverviewQuery } from "../../../domain/search/CatalogQuery.ts"
import { Int64 } from "./ClickHouse.ts"
import type { ClickHouseError } from "./ClickHouseErrors.ts"
import { figureColumn, gather } from "./Conditions.ts"
import type { Draft } from "./Conditions.ts"
import { nameOfGroup } from "./GroupSql.ts"
import { members, partNames, parts } from "./OverviewSql.ts"
import type { GroupMedian } from "./OverviewSql.ts"

interface Wanted {
  readonly query: OverviewQuery
  readonly figure: Figure
  /** Groups; `undefined` is all. */
  readonly told: ReadonlyArray<number> | undefined
  readonly isByCurrency: boolean
}

/** Bits that the buckets of each step leave out. The first ones hold values that differ by less than half a percent. */
const steps = [44, 24, 0] as const

/** Buckets of one statement: their names travel in its address, which ClickHouse limits. */
const bucketsAtOnce = 2_000

/** A bucket that is divided, with the ranks in it that are wanted. */
interface Bucket {
  readonly key: string
  readonly first: number
  readonly last: number
}

export const MiddleRow = Schema.Struct({
  part: Schema.Literals(parts),
  name: Schema.String,
  currency: Schema.Int,
  bucket: Schema.String,
  /** Of the bucket that it is a part of. */
  within: Schema.String,
  /** Values of all buckets that it was one of, of those below it, and its own. */
  known: Int64,
  below: Int64,
  stores: Int64,
  least: Schema.Finite,
  most: Schema.Finite
})
type MiddleRow = typeof MiddleRow.Type

/** A whole number for each value, in the order of the values. -0 is 0. */
const orderOf = (figure: Figure): string => {
  const bits = `reinterpretAsUInt64(${figureColumn(figure)} + 0)`
  return `if(${figureColumn(figure)} < 0, bitNot(${bits}), bitXor(${bits}, toUInt64(9223372036854775808)))`
}

/** The buckets that have the middle values, by one step. */
const middles = (
  draft: Draft,
  { figure, isByCurrency, query, told }: Wanted,
  step: number,
  divided: ReadonlyArray<Bucket>
): string => {
  const { parameters } = draft
  const { isNamed, sql } = members(draft, query, [figureColumn(figure), "currency"])
  const isTold =
    told === undefined
      ? "part = 0"
      : `(part = 1 OR (part = 0 AND name IN ${
          isNamed
            ? parameters.add(
                "Array(String)",
                told.map((group) => nameOfGroup(draft, query.grouping, group))
              )
            : parameters.add("Array(UInt32)", told)
        }))`
  const bucketOf = (at: number) => `bitShiftRight(${orderOf(figure)}, ${steps[at] ?? 0})`
  const keys =
    step === 0
      ? ""
      : parameters.add(
          "Array(String)",
          divided.map(({ key }) => key)
        )
  const within =
    step === 0
      ? "''"
      : `concat(toString(part), ' ', toString(name), ' ', toString(money), ' ', toString(${bucketOf(step - 1)}))`
  const shard =
    `SELECT member.1 AS part, member.2 AS name, ${isByCurrency ? "m.currency" : "toUInt32(0)"} AS money, ${within} AS within, ` +
    `${bucketOf(step)} AS bucket, count() AS stores, min(${figureColumn(figure)}) AS least, max(${figureColumn(figure)}) AS most ` +
    `FROM (${sql}) AS m WHERE NOT isNaN(${figureColumn(figure)}) AND ${isTold}${step === 0 ? "" : ` AND within IN ${keys}`} ` +
    "GROUP BY part, name, money, within, bucket"
  const all =
    "SELECT r.part AS part, r.name AS name, r.money AS money, r.within AS within, r.bucket AS bucket, sum(r.stores) AS stores, " +
    `min(r.least) AS least, max(r.most) AS most FROM ${gather(draft, shard)} AS r GROUP BY part, name, money, within, bucket`
  const ranked =
    "SELECT *, sum(stores) OVER (PARTITION BY part, name, money, within) AS known, " +
    `sum(stores) OVER (PARTITION BY part, name, money, within ORDER BY bucket) - stores AS below FROM (${all})`
  const rank = (end: "first" | "last", inAll: string) =>
    step === 0
      ? inAll
      : `transform(within, ${keys}, ${parameters.add(
          "Array(UInt32)",
          divided.map((bucket) => bucket[end])
        )}, toUInt32(0))`
  return (
    `SELECT ${partNames}[part + 1] AS part, toString(name) AS name, money AS currency, within, toString(bucket) AS bucket, ` +
    `known, below, stores, least, most FROM (${ranked}) ` +
    `WHERE below <= ${rank("last", "intDiv(known, 2)")} AND below + stores > ${rank("first", "intDiv(known - 1, 2)")}`
  )
}

/** Asks for the middle buckets by each step. */
type Ask = (write: (draft: Draft) => string) => Effect.Effect<ReadonlyArray<MiddleRow>, ClickHouseError>

const keyOf = ({ bucket, currency, name, part }: MiddleRow): string =>
  `${parts.indexOf(part)} ${name} ${currency} ${bucket}`

/** The medians of the groups, and of the stores without one if groups are told. */
export const medians = Effect.fnUntraced(function* (
  wanted: Wanted,
  ask: Ask
): Effect.fn.Return<ReadonlyArray<GroupMedian>, ClickHouseError> {
  const found = new Map<string, { readonly row: MiddleRow; readonly stores: number; readonly middles: Array<number> }>()
  let divided: ReadonlyArray<Bucket> = []
  for (const step of steps.keys()) {
    const ranks = new Map(divided.map((bucket) => [bucket.key, bucket]))
    const next: Array<Bucket> = []
    for (const some of step === 0 ? [[]] : Arr.chunksOf(divided, bucketsAtOnce)) {
      for (const row of yield* ask((draft) => middles(draft, wanted, step, some))) {
        const group = `${row.part} ${row.name} ${row.currency}`
        const one = found.get(group) ?? { row, stores: row.known, middles: [] }
        found.set(group, one)
        const { first, last } = ranks.get(row.within) ?? {
          first: Math.floor((row.known - 1) / 2),
          last: Math.floor(row.known / 2)
        }
        const [from, to] = [Math.max(first, row.below), Math.min(last, row.below + row.stores - 1)]
        if (row.least === row.most) one.middles.push(row.least)
        else next.push({ key: keyOf(row), first: from - row.below, last: to - row.below })
      }
    }
    divided = next
    if (divided.length === 0) break
  }
  return Array.from(found.values(), ({ middles, row: { currency, name, part }, stores }) => {
    const [least, most] = [Math.min(...middles), Math.max(...middles)]
    // Halves are not added to one that is alone, which could make it infinite.
    return { part, name, currency, stores, median: least === most ? least : (least + most) / 2 }
  })
})

import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as Bitmap from "../../../../src/services/search/index/Bitmap.ts"

const rows = 200
const Row = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: rows - 1 }))
const Rows = Schema.Array(Row).check(Schema.isMaxLength(80))

const bitmapOf = (set: Iterable<number>): Uint32Array => {
  const bits = new Uint32Array(Bitmap.bitmapLength(rows))
  for (const row of set) Bitmap.setRange(bits, row, row + 1)
  return bits
}

const rowsOf = (bits: Uint32Array): ReadonlyArray<number> => {
  const found: Array<number> = []
  Bitmap.eachBit(bits, (row) => found.push(row))
  return found
}

const sorted = (set: Iterable<number>) => Array.from(new Set(set)).toSorted((a, b) => a - b)

describe("a bitmap", () => {
  it.effect.prop("is a set of rows", [Rows, Rows, Row, Row], ([some, others, one, other]) =>
    Effect.sync(() => {
      const [from, to] = [Math.min(one, other), Math.max(one, other)]
      const bits = bitmapOf(some)
      const ranks = Bitmap.rankDirectory(bits, new Uint32Array(bits.length))
      assert.deepStrictEqual(rowsOf(bits), sorted(some))
      assert.strictEqual(Bitmap.isSet(bits, one), some.includes(one))
      const within = sorted(some).filter((row) => row >= from && row < to).length
      assert.strictEqual(Bitmap.countBits(bits, from, to), within)
      assert.strictEqual(Bitmap.rankOf(bits, ranks, to) - Bitmap.rankOf(bits, ranks, from), within)

      const both = sorted(some).filter((row) => others.includes(row))
      assert.strictEqual(Bitmap.countBoth(bits, bitmapOf(others)), both.length)
      const and = bits.slice()
      Bitmap.andBits(and, bitmapOf(others))
      assert.deepStrictEqual(rowsOf(and), both)
      const or = bits.slice()
      Bitmap.orBits(or, bitmapOf(others))
      assert.deepStrictEqual(rowsOf(or), sorted([...some, ...others]))

      const any = bits.slice()
      Bitmap.andAny(any, [bitmapOf(others), bitmapOf([one])], new Uint32Array(bits.length))
      assert.deepStrictEqual(
        rowsOf(any),
        sorted(some).filter((row) => others.includes(row) || row === one)
      )
      const listed = new Uint32Array(bits.length)
      Bitmap.setRows(listed, Uint32Array.from(some))
      assert.deepStrictEqual(rowsOf(listed), sorted(some))
      Bitmap.clearRows(listed, Uint32Array.from(others), 0, others.length)
      assert.deepStrictEqual(
        rowsOf(listed),
        sorted(some).filter((row) => !others.includes(row))
      )

      Bitmap.setRange(bits, from, to)
      const range = Array.from({ length: to - from }, (_, index) => from + index)
      assert.deepStrictEqual(rowsOf(bits), sorted([...some, ...range]))
    })
  )
})

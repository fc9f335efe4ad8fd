import { assert, describe, it, vi } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { byStores } from "../../../src/domain/search/FoldName.ts"
import { normalizedBy } from "../../support/Work.ts"
import * as NameIndex from "../../../src/domain/search/NameIndex.ts"
import { queryWords } from "../../../src/domain/search/SearchText.ts"

/** Lower is better; `undefined` does not match: the rule, asked of every name. */
const rank = (option: NameIndex.Named, query: ReadonlyArray<string>): number | undefined => {
  const name = queryWords(option.name)
  const starts = (words: ReadonlyArray<string>, wanted: string) => words.some((word) => word.startsWith(wanted))
  if (name.join(" ") === query.join(" ")) return 0
  if (name.join(" ").startsWith(query.join(" "))) return 1
  if (query.every((word) => starts(name, word))) return 2
  if (query.every((word) => name.some((each) => each.includes(word)))) return 3
  const parent = option.parent === null ? [] : queryWords(option.parent)
  return query.every((word) => starts([...name, ...parent], word)) ? 4 : undefined
}

const bestOf = (options: ReadonlyArray<NameIndex.Named>, query: string, limit: number) => {
  const words = queryWords(query)
  return options
    .flatMap((option) => {
      const found = words.length === 0 ? 0 : rank(option, words)
      return found === undefined ? [] : [{ option, found }]
    })
    .sort(
      ({ found, option: a }, { found: otherFound, option: b }) =>
        found - otherFound || b.stores - a.stores || (a.name === b.name ? a.id - b.id : a.name < b.name ? -1 : 1)
    )
    .slice(0, limit)
    .map(({ option }) => option)
}

/** Few letters, so that many names have much in common. */
const Word = Schema.Array(Schema.Literals(["a", "b", "é", "😀", "猫"])).check(Schema.isMaxLength(4))
const Name = Schema.Array(Word).check(Schema.isMaxLength(3))
const Names = Schema.Array(
  Schema.Struct({ name: Name, parent: Schema.NullOr(Name), stores: Schema.Literals([0, 1, 2]) })
).check(Schema.isMaxLength(40))
const text = (words: typeof Name.Type) => words.map((word) => word.join("")).join(" ")

describe("NameIndex", () => {
  it.effect.prop(
    "D46 finds what asking every name finds, in the same order",
    [Names, Name],
    ([given, words]) =>
      Effect.gen(function* () {
        const options: ReadonlyArray<NameIndex.Named> = given.map(({ name, parent, stores }, id) => ({
          id,
          name: text(name),
          parent: parent === null ? null : text(parent),
          stores
        }))
        const index = yield* NameIndex.build(options.toSorted(byStores))
        const query = text(words)
        for (const limit of [3, 50]) {
          assert.deepStrictEqual(index.best(query, limit), bestOf(options, query, limit), query)
        }
      }),
    { arbitrary: { runs: 500 } }
  )

  const many = Array.from({ length: 15_000 }, (_, id) => ({
    id,
    name: `Ünïque App of a Shop ${id.toString(36)}`,
    parent: null,
    stores: id
  }))

  const sorted = many.toSorted(byStores)

  it.effect("folds every name once, also when the numbers of stores are counted again", () =>
    Effect.gen(function* () {
      const folds = new Map<string, string>()
      const index = yield* NameIndex.build(sorted, folds)
      assert.strictEqual(folds.size, many.length)
      const spy = vi.spyOn(String.prototype, "normalize")
      yield* NameIndex.build(
        sorted.map((option) => ({ ...option, stores: 0 })),
        folds
      )
      assert.lengthOf(spy.mock.calls, 0)
      spy.mockRestore()
      assert.isAtMost(normalizedBy(() => index.best("ünïque shop", 50)).length, 4)
    })
  )

  it.effect.each([
    "a",
    "s",
    "o h p q",
    "unique app of a shop",
    "a b c d e f g h i j k l m n o p q r s t u v w x y z",
    "nothing of it"
  ])("compares a bounded number of words with %s", (query) =>
    Effect.gen(function* () {
      const index = yield* NameIndex.build(sorted)
      const spy = vi.spyOn(String.prototype, "includes")
      index.best(query, 50)
      const comparisons = spy.mock.calls.length
      spy.mockRestore()
      assert.isAtMost(comparisons, NameIndex.maxComparisons + query.length)
    })
  )

  it.effect("compares only names with the rarest prefix", () =>
    Effect.gen(function* () {
      const index = yield* NameIndex.build(sorted)
      const spy = vi.spyOn(String.prototype, "includes")
      const found = index.best("unique app 7ps", 50)
      const comparisons = spy.mock.calls.length
      spy.mockRestore()
      assert.deepStrictEqual(
        found.map(({ name }) => name),
        ["Ünïque App of a Shop 7ps"]
      )
      assert.isBelow(comparisons, 1_500)
    })
  )

  it.effect("yields to other fibers while it is built", () =>
    Effect.gen(function* () {
      let turns = 0
      const count = (): NodeJS.Immediate =>
        setImmediate(() => {
          turns++
          next = count()
        })
      let next = count()
      yield* NameIndex.build(sorted)
      clearImmediate(next)
      assert.isAtLeast(turns, 20)
    })
  )
})

import { assert, describe, it } from "@effect/vitest"
import * as Names from "../../../src/services/search/Names.ts"

const names = Names.make({
  niches: [
    { id: 1, parentId: null, name: "Apparel" },
    { id: 2, parentId: 1, name: "Socks" },
    { id: 7, parentId: null, name: "2" }
  ],
  vocabulary: { theme: [], app: [], extension: [], niches: new Map(), stores: 0, products: 0, ads: 0 }
})

describe("D25 a niche", () => {
  it.each<[string, string | number, ReadonlyArray<number> | undefined]>([
    ["a name, with all below it", "apparel", [1, 2]],
    ["an id", 2, [2]],
    ["an id as text", "1", [1, 2]],
    ["digits that are a name, before the id", "2", [7]],
    ["the id of a niche whose name is digits", "7", [7]],
    ["an unknown id", 3, undefined],
    ["an unknown id as text", "3", undefined],
    ["text that only begins with digits", "1 ", undefined],
    ["a sign", "+1", undefined],
    ["a fraction", "1.0", undefined]
  ])("by %s", (_, reference, ids) => {
    assert.deepStrictEqual(names.niche(reference), ids)
  })
})

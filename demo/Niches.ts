/**
 * The tree of niches of the demo data: two levels, 24 parents. Ids are stable: a parent's is a multiple of 100, its
 * children follow it in order. Add new children at the end of their list.
 */
import tree from "./niches.json" with { type: "json" }

export interface ChildNiche {
  readonly id: number
  readonly name: string
  /** English nouns of the products that are sold in the niche. */
  readonly nouns: ReadonlyArray<string>
}

export interface ParentNiche {
  readonly id: number
  /** The key of the niche in the lexicons. */
  readonly key: string
  readonly name: string
  /** The key of the qualities in a lexicon that fit its products. */
  readonly kind: string
  /** The prices of its products, relative to the median of all. */
  readonly priceFactor: number
  readonly children: ReadonlyArray<ChildNiche>
}

export const niches: ReadonlyArray<ParentNiche> = Object.entries(tree).map(([key, parent], parentIndex) => {
  const id = (parentIndex + 1) * 100
  const children = Object.entries<ReadonlyArray<string>>(parent.children)
  return { ...parent, id, key, children: children.map(([name, nouns], index) => ({ id: id + index + 1, name, nouns })) }
})

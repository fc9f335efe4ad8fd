/** Which options of a vocabulary a query means, best first. */
import { queryWords } from "../../domain/search/SearchText.ts"

interface Option {
  readonly id: number
  readonly name: string
  readonly parent: string | null
  readonly stores: number
}

/** Lower is better; `undefined` does not match. Words are folded, see SearchText. */
const rank = (option: Option, query: ReadonlyArray<string>): number | undefined => {
  const name = queryWords(option.name)
  const starts = (words: ReadonlyArray<string>, wanted: string) => words.some((word) => word.startsWith(wanted))
  if (name.join(" ") === query.join(" ")) return 0
  if (name.join(" ").startsWith(query.join(" "))) return 1
  if (query.every((word) => starts(name, word))) return 2
  if (query.every((word) => name.some((each) => each.includes(word)))) return 3
  const parent = option.parent === null ? [] : queryWords(option.parent)
  return query.every((word) => starts([...name, ...parent], word)) ? 4 : undefined
}

/**
 * The whole name, then names that begin with the query, then those whose words do, then those that hold its words
 * anywhere, then those of a matching parent; within each, the ones with most stores first, then by name. Without a query,
 * or with one that has no words, all by stores.
 */
export const best = <A extends Option>(
  options: ReadonlyArray<A>,
  query: string | undefined,
  limit: number
): ReadonlyArray<A> => {
  const words = query === undefined ? [] : queryWords(query)
  return options
    .flatMap((option) => {
      const found = words.length === 0 ? 0 : rank(option, words)
      return found === undefined ? [] : [{ option, rank: found }]
    })
    .sort((a, b) => a.rank - b.rank || b.option.stores - a.option.stores || byName(a.option, b.option))
    .slice(0, limit)
    .map(({ option }) => option)
}

const byName = (a: Option, b: Option): number => (a.name === b.name ? a.id - b.id : a.name < b.name ? -1 : 1)

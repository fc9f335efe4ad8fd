/** Advice for a search that took too long: how to make it smaller. */
import { queryWords } from "./SearchText.ts"
import * as StoreFilter from "./StoreFilter.ts"

/** The arguments that bound the work of a search. */
export interface Narrowable extends StoreFilter.StoreFilter {
  readonly query?: string
  readonly query_any?: ReadonlyArray<string>
  readonly page?: number
}

/** Whether a value of an argument asks for something. */
export const isFilter = (value: unknown): boolean =>
  Array.isArray(value) ? value.length > 0 : typeof value === "object" && value !== null && Object.keys(value).length > 0

const narrowFilters = "niches, countries or a range of monthly_visits"

/** One or two letters begin many words. In scripts without blanks, two characters are a word. */
const isShort = (word: string): boolean => /^[\p{sc=Latin}\p{sc=Cyrillic}\p{sc=Greek}\p{N}]{1,2}$/u.test(word)

export interface Advice {
  /** Number and length of the words in the query. */
  readonly words: "none" | "short" | "one" | "several"
  /** Whether it has a filter on the store. */
  readonly hasFilter: boolean
  /** The page, if it is not the first. */
  readonly latePage: number | undefined
}

export const advice = (args: Narrowable): Advice => {
  const words = [...(args.query === undefined ? [] : [args.query]), ...(args.query_any ?? [])].flatMap(queryWords)
  const page = args.page ?? 1
  return {
    words: words.length === 0 ? "none" : words.every(isShort) ? "short" : words.length === 1 ? "one" : "several",
    hasFilter: Object.entries(args).some(([name, value]) => name in StoreFilter.fields && isFilter(value)),
    latePage: page === 1 ? undefined : page
  }
}

/** {@link advice} for agents. */
export const hint = (args: Narrowable): string => {
  const { hasFilter, latePage, words } = advice(args)
  const narrower = hasFilter ? `a narrower store filter (${narrowFilters})` : `a store filter such as ${narrowFilters}`
  const first = {
    none: `Add ${narrower}.`,
    short: `So few letters begin very many words: write a longer word, or add ${narrower}.`,
    one: `One common word ${hasFilter ? "" : "alone "}has too many hits: add a second word, or ${narrower}.`,
    several: `These words have too many hits: add a rarer word, or ${narrower}.`
  }[words]
  return latePage === undefined ? first : `${first} Or ask for an earlier page than ${latePage}.`
}

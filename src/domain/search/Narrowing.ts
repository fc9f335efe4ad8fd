/** What to tell the caller of a search that took too long: how this search, with its arguments, could be made a smaller one. */
import { SearchTimeout } from "../ToolError.ts"
import { wantedWords } from "./SearchText.ts"
import * as StoreFilter from "./StoreFilter.ts"

/** The arguments of every search tool, as far as they decide how much there is to look at. */
export interface Narrowable extends StoreFilter.StoreFilter {
  readonly query?: string
  readonly page?: number
}

const isFilter = (value: unknown): boolean =>
  Array.isArray(value) ? value.length > 0 : typeof value === "object" && value !== null && Object.keys(value).length > 0

const narrowFilters = "niches, countries or a range of monthly_visits"

/** A prefix of one or two letters begins a large part of all words; of scripts without blanks two characters are a word. */
const isShort = (word: string): boolean => /^[\p{sc=Latin}\p{sc=Cyrillic}\p{sc=Greek}\p{N}]{1,2}$/u.test(word)

/** How a search could be made smaller. */
export interface Advice {
  /** What its words are: none, so short that they begin very many, a common one, or several. */
  readonly words: "none" | "short" | "one" | "several"
  /** Whether a filter on the store narrows it already. */
  readonly hasFilter: boolean
  /** A page after the first, which an earlier one would spare. */
  readonly latePage: number | undefined
}

export const advice = (args: Narrowable): Advice => {
  const words = wantedWords(args.query)
  const page = args.page ?? 1
  return {
    words: words.length === 0 ? "none" : words.every(isShort) ? "short" : words.length === 1 ? "one" : "several",
    hasFilter: Object.entries(args).some(([name, value]) => name in StoreFilter.fields && isFilter(value)),
    latePage: page === 1 ? undefined : page
  }
}

/** The advice as a tool gives it. */
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

/** Without a hint, for what is not a search of many records. */
export const tooSlow = (hint = "Try again in a moment."): SearchTimeout =>
  new SearchTimeout({ message: "The search took too long and was stopped. Nothing was charged.", hint })

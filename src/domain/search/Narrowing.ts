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

export const hint = (args: Narrowable): string => {
  const words = wantedWords(args.query)
  const hasFilter = Object.entries(args).some(([name, value]) => name in StoreFilter.fields && isFilter(value))
  const page = args.page ?? 1
  const narrower = hasFilter ? `a narrower store filter (${narrowFilters})` : `a store filter such as ${narrowFilters}`
  const first =
    words.length === 0
      ? `Add ${narrower}.`
      : words.every(isShort)
        ? `So few letters begin very many words: write a longer word, or add ${narrower}.`
        : words.length === 1
          ? `One common word ${hasFilter ? "" : "alone "}has too many hits: add a second word, or ${narrower}.`
          : `These words have too many hits: add a rarer word, or ${narrower}.`
  return page === 1 ? first : `${first} Or ask for an earlier page than ${page}.`
}

/** Without a hint, for what is not a search of many records. */
export const tooSlow = (hint = "Try again in a moment."): SearchTimeout =>
  new SearchTimeout({ message: "The search took too long and was stopped. Nothing was charged.", hint })

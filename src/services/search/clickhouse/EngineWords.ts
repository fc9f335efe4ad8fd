/**
 * The words of a document as ClickHouse finds them: a query word is met by the words that it begins, so every prefix of each word is
 * stored, and the whole word with its mark. The text index then finds a prefix as fast as a word, which `LIKE` does not.
 *
 * The words are those that the index in memory stores (index/WordsBuilder). Folding is done here: the engine compares bytes.
 */
import { eachPart, partWords, whole, wordsBetween } from "../../../domain/search/SearchText.ts"
import type { PartWords } from "../../../domain/search/SearchText.ts"

/** Parts of texts with their words; most parts repeat often. Longer ones are URLs. */
const maxParts = 20_000
const maxPartLength = 32

interface KnownPart extends Pick<PartWords, "first" | "last"> {
  readonly tokens: ReadonlyArray<string>
}

const known = new Map<string, KnownPart>()

/** By code points: no query has half of one, and ClickHouse refuses it. */
const addTokens = (word: string, tokens: Set<string>): void => {
  let prefix = ""
  for (const character of word) {
    prefix += character
    tokens.add(prefix)
  }
  tokens.add(whole(word))
}

const partOf = (text: string): KnownPart => {
  const before = known.get(text)
  if (before !== undefined) return before
  const { first, last, words } = partWords(text)
  const tokens = new Set<string>()
  for (const word of words) addTokens(word, tokens)
  const part = { tokens: Array.from(tokens), first, last }
  if (text.length <= maxPartLength) {
    if (known.size === maxParts) known.clear()
    known.set(text, part)
  }
  return part
}

/** The tokens of a document, which is several texts, and of the documents whose words it has besides; each once. */
export const tokensOf = (texts: ReadonlyArray<string | null>, others: Iterable<string> = []): ReadonlySet<string> => {
  const tokens = new Set(others)
  let before: KnownPart | undefined
  eachPart(texts, (text, isFirst) => {
    const part = partOf(text)
    for (const token of part.tokens) tokens.add(token)
    if (!isFirst) for (const word of wordsBetween(before?.last, part.first)) addTokens(word, tokens)
    before = part
  })
  return tokens
}

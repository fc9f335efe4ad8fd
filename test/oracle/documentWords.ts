import { eachPart, partWords, wordsBetween } from "../../src/domain/search/SearchText.ts"
import type { PartWords } from "../../src/domain/search/SearchText.ts"

/** The distinct words of a document, which is several texts. */
export const documentWords = (texts: ReadonlyArray<string | null>): ReadonlySet<string> => {
  const words = new Set<string>()
  let before: PartWords | undefined
  eachPart(texts, (text, isFirst) => {
    const part = partWords(text)
    for (const word of part.words) words.add(word)
    if (!isFirst) for (const word of wordsBetween(before?.last, part.first)) words.add(word)
    before = part
  })
  return words
}

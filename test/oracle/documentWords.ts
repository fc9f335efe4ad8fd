import { eachPart, partWords } from "../../src/domain/search/SearchText.ts"

/** The distinct words of a document, which is several texts. */
export const documentWords = (texts: ReadonlyArray<string | null>): ReadonlySet<string> => {
  const words = new Set<string>()
  eachPart(texts, (part) => partWords(part).forEach((word) => words.add(word)))
  return words
}

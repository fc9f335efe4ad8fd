/** Cleans text that apps state about themselves (R31). The result is untrusted data and must still be escaped. */
import * as ThirdPartyText from "../catalog/ThirdPartyText.ts"

const maxCharacters = 100

/** The braille pattern without dots, which Unicode classifies as a symbol although it is invisible. */
const blank = /\u2800/g

/**
 * One line of at most 100 characters, without characters that hide or reorder others. Empty if it has no letter and no
 * digit, because it is then no usable name.
 */
export const clean = (text: string): string => {
  const line = ThirdPartyText.clean(text.replaceAll(blank, " ")).replaceAll(/\s+/gu, " ")
  const name = ThirdPartyText.cut(line, maxCharacters).trim()
  return /[\p{L}\p{N}]/u.test(name) ? name : ""
}

/** Text that apps tell about themselves (R31). It is data: still to be escaped wherever it is shown. */
import * as ThirdPartyText from "../catalog/ThirdPartyText.ts"

const maxCharacters = 100

/** A braille pattern of no dots: a symbol for Unicode, and yet nothing to see. */
const blank = /\u2800/g

/**
 * One line of at most 100 characters without any that hide or reorder others; empty when it has no letter and no digit, as
 * there is then nothing to call the app by.
 */
export const clean = (text: string): string => {
  const line = ThirdPartyText.clean(text.replaceAll(blank, " ")).replaceAll(/\s+/gu, " ")
  const name = ThirdPartyText.cut(line, maxCharacters).trim()
  return /[\p{L}\p{N}]/u.test(name) ? name : ""
}

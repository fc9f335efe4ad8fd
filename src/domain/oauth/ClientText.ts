/** Text that apps tell about themselves (oauth.md 31). It is data: still to be escaped wherever it is shown. */
import * as ThirdPartyText from "../catalog/ThirdPartyText.ts"

const maxCharacters = 100

/** One line of at most 100 characters without any that hide or reorder others; empty when nothing is left. */
export const clean = (text: string): string =>
  ThirdPartyText.cut(ThirdPartyText.clean(text).replaceAll(/\s+/gu, " "), maxCharacters).trim()

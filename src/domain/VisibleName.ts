/** Names that customers give to their own things. No character may be invisible, or reorder text on pages and in terminals. */
import { Schema } from "effect"
import { clean } from "./catalog/ThirdPartyText.ts"

/** On one line, 1 to `maxCharacters` code points. */
export const visibleName = (maxCharacters: number) =>
  Schema.String.check(
    Schema.isBetweenCodePoints(1, maxCharacters).abort(),
    Schema.isPattern(/^[^\p{Cc}\p{Cs}]*$/u),
    Schema.makeFilter((text: string) => clean(text) === text)
  )

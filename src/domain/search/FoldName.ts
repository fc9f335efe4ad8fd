/** The case-insensitive form of the names of niches, themes, apps and domain extensions: names with the same form are one name. */
import { streamSafe } from "./SearchText.ts"

const ascii = /^\p{ASCII}*$/u

export const foldName = (name: string): string =>
  (ascii.test(name) ? name : streamSafe(name).normalize("NFC")).toLowerCase()

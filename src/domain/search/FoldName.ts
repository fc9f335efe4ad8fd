/** The case-insensitive form of the names of niches, themes, apps and domain extensions: names with the same form are one name. */
import { streamSafe } from "./FoldText.ts"

const ascii = /^\p{ASCII}*$/u

/** Some letters have a composed form in lower case only: what lowering the case makes is composed, too. */
export const foldName = (name: string): string =>
  ascii.test(name) ? name.toLowerCase() : streamSafe(name).normalize("NFC").toLowerCase().normalize("NFC")

/** Most stores first. */
export const byStores = (a: Counted, b: Counted): number =>
  b.stores - a.stores || (a.name === b.name ? a.id - b.id : a.name < b.name ? -1 : 1)

interface Counted {
  readonly id: number
  readonly name: string
  readonly stores: number
}

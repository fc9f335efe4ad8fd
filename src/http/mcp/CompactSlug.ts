/**
 * Names that addresses repeat as slugs, for compact answers (D69): the domain of a store begins with its name, and the address of a
 * product ends with its title.
 */
import { cut } from "../../domain/catalog/ThirdPartyText.ts"

/** The column of the names that addresses in this column repeat. */
export const nameOf = (column: string): string | undefined => {
  if (column === "url") return "title"
  return /(?:^|\.)domain$/u.test(column) ? column.replace(/domain$/u, "name") : undefined
}

/** Where an address may repeat a name. */
export const startIn = (address: string, column: string): number =>
  column === "url" ? address.lastIndexOf("/") + 1 : 0

const ascii = /^[\t\n -~]*$/u

/** In lower case and without accents, with a hyphen for what is between letters and digits. Other scripts have none of these. */
export const of = (text: string): string =>
  (ascii.test(text) ? text : text.normalize("NFKD").replaceAll(/\p{M}/gu, ""))
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/gu, "-")
    .replaceAll(/^-|-$/gu, "")

/** Whether the text is the slug, or continues after it with a sign that no other cell begins with. */
export const begins = (text: string, slug: string): boolean =>
  slug !== "" && text.startsWith(slug) && (text.length === slug.length || "-.".includes(text.charAt(slug.length)))

/** As much of a name as the address repeats; `undefined` where that has something else. */
export const repeated = (name: string, address: string, column: string): string | undefined => {
  const slug = of(name)
  const text = address.slice(startIn(address, column))
  if (begins(text, slug)) return name
  const short = text.replace(/-$/u, "")
  if (short === "" || !slug.startsWith(short)) return undefined
  const line = name.replaceAll(/\s+/gu, " ")
  let [least, most] = [0, line.length]
  while (least < most) {
    const middle = Math.floor((least + most) / 2)
    if (of(cut(line, middle)).length < short.length) least = middle + 1
    else most = middle
  }
  const part = cut(line, least).trimEnd()
  return of(part) === short ? part : undefined
}

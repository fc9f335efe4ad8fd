/** What a file is that looks like one of a known format and is not: of orders or customers, or text that is almost JSON. */
import type { Foreign } from "./Foreign.ts"

const fold = (name: string): string => name.toLowerCase().replaceAll(/[^a-z]/gu, "")

/** Of names in exports and answers of stores, in lower case and without signs. Two of a kind show what the file has. */
const kinds: ReadonlyArray<readonly [kind: string, names: ReadonlySet<string>]> = [
  [
    "orders",
    new Set(
      (
        "ordernumber orderid ordername orderstatusurl financialstatus fulfillmentstatus displayfinancialstatus displayfulfillmentstatus " +
        "lineitems lineitemname lineitemprice lineitemquantity lineitemsku totalprice subtotalprice totalpriceset subtotalpriceset " +
        "currenttotalprice paidat cancelledat shippinglines shippingname billingname billingaddress customeremail"
      ).split(" ")
    )
  ],
  [
    "customers",
    new Set(
      (
        "firstname lastname acceptsemailmarketing acceptssmsmarketing acceptsmarketing emailmarketingconsent totalspent amountspent " +
        "numberoforders defaultaddress addresses"
      ).split(" ")
    )
  ]
]
/** Names of persons also stand in lists of stores. */
const weak: ReadonlySet<string> = new Set(["firstname", "lastname"])

/** The kind of the records with these columns or paths, if they are of none that is imported. */
const kindOf = (columns: ReadonlyArray<string>): string | undefined => {
  const names = new Set(columns.flatMap((column) => [fold(column), fold(column.split(".", 1)[0] ?? "")]))
  return kinds.find(([, ofKind]) => {
    const present = Array.from(ofKind).filter((name) => names.has(name))
    return present.length > 1 && present.some((name) => !weak.has(name))
  })?.[0]
}

const unread = (kind: string) => `${kind}, which are not read: products, stores, visits and ads are`

/** What is wrong with a file of such columns. */
export const ofColumns = (columns: ReadonlyArray<string>): string | undefined => {
  const kind = kindOf(columns)
  return kind === undefined ? undefined : `looks like a file of ${unread(kind)}`
}

const gid = /^gid:\/\/shopify\/([A-Za-z]+)\//u

/** The kind of the platform's object with an id, in the plural, such as `draft orders`; `undefined` for products. */
const kindOfId = (id: unknown): string | undefined => {
  const type = typeof id === "string" ? gid.exec(id)?.[1] : undefined
  if (type === undefined || type === "Product") return undefined
  const words = type.replaceAll(/(?<=[a-z])(?=[A-Z])/gu, " ").toLowerCase()
  return words.endsWith("y") ? `${words.slice(0, -1)}ies` : `${words}s`
}

/** What is wrong with a bulk operation that begins with these lines. Its objects that belong to no other are of one kind. */
export const ofBulk = (lines: ReadonlyArray<Foreign>): string | undefined => {
  const [own] = lines.filter((line) => !("__parentId" in line)).map((line) => kindOfId(line["id"]))
  return own === undefined ? undefined : `is a bulk operation over ${unread(own)}`
}

/** What is wrong with an answer in GraphQL with such an object, if that is no product. */
export const ofAnswer = (object: Foreign): string | undefined => {
  const kind = kindOfId(object["id"])
  return kind === undefined ? undefined : `is an answer in GraphQL with ${unread(kind)}`
}

/** What other notations have where JSON has another word. */
const replacements: Readonly<Record<string, string>> = {
  NaN: "null",
  Infinity: "null",
  "-Infinity": "null",
  None: "null",
  undefined: "null",
  True: "true",
  False: "false"
}
const otherSigns = /["']|-?Infinity|NaN|None|undefined|True|False/gu

/** Where the string ends that begins before a position. */
const endOfString = (text: string, from: number): number => {
  let at = text.indexOf('"', from)
  while (at >= 0 && isEscaped(text, at)) at = text.indexOf('"', at + 1)
  return at < 0 ? text.length : at + 1
}

const isEscaped = (text: string, at: number): boolean => {
  let backslashes = 0
  while (text[at - 1 - backslashes] === "\\") backslashes++
  return backslashes % 2 === 1
}

/** What text that is almost JSON has first that JSON does not have. `unit`: what positions count. */
export const almostJson = (text: string, unit: "byte" | "character" = "byte"): string | undefined => {
  const signs = new RegExp(otherSigns)
  for (let match = signs.exec(text); match !== null; match = signs.exec(text)) {
    const [sign] = match
    if (sign === '"') {
      signs.lastIndex = endOfString(text, signs.lastIndex)
      continue
    }
    const before = text.slice(0, match.index)
    const position = (unit === "byte" ? Buffer.byteLength(before) : before.length) + 1
    const [what, instead] = sign === "'" ? ["single quotes", "double quotes"] : [sign, replacements[sign] ?? "null"]
    return `is JSON with ${what} at ${unit} ${position.toLocaleString("en")}, which JSON does not have: write ${instead}`
  }
  return undefined
}

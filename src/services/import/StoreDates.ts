/**
 * The dates of the fields of a store: for each, the day of the newest data that gave it, so that older data change nothing of it. They
 * are compared here and not in the statement, because most stores of an import have the same dates.
 */
import { Struct } from "effect"
import { byField } from "../../domain/catalog/Figures.ts"
import type { PartialShop, ShopRecord } from "../../domain/catalog/Records.ts"

type Field = Exclude<keyof ShopRecord, "type" | "domain">

/** A set of fields is a number with the bit of each. Sets are stored: a bit never changes. */
const bits = {
  name: 0,
  country: 1,
  currency: 2,
  theme: 3,
  niche: 4,
  languages: 5,
  pixels: 6,
  social_networks: 7,
  apps: 8,
  created_on: 9,
  ...byField(({ bit }) => bit)
} as const satisfies Readonly<Record<Field, number>>

const fields = Struct.keys(bits)

const has = (set: number, field: Field): boolean => (set & (1 << bits[field])) !== 0

/** Fields of a store; absent and `null` ones keep their values. */
export type Facts = { readonly [Name in Field]?: ShopRecord[Name] | null } & { readonly domain: string }

export interface Dated {
  /** Without the fields that newer data gave. */
  readonly facts: Facts
  /** What `shop.said_on` becomes. */
  readonly saidOn: string | null
  /** The fields of the record that newer data gave. */
  readonly newer: ReadonlyArray<Field>
  /** Whether these are all of its fields. */
  readonly isOlder: boolean
}

type Merged = Pick<Dated, "saidOn" | "newer" | "isOlder">

/** The set of fields that a record gives: a complete one gives all. A new store without a name is called by its domain. */
const given = (shop: ShopRecord | PartialShop): number => {
  const facts: Facts = shop
  let set = 0
  for (const name of fields) {
    if (shop.type === "shop" || (facts[name] ?? null) !== null) set |= 1 << bits[name]
  }
  return facts.name === shop.domain && shop.type !== "shop" ? set & ~(1 << bits.name) : set
}

/** `stored`: days with their sets of fields in hexadecimal, the newest first, such as `2026-06-30:1f 2026-05-31:20`. */
const merged = (stored: string | null, set: number, asOf: string): Merged => {
  const sets = new Map<string, number>()
  let newer = 0
  for (const one of stored?.split(" ") ?? []) {
    const [day = "", digits = ""] = one.split(":")
    const before = Number.parseInt(digits, 16)
    if (day > asOf) newer |= before & set
    sets.set(day, day > asOf ? before : before & ~set)
  }
  sets.set(asOf, (sets.get(asOf) ?? 0) | (set & ~newer))
  const days = Array.from(sets)
    .filter(([, ofDay]) => ofDay !== 0)
    .toSorted(([a], [b]) => (a < b ? 1 : -1))
  return {
    saidOn: days.length === 0 ? null : days.map(([day, ofDay]) => `${day}:${ofDay.toString(16)}`).join(" "),
    newer: fields.filter((field) => has(newer, field)),
    isOlder: newer !== 0 && newer === set
  }
}

/** Compares the records of one import with the dates that are stored of their stores. */
export class StoreDates {
  readonly #asOf: string | null
  readonly #merged = new Map<string, Merged>()

  constructor(asOf: string | null) {
    this.#asOf = asOf
  }

  of(shop: ShopRecord | PartialShop, stored: string | null): Dated {
    const asOf = this.#asOf
    if (asOf === null) return { facts: shop, saidOn: stored, newer: [], isOlder: false }
    const set = given(shop)
    const key = `${stored ?? ""} ${set}`
    const { isOlder, newer, saidOn } = this.#merged.getOrInsertComputed(key, () => merged(stored, set, asOf))
    const facts: Facts =
      newer.length === 0 ? shop : { ...shop, ...Object.fromEntries(newer.map((name) => [name, null])) }
    return { facts, saidOn, newer, isOlder }
  }
}

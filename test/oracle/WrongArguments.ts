/**
 * Valid arguments with something changed in them, at any depth: other types, unknown names, near names, JSON as text, empty
 * values. What comes out may still be valid.
 */
import type { Random } from "./Random.ts"

type Path = ReadonlyArray<string | number>
export type Json = Record<string, unknown>

export interface Changed {
  readonly args: Json
  /** The arguments that were changed or added, those within `filters` by their own names. */
  readonly touched: ReadonlyArray<string>
}

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

/** The paths of all values, at any depth. */
const pathsOf = (value: unknown, path: Path = []): ReadonlyArray<Path> => {
  const members: ReadonlyArray<readonly [string | number, unknown]> = Array.isArray(value)
    ? value.map((member: unknown, index) => [index, member] as const)
    : isObject(value)
      ? Object.entries(value)
      : []
  return [
    ...(path.length === 0 ? [] : [path]),
    ...members.flatMap(([name, member]) => pathsOf(member, [...path, name]))
  ]
}

const at = (value: unknown, path: Path): unknown =>
  path.reduce((inner, name) => Reflect.get(Object(inner), name), value)

/** Of an object of arguments or a range, the paths. */
const objectsOf = (args: Json): ReadonlyArray<Path> => [[], ...pathsOf(args).filter((path) => isObject(at(args, path)))]

/** An empty name is shown in quotation marks. */
const argumentOf = (path: Path): string => String(path[0] === "filters" && path.length > 1 ? path[1] : path[0]) || '""'

const others: ReadonlyArray<unknown> = [true, false, 0, 5, -1, 1.5, "text", "7", [], [[]], [null], {}, { a: 1 }, null]
const empty: ReadonlyArray<unknown> = ["", " ", [], {}, null, [""], { min: null }]
const unknown = ["color", "Query", "sort", "min_price", "__proto__", "constructor", "", "countries.0"]

const nearName = (random: Random, name: string): string => {
  const letters = Array.from(name)
  const place = random.int(0, letters.length - 1)
  return random.pick([
    `${name}s`,
    name.slice(0, -1),
    name.toUpperCase(),
    name.replaceAll("_", ""),
    letters.toSpliced(place, 1, "x").join("")
  ])
}

/** Another value for the one that is there. */
const otherValue = (random: Random, value: unknown): unknown => {
  const near = typeof value === "string" ? [`${value}x`, value.slice(1)] : []
  const reordered = Array.isArray(value) ? [value.toReversed(), value.slice(1)] : []
  const wrapped: unknown = Array.isArray(value) ? (value[0] ?? null) : [value]
  return random.pick([
    random.pick(others),
    random.pick(empty),
    JSON.stringify(value),
    JSON.stringify(JSON.stringify(value)),
    String(value),
    wrapped,
    ...near,
    ...reordered
  ])
}

/** Parsed from JSON, so that the name `__proto__` is one like others. */
const copy = (args: Json): Json => JSON.parse(JSON.stringify(args))

const withMember = (holder: object, name: string, value: unknown) =>
  Object.defineProperty(holder, name, { value, enumerable: true, configurable: true, writable: true })

const changeOnce = (random: Random, { args, touched }: Changed): Changed => {
  const changed = copy(args)
  const paths = pathsOf(changed)
  const path = paths.length === 0 ? undefined : random.pick(paths)
  const kind = path === undefined ? "add" : random.pick(["value", "value", "value", "add", "rename"] as const)
  if (path === undefined || kind === "add") {
    const into = random.pick(objectsOf(changed))
    const name = random.pick(unknown)
    withMember(Object(at(changed, into)), name, random.pick([1, "x", null, {}, []]))
    return { args: changed, touched: [...touched, argumentOf([...into, name])] }
  }
  const holder: object = Object(at(changed, path.slice(0, -1)))
  const last = path.at(-1) ?? ""
  const value: unknown = Reflect.get(holder, last)
  if (kind === "value" || typeof last === "number") {
    withMember(holder, String(last), otherValue(random, value))
    return { args: changed, touched: [...touched, argumentOf(path)] }
  }
  const name = nearName(random, last)
  Reflect.deleteProperty(holder, last)
  withMember(holder, name, value)
  // Without the name that it had, an argument may be missing.
  return { args: changed, touched: [...touched, argumentOf(path), argumentOf([...path.slice(0, -1), name])] }
}

/** One or two changes. */
export const change = (random: Random, args: Json): Changed => {
  const once = changeOnce(random, { args, touched: [] })
  return random.chance(0.3) ? changeOnce(random, once) : once
}

/**
 * What arguments say, by the rules alone (D24, D27, D66): without `null` members, with codes in upper case, and with
 * `filters` and `share_of` parsed if they are JSON text. All other values are as they were sent.
 */
export const meaningOf = (args: Json): Json => {
  const members = Object.entries(args).flatMap(([name, value]): ReadonlyArray<readonly [string, unknown]> => {
    if (value === null) return []
    const said = (name === "filters" || name === "share_of") && typeof value === "string" ? parsed(value) : value
    if (isObject(said)) return [[name, meaningOf(said)]]
    const isCode = name === "countries" || name === "currencies"
    return [[name, isCode && Array.isArray(said) ? said.map((code) => String(code).toUpperCase()) : said]]
  })
  return Object.fromEntries(members)
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Names and values of an address in their order. */
export type Pairs = ReadonlyArray<readonly [name: string, value: string]>

const otherTexts = ["", " ", "x", "true", "-1", "1.5", "1e3", "0x10", "[]", "{}", "null", '"5"', "%41", "ü&=+", "a,b"]

const otherNames = [
  "color",
  "price.mid",
  "monthly_visits.mid",
  "Page",
  "sort",
  "utm_source",
  "__proto__",
  "query.min",
  ""
]

interface ChangedPairs {
  readonly pairs: Pairs
  /** The names that were changed or added. */
  readonly touched: ReadonlyArray<string>
}

/** One change to the pairs of an address; `known` are the names of its arguments. */
const changePairsOnce = (
  random: Random,
  { pairs, touched }: ChangedPairs,
  known: ReadonlyArray<string>
): ChangedPairs => {
  const added = (name: string, value: string) => ({
    pairs: [...pairs, [name, value] as const],
    touched: [...touched, name]
  })
  const place = random.int(0, Math.max(0, pairs.length - 1))
  const [name, value] = pairs[place] ?? ["", ""]
  const kind = random.pick(["unknown", "empty", "near", "value", "blank", "same", "repeated", "part"] as const)
  const replaced = (other: string, text: string) => ({
    pairs: pairs.with(place, [other, text]),
    touched: [...touched, name, other]
  })
  if (kind === "unknown" || name === "") return added(random.pick(otherNames), random.pick(["1", "", "x"]))
  switch (kind) {
    case "empty":
      return added(random.pick(known), "")
    case "near":
      return replaced(nearName(random, name), value)
    case "value":
      return replaced(name, random.pick(otherTexts))
    case "blank":
      return replaced(name, `${value} `)
    case "same":
      return added(name, value)
    case "repeated":
      return added(name, random.pick(otherTexts))
    case "part":
      return added(`${name}.mid`, value)
  }
}

/** One or two changes to the address of a search. */
export const changePairs = (random: Random, pairs: Pairs, known: ReadonlyArray<string>): ChangedPairs => {
  const once = changePairsOnce(random, { pairs, touched: [] }, known)
  return random.chance(0.3) ? changePairsOnce(random, once, known) : once
}

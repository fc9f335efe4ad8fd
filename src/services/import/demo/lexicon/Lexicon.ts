/**
 * The words of one language that the demo data is put together from. Texts may hold `{noun}`, `{shop}`, `{percent}` and
 * `{count}`. They are worded so that no noun has to agree with anything.
 */
import type { Kind, ParentKey } from "../Niches.ts"
import { parentKeys } from "../Niches.ts"

export interface Lexicon {
  /** Characters that a text has for one in English. */
  readonly density: number
  /** Between words. */
  readonly space: " " | ""
  /** `{}` is the invented name. */
  readonly shopNames: ReadonlyArray<string>
  readonly nouns: Readonly<Record<ParentKey, ReadonlyArray<string>>>
  /** Before the noun. */
  readonly epithets: ReadonlyArray<string>
  /** After the noun. */
  readonly qualities: Readonly<Record<Kind, ReadonlyArray<string>>>
  readonly colors: ReadonlyArray<string>
  /** What long titles go on with. */
  readonly extras: ReadonlyArray<string>
  readonly headlines: ReadonlyArray<string>
  readonly openers: ReadonlyArray<string>
  readonly sentences: ReadonlyArray<string>
  readonly closers: ReadonlyArray<string>
}

/** One item a line, or several with strokes between them. */
export const items = (text: string): ReadonlyArray<string> =>
  text
    .split(/[\n|]/u)
    .map((item) => item.trim())
    .filter((item) => item !== "")

/** A line a parent, in the order of `parentKeys`. */
export const nouns = (text: string): Lexicon["nouns"] => {
  const lines = text.trim().split("\n")
  const of = (key: ParentKey) => items(lines[parentKeys.indexOf(key)] ?? "")
  return {
    women: of("women"),
    men: of("men"),
    shoes: of("shoes"),
    jewelry: of("jewelry"),
    bags: of("bags"),
    beauty: of("beauty"),
    health: of("health"),
    fitness: of("fitness"),
    outdoor: of("outdoor"),
    decor: of("decor"),
    furniture: of("furniture"),
    kitchen: of("kitchen"),
    garden: of("garden"),
    food: of("food"),
    coffee: of("coffee"),
    baby: of("baby"),
    toys: of("toys"),
    pets: of("pets"),
    electronics: of("electronics"),
    phone: of("phone"),
    auto: of("auto"),
    crafts: of("crafts"),
    books: of("books"),
    gifts: of("gifts")
  }
}

/** A line a kind. */
export const qualities = (text: string): Lexicon["qualities"] => {
  const [wear = "", care = "", gear = "", home = "", food = "", tech = "", play = ""] = text.trim().split("\n")
  return {
    wear: items(wear),
    care: items(care),
    gear: items(gear),
    home: items(home),
    food: items(food),
    tech: items(tech),
    play: items(play)
  }
}

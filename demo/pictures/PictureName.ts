/**
 * The name of a picture encodes all that decides its look, except the words of an ad: `lamp417`. It is short because agents
 * read one with each product.
 */
import type { Subject } from "../Texts.ts"
import { Prng } from "../Prng.ts"
import colors from "./colors.json" with { type: "json" }
import motifs from "./motifs.json" with { type: "json" }
import named from "./nouns.json" with { type: "json" }

export type Motif = keyof typeof motifs
export type Color = keyof typeof colors

/** What the pictures of a store depend on. */
export type Pictured = Pick<Subject, "shop" | "niche" | "nouns">

export interface Look {
  readonly motif: Motif
  readonly color: Color
  /** Decides the backdrop, the same for all pictures of a store. */
  readonly store: number
  /** Decides how the product is shown. */
  readonly view: number
}

/** With 17 colors, the number in a name has at most three digits, which is one token. */
export const stores = 14
export const views = 4

const isMotif = (text: string): text is Motif => Object.hasOwn(motifs, text)
const isColor = (text: string): text is Color => Object.hasOwn(colors, text)

export const motifNames = Object.keys(motifs).filter(isMotif)
export const colorNames = Object.keys(colors).filter(isColor)

/** Motifs by noun, and by niche in the order of the nouns of a lexicon. */
const motifOfNoun = new Map(
  Object.entries(named.nouns).flatMap(([motif, nouns]) =>
    isMotif(motif) ? nouns.map((noun) => [noun, motif] as const) : []
  )
)
const motifsOfNiche = new Map(Object.entries(named.niches).map(([niche, names]) => [niche, names.filter(isMotif)]))

export const write = ({ color, motif, store, view }: Look): string =>
  `${motif}${(colorNames.indexOf(color) * stores + store) * views + view}`

const form = /^([a-z]+)(0|[1-9]\d{0,2})$/u

/** Returns `undefined` if the name is not of a picture. */
export const read = (name: string): Look | undefined => {
  const [, motif = "", digits = ""] = form.exec(name) ?? []
  const number = Number(digits)
  const color = colorNames[Math.floor(number / views / stores)]
  return isMotif(motif) && color !== undefined
    ? { motif, color, store: Math.floor(number / views) % stores, view: number % views }
    : undefined
}

/** The noun that occurs first in a text. */
const nounIn = (text: string, { nouns }: Pictured): string | undefined =>
  nouns
    .filter((noun) => text.includes(noun))
    .toSorted((a, b) => text.indexOf(a) - text.indexOf(b) || b.length - a.length)
    .at(0)

const motifOf = (text: string, subject: Pictured, prng: Prng): Motif => {
  const noun = nounIn(text, subject) ?? prng.pick(subject.nouns)
  const ofNiche = motifsOfNiche.get(subject.niche) ?? []
  return motifOfNoun.get(noun) ?? ofNiche[subject.nouns.indexOf(noun) % ofNiche.length] ?? "box"
}

/** The color that a text names, such as "Sage Green"; otherwise any. */
const colorOf = (text: string, prng: Prng): Color =>
  colorNames.find((color) => colors[color].words.some((word) => text.includes(word))) ?? prng.pick(colorNames)

/** The look of a product or an ad of a store with this text. `place` distinguishes several pictures of one product. */
export const lookOf = (subject: Pictured, text: string, place = 0): Look => {
  const prng = new Prng("picture", subject.shop, text)
  const motif = motifOf(text, subject, prng)
  const color = colorOf(text, prng)
  return {
    motif,
    color,
    store: new Prng("picture", subject.shop).int(0, stores - 1),
    view: (prng.int(0, views - 1) + place) % views
  }
}

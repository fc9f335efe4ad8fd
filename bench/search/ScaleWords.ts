/**
 * Words as many and as rare as those of real text, for texts that are made of a small lexicon.
 *
 * The frequencies are those of the descriptions of Debian 12's packages (`Translation-*` of its archive) in English, German,
 * French, Italian and Spanish, 9.6 million words. Read in random order, their distinct words grow as if the word of rank r were as
 * frequent as 1 / (r + 2.7) up to rank 1,500 and as r ** -1.74 beyond it; fitted by least squares of the logarithms from 15,000 words
 * on. One fit for all languages is off by 12 %, one for each by 2 to 7 % (exponents 1.62 to 1.78).
 *
 * Source: Gerlach, Altmann, "Stochastic Model for the Vocabulary Growth in Natural Languages", 2013, for two exponents.
 */
import type { Lexicon } from "../../demo/Lexicons.ts"
import { Prng } from "../../demo/Prng.ts"

const shift = 2.7
const knee = 1_500
const exponent = 1.74
/** The words before it are the lexicon's own: a language's has about so many. */
const firstRank = 500

/** Of all words, up to a factor that all three have. */
const weights = {
  lexicon: Math.log((firstRank + shift) / (1 + shift)),
  toKnee: Math.log((knee + shift) / (firstRank + shift)),
  beyond: 1 / (exponent - 1)
} as const

/** The share of a text that is drawn here, the rest being the lexicon's. */
export const drawnShare = (weights.toKnee + weights.beyond) / (weights.lexicon + weights.toKnee + weights.beyond)

const rank = (random: Prng): number => {
  const at = random.unit() * (weights.toKnee + weights.beyond)
  return at < weights.toKnee
    ? Math.floor((firstRank + shift) * Math.exp(at) - shift)
    : Math.floor(knee * (1 - (at - weights.toKnee) / weights.beyond) ** -weights.beyond)
}

/** Scripts of which the index takes each pair of neighbors as a word: pairs of the lexicon alone would be no new words. */
const isOfPairs = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}]/u

const keptRanks = 2 ** 17

/** Invented words of a language: a letter follows another one as often as in its lexicon. A rank has the same word in every run. */
export class ScaleWords {
  readonly #path: string
  readonly #density: number
  readonly #space: string
  readonly #letters: ReadonlyArray<string>
  readonly #firsts: ReadonlyArray<string>
  readonly #followers = new Map<string, Array<string>>()
  readonly #known: Array<string | undefined> = []

  constructor(seed: string, lexicon: Lexicon) {
    const { colors, density, epithets, extras, nouns, qualities, sentences, space } = lexicon
    const texts = [colors, epithets, extras, sentences, ...Object.values(nouns ?? {}), ...Object.values(qualities)]
    const words = texts.flat().flatMap((text) => text.toLowerCase().match(/(?<!\{)[\p{L}\p{M}]+/gu) ?? [])
    this.#path = `${seed}/word/${words.slice(0, 5).join(" ")}`
    this.#density = density
    this.#space = space
    this.#letters = words.flatMap((word) => Array.from(word))
    this.#firsts = words.map((word) => Array.from(word)[0] ?? "")
    if (this.#letters.some((letter) => isOfPairs.test(letter))) return
    for (const word of words) {
      Array.from(word).forEach((letter, at, all) => {
        const next = all[at + 1]
        if (next !== undefined) this.#followers.getOrInsertComputed(letter, () => []).push(next)
      })
    }
  }

  #make(rank: number): string {
    const random = new Prng(this.#path, rank)
    // Rare words are longer.
    const length = Math.max(2, Math.round((3 + 0.4 * Math.log2(rank) + random.normal()) * this.#density))
    let letter = random.pick(this.#firsts)
    let word = letter
    for (let count = 1; count < length; count++) {
      letter = random.pick(this.#followers.get(letter) ?? this.#letters)
      word += letter
    }
    return word
  }

  /** Words with blanks before them, as long together as the share of a text that `length` characters are the rest of. */
  after(length: number, random: Prng): string {
    // Rounded at random, so that short texts have their share too.
    const wanted = (length * drawnShare) / (1 - drawnShare)
    let text = ""
    for (;;) {
      const drawn = rank(random)
      const known = drawn < keptRanks ? this.#known[drawn] : undefined
      const word = known ?? this.#make(drawn)
      if (drawn < keptRanks) this.#known[drawn] = word
      const left = wanted - text.length
      if (left < word.length && !random.chance(left / word.length)) return text
      text += `${text === "" ? " " : this.#space}${word}`
    }
  }
}

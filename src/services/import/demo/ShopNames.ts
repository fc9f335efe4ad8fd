/** Names and domains of stores that do not exist: put together from invented stems, so that they meet no real one. */
import type { Country } from "./Countries.ts"
import type { Lexicon } from "./lexicon/Lexicon.ts"
import type { Prng } from "./Prng.ts"

const beginnings = `Vel Quor Brim Nor Tal Esk Fen Gal Hax Ister Jul Kes Lor Mab Nim Oli Pel Quil Ros Sar Tov Umb Var Wil Yar Zel
  Alb Bex Cor Dun Elv Fyr Gris Hol Ilm Jor Kal Lum Mer Nal Orb Pru Rav Sel Thal Ulv Ves Wyn Xan Zor`
const endings = `mora dyne wick lund essa arra ington uva ixa ombe asca oria ubel isk emar olde undra avel inu orra
  eska ylla urne aska ible ovia umi erno`

const stems = (text: string) => text.split(/\s+/u).filter((stem) => stem !== "")
const firsts = stems(beginnings)
const lasts = stems(endings)

const invented = (prng: Prng) => `${prng.pick(firsts)}${prng.pick(lasts)}`

export interface ShopName {
  readonly name: string
  readonly domain: string
}

/** `taken` remembers the domains, so that none comes twice. */
export const shopName = (prng: Prng, country: Country, lexicon: Lexicon, taken: Set<string>): ShopName => {
  const extension = prng.weighted(country.extensions)
  for (;;) {
    const stem = prng.chance(0.2) ? `${invented(prng)} ${invented(prng)}` : invented(prng)
    const name = prng.pick(lexicon.shopNames).replace("{}", stem)
    // One invented word may be somebody's name after all; two of them are nobody's.
    const domain = `${slugOf(`${name} ${stem.includes(" ") ? "" : invented(prng)}`)}${extension}`
    if (!taken.has(domain)) {
      taken.add(domain)
      return { name, domain }
    }
  }
}

/** ASCII letters and digits with hyphens between the words; nothing of other scripts. */
export const slugOf = (text: string): string =>
  text
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/gu, "-")
    .replaceAll(/^-|-$/gu, "")

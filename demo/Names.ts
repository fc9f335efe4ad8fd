/** Invented names: of stores with their domains, of apps and of themes. None is a real one. */
import type { Country } from "./Countries.ts"
import type { Lexicon } from "./Lexicons.ts"
import type { Prng } from "./Prng.ts"

const beginnings = `Vel Quor Brim Nor Tal Esk Fen Gal Hax Ister Jul Kes Lor Mab Nim Oli Pel Quil Ros Sar Tov Umb Var Wil Yar Zel
  Alb Bex Cor Dun Elv Fyr Gris Hol Ilm Jor Kal Lum Mer Nal Orb Pru Rav Sel Thal Ulv Ves Wyn Xan Zor`
const endings = `mora dyne wick lund essa arra ington uva ixa ombe asca oria ubel isk emar olde undra avel inu orra
  eska ylla urne aska ible ovia umi erno`

const firsts = beginnings.split(/\s+/u)
const lasts = endings.split(/\s+/u)

const invented = (prng: Prng) => `${prng.pick(firsts)}${prng.pick(lasts)}`

export interface ShopName {
  readonly name: string
  readonly domain: string
}

/** `taken` collects the domains, so that none is used twice. */
export const shopName = (prng: Prng, country: Country, lexicon: Lexicon, taken: Set<string>): ShopName => {
  const extension = prng.weighted(country.extensions)
  for (;;) {
    const stem = prng.chance(0.2) ? `${invented(prng)} ${invented(prng)}` : invented(prng)
    const name = prng.pick(lexicon.shopNames).replace("{}", stem)
    // One invented word may be a real name; two together are not.
    const domain = `${slugOf(`${name} ${stem.includes(" ") ? "" : invented(prng)}`)}${extension}`
    if (!taken.has(domain)) {
      taken.add(domain)
      return { name, domain }
    }
  }
}

/** ASCII letters and digits with hyphens between the words; characters of other scripts are dropped. */
export const slugOf = (text: string): string =>
  text
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/gu, "-")
    .replaceAll(/^-|-$/gu, "")

/** Names with slashes or line breaks between them. */
const listed = (text: string): ReadonlyArray<string> => text.trim().split(/\s*[/\n]\s*/u)

/** The most popular first. */
export const apps = listed(`
  Reviewpond / Mailgrove / Popsprig / Bundlewise / Trackhaven / Loyalnest / Sizewell Charts / Returnkite
  Chatmoss / Searchlark / Upsellery / Wishbasket / Pagewright / Feedpilot Sync / Swatchbook / Subscribely Box
  Giftnote Plus / Stockbell / Cookiebright / Speedfern / Translatory / Currencyloop / Shiptide / Labelbee
  Preordery / Countdownly / Referloop / Quizcraft / Videoshelf / Instafeed Garden / Badgery / Stickycart Pro
  Mapdrop / Invoicely Desk / Taxwren / Fraudowl / Backuply Vault / SEO Lantern / Imagepress / Formwell
  Affilibird / Textpigeon / Pushwhistle / Auctionette / Bookablely / Rentwise / Dropferry / Printmeadow
  Sourceling / Metafieldly / Filterfox / Menubar Studio / Age Gatehouse / Donatree / Carbonleaf / Localpick
  Storefinder Atlas / Pricewatchman / Profitglass / Heatmaply`)

/** The most popular first. */
export const themes = listed(`
  Daybreak / Linenfold / Northlight / Parcel / Quarry / Solstice Market / Verity / Alcove / Broadsheet / Cadence
  Driftwood / Everline / Fathom / Gallery Row / Hearthside / Inkwell / Juniper / Keystone Grid / Lattice / Monument
  Narrative Loom / Orchard / Plainsong / Quill / Ridgeway / Saltbox / Tessera / Undertone / Vantage Point / Weft
  Xylo / Yonder / Zephyr Lite / Atelier Nine / Bold Harbor / Copperplate / Dapple / Emberline / Foundry Two / Gable`)

/** The countries of the demo data: frequency, currency, languages and domain extensions. */
import type { Language } from "../src/domain/catalog/Enumerations.ts"

export interface Country {
  readonly code: string
  /** Relative number of stores. */
  readonly weight: number
  readonly currency: string
  /** Approximate units of the currency for one US dollar. */
  readonly perDollar: number
  /** Most stores use the first language, some the second. */
  readonly languages: readonly [Language, ...ReadonlyArray<Language>]
  /** Domain extensions with their weights. */
  readonly extensions: ReadonlyArray<readonly [extension: string, weight: number]>
}

const country = (
  code: string,
  weight: number,
  currency: string,
  perDollar: number,
  languages: Country["languages"],
  extension: string
): Country => ({
  code,
  weight,
  currency,
  perDollar,
  languages,
  extensions: [
    [extension, extension === ".com" ? 84 : 58],
    [".com", 30],
    [".shop", 4],
    [".store", 4],
    [".co", 3],
    [".net", 1]
  ]
})

/** Currencies whose prices have no decimals. */
export const wholeCurrencies: ReadonlySet<string> = new Set(["JPY", "KRW", "VND", "IDR", "HUF"])

export const countries: ReadonlyArray<Country> = [
  country("US", 575, "USD", 1, ["English"], ".com"),
  country("GB", 50, "GBP", 0.8, ["English"], ".co.uk"),
  country("CA", 40, "CAD", 1.4, ["English", "French"], ".ca"),
  country("AU", 40, "AUD", 1.5, ["English"], ".com.au"),
  country("DE", 38, "EUR", 0.9, ["German", "English"], ".de"),
  country("FR", 34, "EUR", 0.9, ["French"], ".fr"),
  country("NL", 20, "EUR", 0.9, ["Dutch", "English"], ".nl"),
  country("IT", 24, "EUR", 0.9, ["Italian"], ".it"),
  country("ES", 22, "EUR", 0.9, ["Spanish"], ".es"),
  country("BR", 16, "BRL", 5.5, ["Portuguese"], ".com.br"),
  country("JP", 18, "JPY", 150, ["Japanese"], ".jp"),
  country("KR", 9, "KRW", 1350, ["Korean"], ".co.kr"),
  country("MX", 8, "MXN", 18, ["Spanish"], ".mx"),
  country("IN", 9, "INR", 85, ["English", "Hindi"], ".in"),
  country("SE", 7, "SEK", 10.5, ["Swedish", "English"], ".se"),
  country("DK", 6, "DKK", 6.9, ["Danish", "English"], ".dk"),
  country("NO", 4, "NOK", 10.7, ["Norwegian", "English"], ".no"),
  country("FI", 4, "EUR", 0.9, ["Finnish", "English"], ".fi"),
  country("PL", 6, "PLN", 4, ["Polish", "English"], ".pl"),
  country("BE", 6, "EUR", 0.9, ["Dutch", "French"], ".be"),
  country("AT", 5, "EUR", 0.9, ["German"], ".at"),
  country("CH", 6, "CHF", 0.9, ["German", "French"], ".ch"),
  country("IE", 5, "EUR", 0.9, ["English"], ".ie"),
  country("NZ", 5, "NZD", 1.6, ["English"], ".co.nz"),
  country("PT", 5, "EUR", 0.9, ["Portuguese", "English"], ".pt"),
  country("AE", 5, "AED", 3.7, ["Arabic", "English"], ".ae"),
  country("SA", 4, "SAR", 3.75, ["Arabic"], ".sa"),
  country("TH", 4, "THB", 35, ["Thai", "English"], ".co.th"),
  country("HK", 4, "HKD", 7.8, ["Chinese", "English"], ".hk"),
  country("TW", 4, "TWD", 32, ["Chinese"], ".tw"),
  country("SG", 4, "SGD", 1.35, ["English", "Chinese"], ".sg"),
  country("ZA", 4, "ZAR", 18, ["English"], ".co.za"),
  country("TR", 3, "TRY", 34, ["Turkish", "English"], ".com.tr"),
  country("CZ", 3, "CZK", 23, ["Czech", "English"], ".cz"),
  country("GR", 2, "EUR", 0.9, ["Greek", "English"], ".gr"),
  country("RO", 3, "RON", 4.6, ["Romanian", "English"], ".ro"),
  country("HU", 2, "HUF", 360, ["Hungarian", "English"], ".hu"),
  country("VN", 2, "VND", 25000, ["Vietnamese", "English"], ".vn"),
  country("ID", 2, "IDR", 16000, ["Indonesian", "English"], ".co.id")
]

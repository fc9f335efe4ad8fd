/**
 * The letters of a text as searches compare them (D40): without compatibility forms, case and accents (`𝗕𝗢𝗟𝗗 Crème`
 * becomes `bold creme`).
 *
 * Letters that people write in two ways become one: those of Arabic and Persian keyboards, katakana and hiragana. Four
 * letters stay, because each has two {@link spellings}: `ä`, `ö` (also for `ø`), `ü` and `å`.
 */
import { domainToUnicode } from "node:url"

/**
 * Accents and vocalization (Latin, Greek, Cyrillic, Hebrew, Arabic), enclosing marks, tatweel, variation selectors,
 * skin tones and invisible formatting. Marks that make a different letter (Thai, Devanagari, kana) stay.
 */
const ignored =
  // oxlint-disable-next-line no-misleading-character-class
  /[\u0300-\u036F\u0483-\u0489\u0591-\u05BD\u05BF\u05C1\u05C2\u05C4\u05C5\u05C7\u0610-\u061A\u0640\u064B-\u065F\u0670\u06D6-\u06DC\u06DF-\u06E4\u06E7\u06E8\u06EA-\u06ED\u1AB0-\u1AFF\u1DC0-\u1DFF\u20D0-\u20FF\uFE00-\uFE0F\uFE20-\uFE2F\u{1F3FB}-\u{1F3FF}\u{E0100}-\u{E01EF}\p{Cf}]/gu

const inTurn = (fancy: string, plain: string): Readonly<Record<string, string>> =>
  Object.fromEntries(Array.from(fancy, (letter, index) => [letter, plain[index] ?? ""]))

/** Letters that Unicode does not decompose, but that people type as others. */
const otherLetters: Readonly<Record<string, string>> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "ö",
  ł: "l",
  đ: "d",
  ð: "d",
  þ: "th",
  ħ: "h",
  ı: "i",
  ς: "σ",
  // As Lucene's ArabicNormalizer and PersianNormalizer, with the heh of Urdu and Kurdish. Hamza and madda are marks.
  ...inTurn("\u0671\u0672\u0673", "\u0627\u0627\u0627"), // alef
  ...inTurn("\u0649\u06CC\u06D2", "\u064A\u064A\u064A"), // yeh
  ...inTurn("\u0629\u06C1\u06C3\u06D5", "\u0647\u0647\u0647\u0647"), // heh
  "\u06A9": "\u0643", // kaf
  ...inTurn("٠١٢٣٤٥٦٧٨٩", "0123456789"),
  ...inTurn("۰۱۲۳۴۵۶۷۸۹", "0123456789"),
  // Variants of the apostrophe and the hyphen.
  "\u2018": "'",
  "\u2019": "'",
  "\u02BB": "'",
  "\u02BC": "'",
  "\u2010": "-",
  // Decorative letters: small capitals, and white on black circles and squares.
  ...inTurn("ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ", "abcdefghijklmnoprstuvwyz"),
  ...inTurn("🅐🅑🅒🅓🅔🅕🅖🅗🅘🅙🅚🅛🅜🅝🅞🅟🅠🅡🅢🅣🅤🅥🅦🅧🅨🅩", "abcdefghijklmnopqrstuvwxyz"),
  ...inTurn("🅰🅱🅲🅳🅴🅵🅶🅷🅸🅹🅺🅻🅼🅽🅾🅿🆀🆁🆂🆃🆄🆅🆆🆇🆈🆉", "abcdefghijklmnopqrstuvwxyz")
}
const foldable = new RegExp(`[${Object.keys(otherLetters).join("")}]`, "gu")

/** The first letter of hiragana is as far below that of katakana as every other one. */
const katakana = /[\u30A1-\u30F6\u30FD\u30FE]/gu
const fromKatakana = 0x60

const umlauts: Readonly<Record<string, string>> = { a: "ä", o: "ö", u: "ü" }
const umlaut = /([aou])(\p{M}*?)\u0308/gu
const ring = /a(\p{M}*?)\u030A/gu

// oxlint-disable-next-line no-control-regex
const ascii = /^[\u0000-\u007F]*$/u

export const isAscii = (text: string): boolean => ascii.test(text)

/**
 * Marks that normalization reorders, and two kana letters that decompose into one. Reordering takes quadratic time in
 * the length of a row of marks, so each row is cut to 30, as in the Stream-Safe Text Format (UAX #15, section 13); no
 * language writes so many.
 */
const marks = /([\p{M}\uFF9E\uFF9F]{30})[\p{M}\uFF9E\uFF9F]+/gu

/** Text that can be normalized in linear time. */
export const streamSafe = (text: string): string => text.replaceAll(marks, "$1")

/** A label of a domain in ASCII (RFC 5891), at most 63 characters. */
const punycode = /(?<![a-z0-9-])xn--[a-z0-9-]{1,59}(?![a-z0-9-])/giu

/** Labels that cannot be decoded stay. */
const decodePunycode = (text: string): string =>
  text.indexOf("--") >= 0 ? text.replaceAll(punycode, (label) => domainToUnicode(label.toLowerCase()) || label) : text

export const fold = (text: string): string => {
  const decoded = decodePunycode(text)
  return ascii.test(decoded)
    ? decoded.toLowerCase()
    : // One mark can decompose into several.
      streamSafe(
        streamSafe(decoded)
          // Used as an apostrophe; NFKD would turn it into a blank.
          .replaceAll("\u00B4", "'")
          .normalize("NFKD")
      )
        .toLowerCase()
        .normalize("NFKD")
        .replaceAll(umlaut, (_, vowel: string, between: string) => `${umlauts[vowel] ?? vowel}${between}`)
        .replaceAll(ring, "å$1")
        .replaceAll(ignored, "")
        .replaceAll(foldable, (letter) => otherLetters[letter] ?? letter)
        .replaceAll(katakana, (letter) => String.fromCharCode(letter.charCodeAt(0) - fromKatakana))
        .normalize("NFC")
}

const twoSpellings = /[äöüå]/u
const withoutMark: Readonly<Record<string, string>> = { ä: "a", ö: "o", ü: "u", å: "a" }
const twoLetters: Readonly<Record<string, string>> = { ä: "ae", ö: "oe", ü: "ue", å: "aa" }

const spell = (word: string, by: Readonly<Record<string, string>>): string =>
  word.replaceAll(/[äöüå]/gu, (letter) => by[letter] ?? letter)

/** A folded text as it is typed without accents: `gurtel` for `gürtel`. */
export const withoutAccents = (folded: string): string =>
  twoSpellings.test(folded) ? spell(folded, withoutMark) : folded

/** How people spell a folded text: `gurtel` and `guertel`, `malmo` and `malmoe`, `alborg` and `aalborg`. One or two. */
export const spellings = (folded: string): ReadonlyArray<string> =>
  twoSpellings.test(folded) ? [spell(folded, withoutMark), spell(folded, twoLetters)] : [folded]

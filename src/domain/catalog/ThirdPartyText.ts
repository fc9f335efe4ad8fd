/**
 * Third-party text: page names, headlines, ad texts, product titles. It is data, never instructions (D31). It is cleaned
 * once, by the import, and shortened when it is shown.
 */

/**
 * Control characters except line break and tab, invisible characters (bidirectional overrides, zero-width and blank
 * characters, soft hyphens, tags), annotations, private use, and lone surrogates. Joiners and variation selectors are
 * invisible, too, but scripts and emoji need them: {@link clean} keeps those that have an effect.
 */
const unwanted =
  /(?![\n\t])\p{Cc}|[\p{Default_Ignorable_Code_Point}--[\p{Join_Control}\p{Variation_Selector}]]|[\uFFF9-\uFFFB]|\p{Cs}|\p{Co}/gv

/**
 * A variation selector that does not directly follow a character that it can vary: emoji and symbols, the digits of
 * keycaps, Mongolian letters, ideographs. A row of them can carry hidden text, so at most one is kept.
 */
const looseSelector =
  /(?<![[\p{Emoji}\p{So}]--[0-9#*]]|[0-9#*](?=\uFE0F\u20E3))[\uFE0E\uFE0F]|[\uFE00-\uFE0D]|(?<!\p{Script=Han})[\u{E0100}-\u{E01EF}]|(?<![\p{Script=Mongolian}&&\p{L}])[\u180B-\u180D\u180F]/gv

/** A zero-width (non-)joiner that joins nothing: not between two letters, marks or pictographs. */
const looseJoiner =
  /(?<![\p{L}\p{M}\p{Extended_Pictographic}\u{1F3FB}-\u{1F3FF}])[\u200C\u200D]+|[\u200C\u200D]+(?![\p{L}\p{Extended_Pictographic}\u2640\u2642\u2695\u2696\u2708])/gu

/** Every character that the three above may remove: one pass finds out that a text has none. */
const suspicious = /[[\p{Cc}--[\n\t]]\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB\p{Cs}\p{Co}]/v

/** Most text, and quicker to find out. */
const isPlain = /^[\t\n -~]*$/

const visible = (text: string): string =>
  !isPlain.test(text) && suspicious.test(text)
    ? text.replaceAll(unwanted, "").replaceAll(looseSelector, "").replaceAll(looseJoiner, "")
    : text

/** Removes what could hide, reorder or fake text, and trims. Idempotent. */
export const clean = (text: string): string => visible(text).trim()

/** What ends a line on a terminal or in an editor, and tabs. */
const breaks = /[\t-\r\u0085\u2028\u2029]+/gu

/** One line, cleaned as by {@link clean}, with its blanks: for a terminal and for names of files. Idempotent. */
export const line = (text: string): string => visible(text.replaceAll(breaks, " "))

const graphemes = new Intl.Segmenter("und", { granularity: "grapheme" })

/** Without surrogates, so that each UTF-16 unit is a code point. */
const isBasic = /^[\0-\uD7FF\uE000-\uFFFF]*$/u

/** The position after so many code points, or the length. */
const endOf = (text: string, maxCharacters: number): number => {
  if (isBasic.test(text.slice(0, maxCharacters))) return maxCharacters
  let end = 0
  for (let characters = 0; characters < maxCharacters && end < text.length; characters++) {
    end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1
  }
  return end
}

/** Two printable characters of ASCII are never one grapheme. */
const isPrintable = (unit: number): boolean => unit >= 0x20 && unit <= 0x7e

/** At most `maxCharacters` code points, without splitting a grapheme. Its cost depends on the limit, not on the text. */
export const cut = (text: string, maxCharacters: number): string => {
  // UTF-16 units are never fewer than code points: short text needs no count.
  if (text.length <= maxCharacters) return text
  const end = endOf(text, maxCharacters)
  if (end >= text.length) return text
  if (isPrintable(text.charCodeAt(end - 1)) && isPrintable(text.charCodeAt(end))) return text.slice(0, end)
  // Whether a grapheme ends here depends on the next character, and on none after it.
  const next = graphemes.segment(text.slice(0, end + 2)).containing(end)
  return text.slice(0, next?.index)
}

/**
 * Text that strangers wrote: page names, headlines, ad copy, product titles. It is data, never instructions
 * (decisions.md, "Tool answers"). It is cleaned once, when it is imported, and cut when it is shown.
 */

/**
 * Control characters but the line break and the tab, bidirectional overrides, invisible and unassigned formatting,
 * private use, and half surrogate pairs. Zero-width joiners inside emoji and in scripts that need them are kept by
 * {@link clean} where they join something.
 */
const unwanted =
  /(?![\n\t])\p{Cc}|[\u200B\u200E\u200F\u202A-\u202E\u2060-\u2064\u2066-\u206F\uFEFF\uFFF9-\uFFFB]|[\u{E0000}-\u{E007F}]|\p{Cs}|\p{Co}/gu

/** A zero-width (non-)joiner that joins nothing: not between two letters, marks or pictographs. */
const looseJoiner =
  /(?<![\p{L}\p{M}\p{Extended_Pictographic}\u{1F3FB}-\u{1F3FF}\uFE0F])[\u200C\u200D]+|[\u200C\u200D]+(?![\p{L}\p{Extended_Pictographic}\u2640\u2642\u2695\u2696\u2708])/gu

/** Removes what could hide, reorder or fake text, and trims. Idempotent. */
export const clean = (text: string): string => text.replaceAll(unwanted, "").replaceAll(looseJoiner, "").trim()

/** As {@link clean}, with nothing left being `null`. */
export const cleanOrNull = (text: string | null | undefined): string | null => {
  const cleaned = text === null || text === undefined ? "" : clean(text)
  return cleaned === "" ? null : cleaned
}

const graphemes = new Intl.Segmenter("und", { granularity: "grapheme" })

/** At most `maxCharacters` Unicode code points, never ending inside a grapheme. */
export const cut = (text: string, maxCharacters: number): string => {
  // UTF-16 units are never fewer than code points: short text needs no segmenting.
  if (text.length <= maxCharacters) return text
  let characters = 0
  let end = 0
  for (const { segment } of graphemes.segment(text)) {
    characters += Array.from(segment).length
    if (characters > maxCharacters) break
    end += segment.length
  }
  return text.slice(0, end)
}

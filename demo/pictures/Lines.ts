/** Text in a picture: escaped, and broken into lines without a browser to measure it. */
import { cut } from "../../src/domain/catalog/ThirdPartyText.ts"

/** Characters that XML cannot hold. */
const unwritable = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu

const references: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

export const escape = (text: string): string =>
  text.replaceAll(unwritable, "").replaceAll(/[&<>"']/gu, (character) => references[character] ?? "")

/** Whether the first letter is of a script that is written from right to left. */
export const isRightToLeft = (text: string): boolean => /^\P{L}*[\p{Script=Arabic}\p{Script=Hebrew}]/u.test(text)

/** The approximate width of a bold letter, relative to the font size. */
const widths: ReadonlyArray<readonly [RegExp, number]> = [
  [/[a-z]/u, 0.58],
  [/[\p{M}\p{Default_Ignorable_Code_Point}]/u, 0],
  [/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Extended_Pictographic}]/u, 1],
  [/[\s.,:;'’!|()[\]]/u, 0.34],
  [/[MW@%—]/u, 0.92],
  [/\p{Lu}/u, 0.71]
]
const otherwise = 0.62

const widthOf = (text: string): number => {
  let width = 0
  for (const character of text) width += widths.find(([form]) => form.test(character))?.[1] ?? otherwise
  return width
}

/** Longer texts are truncated before they are measured. */
const maxCharacters = 120

const words = new Intl.Segmenter("und", { granularity: "word" })

interface Word {
  readonly text: string
  readonly width: number
}

/** Scripts in which a line may break between two words without a space. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u

/** The parts between which a line may break, and the spaces between them. */
const wordsOf = (text: string): ReadonlyArray<Word> => {
  const parts: Array<string> = []
  for (const { segment } of words.segment(text)) {
    const last = parts.at(-1)
    const isJoined = last !== undefined && [last, segment].every((part) => part.trim() !== "" && !unspaced.test(part))
    if (isJoined) parts[parts.length - 1] = last + segment
    else parts.push(segment)
  }
  return parts.map((part) => ({ text: part, width: widthOf(part) }))
}

/** Returns `undefined` if a word is longer than a line. */
const broken = (all: ReadonlyArray<Word>, width: number): ReadonlyArray<string> | undefined => {
  const lines: Array<string> = []
  let line = ""
  let left = width
  for (const word of all) {
    const isBlank = word.text.trim() === ""
    if (word.width > width) return undefined
    if (word.width > left && !isBlank) {
      lines.push(line.trim())
      line = ""
      left = width
    }
    if (line === "" && isBlank) continue
    line += word.text
    left -= word.width
  }
  return line.trim() === "" ? lines : [...lines, line.trim()]
}

/** Relative to the font size. */
export const lineHeight = 1.2

/** Uses the largest size in which the text fits, or else one truncated line. `sizes` are in descending order. */
export const fitted = (
  text: string,
  box: { readonly width: number; readonly height: number },
  sizes: ReadonlyArray<number>
): { readonly size: number; readonly lines: ReadonlyArray<string> } => {
  // Few fonts have the letters of mathematical alphabets.
  const whole = text.normalize("NFKC").replaceAll(/\s+/gu, " ").trim()
  const shown = cut(whole, maxCharacters)
  const all = `${shown.trimEnd()}${shown === whole ? "" : "…"}`
  const measured = wordsOf(all)
  for (const size of sizes) {
    const lines = broken(measured, box.width / size)
    if (lines !== undefined && lines.length * size * lineHeight <= box.height) return { size, lines }
  }
  const smallest = Math.min(...sizes)
  return { size: smallest, lines: [`${cut(all, Math.max(1, Math.floor(box.width / smallest) - 1))}…`] }
}

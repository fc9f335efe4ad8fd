/** What `npm run check` holds texts to: the words of `rejected-words.md`, and citations of documents and files that exist. */

export interface TextFile {
  /** Relative to the project, with forward slashes. */
  readonly path: string
  readonly text: string
}

export interface Word {
  readonly pattern: RegExp
  readonly instead: string
}

/** Between words: spaces, also with a line break and the mark of a comment. */
const gap = String.raw`(?:[ \t]+|\s*\n\s*(?:\*|//|>)?[ \t]*)`

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)

/** Words with spaces between them, or as a part of an identifier (`LookRate`, `lookRate`, `look_rate`); `…` is any ending. */
const wordPattern = (entry: string): string => {
  const hasAnyEnding = entry.endsWith("…")
  const [first = "", ...others] = entry.replace(/…$/u, "").split(" ")
  const start = `(?:(?<![A-Za-z])[${first.charAt(0)}${capital(first).charAt(0)}]|(?<=[a-z])${capital(first).charAt(0)})${first.slice(1)}`
  const end = (letters: string) => (hasAnyEnding ? "" : `s?(?![${letters}])`)
  if (others.length === 0) return `${start}${end("a-z")}`
  const joined = others.map((word) => `(?:_${word}|${capital(word)})`).join("")
  return `${start}(?:${others.map((word) => `${gap}${word}`).join("")}${end("A-Za-z")}|${joined}${end("a-z")})`
}

/** The words that the table of `rejected-words.md` rejects, in lower case, with what to use instead. */
export const rejectedWords = (table: string): ReadonlyArray<Word> =>
  Array.from(table.matchAll(/^\| (?!-|not used)([^|]+) \| ([^|]+) \|$/gmu), ([, words = "", instead = ""]) => ({
    pattern: new RegExp(words.trim().split(", ").map(wordPattern).join("|"), "gu"),
    instead
  }))

/** Names of protocols, products and functions that the project cannot change. */
const foreign = /notifications\/(?:tool-)?cancelled|\bsendToolCancelled\b|ClickHouse|\bMath\.floor\b|\bfloor\(/gu

const lineOf = (text: string, index: number): number => text.slice(0, index).split("\n").length

/** Each as `path:line: what is wrong`. */
export const wordsIn = ({ path, text }: TextFile, words: ReadonlyArray<Word>): ReadonlyArray<string> => {
  const own = text.replaceAll(foreign, (name) => " ".repeat(name.length))
  return words.flatMap(({ instead, pattern }) =>
    Array.from(
      own.matchAll(pattern),
      (match) => `${path}:${lineOf(own, match.index)}: "${match[0].replaceAll(/\s+/gu, " ")}"; use ${instead}`
    )
  )
}

/** Documents and source files that a text names. */
const citation = /(?<![\w./@*<>-])(?:(?:src|test|bench|demo|migrations)\/[\w/.-]+\.ts|[\w-]+(?:\/[\w-]+)*\.md)\b/gu

const comment = /\/\*[\s\S]*?\*\/|(?<![:"'`])\/\/[^\n]*/gu

/** The text of a document; of code only the comments, at their places. */
const proseOf = ({ path, text }: TextFile): string => {
  if (!/\.(?:ts|js|css)$/u.test(path)) return text
  const blank = (code: string) => code.replaceAll(/[^\n]/gu, " ")
  let prose = ""
  for (const match of text.matchAll(comment)) prose += blank(text.slice(prose.length, match.index)) + match[0]
  return prose
}

/** A document is named by its path in the project, in `docs`, or in the folder of the file that names it. */
export const citationsIn = (file: TextFile, exists: (path: string) => boolean): ReadonlyArray<string> => {
  const { path } = file
  const folder = path.split("/").slice(0, -1).join("/")
  const text = proseOf(file)
  return Array.from(text.matchAll(citation)).flatMap((match) => {
    const [cited] = match
    return [cited, `docs/${cited}`, `${folder}/${cited}`].some(exists)
      ? []
      : [`${path}:${lineOf(text, match.index)}: cites ${cited}, which does not exist`]
  })
}

/** Whether a module has nothing but exports of other modules. */
export const isReExport = (text: string): boolean => {
  const code = text.replaceAll(comment, "")
  const own = code.replaceAll(
    /\b(?:import|export)\s(?:type\s)?(?:\*(?:\s+as\s+\w+)?|\{[^}]*\})\s*from\s*"[^"]+";?/gu,
    ""
  )
  return code.trim() !== "" && own.replaceAll(/\bexport\s(?:type\s)?\{[^}]*\};?/gu, "").trim() === ""
}

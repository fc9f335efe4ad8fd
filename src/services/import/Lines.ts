/**
 * Splits bytes into lines of text. Buffers at most one line, of limited length. Blank lines are counted but dropped here,
 * because a compressed file of blank lines decompresses to a thousand times its size.
 */

/** `number` counts from 1. `text` excludes the end of line; `problem` says why there is no text. */
export type Line =
  | { readonly number: number; readonly text: string; readonly isUnfinished: boolean }
  | { readonly number: number; readonly problem: string }

const newline = 0x0a
const byteOrderMark = "\uFEFF"

/** Anything but blanks and signs that are not shown, such as the one that ends a text in DOS. */
const value = /[^\s\p{Cc}\p{Cf}]/u

const withoutEnd = (text: string): string => {
  let end = text.length
  while (text.charAt(end - 1) === "\r" || text.charAt(end - 1) === "\u001A") end--
  return text.slice(0, end)
}

export const maxLineBytes = 1_048_576

export class Lines {
  #number = 0
  /** The beginning of an unfinished line; dropped when it gets too long. */
  #begun: Array<Uint8Array> = []
  #begunBytes = 0
  readonly #utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

  /** Returns the lines that end in these bytes. */
  push(bytes: Uint8Array): ReadonlyArray<Line> {
    const first = bytes.indexOf(newline)
    if (first === -1) {
      this.#keep(bytes)
      return []
    }
    const last = bytes.lastIndexOf(newline)
    this.#keep(bytes.subarray(0, first))
    const lines: Array<Line> = []
    this.#finish(false, lines)
    if (last > first) this.#whole(bytes.subarray(first + 1, last), lines)
    this.#keep(bytes.subarray(last + 1))
    return lines
  }

  /** Returns the last line, if it has no end of line. */
  end(): ReadonlyArray<Line> {
    const lines: Array<Line> = []
    if (this.#begunBytes > 0) this.#finish(true, lines)
    return lines
  }

  /** Reports the unfinished line as a problem, because the input is damaged here. */
  breakOff(problem: string): Line {
    this.#begun = []
    this.#begunBytes = 0
    return { number: ++this.#number, problem }
  }

  #keep(bytes: Uint8Array): void {
    this.#begunBytes += bytes.length
    if (this.#begunBytes > maxLineBytes) this.#begun = []
    else if (bytes.length > 0) this.#begun.push(bytes)
  }

  #finish(isUnfinished: boolean, lines: Array<Line>): void {
    const length = this.#begunBytes
    const [only, ...more] = this.#begun
    this.#begun = []
    this.#begunBytes = 0
    if (length > maxLineBytes) this.#tooLong(lines)
    else if (only === undefined) this.#number++
    else this.#line(more.length === 0 ? only : join(only, more, length), isUnfinished, lines)
  }

  /** Decodes all lines at once, and line by line only if that fails, to find the invalid one. */
  #whole(bytes: Uint8Array, lines: Array<Line>): void {
    const text = this.#decode(bytes)
    if (text !== undefined) {
      for (const line of text.split("\n")) {
        if (line.length > maxLineBytes) this.#tooLong(lines)
        else this.#of(line, false, lines)
      }
      return
    }
    for (let start = 0; start <= bytes.length;) {
      const found = bytes.indexOf(newline, start)
      const end = found === -1 ? bytes.length : found
      if (end - start > maxLineBytes) this.#tooLong(lines)
      else this.#line(bytes.subarray(start, end), false, lines)
      start = end + 1
    }
  }

  #line(bytes: Uint8Array, isUnfinished: boolean, lines: Array<Line>): void {
    const text = this.#decode(bytes)
    if (text !== undefined) return this.#of(text, isUnfinished, lines)
    lines.push({
      number: ++this.#number,
      problem: isUnfinished ? "the input ends in the middle of this record" : "is not UTF-8 text"
    })
  }

  #of(text: string, isUnfinished: boolean, lines: Array<Line>): void {
    const number = ++this.#number
    if (!value.test(text)) return
    const withoutMark = number === 1 && text.startsWith(byteOrderMark) ? text.slice(1) : text
    lines.push({ number, text: withoutEnd(withoutMark), isUnfinished })
  }

  #tooLong(lines: Array<Line>): void {
    lines.push({ number: ++this.#number, problem: `is longer than ${maxLineBytes} bytes` })
  }

  #decode(bytes: Uint8Array): string | undefined {
    try {
      return this.#utf8.decode(bytes)
    } catch {
      return undefined
    }
  }
}

const join = (first: Uint8Array, more: ReadonlyArray<Uint8Array>, length: number): Uint8Array => {
  const joined = new Uint8Array(length)
  joined.set(first)
  let offset = first.length
  for (const part of more) {
    joined.set(part, offset)
    offset += part.length
  }
  return joined
}

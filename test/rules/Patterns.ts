/**
 * Finds regular expressions whose time grows faster than the text. Three forms do so: a repetition within a repetition, two
 * repetitions that can share the same characters, and a pattern that is tried at every place and runs from each to the end.
 */

export interface Pattern {
  readonly source: string
  readonly flags: string
}

/** Characters that stand for all others: ASCII, and some of each kind that patterns name. */
const alphabet = [
  ...Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)),
  ...Array.from(
    "\u0085\u00A0\u00E9\u00DF\u0301\u0416\u05D0\u0627\u200B\u200D\u2019\u2028\u20AC\u3042\u30A2\u4E2D\uFEFF\uFF1D\uFF9E\uFE0F\u{1F600}"
  )
]

const all: ReadonlySet<string> = new Set(alphabet)

/** A repetition of more is considered to have no end. */
const manyTimes = 255

/** One position of a path through a pattern: a character, characters that are repeated, or a condition on the place. */
interface Step {
  /** The characters of the alphabet; undefined for a condition. */
  readonly characters?: ReadonlySet<string>
  /** Of a loop: for each of its paths, the characters of every position that it must pass. */
  readonly needs?: ReadonlyArray<ReadonlyArray<ReadonlySet<string>>>
  readonly isOptional: boolean
  /** Whether the pattern matches without it, and with what is around it. */
  readonly isSpare?: boolean
  readonly isLoop: boolean
  readonly isStart?: boolean
}

/** A path takes one alternative wherever there are several. */
type Path = ReadonlyArray<Step>

/** Paths that are compared, at most: more alternatives are not combined. */
const maxPaths = 400

const condition: Step = { isOptional: false, isLoop: false }

const intersect = (one: ReadonlySet<string>, other: ReadonlySet<string>): ReadonlySet<string> =>
  new Set([...one].filter((character) => other.has(character)))

const charactersOf = (path: Path): ReadonlySet<string> =>
  new Set(path.flatMap(({ characters = new Set() }) => [...characters]))

/** Whether the loop repeats with these characters alone. */
const repeatsWith = ({ isLoop, needs = [] }: Step, characters: ReadonlySet<string>): boolean =>
  isLoop && characters.size > 0 && needs.some((path) => path.every((needed) => intersect(needed, characters).size > 0))

/** What every match of a path has. */
const needsOf = (path: Path): ReadonlyArray<ReadonlySet<string>> =>
  path.flatMap(({ characters, isOptional }) => (characters === undefined || isOptional ? [] : [characters]))

/** Whether what a loop repeats has a loop that can take all of it, so that it can be divided in many ways. */
const isNested = (path: Path): boolean =>
  path.some(
    (loop) =>
      loop.isLoop &&
      repeatsWith({ ...loop, needs: [needsOf(path)] }, loop.characters ?? new Set()) &&
      repeatsWith(loop, loop.characters ?? new Set())
  )

class Reader {
  readonly #source: string
  readonly #flags: string
  #at = 0
  isNested = false

  constructor({ flags, source }: Pattern) {
    this.#source = source
    this.#flags = flags.replaceAll(/[gyd]/gu, "")
  }

  paths(): ReadonlyArray<Path> {
    const all: Array<Path> = []
    let paths: ReadonlyArray<Path> = [[]]
    for (;;) {
      const character = this.#source[this.#at]
      if (character === undefined || character === ")" || character === "|") {
        all.push(...paths)
        paths = [[]]
        if (character !== "|") return all
        this.#at++
        continue
      }
      const part = this.#quantified(this.#part())
      const combined = paths.flatMap((path) => part.map((more) => [...path, ...more]))
      paths = combined.slice(0, maxPaths)
    }
  }

  #take(pattern: RegExp): string | undefined {
    const found = new RegExp(pattern, "suy")
    found.lastIndex = this.#at
    const text = found.exec(this.#source)?.[0]
    if (text !== undefined) this.#at += text.length
    return text
  }

  #part(): ReadonlyArray<Path> {
    if (this.#take(/\(/) !== undefined) {
      const look = this.#take(/\?(?::|<?[=!]|<\w+>)/)
      const inner = this.paths()
      this.#at++
      // What a condition looks at has to be there, and what follows it may fail.
      return look !== undefined && /[=!]$/u.test(look) ? inner.map((path) => [...path, condition]) : inner
    }
    if (this.#take(/\^/) !== undefined) return [[{ ...condition, isStart: !this.#flags.includes("m") }]]
    if (this.#take(/\$|\\[bB]/) !== undefined) return [[condition]]
    const reference = this.#take(/\\[1-9]/)
    if (reference !== undefined) return [[{ characters: all, needs: [[]], isOptional: true, isLoop: true }, condition]]
    const text = this.#take(/\\[pP]\{[^}]*\}|\\u\{[^}]*\}|\\u[\da-fA-F]{4}|\\x[\da-fA-F]{2}|\\c[A-Z]|\\./)
    return [[this.#character(text ?? this.#class() ?? this.#take(/./) ?? "")]]
  }

  /** Classes of the flag `v` may be within each other. */
  #class(): string | undefined {
    if (this.#source[this.#at] !== "[") return undefined
    const start = this.#at
    let depth = 0
    do {
      const character = this.#source[this.#at++]
      if (character === "\\") this.#at++
      else if (character === "[" && (depth === 0 || this.#flags.includes("v"))) depth++
      else if (character === "]") depth--
    } while (depth > 0)
    return this.#source.slice(start, this.#at)
  }

  #character(source: string): Step {
    const pattern = new RegExp(`^${source}$`, this.#flags)
    return { characters: new Set(alphabet.filter((each) => pattern.test(each))), isOptional: false, isLoop: false }
  }

  #quantified(paths: ReadonlyArray<Path>): ReadonlyArray<Path> {
    const text = this.#take(/(?:[*+?]|\{\d+(?:,\d*)?\})\??/)
    if (text === undefined) return paths
    const [, least = text.startsWith("+") ? "1" : "0", comma, most] = /^\{(\d+)(,?)(\d*)\}/u.exec(text) ?? []
    const isEndless =
      most === undefined ? !text.startsWith("?") : (comma === "," && most === "") || Number(most) > manyTimes
    const isOptional = Number(least) === 0
    if (!isEndless) {
      return isOptional ? [[], ...paths.map((path) => path.map((step) => ({ ...step, isSpare: true })))] : paths
    }
    this.isNested ||= paths.some(isNested)
    const characters = new Set(paths.flatMap((path) => [...charactersOf(path)]))
    return [[{ characters, needs: paths.map(needsOf), isOptional, isLoop: true }]]
  }
}

const mayFail = ({ isOptional, isSpare = false }: Step): boolean => !isOptional && !isSpare

const isPassable = ({ characters, isOptional }: Step, common: ReadonlySet<string>): boolean =>
  characters === undefined || isOptional || intersect(characters, common).size > 0

/** Two loops that can share the same characters, before something that may fail. */
const sharesCharacters = (path: Path): boolean =>
  path.some((one, from) =>
    path.some((other, to) => {
      if (to <= from || !path.slice(to + 1).some(mayFail)) return false
      const common = intersect(one.characters ?? new Set(), other.characters ?? new Set())
      const between = path.slice(from + 1, to)
      return repeatsWith(one, common) && repeatsWith(other, common) && between.every((step) => isPassable(step, common))
    })
  )

/** A loop that each place before it can begin again, before something that may fail. */
const startsEverywhere = (path: Path): boolean =>
  path.some(
    (loop, at) =>
      repeatsWith(loop, loop.characters ?? new Set()) &&
      path.slice(at + 1).some(mayFail) &&
      path.slice(0, at).every((step) => step.isStart !== true && isPassable(step, loop.characters ?? new Set()))
  )

/** Why the time of a pattern grows faster than the text; undefined if it does not. */
export const slownessOf = (pattern: Pattern): string | undefined => {
  const reader = new Reader(pattern)
  const paths = reader.paths()
  if (reader.isNested) return "a repetition within a repetition"
  if (paths.some(sharesCharacters)) return "two repetitions of the same characters"
  if (!pattern.flags.includes("y") && paths.some(startsEverywhere)) return "tried at every place"
  return undefined
}

/** After these, a slash begins a pattern and divides nothing. */
const beforePattern = /(?:[(,=:[!&|?{;+]|=>|\b(?:return|case|typeof|in|of)|^)\s*$/u

const literal = /\/((?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)\/([dgimsuvy]*)(?!\w)/uy
const commentOrString = /\/\*.*?\*\/|\/\/[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/suy
/** A part of a template, up to its end or the code in it. */
const templatePart = /[`}](?:[^`\\$]|\\.|\$(?!\{))*(`|\$\{)/suy

const matchAt = (pattern: RegExp, text: string, at: number): RegExpExecArray | null => {
  pattern.lastIndex = at
  return pattern.exec(text)
}

/** The literal patterns of a source of TypeScript or JavaScript. */
export const patternsIn = (text: string): ReadonlyArray<Pattern> => {
  const found: Array<Pattern> = []
  /** For each template around this place, the open braces of the code in it. */
  const templates: Array<number> = []
  let braces = 0
  let before = ""
  for (let at = 0; at < text.length;) {
    const character = text[at] ?? ""
    const isInTemplate = character === "}" && braces === templates.at(-1)
    const part = character === "`" || isInTemplate ? matchAt(templatePart, text, at) : null
    const pattern = character === "/" && beforePattern.test(before) ? matchAt(literal, text, at) : null
    const other = `/"'`.includes(character) ? matchAt(commentOrString, text, at) : null
    if (part !== null) {
      if (isInTemplate) templates.pop()
      if (part[1] !== "`") templates.push(braces)
      before = part[1] === "`" ? "x" : "("
    } else if (other !== null) {
      if (character !== "/") before = "x"
    } else if (pattern !== null) {
      const [, source = "", flags = ""] = pattern
      found.push({ source, flags })
      before = "x"
    } else {
      if (character === "{") braces++
      if (character === "}") braces--
      before = (before + character).slice(-12)
    }
    at += (part ?? other ?? pattern)?.[0].length ?? 1
  }
  return found
}

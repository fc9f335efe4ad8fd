/**
 * Checks the specification in docs/spec and its citations: every cited number is a rule, every rule is in the table with
 * its code and a test that names it, and no text cites a document that is not in the repository.
 */
import { assert, describe, it } from "@effect/vitest"
import * as fs from "node:fs"

const project = new URL("..", import.meta.url)
const read = (file: string) => fs.readFileSync(new URL(file, project), "utf8")
const exists = (file: string) => fs.existsSync(new URL(file, project))

const filesOf = (folder: string): ReadonlyArray<string> =>
  fs
    .readdirSync(new URL(folder, project), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(?:ts|js|md)$/u.test(name))
    .map((name) => `${folder}/${name.replaceAll("\\", "/")}`)

/** Each document of rules, with the letter of its numbers. */
const documents = { service: "S", protocol: "P", oauth: "R", decisions: "D" } as const

/** The numbers that a document defines, in its order. */
const defined = (document: string): ReadonlyArray<string> =>
  Array.from(
    read(`docs/spec/${document}.md`).matchAll(/^(?:- |\| )\*\*([SPRD]\d{1,3})\*\* /gmu),
    ([, rule = ""]) => rule
  )

const rules = new Set(Object.keys(documents).flatMap(defined))

/** Not numbers of rules: challenge methods of PKCE, one of them invented. */
const others = new Set(["S256", "S512"])

/** Rules without a test. Never raise it. */
const maxUntested = 0

/** The numbers that a text names, those between the ends of a range (`R10 to R12`) as well. */
const cited = (text: string): ReadonlySet<string> => {
  const found = new Set(Array.from(text.matchAll(/\b[SPRD]\d{1,3}\b/gu), ([rule]) => rule))
  for (const [, letter = "", first, last] of text.matchAll(/\b([SPRD])(\d{1,3}) to \1(\d{1,3})\b/gu)) {
    for (let number = Number(first); number <= Number(last); number++) found.add(`${letter}${number}`)
  }
  return new Set(Array.from(found).filter((rule) => !others.has(rule)))
}

/** The files that a cell of the table links to, relative to the project. */
const linked = (cell: string): ReadonlyArray<string> =>
  Array.from(cell.matchAll(/\]\(\.\.\/\.\.\/([^)#]+)\)/gu), ([, file = ""]) => file)

/** A row may be of several rules, one after the other. */
const table = Array.from(
  read("docs/spec/README.md").matchAll(/^\| ((?:(?:, )?[SPRD]\d{1,3})+) +\| ([^|]+) \| ([^|]+) \|$/gmu)
).flatMap(([, of = "", sources = "", tests = ""]) =>
  of.split(", ").map((rule) => ({
    rule,
    sources: linked(sources),
    tests: linked(tests),
    cell: tests.trim()
  }))
)

/** Citations of documents that are not in the repository, in text without line breaks and comment marks. */
const elsewhere: ReadonlyArray<RegExp> = [
  /(?<!docs\/spec\/)\b(?:oauth|protocol|decisions|design|search|stack|import-formats)\.md\b/iu,
  /\bthe\sseed\b/iu,
  /\bissue\s\d+\b/iu
]

const unbroken = (text: string): string => text.replaceAll(/\s*\n\s*(?:\*(?!\/)|\/\/)?\s*/gu, " ")

const citedElsewhere = (text: string): ReadonlyArray<string> =>
  elsewhere.flatMap((pattern) => pattern.exec(unbroken(text))?.[0] ?? [])

describe("the specification", () => {
  it("numbers its rules from 1 on, without a gap", () => {
    for (const [document, letter] of Object.entries(documents)) {
      const numbers = defined(document)
      assert.isNotEmpty(numbers, document)
      assert.deepStrictEqual(
        numbers,
        numbers.map((_, index) => `${letter}${index + 1}`)
      )
    }
  })

  it("has every number that is cited", () => {
    const unknown = ["README.md", ...["src", "demo", "test", "bench", "docs", "migrations"].flatMap(filesOf)].flatMap(
      (file) =>
        Array.from(cited(read(file)))
          .filter((rule) => !rules.has(rule))
          .map((rule) => `${file}: ${rule}`)
    )
    assert.deepStrictEqual(unknown, [])
  })

  it("says of each rule where it is decided and which test holds it", () => {
    assert.deepStrictEqual(
      table.map(({ rule }) => rule),
      Array.from(rules)
    )
    const wrong = table.filter(
      ({ cell, sources, tests }) => sources.length === 0 || (tests.length === 0) !== (cell === "none")
    )
    assert.deepStrictEqual(wrong, [])
  })

  it("names only files that exist, and tests that name the rule", () => {
    const wrong = table.flatMap(({ rule, sources, tests }) => [
      ...sources
        .filter((file) => !/^(?:src|demo)\//u.test(file) || !exists(file))
        .map((file) => `${rule}: no source ${file}`),
      ...tests
        .filter(
          (file) => !/^test\/(?:oracle\/\w+|.+\.test)\.ts$/u.test(file) || !exists(file) || !cited(read(file)).has(rule)
        )
        .map((file) => `${rule}: not named by ${file}`)
    ])
    assert.deepStrictEqual(wrong, [])
  })

  it("has no more rules without a test than are known", () => {
    const untested = table.filter(({ tests }) => tests.length === 0).map(({ rule }) => rule)
    assert.isAtMost(untested.length, maxUntested, untested.join())
  })

  it("is cited instead of documents that are not in the repository", () => {
    const wrong = ["src", "demo", "test", "migrations"]
      .flatMap(filesOf)
      .flatMap((file) => citedElsewhere(read(file)).map((found) => `${file}: ${found}`))
    assert.deepStrictEqual(wrong, [])
  })
})

describe("the checks", () => {
  it("read ranges, and ignore what is not the number of a rule", () => {
    const letter = "R"
    assert.deepStrictEqual(
      Array.from(cited(`(${letter}1, ${letter}10 to ${letter}12; S256, P1Y)`)).sort(),
      ["1", "10", "11", "12"].map((number) => `${letter}${number}`)
    )
  })

  it.each([
    ["/** Who may ask (oauth", ".md 12). */"],
    ["// As the", " seed has it."],
    ["/**\n * As the", "\n * seed has it.\n */"],
    ["(is", "sue 4)"]
  ])("notice %j and what follows it", (start, end) => assert.lengthOf(citedElsewhere(`${start}${end}`), 1))

  it.each(["docs/spec/oauth.md", "docs/search-index.md", "docs/decisions/0008-pages.md", "for the same seed"])(
    "let %s be cited",
    (text) => assert.isEmpty(citedElsewhere(text))
  )
})

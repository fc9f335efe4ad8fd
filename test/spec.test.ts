/**
 * Checks the specification in docs/spec and its citations: every cited number is a rule, every rule is named by a module
 * and by a test, and no text cites a document that is not in the repository.
 */
import { assert, describe, it } from "@effect/vitest"
import { citations, cited, defined, documents, filesOf, read } from "./rules/Citations.ts"

const rules = Object.keys(documents).flatMap(defined)

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
    const numbers = new Set(rules)
    const unknown = ["README.md", ...["src", "demo", "test", "bench", "docs", "migrations"].flatMap(filesOf)].flatMap(
      (file) =>
        Array.from(cited(read(file)))
          .filter((rule) => !numbers.has(rule))
          .map((rule) => `${file}: ${rule}`)
    )
    assert.deepStrictEqual(unknown, [])
  })

  it.each(["modules", "tests"] as const)("has no rule that none of the %s names", (by) => {
    const citing = citations(by)
    assert.deepStrictEqual(
      rules.filter((rule) => !citing.has(rule)),
      []
    )
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

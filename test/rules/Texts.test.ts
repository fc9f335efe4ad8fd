/** What `npm run texts` finds, and what it does not. */
import { assert, describe, it } from "@effect/vitest"
import { citationsIn, isReExport, rejectedWords, wordsIn } from "./Texts.ts"

const words = rejectedWords(`# Words that are not used

| not used | use instead |
|---|---|
| widget, old box | gadget |
| tint… | color |
`)

const found = (text: string) => wordsIn({ path: "src/A.ts", text }, words)

describe("words", () => {
  it("are read from the table, without its head", () => {
    assert.deepStrictEqual(
      words.map(({ instead }) => instead),
      ["gadget", "color"]
    )
  })

  it("are reported with their line and what to use instead", () => {
    assert.deepStrictEqual(found("// one\n// a widget"), [`src/A.ts:2: "widget"; use gadget`])
  })

  it.each([
    "a Widget",
    "widgets",
    "widgetList",
    "const theWidget = 1",
    "the_widget",
    "aWidgets",
    "old_widget",
    "tinted",
    "reTinting",
    "an old box",
    "/**\n * an old\n * box\n */",
    "oldBoxList",
    "the_old_box"
  ])("are found in %j", (text) => assert.isNotEmpty(found(text)))

  it.each([
    "widgetry",
    "let old boxing",
    "old boxList",
    "WIDGETRY",
    "accepted",
    "midget",
    "untinted",
    "notifications/cancelled",
    "Math.floor(1)"
  ])("are not found in %j", (text) => assert.isEmpty(found(text)))
})

describe("citations", () => {
  const exists = (path: string) => ["README.md", "docs/import.md", "docs/spec/service.md", "src/A.ts"].includes(path)
  const missing = (path: string, text: string) => citationsIn({ path, text }, exists).length

  it.each([
    ["docs/a.md", "as [it](missing.md) says"],
    ["docs/a.md", "see `src/B.ts`"],
    ["src/A.ts", "/** As docs/missing.md says. */"],
    ["src/A.ts", "const a = 1 // missing.md, section 3"],
    ["src/a.css", "/* See docs/missing.md. */"]
  ])("of what does not exist are found: in %s, %j", (path, text) => assert.strictEqual(missing(path, text), 1))

  it.each([
    ["src/A.ts", "/** README.md, import.md and docs/import.md */"],
    ["docs/spec/protocol.md", "[service](service.md), `src/A.ts`, [out](../import.md), https://example.com/b.md"],
    ["src/A.ts", `const path = "docs/missing.md" /* a value */`]
  ])("of what exists are not: in %s, %j", (path, text) => assert.strictEqual(missing(path, text), 0))
})

describe("a file that only re-exports", () => {
  it.each([
    `export * from "./B.ts"`,
    `/** Everything. */\nexport { b } from "./B.ts"\nexport type { C } from "./C.ts"`,
    `import { b } from "./B.ts"\nimport * as C from "./C.ts"\nexport { b, C }`
  ])("is %j", (text) => assert.isTrue(isReExport(text)))

  it.each([`import { b } from "./B.ts"\nexport const c = b + 1`, `export * from "./B.ts"\nb()`, "", "// nothing"])(
    "is not %j",
    (text) => assert.isFalse(isReExport(text))
  )
})

/** What people read in `locales/*.json`: complete, used, the same in all languages, and in one voice. */
import { assert, describe, it } from "@effect/vitest"
import { IntlMessageFormat } from "intl-messageformat"
import { globSync, readFileSync } from "node:fs"
import { catalogs, languages } from "../src/domain/Messages.ts"
import { adSorts } from "../src/domain/search/AdQuery.ts"
import { figureSorts } from "../src/domain/search/MarketQuery.ts"
import { productSorts } from "../src/domain/search/ProductQuery.ts"
import { shopSorts } from "../src/domain/search/ShopQuery.ts"

type Catalog = Readonly<Record<string, string>>
type Elements = ReturnType<IntlMessageFormat["getAst"]>

/** What the parser calls plain text. */
const literal = new IntlMessageFormat("text", "en").getAst()[0]?.type

const namesIn = (elements: Elements): ReadonlyArray<string> =>
  elements.flatMap((element): ReadonlyArray<string> => {
    if ("children" in element) return [element.value, ...namesIn(element.children)]
    if ("options" in element) {
      return [element.value, ...Object.values(element.options).flatMap(({ value }) => namesIn(value))]
    }
    return "value" in element && element.type !== literal ? [element.value] : []
  })

/** Of a message that does not parse, why. `code` is a tag that every message may have. */
const parametersOf = (message: string): string => {
  try {
    const names = new Set(namesIn(new IntlMessageFormat(message, "en").getAst()))
    names.delete("code")
    return Array.from(names).toSorted().join()
  } catch (error) {
    return String(error)
  }
}

const missing = (one: Catalog, other: Catalog) => Object.keys(one).filter((key) => !Object.hasOwn(other, key))

const unparsed = (catalog: Catalog) =>
  Object.keys(catalog).filter((key) => parametersOf(catalog[key] ?? "").includes("Error"))

const differing = (one: Catalog, other: Catalog) =>
  Object.keys(one).filter((key) => parametersOf(one[key] ?? "") !== parametersOf(other[key] ?? ""))

/** Keys and codes as the sources have them: whole, or a template that ends with what is not a page's name alone. */
const unused = (keys: ReadonlyArray<string>, sources: ReadonlyArray<string>) => {
  const text = sources.join("\n")
  const wordsIn = (texts: ReadonlyArray<string>) =>
    new Set(Array.from(texts.join("\n").matchAll(/"([\w.-]+)"/gu), ([, word = ""]) => word))
  const words = wordsIn(sources)
  const codes = wordsIn(sources.filter((source) => source.includes("ArgumentIssue.ts")))
  const templates = Array.from(
    text.matchAll(/`(\w+\.\w+\.[\w.]*\$\{\w+(?:\.\w+)*\}[\w.]*)`/gu),
    ([, template = ""]) => new RegExp(`^${template.replaceAll(/\$\{[^}]*\}/gu, "[\\w-]+")}$`, "u")
  )
  return keys.filter(
    (key) =>
      !words.has(key) &&
      !(key.startsWith("issue.") && codes.has(key.slice(6))) &&
      !templates.some((each) => each.test(key))
  )
}

/** The names of the object literal that begins at `start`; what is spread into it is not known. */
const namesAt = (text: string, start: number): string => {
  const names: Array<string> = []
  let depth = 0
  let part = ""
  for (let index = start; index < text.length; index++) {
    const character = text[index] ?? ""
    if (depth === 1 && (character === "," || character === "}")) {
      const [, name = ""] = /^\s*(\w+)/u.exec(part) ?? []
      if (name !== "") names.push(name)
      part = ""
    } else if (depth === 1) part += character
    if ("{([".includes(character)) depth++
    else if ("})]".includes(character) && --depth === 0) break
  }
  return names.toSorted().join()
}

const call = /\b(?:(?:text|html)\(\s*|(problem|refused)\(\s*|issueAt\([^,]+,\s*)"([\w.-]+)"(\s*,\s*(?=\{))?/gu

/** Calls that give a message other parameters than it has. */
const misused = (catalog: Catalog, sources: ReadonlyArray<string>) =>
  sources.flatMap((text) =>
    Array.from(text.matchAll(call)).flatMap((found) => {
      const [whole, , name = "", args] = found
      const message = catalog[/^(?:text|html)/u.test(whole) ? name : `issue.${name}`]
      const given = args === undefined ? "" : namesAt(text, found.index + whole.length)
      return message === undefined || parametersOf(message) === given ? [] : [`${whole}: ${given}`]
    })
  )

const sources = globSync("src/**/*.{ts,js}").map((file) => readFileSync(file, "utf8"))

describe("locales", () => {
  it("have the same messages, with the same parameters, in every language", () => {
    for (const language of languages) {
      assert.deepStrictEqual(missing(catalogs.en, catalogs[language]), [], language)
      assert.deepStrictEqual(missing(catalogs[language], catalogs.en), [], language)
      assert.deepStrictEqual(unparsed(catalogs[language]), [], language)
      assert.deepStrictEqual(differing(catalogs.en, catalogs[language]), [], language)
    }
  })

  it("have no message that no source uses", () => {
    assert.deepStrictEqual(unused(Object.keys(catalogs.en), sources), [])
  })

  it("are not left in English where they have two words or more", () => {
    const hasWords = (text: string) => /\p{L}{2,}\P{L}+\p{L}{2,}/u.test(text.replaceAll(/[<{][^<>{}]*[>}]/gu, ""))
    for (const language of languages.filter((each) => each !== "en")) {
      const texts: Catalog = catalogs[language]
      const same = Object.entries(catalogs.en).filter(([key, text]) => hasWords(text) && texts[key] === text)
      assert.deepStrictEqual(same, [], language)
    }
  })

  it("name every order", () => {
    const names: Catalog = catalogs.en
    const orders = [...adSorts, ...productSorts, ...shopSorts, ...figureSorts]
    assert.deepStrictEqual(
      orders.filter((order) => names[`filter.sorts.${order}`] === undefined),
      []
    )
  })

  it("get the parameters that they have", () => {
    assert.deepStrictEqual(misused(catalogs.en, sources), [])
  })

  it("are distinguished from broken ones", () => {
    const en = { "a.b": "{count, plural, one {# key} other {# keys}} of <b>{name}</b>", "issue.c": "it's {date}" }
    assert.deepStrictEqual(missing(en, { "a.b": "" }), ["issue.c"])
    assert.deepStrictEqual(unparsed({ ...en, d: "{count, plural, one {#}}", e: "{open" }), ["d", "e"])
    assert.deepStrictEqual(differing(en, { ...en, "a.b": "{count} <b>{nom}</b>" }), ["a.b"])
    assert.deepStrictEqual(differing(en, { "a.b": "{count} <b>{name}</b>", "issue.c": "le {date}" }), [])
    const keys = ["a.b.x", "a.b.y", "a.c", "c.d.e", "issue.c", "issue.f"]
    const used = [
      "text(`a.b.${name}`)",
      'from "./ArgumentIssue.ts"; problem("c")',
      '"f"',
      "text(`issue.${code}`)",
      'text("c.d")'
    ]
    assert.deepStrictEqual(unused(keys, used), ["a.c", "c.d.e", "issue.f"])
    const right = 'text("a.b", { count: f({ x, y }), name, b: (c) => c }) refused("c", { ...known, date: 1 }) text("z")'
    assert.deepStrictEqual(misused(en, [right]), [])
    assert.lengthOf(misused(en, ['text("a.b")', 'html("a.b", { count, name })', 'issueAt(path, "c", { day })']), 3)
  })

  /** Formal, and with the marks of the language. */
  const rules = [
    { language: "de", never: /\b(?:du|dich|dir|deine?[mnrs]?)\b/giu, what: "du" },
    { language: "fr", never: /(?<!\p{L})(?:tu|toi|ton|tes)(?!\p{L})/giu, what: "tu" },
    { language: "fr", never: /\p{L}'\p{L}/gu, what: "a straight apostrophe" },
    {
      language: "es",
      never: /(?<!\p{L})(?:tú|tus?|ti|contigo|tuy[oa]s?|tienes|eres|puedes|sigues|quisiste|escribe|añade)(?!\p{L})/giu,
      what: "tú"
    }
  ] as const

  it.each(rules)("in $language have no $what", ({ language, never }) => {
    for (const [key, text] of Object.entries(catalogs[language]))
      assert.deepStrictEqual(text.match(never) ?? [], [], key)
  })
})

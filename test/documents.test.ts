import { assert, describe, expect, it } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import * as fs from "node:fs"
import { AppConfig, variables } from "../src/Config.ts"
import { AdSearch } from "../src/services/search/AdSearch.ts"
import { MarketOverview } from "../src/services/search/MarketOverview.ts"
import { ProductReader } from "../src/services/search/ProductReader.ts"
import { ProductSearch } from "../src/services/search/ProductSearch.ts"
import { ShopReader } from "../src/services/search/ShopReader.ts"
import { ShopSearch } from "../src/services/search/ShopSearch.ts"
import { Vocabulary } from "../src/services/search/Vocabulary.ts"
import { ToolRegistry } from "../src/services/tools/ToolRegistry.ts"
import * as Documents from "./support/Documents.ts"
import { limitsPage } from "./support/LimitsPage.ts"

const project = new URL("..", import.meta.url)
const read = (file: string) => fs.readFileSync(new URL(file, project), "utf8")

/** The titles of all tests in a file. */
const titlesOf = (file: string): ReadonlySet<string> =>
  new Set(
    Array.from(
      read(file).matchAll(/(?:\b(?:describe|it)(?:\.\w+)*|\)|\}|>)\(\s*(?:"((?:[^"\\\n]|\\.)*)"|`([^`]*)`)/g),
      ([, plain, template]) => (plain ?? template ?? "").replaceAll('\\"', '"')
    )
  )

const registry = ToolRegistry.layer.pipe(
  Layer.provide([
    Layer.mock(AdSearch, {}),
    Layer.mock(MarketOverview, {}),
    Layer.mock(ProductSearch, {}),
    Layer.mock(ShopSearch, {}),
    Layer.mock(ShopReader, {}),
    Layer.mock(ProductReader, {}),
    Layer.mock(Vocabulary, {})
  ]),
  Layer.provide(AppConfig.layerOf({}))
)

describe("documents", () => {
  it.effect("docs/tools.md is generated from the tools", () =>
    Effect.gen(function* () {
      const { tools } = yield* ToolRegistry
      const page = Documents.toolsPage(tools)
      yield* Effect.promise(() => expect(page).toMatchFileSnapshot("../docs/tools.md"))
    }).pipe(Effect.provide(registry))
  )

  it.effect("D64 docs/benchmarks.md has what the definitions cost in tokens", () =>
    Effect.gen(function* () {
      const { tools } = yield* ToolRegistry
      assert.include(read("docs/benchmarks.md"), Documents.tokensTable(tools))
    }).pipe(Effect.provide(registry))
  )

  it("docs/errors.md names every error code", () =>
    expect(Documents.errorsPage()).toMatchFileSnapshot("../docs/errors.md"))

  it("docs/limits.md has the limits of the code", () => expect(limitsPage()).toMatchFileSnapshot("../docs/limits.md"))

  it.effect("the example of every tool is a valid call", () =>
    Effect.gen(function* () {
      const { tools } = yield* ToolRegistry
      for (const { decode, name } of tools) {
        const { result } = decode(Documents.examples[name])
        assert.isTrue(Result.isSuccess(result), name)
      }
    }).pipe(Effect.provide(registry))
  )

  it("the README's table of configuration names every variable, its default and its meaning", () => {
    assert.include(read("README.md"), Documents.configurationTable())
  })

  it("every variable that is documented is read, and the other way round", () => {
    const names = new Set(Array.from(read("src/Config.ts").matchAll(/"([A-Z][A-Z_]+)"/gu), (match) => match[1]))
    assert.sameMembers([...names], Object.keys(variables))
  })

  describe("docs/security.md", () => {
    const rows = Array.from(
      read("docs/security.md").matchAll(/^\| (\d+) \| [^|]+ \| (.+) \|$/gm),
      ([, number, tests = ""]) => ({
        number: Number(number),
        named: Array.from(
          tests.matchAll(/\]\(\.\.\/(test\/[^)]+)\): ((?:`[^`]+`(?:, )?)+)/g),
          ([, file = "", titles = ""]) =>
            Array.from(titles.matchAll(/`([^`]+)`/g), ([, title = ""]) => ({ file, title }))
        ).flat()
      })
    )

    it("has a row with a test for every requirement", () => {
      assert.deepStrictEqual(
        rows.map(({ number }) => number),
        Array.from({ length: 56 }, (_, index) => index + 1)
      )
      for (const { named, number } of rows) assert.isNotEmpty(named, String(number))
    })

    it("names only tests that exist, by their whole titles", () => {
      const missing = rows
        .flatMap(({ named }) => named)
        .filter(({ file, title }) => !titlesOf(file).has(title))
        .map(({ file, title }) => `${file}: ${title}`)
      assert.deepStrictEqual(missing, [])
    })
  })

  it("the lock has the integrity of every package of a production install", () => {
    const lock: {
      readonly packages: Readonly<Record<string, { readonly integrity?: string; readonly dev?: boolean }>>
    } = JSON.parse(read("package-lock.json"))
    const unknown = Object.entries(lock.packages).filter(([, { integrity }]) => integrity === undefined)
    assert.deepStrictEqual(
      unknown.filter(([, { dev }]) => dev !== true).map(([path]) => path),
      [""]
    )
  })

  it("every page that a document links to exists", () => {
    const pages = [
      "README.md",
      "CONTRIBUTING.md",
      ...fs
        .readdirSync(new URL("docs", project), { recursive: true, encoding: "utf8" })
        .filter((name) => name.endsWith(".md"))
        .map((name) => `docs/${name}`)
    ]
    for (const page of pages) {
      for (const [, target = ""] of read(page).matchAll(/\]\((?!https?:|#)([^)#]+)(?:#[^)]*)?\)/gu)) {
        assert.isTrue(fs.existsSync(new URL(target, new URL(page, project))), `${page} links to ${target}`)
      }
    }
  })
})

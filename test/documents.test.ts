import { assert, describe, expect, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import * as fs from "node:fs"
import { variables } from "../src/Config.ts"
import { ToolRegistry } from "../src/services/tools/ToolRegistry.ts"
import * as Documents from "./support/Documents.ts"
import { bodyRoutes, formRoutes, pageRoutes } from "./support/HostileRoutes.ts"
import { limitsPage } from "./support/LimitsPage.ts"
import { missing } from "./support/NamedTests.ts"
import type { NamedTest } from "./support/NamedTests.ts"

const project = new URL("..", import.meta.url)
const read = (file: string) => fs.readFileSync(new URL(file, project), "utf8")

/** The tests that a cell names: links to files, each with whole titles behind it. */
const testsIn = (cell: string): ReadonlyArray<NamedTest> =>
  Array.from(cell.matchAll(/\]\((?:\.\.\/)+(test\/[^)]+)\): ((?:`[^`]+`(?:, )?)+)/gu), ([, file = "", titles = ""]) =>
    Array.from(titles.matchAll(/`([^`]+)`/gu), ([, title = ""]) => ({ file, title }))
  ).flat()

/** The test of each limit in docs/limits.md: at its value, and one beyond. */
const limitTests: Readonly<Record<string, readonly [file: string, title: string]>> = {
  "`get_usage`, `list_filter_options`, `list_saved_searches`": [
    "domain/access/Credit",
    "S6, D17 are those of the specification"
  ],
  "`search_ads`, `search_products`, `search_shops`, `compare_markets`, `compare_ads`, `list_changes`, `get_shop`, `get_product`, `run_saved_search`":
    ["domain/access/Credit", "S6, D17 are those of the specification"],
  "a call that fails": ["services/tools/ToolRunner", "D34 when the search times out"],
  "a repeat of a call under the same idempotency key within 24 hours": [
    "services/credits/CreditLedger",
    "D16 is new, then a repeat that costs nothing, for 24 hours"
  ],
  "plan Growth": ["services/credits/CreditLedger", "D13 never goes past the allowance, however many calls run at once"],
  "plan Pro": ["services/credits/CreditLedger", "D13 never goes past the allowance, however many calls run at once"],
  "plan Starter, or a subscription that is not active": [
    "domain/access/Plan",
    "S8, D5, D6 with an active Growth or Pro subscription and with no other"
  ],
  "messages of an account to `/mcp`, of any method": [
    "http/mcp/Tools",
    "is in every answer; further calls are rate_limited, and other methods 429; accounts do not share their limits"
  ],
  "searches of one account that run or wait at once": [
    "services/search/runtime/SearchThreads",
    "an account has half of the places, others find theirs, and the rest is refused at once"
  ],
  "views of the catalog's pages ([which](dashboard.md))": [
    "services/limits/DailyPageViews",
    "are so many of each account, counted by all servers together, however many are asked for at once"
  ],
  "new API keys": [
    "services/credentials/ApiKeys",
    "S101 of 20 new keys an hour count revoked ones too, and the error has the time to wait"
  ],
  "refreshes of a connected app": [
    "services/oauth/Grants",
    "R45 more often than 120 times an hour has to wait, and loses nothing by it"
  ],
  "a request": ["http/mcp/Transport", "a body of 256 KiB is read, one byte more is 413"],
  "a batch (revision 2025-03-26 only)": [
    "http/mcp/Transport",
    "P6 have at most 20 messages; one more is refused as a whole, free of charge"
  ],
  "an answer of a tool": [
    "domain/Truncation",
    "S32, D30 keeps as many of the first items as fit into 64 KiB, and says when it dropped some"
  ],
  "results of a search": ["services/tools/ArgumentBounds", "are taken, and one beyond is refused by its name"],
  "an export of a search": [
    "http/pages/catalog/Exports",
    "have exactly the first 500 results, once each, of products and of the newest ads"
  ],
  "duration of a search": [
    "services/search/runtime/SearchThreads",
    "a search that takes five seconds is stopped, and its thread is free again"
  ],
  "API keys": ["services/credentials/ApiKeys", "S100 of 10 active keys hold when several servers make keys at once"],
  "connected apps": [
    "services/oauth/Grants",
    "R54 the apps of an account are at most 200, also when many are approved at once"
  ],
  passkeys: [
    "services/sessions/passkeys/Passkeys",
    "D77 refuses a passkey that is registered, and more than 20, also at once"
  ],
  "stores that are tracked or owned": [
    "services/accounts/TrackedShops",
    "by its %s takes at most 1,000 stores an account, also at once, and one that is there"
  ],
  "saved searches": [
    "services/accounts/SavedSearches",
    "are at most 50 an account, also when they come at once; one that is there is renamed"
  ],
  boards: [
    "services/accounts/Boards",
    "have at most 500 items each, also when they are kept at once, and one that is there stays as it is"
  ],
  "last searches on the overview page": [
    "services/accounts/SavedSearches",
    "the last five that were shown are kept, each once, latest first, for their account alone"
  ],
  "API key": [
    "services/credentials/ApiKeys",
    "takes one of the ten while the old key works on, and none when it ends now"
  ],
  "access token": ["services/oauth/Grants", "the access token alone is a credential, for an hour"],
  "connection of an app": [
    "services/oauth/Grants",
    "S93 keeps a connection for 30 days from its last use, and a year in all"
  ],
  "request for access, from the first page to the answer": ["http/oauth/Consent", "is over after 15 minutes"],
  "sign-in to the dashboard": ["services/sessions/Sessions", "D9 ends after 12 hours without use"]
}

describe("documents", () => {
  it.effect("docs/tools.md is generated from the tools", () =>
    Effect.gen(function* () {
      const { tools } = yield* ToolRegistry
      const page = Documents.toolsPage(tools)
      yield* Effect.promise(() => expect(page).toMatchFileSnapshot("../docs/tools.md"))
    }).pipe(Effect.provide(Documents.registry))
  )

  it.effect("D64 bench/results/endpoint.md has what the definitions cost in tokens", () =>
    Effect.gen(function* () {
      const { tools } = yield* ToolRegistry
      const table = /(?<=\n)\| tool \| name, description[^]*?(?=\n\n)/u
      const page = read("bench/results/endpoint.md")
      assert.match(page, table)
      const current = page.replace(table, () => Documents.tokensTable(tools))
      yield* Effect.promise(() => expect(current).toMatchFileSnapshot("../bench/results/endpoint.md"))
    }).pipe(Effect.provide(Documents.registry))
  )

  it("docs/errors.md names every error code", () =>
    expect(Documents.errorsPage()).toMatchFileSnapshot("../docs/errors.md"))

  it("docs/limits.md has the limits of the code", () => expect(limitsPage()).toMatchFileSnapshot("../docs/limits.md"))

  it("every limit of docs/limits.md has a test that reaches it and goes beyond", () => {
    const rows = Array.from(limitsPage().matchAll(/^\| (.+?) \| .+ \|$/gmu), ([, what = ""]) => what)
    const limits = rows.filter((what) => what !== "what")
    assert.deepStrictEqual(Object.keys(limitTests).toSorted(), limits.toSorted())
    assert.deepStrictEqual(
      missing(Object.values(limitTests).map(([file, title]) => ({ file: `test/${file}.test.ts`, title }))),
      []
    )
  })

  it.effect("the example of every tool is a valid call", () =>
    Effect.gen(function* () {
      const { tools } = yield* ToolRegistry
      for (const { decode, name } of tools) {
        const { result } = decode(Documents.examples[name])
        assert.isTrue(Result.isSuccess(result), name)
      }
    }).pipe(Effect.provide(Documents.registry))
  )

  it("the README's table of configuration names every variable, its default and its meaning", () => {
    const rows = read("README.md").matchAll(/^\| `([A-Z][A-Z_]+)` \| (?:`([^`]+)`)? \| \S.* \|$/gmu)
    assert.deepStrictEqual(
      Array.from(rows, ([, name, fallback = ""]) => [name, fallback]),
      Object.entries(variables)
    )
  })

  it("every variable that is documented is read, and the other way round", () => {
    const names = new Set(Array.from(read("src/Config.ts").matchAll(/"([A-Z][A-Z_]+)"/gu), (match) => match[1]))
    assert.sameMembers([...names], Object.keys(variables))
  })

  describe("the rules of the authorization server in docs/spec/README.md", () => {
    const rows = Array.from(
      read("docs/spec/README.md").matchAll(/^\| R(\d+) \| [^|]+ \| (.+) \|$/gm),
      ([, number, tests = ""]) => ({
        number: Number(number),
        named: testsIn(tests)
      })
    )

    it("have a row with a test, by its title, for each", () => {
      assert.deepStrictEqual(
        rows.map(({ number }) => number),
        Array.from({ length: 56 }, (_, index) => index + 1)
      )
      for (const { named, number } of rows) assert.isNotEmpty(named, String(number))
    })

    it("name only tests that exist, by their whole titles", () => {
      assert.deepStrictEqual(missing(rows.flatMap(({ named }) => named)), [])
    })
  })

  it("the table of hostile requests in bench/results/hostile.md has every route that they are sent to", () => {
    const page = read("bench/results/hostile.md")
    const measured = Array.from(page.matchAll(/^\| `(\/[^`]*)` \|/gmu), ([, route = ""]) => route)
    const routes = [formRoutes, pageRoutes].flatMap((lists) => Object.values(lists).flat())
    assert.sameMembers(measured, Array.from(new Set([...routes, ...bodyRoutes].map(({ route }) => route))))
  })

  describe("docs/asvs.md", () => {
    /** How many requirements of levels 1 and 2 each section of ASVS 5.0.0 has: in each they are the first. */
    const sections: Readonly<Record<string, ReadonlyArray<number>>> = {
      1: [2, 9, 11, 3, 2],
      2: [3, 3, 4, 1],
      3: [0, 2, 4, 6, 5, 0, 2],
      4: [3, 1, 2, 4],
      5: [1, 3, 2, 3],
      6: [3, 12, 4, 4, 5, 3, 0, 4],
      7: [3, 4, 2, 5, 2, 2],
      8: [2, 3, 1, 1],
      9: [3, 4],
      10: [2, 2, 4, 11, 5, 2, 3],
      11: [2, 3, 3, 4, 1, 1, 0],
      12: [3, 2, 4],
      13: [1, 5, 2, 5],
      14: [2, 4, 3],
      15: [3, 3, 7, 0],
      16: [1, 5, 4, 3, 3],
      17: [1, 4, 2]
    }
    const states = ["met", "**partly**", "**not met**", "n/a"] as const
    const page = read("docs/asvs.md")
    const rows = Array.from(
      page.matchAll(/^\| (\d+\.\d+\.\d[^|]*) \| [^|]+ \| ([^|]+) \| ([^|]*) \| ([^|]*) \|$/gmu),
      ([, numbers = "", state = "", where = "", tests = ""]) => ({
        numbers: numbers.split(", ").flatMap((part) => {
          const [, section, first, last = first] = /^(\d+\.\d+)\.(\d+)(?: to (\d+))?$/u.exec(part) ?? []
          const count = Number(last) - Number(first) + 1
          return Array.from({ length: count }, (_, index) => `${section}.${Number(first) + index}`)
        }),
        state,
        where: where.trim(),
        tests: tests.trim()
      })
    )

    it("has each requirement of levels 1 and 2 once, in their order", () => {
      const wanted = Object.entries(sections).flatMap(([chapter, counts]) =>
        counts.flatMap((count, section) =>
          Array.from({ length: count }, (_, index) => `${chapter}.${section + 1}.${index + 1}`)
        )
      )
      assert.lengthOf(wanted, 253)
      assert.deepStrictEqual(
        rows.flatMap(({ numbers }) => numbers),
        wanted
      )
    })

    it("says of each whether it is met, where or why not, and counts them", () => {
      const counts = states.map((each) =>
        rows.reduce((sum, { numbers, state }) => sum + (state === each ? numbers.length : 0), 0)
      )
      const [met, partly, notMet, notApplicable] = counts
      assert.include(page, `**${met} met, ${partly} partly, ${notMet} not met**, ${notApplicable} not applicable`)
      assert.strictEqual(
        counts.reduce((sum, count) => sum + count),
        253
      )
      for (const { numbers, where } of rows) assert.isNotEmpty(where, numbers.join())
    })

    it("names as tests only tests that exist, by their whole titles", () => {
      const cell = /^(?:(?:^|; )\[[\w/]+\]\(\.\.\/test\/[\w/]+\.test\.ts\): `[^`]+`(?:, `[^`]+`)*)*$/u
      for (const { numbers, tests } of rows) assert.match(tests, cell, numbers.join())
      assert.deepStrictEqual(missing(rows.flatMap(({ tests }) => testsIn(tests))), [])
    })

    it("says of each that is met without a test why there is none", () => {
      for (const { numbers, state, tests, where } of rows) {
        if (state === "met") assert.strictEqual(tests === "", where.includes("No test: "), numbers.join())
      }
    })
  })

  describe("the sizes of servers in docs/operations.md", () => {
    const sizing = new Map(
      Array.from(read("docs/operations.md").matchAll(/^\| ([^|]+) \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$/gmu), (row) => {
        const [, what = "", ...cells] = row.map((cell) => cell.replaceAll("**", ""))
        return [what, cells]
      })
    )
    /** The numbers of a cell; the columns are 20,000, 200,000 and 5 million stores. */
    const numbersOf = (what: string, column: 0 | 1 | 2): ReadonlyArray<number> =>
      Array.from((sizing.get(what)?.[column] ?? assert.fail(`no row ${what}`)).matchAll(/[\d.]+/gu), Number)
    const resident = "memory of a server at rest"
    const start = "start with a snapshot, without one"

    it("are those that bench/results/searches.md measured", () => {
      const page = read("bench/results/searches.md")
      const measured = (what: string): number =>
        Number(new RegExp(`^\\| ${what} \\| ([\\d.]+) `, "mu").exec(page)?.[1] ?? assert.fail(`no row ${what}`))
      assert.deepStrictEqual(numbersOf(resident, 1), [measured("memory at rest")])
      assert.deepStrictEqual(numbersOf("the most that it took, in merges", 1), [measured("memory while merging")])
      assert.deepStrictEqual(numbersOf(start, 1), [
        measured("start with a snapshot"),
        Math.round(measured("start from nothing"))
      ])
    })

    it("are those of a larger catalog in docs/search-index.md", () => {
      const [, larger = ""] = /^## A larger catalog\n\n(.+?)\n\n/msu.exec(read("docs/search-index.md")) ?? []
      const said = (text: RegExp): ReadonlyArray<number> =>
        (text.exec(larger.replaceAll("\n", " ")) ?? assert.fail(`nothing like ${text}`)).slice(1).map(Number)
      const [small = Number.NaN, arrays = Number.NaN] = said(/the arrays from (\d+) to (\d+) MB/u)
      const [process = Number.NaN] = said(/beside ([\d.]+) GB of the process/u)
      const [largest = Number.NaN] = said(/take ([\d.]+) GB of arrays/u)
      assert.closeTo(arrays / 1000 + process, numbersOf(resident, 1)[0] ?? Number.NaN, 0.005)
      assert.strictEqual(Math.ceil(largest + process), numbersOf(resident, 2)[0])
      assert.closeTo(largest, (arrays / 1000) * 25, 0.05)

      const snapshot = "one snapshot; the volume of `INDEX_DIR` holds three for a moment"
      assert.deepStrictEqual(
        ([0, 1, 2] as const).map((column) => numbersOf(snapshot, column)[0]),
        [Math.round(small / 10) / 100, Math.round(arrays / 10) / 100, Math.round(largest)]
      )

      const starts = ([0, 1, 2] as const).flatMap((column) => numbersOf(start, column).slice(1))
      const seconds = said(/without a snapshot from (\d+) to (\d+) s/u)
      assert.deepStrictEqual([...seconds, ...said(/(\d+) minutes to start/u)], starts)
      const items = numbersOf("products, ads", 2)
      assert.deepStrictEqual(said(/5 million stores \((\d+) million products, (\d+) million ads\)/u), items)
      const machine = numbersOf("a server: cores, memory", 2)
      assert.deepStrictEqual(said(/machine with (\d+) cores or more and (\d+) GB/u), machine)
    })
  })

  describe("package-lock.json", () => {
    /** The packages without integrity, but for the manifest itself. */
    const unknownIn = (folder: string) => {
      const lock: { readonly packages: Readonly<Record<string, { readonly integrity?: string }>> } = JSON.parse(
        read(`${folder}package-lock.json`)
      )
      const entries = Object.entries(lock.packages).filter(([path]) => path !== "")
      return entries.flatMap(([path, { integrity }]) => (integrity === undefined ? [path] : []))
    }

    it("the lock has the integrity of every package, and so has that of the benchmarks", () => {
      assert.deepStrictEqual([...unknownIn(""), ...unknownIn("bench/")], [])
    })

    it("that of the tests lacks it for these 6 packages of other systems, and for no other", () => {
      assert.sameMembers(
        unknownIn("test/"),
        ["darwin-arm64", "darwin-x64", "linux-arm", "linux-arm64", "win32-arm64", "win32-x64"].map(
          (system) => `node_modules/@effect/tsgo-${system}`
        )
      )
    })
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

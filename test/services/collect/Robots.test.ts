import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Robots from "../../../src/services/collect/Robots.ts"

const allows = (text: string, path: string) => Robots.parse(text, "discovery").allows(path)

describe("robots.txt (RFC 9309)", () => {
  const groups: ReadonlyArray<readonly [what: string, text: string, path: string, isAllowed: boolean]> = [
    ["an empty file allows everything", "", "/a", true],
    ["a page of HTML allows everything", "<!doctype html>\n<p>Disallow: /</p>", "/a", true],
    ["a rule for everyone", "User-agent: *\nDisallow: /a", "/a/b", false],
    ["a rule for everyone, elsewhere", "User-agent: *\nDisallow: /a", "/b", true],
    ["an empty rule", "User-agent: *\nDisallow:", "/a", true],
    [
      "rules for us go before those for everyone",
      "User-agent: *\nDisallow: /\n\nUser-agent: discovery\nAllow: /",
      "/a",
      true
    ],
    ["and are the only ones", "User-agent: discovery\nDisallow: /b\nUser-agent: *\nDisallow: /a", "/a", true],
    ["our name in other letters", "user-agent: DISCOVERY\ndisallow: /a", "/a", false],
    ["our name with a version", "User-agent: Discovery/2.0\nDisallow: /a", "/a", false],
    ["the name of another that begins as ours", "User-agent: discoverybot\nDisallow: /a", "/a", true],
    ["a group of several names", "User-agent: other\nUser-agent: discovery\nDisallow: /a", "/a", false],
    [
      "two groups of one name are one",
      "User-agent: discovery\nDisallow: /a\nUser-agent: x\nDisallow: /c\nUser-agent: discovery\nDisallow: /b",
      "/b",
      false
    ],
    ["other lines end no group", "User-agent: discovery\nSitemap: https://a.com/s.xml\n\nDisallow: /a", "/a", false],
    ["a rule before any group", "Disallow: /a\nUser-agent: *\nDisallow: /b", "/a", true],
    ["comments", "User-agent: * # all\nDisallow: /a # not this", "/a", false],
    ["carriage returns and a byte order mark", "\uFEFFUser-agent: *\r\nDisallow: /a\r", "/a", false],
    ["robots.txt itself", "User-agent: *\nDisallow: /", "/robots.txt", true]
  ]
  it.each(groups)("%s", (_, text, path, isAllowed) => {
    assert.strictEqual(allows(text, path), isAllowed)
  })

  const rules: ReadonlyArray<readonly [rules: string, path: string, isAllowed: boolean]> = [
    ["Disallow: /a\nAllow: /a/b", "/a/b/c", true],
    ["Allow: /a/b\nDisallow: /a", "/a/c", false],
    ["Disallow: /a\nAllow: /a", "/a", true],
    ["Disallow: /*.json", "/products.json?limit=250&page=1", false],
    ["Disallow: /*.json$", "/products.json?limit=250&page=1", true],
    ["Disallow: /*.json$", "/meta.json", false],
    ["Disallow: /*?*page=", "/products.json?limit=250&page=1", false],
    ["Disallow: /$", "/", false],
    ["Disallow: /$", "/a", true],
    ["Disallow: /a*b*c", "/axxbyyczz", false],
    ["Disallow: /a*b*c$", "/axcbc", false],
    ["Disallow: /a*b*c$", "/abcb", true],
    ["Disallow: *", "/a", false],
    ["Disallow: /ab$", "/a", true],
    ["Disallow: /a*a$", "/a", true],
    ["Disallow: /é", "/%C3%A9", false],
    ["Disallow: /%c3%a9", "/%C3%A9", false],
    ["Disallow: /%7Ea", "/~a", false],
    ["Disallow: /a%2Fb", "/a/b", true]
  ]
  it.each(rules)("%j says of %s: %s", (lines, path, isAllowed) => {
    assert.strictEqual(allows(`User-agent: *\n${lines}`, path), isAllowed)
  })

  it("returns the requested delay, for our group only", () => {
    const delay = (text: string) => Robots.parse(text, "discovery").crawlDelaySeconds
    assert.strictEqual(delay("User-agent: *\nCrawl-delay: 2.5"), 2.5)
    assert.strictEqual(delay("User-agent: *\nCrawl-delay: 9\nUser-agent: discovery\nCrawl-delay: 1"), 1)
    assert.isUndefined(delay("User-agent: other\nCrawl-delay: 9"))
    for (const wrong of ["", "soon", "-1", "1e9", "Infinity"]) {
      assert.isUndefined(delay(`User-agent: *\nCrawl-delay: ${wrong}`))
    }
  })

  const Piece = Schema.Literals(["a", "b", "/", "*", "$", "ab", "."])
  const Pattern = Schema.Array(Piece).check(Schema.isMaxLength(8))
  const Path = Schema.Array(Schema.Literals(["a", "b", "/", "."])).check(Schema.isMaxLength(10))
  const Rules = Schema.Array(Schema.Struct({ pattern: Pattern, isAllowed: Schema.Boolean })).check(
    Schema.isMaxLength(5)
  )

  /** The result by regular expressions, as the RFC describes it. */
  const expected = (rules: typeof Rules.Type, path: string): boolean => {
    const matching = rules
      .map(({ isAllowed, pattern }) => ({ isAllowed, text: `/${pattern.join("")}` }))
      .filter(({ text }) => {
        const isWhole = text.endsWith("$")
        const literal = (isWhole ? text.slice(0, -1) : text)
          .split("*")
          .map((part) => part.replaceAll(/[$./]/gu, String.raw`\$&`))
          .join(".*")
        return new RegExp(`^${literal}${isWhole ? "$" : ""}`, "u").test(path)
      })
    const longest = Math.max(...matching.map(({ text }) => text.length))
    const deciding = matching.filter(({ text }) => text.length === longest)
    return deciding.length === 0 || deciding.some(({ isAllowed }) => isAllowed)
  }

  it.prop("the longest pattern that matches decides, whatever the rules", [Rules, Path], ([rules, path]) => {
    const text = rules.map(({ isAllowed, pattern }) => `${isAllowed ? "Allow" : "Disallow"}: /${pattern.join("")}`)
    const address = `/${path.join("")}`
    assert.strictEqual(allows(["User-agent: *", ...text].join("\n"), address), expected(rules, address))
  })

  it("is fast for any file", () => {
    const text = `User-agent: *\nDisallow: /${"*a".repeat(20_000)}$\n${"Disallow: /*x*y\n".repeat(20_000)}`
    assert.isTrue(allows(text, `/${"a".repeat(2_000)}`))
  }, 2_000)
})

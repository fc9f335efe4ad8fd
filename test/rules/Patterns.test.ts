/** No pattern over foreign text takes more than linear time, unless the text is short. */
import { assert, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import { patternsIn, slownessOf } from "./Patterns.ts"

const project = new URL("../../", import.meta.url)

const sources = fs
  .readdirSync(new URL("src", project), { recursive: true, encoding: "utf8" })
  .filter((name) => /\.[jt]s$/u.test(name))
  .map((name) => ({ path: `src/${name}`, text: fs.readFileSync(new URL(`src/${name}`, project), "utf8") }))

/** What limits the text of a pattern that is slow, or seems to be, by the file and the beginning of the pattern. */
const accepted: Readonly<Record<string, string>> = {
  [String.raw`src/domain/SettingValues.ts /^[^@()<>,;:"/]+@`]: "a setting of at most 200 characters",
  [String.raw`src/domain/access/Device.ts /\bVersion\/`]: "cut after 512 characters",
  [String.raw`src/domain/access/Password.ts /[\d\p{P}\p{S}]+$`]: "at most 256 characters",
  [String.raw`src/domain/access/Password.ts /^(.+?)\1+$`]: "at most 256 characters",
  [String.raw`src/domain/catalog/ThirdPartyText.ts /(?<![\p{L}\p{M}`]:
    "a row of joiners but its last one is always followed by a joiner",
  [String.raw`src/domain/mcp/ExactIds.ts /"[^"`]: "valid JSON, in which every string has its end",
  [String.raw`src/services/search/ExportFile.ts /(?<=(?:^|[,;|`]:
    "blanks are read only before a sign, and back to the last sign",
  [String.raw`src/domain/search/Warnings.ts /(?<![\p{Pi}`]: "begins only where a row of punctuation does",
  [String.raw`src/domain/oauth/MetadataDocument.ts /"(?:[^"\\]|\\.)*"`]:
    "valid JSON, in which every string has its end",
  [String.raw`src/services/import/CsvRows.ts /^(?:(?:(?![\r\n])`]:
    "each round ends with a line, which none of its other characters is, and what follows may be missing",
  [String.raw`src/services/import/OtherFiles.ts /^(?:<\?xml`]: "cut after 4,096 characters",
  [String.raw`src/services/import/OtherFiles.ts /^<\?xml`]: "cut after 4,096 characters",
  [String.raw`src/http/mcp/apps/Cards.ts /^import`]: "files of the program",
  [String.raw`src/http/pages/catalog/AdCard.ts /\n\s*\n`]: "two line breaks with blanks between them always match",
  [String.raw`src/http/pages/docs/Documents.ts /<!--`]: "documents of the program",
  [String.raw`src/services/import/formats/Foreign.ts /^[^\d+.,-]*(`]: "at most 100 characters",
  [String.raw`src/services/import/formats/Foreign.ts /^[+-]?(?:\d+\.?`]: "at most 100 characters",
  [String.raw`src/services/import/formats/MapGuess.ts /^[^\d,]*`]: "at most 300 characters",
  [String.raw`src/http/mcp/apps/view/views.js /\n\s*\n`]: "two line breaks with blanks between them always match"
}

describe("the patterns of the sources", () => {
  it("are found", () => assert.isAbove(sources.flatMap(({ text }) => patternsIn(text)).length, 300))

  it("take a time that grows with the text, unless it is limited", () => {
    const used = new Set<string>()
    const found = sources.flatMap(({ path, text }) =>
      patternsIn(text).flatMap((pattern) => {
        const slowness = slownessOf(pattern)
        if (slowness === undefined) return []
        const line = `${path} /${pattern.source}/${pattern.flags}`
        const reason = Object.keys(accepted).find((start) => line.startsWith(start))
        if (reason !== undefined) used.add(reason)
        return reason === undefined ? [`${line}: ${slowness}`] : []
      })
    )
    assert.deepStrictEqual(found, [])
    assert.sameMembers([...used], Object.keys(accepted), "accepted patterns that are no longer there, or not slow")
  })

  it("are made from texts in few places, of constants, names of elements and forms of dates", () =>
    assert.deepStrictEqual(
      sources.flatMap(({ path, text }) => Array.from(text.matchAll(/\bRegExp\(/gu), () => path)),
      [
        "src/domain/access/Credential.ts",
        "src/domain/access/Credential.ts",
        "src/domain/catalog/PlainText.ts",
        "src/domain/mcp/ExactIds.ts",
        "src/domain/search/FoldText.ts",
        "src/domain/search/SearchText.ts",
        "src/services/import/formats/Format.ts",
        "src/services/import/formats/OtherKinds.ts",
        "src/services/import/formats/ReadAs.ts",
        "src/services/search/clickhouse/EngineTables.ts"
      ]
    ))
})

describe("a pattern", () => {
  it.each([
    [/\{\{.*?\}\}/su, "tried at every place"],
    [/<!--[^]*-->/u, "tried at every place"],
    [/\s+$/u, "tried at every place"],
    [/^ +| +$/u, "tried at every place"],
    [/a*b/u, "tried at every place"],
    [/(?<!x)[^,]+;/u, "tried at every place"],
    [/^(?:a+)+$/u, "a repetition within a repetition"],
    [/^(?:\w+\s?)*$/u, "a repetition within a repetition"],
    [/^(?:a|[ab]{1,999})*c/u, "a repetition within a repetition"],
    [/^\s*,?\s*x/u, "two repetitions of the same characters"],
    [/^[a-z]+[a-m]*[0-9]/u, "two repetitions of the same characters"],
    [/^(a*).*$/u, "two repetitions of the same characters"],
    [/^(?:a*b|.*c).*d/u, "two repetitions of the same characters"]
  ] as const)("%s is slow", (pattern, slowness) => assert.strictEqual(slownessOf(pattern), slowness))

  it.each([
    /^\s*\d+(?:\.\d+)?\s*$/u,
    /"[^"]*"/u,
    /[/?#].*/su,
    /\s+/gu,
    /^(?:[^.]+\.)*local$/u,
    /^[a-z]+(?:\.[a-z]+)*$/u,
    /\bgzip\b(?!\s*;\s*q=0)/iu,
    /\bpixel\b/iu,
    /[a-z]{1,30}-\d/u,
    /[?&]token=[^&]*&?/giu,
    /\s+/uy
  ])("%s is not", (pattern) => assert.isUndefined(slownessOf(pattern)))

  it("is found between code, strings, comments and templates", () => {
    const text = [
      "const a = 6 / 2 / b // no /pattern/ here",
      '/* nor /here/ */ const c = "/no/" + `/no/ ${text.replace(/one/gu, `${/two/.source}`)} /no/`',
      "const d = [/[/\\]]three/u, (x) => /four/.test(x)]",
      "if (e) return /five/iu",
      "const f = { g: /six/, h: b / 2 } / 3 / 4"
    ].join("\n")
    assert.deepStrictEqual(
      patternsIn(text).map(({ source }) => source),
      ["one", "two", "[/\\]]three", "four", "five", "six"]
    )
  })
})

/** Rules of secure code that docs/asvs.md names, read from the sources and from the settings of the checks. */
import { assert, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import manifest from "../../package.json" with { type: "json" }

const project = new URL("../../", import.meta.url)
const read = (file: string) => fs.readFileSync(new URL(file, project), "utf8")

const sources = ["src", "demo", "migrations"].flatMap((folder) =>
  fs
    .readdirSync(new URL(folder, project), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.[jt]s$/u.test(name))
    .map((name) => ({ path: `${folder}/${name}`, text: read(`${folder}/${name}`) }))
)

/** All matches, each as its file and the first group. */
const found = (pattern: RegExp): ReadonlyArray<readonly [path: string, what: string]> =>
  sources.flatMap(({ path, text }) => Array.from(text.matchAll(pattern), ([, what = ""]) => [path, what] as const))

const whatOf = (pattern: RegExp) => [...new Set(found(pattern).map(([, what]) => what))].toSorted()

describe("the sources", () => {
  it("are all read", () => assert.isAbove(sources.length, 100))

  it("start other programs in two modules, by lists of arguments and a constant script", () => {
    const postgres = "src/services/database/PostgresProcess.ts"
    assert.sameDeepMembers(
      [...found(/import (\{[^}]*\}) from "(?:node:)?child_process"/gu)],
      [
        ["src/services/database/DataFolder.ts", "{ spawnSync }"],
        [postgres, "{ spawn }"]
      ]
    )
    assert.lengthOf(found(/["'`](?:node:)?child_process["'`]/gu), 2)
    assert.isEmpty(found(/\b(shell):/gu))
    const shells = /["'`]((?:\/\w+)*\/\w*sh|bash|cmd(?:\.exe)?|powershell)["'`]/gu
    assert.deepStrictEqual([...found(shells)], [[postgres, "/bin/sh"]])
    assert.match(read(postgres), /^const lifelineScript = `[^`]+`$/mu)
    assert.match(read(postgres), /"-c", lifelineScript, "sh",/u)
    assert.notMatch(read(postgres), /^const lifelineScript = `[^`]*\$\{/mu)
  })

  it("read a file as a whole up to a limit, unless it is one of the program, its packages or the system", () => {
    const readers = found(/\b(readFile(?:Sync|String)?|createReadStream)\(/gu).filter(([path]) =>
      path.startsWith("src/")
    )
    assert.sameDeepMembers(
      [...readers],
      [
        ["src/Bundle.ts", "readFileSync"],
        ["src/http/mcp/apps/Cards.ts", "readFileSync"],
        ["src/http/pages/docs/Documents.ts", "readFileSync"],
        ["src/http/pages/shared/Assets.ts", "readFileSync"],
        ["src/services/database/PostgresBinaries.ts", "readFile"],
        // A pipe, whose stream is read in parts.
        ["src/services/import/FileLocator.ts", "createReadStream"],
        ["src/services/metrics/ProcessMetrics.ts", "readFileSync"]
      ]
    )
  })

  it("run no text as code, and no script of theirs writes markup", () => {
    assert.isEmpty(found(/\b(eval\(|new Function\()/gu))
    assert.isEmpty(found(/\b((?:inner|outer)HTML|insertAdjacentHTML|document\.write)\b/gu))
    assert.deepStrictEqual(
      [...found(/\b(runIn\w*Context\([^)]*\)|new \w*Script\([^)]*\))/gu)],
      [["src/services/Memory.ts", `runInNewContext("gc")`]]
    )
  })

  it("keep nothing in the storage of browsers but cookies that scripts cannot read", () =>
    assert.isEmpty(
      found(/\b((?:local|session)Storage|indexedDB|document\.cookie|cookieStore|caches\.open|serviceWorker)\b/gu)
    ))

  it("hash by SHA-256 and HMAC of SHA-256 and SHA-512 alone, and passwords by Argon2id", () => {
    const calls =
      /(?<![.\w])(?:crypto\.)?(?:createHash|createHmac|hkdf(?:Sync)?|pbkdf2(?:Sync)?|scrypt(?:Sync)?)\(\s*([^,)]*)/gu
    assert.deepStrictEqual(whatOf(calls), [`"sha256"`])
    const imported = sources.filter(({ text }) => /import \{[^}]*\bhash\b[^}]*\} from "node:crypto"/u.test(text))
    assert.isNotEmpty(imported)
    for (const { path, text } of imported) assert.match(text, /\bhash\("sha256", /u, path)
    assert.deepStrictEqual(whatOf(/\bMac\.(hmac\w+)/gu), ["hmacSha256", "hmacSha512"])
    assert.deepStrictEqual(whatOf(/\bKdf\.([a-z]\w*)/gu), ["argon2id"])
    assert.isEmpty(found(/\b(md[245]|sha-?1|ripemd\d*|subtle)\b/giu))
  })

  it("compare strictly, in the strict mode of TypeScript, by the checks that CI runs", () => {
    const { compilerOptions }: { readonly compilerOptions: Readonly<Record<string, unknown>> } = JSON.parse(
      read("tsconfig.json")
    )
    const strict = ["strict", "exactOptionalPropertyTypes", "noUncheckedIndexedAccess", "noFallthroughCasesInSwitch"]
    for (const option of strict) assert.isTrue(compilerOptions[option], option)
    // What `strict` implies can be taken back one by one.
    const weakened = Object.entries(compilerOptions).filter(
      ([name, on]) => /^(?:no|strict|use)[A-Z]/u.test(name) && !on
    )
    assert.isEmpty(weakened)

    const lint: {
      readonly rules: Readonly<Record<string, unknown>>
      readonly overrides: ReadonlyArray<{ readonly rules: Readonly<Record<string, unknown>> }>
    } = JSON.parse(read(".oxlintrc.json"))
    for (const rule of ["eslint/eqeqeq", "typescript/no-explicit-any", "typescript/ban-ts-comment"]) {
      assert.strictEqual(lint.rules[rule], "error", rule)
      for (const { rules } of lint.overrides) assert.notProperty(rules, rule)
    }
    assert.isEmpty(found(/(?:ox|es)lint-disable\S* .*\b(eqeqeq|no-explicit-any)/gu))
    assert.isEmpty(found(/\/\/ (@ts-\w+)/gu))

    const { check, lint: linting, types } = manifest.scripts
    assert.include(types, "tsc --noEmit")
    assert.include(linting, "--deny-warnings")
    for (const name of ["types", "lint"]) assert.include(check.split(" && "), `npm run ${name}`)
    assert.include(read(".ci/run"), "npm run check")
  })
})

/**
 * Rules that the compiler does not check: the direction of imports, where live layers are chosen, the length of files,
 * and platform functions that are not used.
 */
import { assert, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"

interface SourceFile {
  /** Relative to the project, with forward slashes. */
  readonly path: string
  readonly text: string
}

interface Violation {
  readonly path: string
  readonly rule: string
}

/** What each layer may import besides itself. `cli` belongs to `main`. */
const mayImport: Record<string, ReadonlyArray<string>> = {
  domain: [],
  config: ["domain"],
  services: ["domain", "config", "migrations"],
  http: ["domain", "config", "services"],
  main: ["domain", "config", "services", "http", "demo", "migrations"],
  demo: ["domain"],
  migrations: ["domain"]
}

/**
 * What the folder of a subject may import of the folders beside it. Imports between two subjects go one way.
 * Exceptions are in {@link bothWays}, with the files that make them.
 */
const subjects: Record<string, ReadonlyArray<string>> = {
  "domain/access": [],
  "domain/catalog": [],
  "domain/search": ["catalog"],
  "domain/mcp": ["access", "search"],
  "domain/oauth": ["catalog", "mcp"],
  "services/database": [],
  "services/metrics": ["database"],
  "services/limits": ["database", "metrics"],
  "services/fetch": [],
  "services/import": ["database"],
  "services/credits": ["database", "limits", "metrics"],
  "services/credentials": ["database", "credits"],
  "services/mail": ["database", "limits", "metrics"],
  "services/sessions": ["credentials", "database", "limits", "mail"],
  "services/accounts": ["credentials", "credits", "database", "limits", "mail", "sessions"],
  "services/billing": ["accounts", "database", "limits", "metrics"],
  "services/oauth": ["credentials", "database", "fetch", "limits", "metrics"],
  "services/retention": ["accounts", "database", "oauth"],
  "services/collect": ["fetch", "import"],
  "services/search": ["database", "limits", "metrics"],
  "services/changes": ["database", "limits", "search"],
  "services/alerts": ["accounts", "changes", "database", "limits", "mail", "metrics", "search"],
  "services/webhooks": ["changes", "database", "fetch", "limits", "mail", "metrics"],
  "services/tools": ["accounts", "changes", "credits", "database", "import", "limits", "metrics", "search"],
  "http/shared": [],
  "http/pages": ["shared"],
  "http/oauth": ["pages", "shared"],
  "http/mcp": ["shared"]
}

/** Files that import a subject above their own, each for a reason. */
const bothWays: Record<string, ReadonlyArray<string>> = {
  // Statements are counted where they fail or succeed.
  "src/services/database/Availability.ts": ["metrics"],
  "src/services/database/Readiness.ts": ["metrics"],
  // The name of a tool is a label; the length of the outbox and the running import are numbers of the database.
  "src/services/metrics/Metrics.ts": ["tools"],
  "src/services/metrics/DatabaseMetrics.ts": ["import", "mail"],
  // A call is shown with the name of its credential, as far back as calls are kept.
  "src/services/credits/CallerNames.ts": ["credentials"],
  "src/services/credits/CallHistory.ts": ["retention"],
  // A link is made when its mail is sent, so that the outbox stores none.
  "src/services/mail/Mailer.ts": ["accounts"],
  // Closing an account ends its subscription.
  "src/services/accounts/AccountClosing.ts": ["billing"],
  // A registration first deletes unused clients when the limit is reached.
  "src/services/oauth/Clients.ts": ["retention"],
  // The challenge of a refused call names the metadata.
  "src/http/mcp/Authentication.ts": ["oauth"]
}

const subjectOf = (file: string): readonly [layer: string, subject: string] | undefined => {
  const [, layer, subject] = /^src\/(domain|services|http)\/([a-z]+)\//.exec(file) ?? []
  return layer === undefined || subject === undefined ? undefined : [layer, subject]
}

/** Packages of the domain: Effect, and what only computes. */
const domainPackages = new Set(["effect", "countries-list", "intl-messageformat", "tldts", "node:url", "node:zlib"])

/** Parts of Effect with side effects, which the domain does not use. */
const sideEffects = /^effect\/(http|sql|process|socket|persistence|cluster|cli|workers)\b/

/** The data structures and the algorithm of searches: only what computes, so that they can be read and tested alone. */
const searchIndex = "src/services/search/index/"

/** Nothing that a terminal obeys is printed, because nothing else prints. */
const onlyPrinter = "src/cli/Output.ts"

const longestFile = 400

/** The layer of a file, or of an import that points at one. */
const layerOf = (file: string): string | undefined => {
  const outside = /^(demo|migrations)\//.exec(file)?.[1]
  if (outside !== undefined) return outside
  if (file === "src/Config.ts") return "config"
  if (file === "src/main.ts" || file === "src/Bundle.ts" || file.startsWith("src/cli/")) return "main"
  return /^src\/(domain|services|http)\//.exec(file)?.[1]
}

/** The specifiers of every import and re-export, including types. */
const importsOf = (text: string): ReadonlyArray<string> =>
  Array.from(
    text.matchAll(
      /(?:^|[\s;}])(?:import|export)\s(?:[^"'`;]*?\sfrom\s*)?["']([^"']+)["']|\bimport\(\s*["']([^"']+)["']/g
    ),
    (match) => match[1] ?? match[2] ?? ""
  )

/** Text without comments and without the contents of strings, so that rules read code only. */
const codeOf = (text: string): string =>
  text.replaceAll(/\/\*[\s\S]*?\*\/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|(?<!:)\/\/[^\n]*/g, (found) =>
    found.startsWith("/") ? " " : `""`
  )

const forbiddenCode: ReadonlyArray<readonly [pattern: RegExp, instead: string]> = [
  [/\bDate\.now\(/, "use Clock.currentTimeMillis"],
  [/\bnew Date\(\s*\)/, "use DateTime.now"],
  [/\bconsole\./, "use Effect.log, or cli/Output"],
  [/\bset(?:Timeout|Interval|Immediate)\(/, "use Effect.sleep or Schedule"],
  [/\bMath\.random\(/, "use Random, or effect/crypto for secrets"],
  [/\b(?:sql|unsafe)</, "decode rows by a schema: services/database/Rows"]
]

/** Live layers, such as the HTTP server, the file system and the database: only the composition root names them. */
const liveLayer = /\b(?:Node[A-Z]\w*|Database|EmbeddedPostgres|Migrations|PgClient)\.layer\w*/

const isAllowed = (file: string, target: string): boolean => {
  const [own, other] = [subjectOf(file), subjectOf(target)]
  if (own === undefined || other === undefined || own[0] !== other[0] || own[1] === other[1]) return true
  return [...(subjects[own.join("/")] ?? []), ...(bothWays[file] ?? [])].includes(other[1])
}

const violationsOf = (file: SourceFile): ReadonlyArray<Violation> => {
  const found: Array<Violation> = []
  const report = (rule: string) => found.push({ path: file.path, rule })

  const lines = file.text.split("\n").length
  if (lines > longestFile) report(`has ${lines} lines, of at most ${longestFile}: is there more than one thing in it?`)

  const layer = layerOf(file.path)
  if (layer === undefined) {
    report("belongs to no layer: domain, services, http, cli, demo, migrations, main.ts or Config.ts")
    return found
  }
  for (const specifier of importsOf(file.text)) {
    if (specifier === "@effect/platform-node")
      report("imports the barrel of @effect/platform-node; import the submodule")
    if (specifier.startsWith(".")) {
      if (!specifier.endsWith(".ts") && !specifier.endsWith(".json")) report(`imports ${specifier} without its .ts`)
      const target = path.posix.join(path.posix.dirname(file.path), specifier)
      const targetLayer = layerOf(target)
      if (targetLayer === undefined) {
        const isData = target.startsWith("locales/") || target === "package.json" || target === "server.json"
        if (!isData) report(`imports ${target}, which is no part of the project`)
      } else if (targetLayer !== layer && !(mayImport[layer] ?? []).includes(targetLayer)) {
        report(`is of ${layer} and imports ${target} of ${targetLayer}`)
      } else if (!isAllowed(file.path, target)) {
        report(`is of ${subjectOf(file.path)?.join("/")} and imports ${target}`)
      } else if (file.path.startsWith(searchIndex) && targetLayer !== "domain" && !target.startsWith(searchIndex)) {
        report(`is of the search index and imports ${target}`)
      }
    } else if (file.path.startsWith(searchIndex)) {
      report(`is of the search index and imports ${specifier}`)
    } else if (layer === "http" && /^(effect\/sql|@effect\/sql-pg)\b/.test(specifier)) {
      report(`is of http and imports ${specifier}: statements belong to services`)
    } else if (layer === "domain") {
      const name = /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier
      if (!domainPackages.has(name)) report(`is of domain and imports ${specifier}`)
      if (sideEffects.test(specifier)) report(`is of domain and imports ${specifier}`)
    }
  }

  const code = codeOf(file.text)
  for (const [pattern, instead] of forbiddenCode) {
    const match = pattern.exec(code)
    if (match !== null) report(`uses ${match[0]} - ${instead}`)
  }
  if (/\bConsole\b/.test(code) && file.path !== onlyPrinter) report("uses Console: commands print by cli/Output")
  if (layer !== "main" && !file.path.startsWith("src/services/database/")) {
    const match = liveLayer.exec(code)
    if (match !== null) report(`chooses the live layer ${match[0]}; only main.ts and cli/ do`)
  }
  return found
}

const readSources = (folder: string): ReadonlyArray<SourceFile> =>
  fs
    .readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => {
      const file = path.join(folder, name)
      return { path: file.split(path.sep).join("/"), text: fs.readFileSync(file, "utf8") }
    })

describe("the rules of imports and files", () => {
  it("hold for all source files", () => {
    const files = ["src", "demo", "migrations"].flatMap(readSources)
    assert.isAbove(files.length, 10)
    assert.deepStrictEqual(files.flatMap(violationsOf), [])
  })

  it("list each subject once, below those that import it, and no file for nothing", () => {
    const names = Object.keys(subjects)
    assert.sameMembers(
      names,
      Array.from(new Set(readSources("src").flatMap(({ path }) => subjectOf(path)?.join("/") ?? [])))
    )
    for (const [index, name] of names.entries()) {
      const [layer = ""] = name.split("/")
      for (const other of subjects[name] ?? []) assert.include(names.slice(0, index), `${layer}/${other}`)
    }
    for (const [file, others] of Object.entries(bothWays)) {
      const [layer = ""] = subjectOf(file) ?? []
      const imports = importsOf(fs.readFileSync(file, "utf8")).map((specifier) =>
        path.posix.join(path.posix.dirname(file), specifier)
      )
      for (const other of others)
        assert.isTrue(
          imports.some((target) => target.startsWith(`src/${layer}/${other}/`)),
          `${file}: ${other}`
        )
    }
  })

  const broken: ReadonlyArray<readonly [what: string, file: SourceFile, rule: RegExp]> = [
    [
      "the domain imports a service",
      { path: "src/domain/search/Page.ts", text: `import { A } from "../../services/search/A.ts"` },
      /is of domain and imports src\/services\/search\/A\.ts of services/
    ],
    [
      "the domain imports a service's type",
      { path: "src/domain/Page.ts", text: `import type {\n  A,\n  B\n} from "../services/A.ts"` },
      /of services/
    ],
    [
      "the domain reads the configuration",
      { path: "src/domain/Page.ts", text: `import * as Config from "../Config.ts"` },
      /of config/
    ],
    ["the domain imports node", { path: "src/domain/Page.ts", text: `import * as fs from "node:fs"` }, /node:fs/],
    [
      "the domain imports a client of the world",
      { path: "src/domain/Page.ts", text: `import { SqlClient } from "effect/sql"` },
      /effect\/sql/
    ],
    [
      "a service imports a route",
      { path: "src/services/tools/A.ts", text: `export * from "../../http/mcp/B.ts"` },
      /of http/
    ],
    [
      "a service imports a route lazily",
      { path: "src/services/tools/A.ts", text: `const b = () => import("../../http/mcp/B.ts")` },
      /of http/
    ],
    [
      "a subject imports one above it",
      { path: "src/services/credits/A.ts", text: `import { B } from "../accounts/B.ts"` },
      /is of services\/credits and imports src\/services\/accounts\/B\.ts/
    ],
    [
      "the search index imports what uses it",
      { path: "src/services/search/index/A.ts", text: `import { fold } from "../Names.ts"` },
      /is of the search index and imports src\/services\/search\/Names\.ts/
    ],
    [
      "the search index imports Effect",
      { path: "src/services/search/index/A.ts", text: `import { Schema } from "effect"` },
      /is of the search index and imports effect/
    ],
    [
      "a service imports the demo data",
      { path: "src/services/import/A.ts", text: `import { niches } from "../../../demo/Niches.ts"` },
      /of demo/
    ],
    [
      "the demo data imports a service",
      { path: "demo/A.ts", text: `import type { B } from "../src/services/import/B.ts"` },
      /is of demo and imports/
    ],
    [
      "a route imports main",
      { path: "src/http/Router.ts", text: `import "../main.ts"` },
      /is of http and imports src\/main\.ts of main/
    ],
    [
      "a migration imports a service",
      { path: "migrations/0001_a.ts", text: `import { A } from "../src/services/A.ts"` },
      /of services/
    ],
    [
      "the platform's barrel",
      { path: "src/main.ts", text: `import { NodeRuntime } from "@effect/platform-node"` },
      /barrel/
    ],
    [
      "an import without its extension",
      { path: "src/http/Router.ts", text: `import { A } from "./A"` },
      /without its \.ts/
    ],
    [
      "a file of tests",
      { path: "src/http/A.ts", text: `import { A } from "../../test/A.ts"` },
      /no part of the project/
    ],
    ["a file of no layer", { path: "src/utils/A.ts", text: "" }, /belongs to no layer/],
    ["the system's clock", { path: "src/services/A.ts", text: "const now = Date.now()" }, /Clock/],
    ["the system's date", { path: "src/services/A.ts", text: "const now = new Date( )" }, /DateTime/],
    ["the console", { path: "src/cli/A.ts", text: `console.log("a")` }, /Effect\.log/],
    ["rows that are not decoded", { path: "src/services/A.ts", text: "const rows = sql<Row>`SELECT 1`" }, /schema/],
    ["a timer", { path: "src/http/A.ts", text: "setTimeout(() => undefined, 5)" }, /Effect\.sleep/],
    [
      "a live layer in a service",
      { path: "src/services/A.ts", text: "const live = NodeFileSystem.layer" },
      /only main\.ts and cli/
    ],
    [
      "a service that chooses its database",
      { path: "src/services/tools/A.ts", text: "const live = Database.layer({})" },
      /only main\.ts and cli/
    ],
    [
      "a statement in a route",
      { path: "src/http/A.ts", text: `import { SqlClient } from "effect/sql"` },
      /statements belong/
    ],
    [
      "a command that prints by itself",
      { path: "src/cli/A.ts", text: `import { Console } from "effect"\nconst a = Console.log("")` },
      /cli\/Output/
    ],
    ["a long file", { path: "src/services/A.ts", text: "\n".repeat(400) }, /401 lines/]
  ]
  it.each(broken)("notices %s", (_, file, rule) => {
    const rules = violationsOf(file).map((violation) => violation.rule)
    assert.lengthOf(rules, 1)
    assert.match(rules[0] ?? "", rule)
  })

  const sound: ReadonlyArray<readonly [what: string, file: SourceFile]> = [
    ["what flows downwards", { path: "src/http/A.ts", text: `import { B } from "../services/B.ts"` }],
    ["the domain's data", { path: "src/domain/Iso.ts", text: `import { countries } from "countries-list"` }],
    ["the domain's own", { path: "src/domain/a/A.ts", text: `import { Schema } from "effect"\nimport "../B.ts"` }],
    [
      "the search index's own and the domain's",
      { path: "src/services/search/index/A.ts", text: `import "./B.ts"\nimport "../../../domain/Days.ts"` }
    ],
    ["migrations run by a service", { path: "src/services/A.ts", text: `import "../../migrations/index.ts"` }],
    ["the live layers of main", { path: "src/main.ts", text: "const live = NodeHttpServer.layer" }],
    ["a rule named in a comment", { path: "src/services/A.ts", text: `// not Date.now()\nconst a = "console.log"` }],
    ["a date from a value", { path: "src/services/A.ts", text: "const at = new Date(millis)" }],
    ["a file of 400 lines", { path: "src/services/A.ts", text: "\n".repeat(399) }]
  ]
  it.each(sound)("allows %s", (_, file) => {
    assert.deepStrictEqual(violationsOf(file), [])
  })
})

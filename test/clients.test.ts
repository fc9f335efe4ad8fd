/** docs/clients.md: complete, in step with the dashboard and with the server's texts, and every snippet works (D62). */
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { execFile } from "node:child_process"
import * as fs from "node:fs"
import { promisify } from "node:util"
import * as Toml from "smol-toml"
import * as View from "../src/domain/mcp/View.ts"
import * as ToolErrorMessages from "../src/domain/ToolErrorMessages.ts"
import * as Authentication from "../src/http/mcp/Authentication.ts"
import * as ClientSetup from "../src/http/pages/integrations/ClientSetup.ts"
import { CredentialRejected } from "../src/services/credentials/CredentialResolver.ts"
import * as Messages from "./support/Messages.ts"
import { commandsOf } from "./support/ShellWords.ts"
import { TestServer } from "./support/TestServer.ts"

const project = new URL("..", import.meta.url)
const page = fs.readFileSync(new URL("docs/clients.md", project), "utf8")

const address = "https://discovery.example.com/mcp"
const key = "dsk_…"

const clients = [
  "Claude",
  "Claude Code",
  "ChatGPT",
  "Cursor",
  "VS Code",
  "Codex",
  "Gemini CLI",
  "Copilot CLI",
  "opencode",
  "Qwen Code",
  "MCP Inspector",
  "mcp-remote",
  "n8n",
  "SDKs and agent frameworks"
]

const sections = new Map(
  page
    .split(/^## /gmu)
    .slice(1)
    .map((section) => {
      const [name = "", ...lines] = section.split("\n")
      return [name, lines.join("\n")]
    })
)

const sectionOf = (client: string) => sections.get(client) ?? assert.fail(`no section for ${client}`)

interface Snippet {
  readonly language: string
  readonly text: string
}

const snippetsIn = (markdown: string): ReadonlyArray<Snippet> =>
  Array.from(markdown.matchAll(/^( *)```(\w+)\n([\s\S]*?)^\1```$/gmu), ([, indent = "", language = "", text = ""]) => ({
    language,
    text: text.replaceAll(new RegExp(`^${indent}`, "gmu"), "")
  }))

const parsers: Readonly<Record<string, (text: string) => unknown>> = {
  json: (text) => JSON.parse(text),
  sh: commandsOf,
  toml: Toml.parse,
  // These run below.
  ts: (text) => text
}

const parserOf = (language: string) => parsers[language] ?? assert.fail(language)

const hasText = (value: unknown, wanted: string): boolean =>
  typeof value === "object" && value !== null
    ? Object.values(value).some((each) => hasText(each, wanted))
    : value === wanted

describe("docs/clients.md", () => {
  it.each(clients)("tells of %s how to sign in, where a key goes, what fails, and where that is seen", (client) => {
    const section = sectionOf(client)
    for (const part of ["Sign in", "Key", "Faults", "When something is wrong"]) {
      assert.include(section, `- **${part}:**`, client)
    }
  })

  it.each(clients)("tells of %s what a wrong key, the plan and used credits look like", (client) => {
    const [, part = ""] = sectionOf(client).split("- **When something is wrong:**")
    for (const word of ["key", "plan", "credits"]) assert.match(part, new RegExp(`\\b${word}\\b`, "u"), client)
  })

  it.each(clients)("has snippets for %s that its client can read, with the address of the server", (client) => {
    for (const { language, text } of snippetsIn(sectionOf(client))) {
      const parsed = parserOf(language)(text)
      assert.isTrue(language === "ts" ? text.includes(`"${address}"`) : hasText(parsed, address), `${client}: ${text}`)
    }
  })

  it("has a language for every block of code", () => {
    assert.strictEqual(page.match(/^ *```/gmu)?.length, 2 * snippetsIn(page).length)
  })

  it.each([
    ["to sign in", ClientSetup.signingIn(address)],
    ["with a key", ClientSetup.withKey(address, key)]
  ])("has what the dashboard shows, %s", (_, setups) => {
    for (const { client, file, text } of setups) {
      const section = sectionOf(client === "curl" ? "SDKs and agent frameworks" : client)
      const language = file === undefined ? "sh" : "json"
      if (file !== undefined) assert.include(section, `\`${file}\``)
      const parse = parserOf(language)
      const told = snippetsIn(section).filter((snippet) => snippet.language === language)
      assert.deepInclude(
        told.map((snippet) => parse(snippet.text)),
        parse(text),
        client
      )
    }
  })

  it("has the commands of version 2 of MCP Inspector: for its page, and for a call with a key", () => {
    const commands = snippetsIn(sectionOf("MCP Inspector")).flatMap(({ text }) => commandsOf(text))
    const start = ["npx", "@modelcontextprotocol/inspector"]
    const call = ["--header", `Authorization: Bearer ${key}`, "--method", "tools/call", "--tool-name", "get_usage"]
    assert.deepStrictEqual(commands, [
      start.concat("--server-url", address, "--transport", "http"),
      start.concat("--cli", address, "--transport", "http", call)
    ])
  })

  // ConnectingApps connects both versions of the SDK in this way.
  it("says what each version of the SDK takes when the browser comes back", () => {
    assert.include(
      sectionOf("SDKs and agent frameworks").replaceAll(/\s+/gu, " "),
      "version 1 of the SDK takes `transport.finishAuth(code)`, version 2 " +
        "`transport.finishAuth(new URL(callback).searchParams)`, so that it can check `iss`."
    )
  })

  it("quotes the server", () => {
    const upgrade = ToolErrorMessages.planUpgradeRequired({
      problems: ["plan is Starter"],
      steps: "upgrade",
      billingUrl: address
    })
    const used = ToolErrorMessages.insufficientCredits({
      cost: 1,
      remaining: 0,
      periodEnd: "2026-12-01",
      nowMillis: 0,
      billingUrl: address
    })
    const texts = [
      Authentication.explain({ _tag: "NoCredential", instead: "nothing" }),
      Authentication.explain({ _tag: "NoCredential", instead: "without scheme" }),
      Authentication.explain(new CredentialRejected()),
      upgrade.message,
      used.message
    ]
    for (const text of texts) assert.include(page, `\`${text}\``)
  })
})

/** The texts in a parsed snippet that begin with the address of the server. */
const addressesIn = (value: unknown): ReadonlyArray<string> =>
  typeof value === "object" && value !== null
    ? Object.values(value).flatMap(addressesIn)
    : typeof value === "string" && value.startsWith(address)
      ? [value]
      : []

const toolsIn = Schema.decodeUnknownSync(
  Schema.Struct({
    result: Schema.Struct({
      tools: Schema.Array(Schema.Struct({ name: Schema.String, outputSchema: Schema.optionalKey(Schema.Unknown) }))
    })
  })
)

const run = promisify(execFile)

layer(TestServer.layer(), { excludeTestServices: true })("snippets of docs/clients.md", (it) => {
  const ofAddress = snippetsIn(sectionOf("The address")).map(({ language, text }) => [language, text] as const)

  it.effect.each(ofAddress)(
    "the address with both parameters, in %s, has the tools that it names",
    ([language, text]) =>
      Effect.gen(function* () {
        const server = yield* TestServer
        const [whole = "", ...others] = addressesIn(parserOf(language)(text))
        assert.deepStrictEqual(others, [])
        const { search } = new URL(whole)
        assert.isTrue(View.isNamed(search.slice(1)), whole)
        const { json } = yield* server.send({
          path: `/mcp${search}`,
          body: JSON.stringify(Messages.request("tools/list"))
        })
        const { tools } = toolsIn(json).result
        assert.deepStrictEqual(
          tools.map(({ name, outputSchema }) => [name, outputSchema]),
          [
            ["get_usage", undefined],
            ["search_ads", undefined]
          ]
        )
      })
  )

  const sdks = sectionOf("SDKs and agent frameworks")
  const programs = snippetsIn(sdks).flatMap(({ language, text }) => (language === "ts" ? [text] : []))
  /** That of version 2, with the modules that the text names. */
  const ofVersion1 = (): string => {
    const [, client = "", transport = ""] =
      /Version 1 takes `Client` from `([^`]+)` and the transport from `([^`]+)`/u.exec(sdks) ?? []
    return (programs.find((text) => text.includes("@modelcontextprotocol/client")) ?? "").replace(
      /^import .*/u,
      `import { Client } from "${client}"\nimport { StreamableHTTPClientTransport } from "${transport}"`
    )
  }

  it.effect.each([...programs, ofVersion1()].map((text) => [/from "([^"]+)"/u.exec(text)?.[1] ?? "", text] as const))(
    "%s runs as it is",
    ([, text]) =>
      Effect.gen(function* () {
        const { url } = yield* TestServer
        const { stdout } = yield* Effect.promise(() =>
          run(process.execPath, ["--input-type=module-typescript", "-e", text.replaceAll(address, `${url}/mcp`)], {
            // Whose packages they find.
            cwd: new URL("test", project),
            env: { ...process.env, DISCOVERY_KEY: "good" }
          })
        )
        assert.match(stdout, /search_shops|plan: 'growth'/u)
      })
  )
})

import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import manifest from "../../package.json" with { type: "json" }
import template from "../../server.json" with { type: "json" }
import * as Protocol from "../../src/domain/mcp/Protocol.ts"
import * as InstallLinks from "../../src/http/shared/InstallLinks.ts"
import * as Messages from "../support/Messages.ts"
import { TestServer } from "../support/TestServer.ts"

const Catalog = Schema.Struct({
  specVersion: Schema.String,
  entries: Schema.Array(Schema.Struct({ identifier: Schema.String, type: Schema.String, url: Schema.String }))
})
const info = {
  name: Schema.String,
  title: Schema.String,
  version: Schema.String,
  description: Schema.String,
  websiteUrl: Schema.String,
  icons: Schema.Array(Schema.Record(Schema.String, Schema.Unknown))
}
const Card = Schema.Struct({
  $schema: Schema.String,
  ...info,
  remotes: Schema.Array(
    Schema.Struct({
      type: Schema.String,
      url: Schema.String,
      headers: Schema.Array(Schema.Record(Schema.String, Schema.Unknown)),
      supportedProtocolVersions: Schema.Array(Schema.String)
    })
  )
})
const Discovered = Schema.Struct({
  result: Schema.Struct({
    supportedVersions: Schema.Array(Schema.String),
    _meta: Schema.Struct({ [Protocol.metaKeys.serverInfo]: Schema.Struct(info) })
  })
})

layer(TestServer.layer(), { excludeTestServices: true })("server.json", (it) => {
  it.effect("is served without a credential, with the address of this server, and no variable is left", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const answer = yield* server.send({ method: "GET", path: "/server.json", headers: { authorization: undefined } })
      assert.strictEqual(answer.status, 200)
      assert.strictEqual(answer.headers.get("content-type"), "application/json")
      assert.strictEqual(answer.headers.get("access-control-allow-origin"), "*")
      const [remote] = template.remotes
      assert.deepStrictEqual(answer.json, {
        ...template,
        remotes: [{ type: "streamable-http", url: "https://discovery.test/mcp", headers: remote?.headers }]
      })
      assert.notInclude(answer.text, "base_url")
    })
  )

  it.effect("D94 the catalog leads to the card, which says what the server says of itself, and to the endpoint", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const get = (path: string, more = {}) =>
        server.send({ method: "GET", path, headers: { authorization: undefined, ...more } })
      const catalog = yield* get("/.well-known/ai-catalog.json")
      assert.strictEqual(catalog.headers.get("content-type"), "application/ai-catalog+json")
      const { entries, specVersion } = Schema.decodeUnknownSync(Catalog)(catalog.json)
      const [entry = assert.fail("no entry"), ...others] = entries
      assert.deepStrictEqual([specVersion, others], ["0.9", []])
      assert.strictEqual(entry.identifier, "urn:air:discovery.test:discovery")
      assert.strictEqual(entry.type, "application/mcp-server-card+json")

      const card = yield* get(new URL(entry.url).pathname, { accept: entry.type })
      assert.strictEqual(card.headers.get("content-type"), entry.type)
      assert.strictEqual(card.headers.get("access-control-allow-origin"), "*")
      const { body, headers } = Messages.modern("server/discover")
      const discovered = Schema.decodeUnknownSync(Discovered)((yield* server.post(body, headers)).json).result
      const info = discovered._meta[Protocol.metaKeys.serverInfo]
      const { $schema, name, remotes, ...same } = Schema.decodeUnknownSync(Card)(card.json, {
        onExcessProperty: "error"
      })
      assert.include($schema, "/server-card.schema.json")
      assert.strictEqual(name, template.name)
      const { name: own, ...described } = info
      assert.strictEqual(name.split("/").at(-1), own)
      assert.deepStrictEqual(same, described)
      assert.isAtMost(same.description.length, 100)
      const [remote = assert.fail("no remote")] = remotes
      assert.deepStrictEqual([remote.type, remote.url], ["streamable-http", "https://discovery.test/mcp"])
      assert.deepStrictEqual(remote.supportedProtocolVersions, Protocol.supportedVersions)
      for (const version of discovered.supportedVersions) assert.include(remote.supportedProtocolVersions, version)
      // Every version that the card names is served.
      for (const version of remote.supportedProtocolVersions) {
        const message = Messages.request("initialize", { protocolVersion: version, capabilities: {} })
        const modern = Messages.modern("tools/list")
        const answer =
          version === Protocol.modernVersion
            ? yield* server.post(modern.body, modern.headers)
            : yield* server.post(message)
        assert.strictEqual(answer.status, 200, version)
        if (version !== Protocol.modernVersion) assert.include(answer.text, `"protocolVersion":"${version}"`)
      }
    })
  )

  it.prop("D95 the install links hold the name and the address, whatever the address", [Schema.String], ([text]) => {
    const mcpUrl = `https://discovery.test/mcp?x=${encodeURIComponent(text.isWellFormed() ? text : "")}`
    const { cursor, vscode } = InstallLinks.targets(mcpUrl)
    const deeplink = new URL(cursor)
    assert.strictEqual(
      `${deeplink.protocol}//${deeplink.host}${deeplink.pathname}`,
      "cursor://anysphere.cursor-deeplink/mcp/install"
    )
    assert.strictEqual(deeplink.searchParams.get("name"), "discovery")
    const config = Buffer.from(deeplink.searchParams.get("config") ?? "", "base64").toString()
    assert.deepStrictEqual(JSON.parse(config), { url: mcpUrl })
    const [scheme, query = ""] = vscode.split("?")
    assert.strictEqual(scheme, "vscode:mcp/install")
    assert.deepStrictEqual(JSON.parse(decodeURIComponent(query)), { name: "discovery", type: "http", url: mcpUrl })
  })

  it.effect("D95 their addresses lead to them", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      for (const [client, target] of Object.entries(InstallLinks.targets("https://discovery.test/mcp"))) {
        const { headers, status } = yield* server.send({ method: "GET", path: `/install/${client}`, headers: {} })
        assert.deepStrictEqual([status, headers.get("location")], [302, target])
      }
    })
  )

  it.effect("asks for no header: signing in is the recommended way", () =>
    Effect.sync(() => {
      const headers = template.remotes.flatMap(({ headers }) => headers)
      assert.deepStrictEqual(
        headers.map(({ isRequired, isSecret, name }) => ({ name, isRequired, isSecret })),
        [{ name: "Authorization", isRequired: false, isSecret: true }]
      )
      assert.strictEqual(template.version, manifest.version)
    })
  )
})

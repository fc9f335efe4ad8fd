import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import manifest from "../../package.json" with { type: "json" }
import template from "../../server.json" with { type: "json" }
import { TestServer } from "../support/TestServer.ts"

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

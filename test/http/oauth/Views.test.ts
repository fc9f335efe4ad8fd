/** D69: apps sign in at an address that says which tools and which form of answers they want. */
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { makers } from "../../support/ConnectingApps.ts"
import * as Consent from "../../support/Consent.ts"
import * as Messages from "../../support/Messages.ts"
import { SetClock } from "../../support/SetClock.ts"
import { Site } from "../../support/Site.ts"

const query = "?tools=search_shops&format=compact"

const services = Layer.provideMerge(Site.layer({ config: Consent.config }), SetClock.layer("2026-03-01T12:00:00Z"))

/** The life of an access token. */
const hour = 3_600_000

const Listed = Schema.Struct({ result: Schema.Struct({ tools: Schema.Array(Schema.Struct({ name: Schema.String })) }) })

layer(services, { excludeTestServices: true })("sign-in with a view", (it) => {
  describe.each(Object.keys(makers))("%s", (name) => {
    it.effect("registers, is approved, calls, refreshes and calls again", () =>
      Effect.gen(function* () {
        const { url } = yield* Site
        const clock = yield* SetClock
        const tab = yield* Consent.signedIn()
        const make = makers[name] ?? assert.fail(name)
        const app = make({ name, redirectUri: Consent.redirectUri })
        const page = yield* Effect.promise(() => app.begin(`${url}/mcp${query}`))
        const answer = yield* tab.decide(page.pathname + page.search, "allow")
        yield* Effect.promise(() => app.finish(Consent.forwardedTo(answer)))
        const assertCalls = Effect.gen(function* () {
          const found = yield* Effect.promise(() => app.call("search_shops", { query: "none" }))
          assert.isDefined(found)
          assert.isUndefined(found?.isError)
          assert.isUndefined(found?.structuredContent)
          return app.accessToken()
        })
        const first = yield* assertCalls
        yield* clock.advance(hour)
        const second = yield* assertCalls
        assert.isString(second)
        assert.notStrictEqual(second, first)
      })
    )
  })

  it.effect.each([
    ["?foo=1", true],
    ["?foo=1&tools=get_usage", true],
    ["?tools=nothing", false],
    ["?api_key=dsk_secret", false],
    ["?x=a|b", false],
    [`?${"x".repeat(501)}`, false]
  ] as const)("the metadata of %.40s names the query: %s", ([query, isNamed]) =>
    Effect.gen(function* () {
      const { url } = yield* Site
      const challenged = yield* Effect.promise(() => fetch(`${url}/mcp${query}`, { method: "POST" }))
      const [, metadata = ""] =
        /resource_metadata="([^"]*)"/u.exec(challenged.headers.get("www-authenticate") ?? "") ?? []
      const { search } = new URL(metadata)
      assert.strictEqual(search, isNamed ? query : "")
      for (const address of [metadata, `${url}/.well-known/oauth-protected-resource/mcp${query}`]) {
        const described = yield* Effect.promise(async () => (await fetch(address)).json())
        assert.strictEqual(Object(described)["resource"], `${url}/mcp${isNamed ? query : ""}`)
      }
    })
  )

  // It compares the resource of the metadata with the address that it was given, and registers by these.
  it.effect("as VS Code does it: the metadata names the whole address", () =>
    Effect.gen(function* () {
      const { url } = yield* Site
      const tab = yield* Consent.signedIn()
      const resource = `${url}/mcp${query}`
      const metadata = yield* Effect.promise(async () => {
        const refused = await fetch(resource, { method: "POST" })
        const [, address = ""] =
          /resource_metadata="([^"]*)"/u.exec(refused.headers.get("www-authenticate") ?? "") ?? []
        return (await fetch(address)).json() as Promise<{ readonly resource: string }>
      })
      assert.strictEqual(metadata.resource, resource)
      const redirectUri = "http://127.0.0.1:33418/"
      const { client_id } = yield* Consent.register({
        client_name: "Visual Studio Code",
        redirect_uris: ["https://insiders.vscode.dev/redirect", "https://vscode.dev/redirect", redirectUri],
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
        token_endpoint_auth_method: "none",
        application_type: "native"
      })
      const { challenge, verifier } = Consent.proof()
      const parameters = { redirect_uri: redirectUri, code_challenge: challenge, resource }
      const back = Consent.forwardedTo(yield* tab.decide(Consent.request(client_id, parameters), "allow"))
      const code = back.searchParams.get("code") ?? ""
      const { json, status } = yield* Consent.exchange(client_id, code, verifier, {
        redirect_uri: redirectUri,
        resource
      })
      assert.strictEqual(status, 200)

      // What it was given works at its own address, with its tools in its form, as long as it refreshes.
      const assertWorks = Effect.fnUntraced(function* (tokens: Readonly<Record<string, unknown>>) {
        const ask = (body: object) =>
          Effect.promise(async () => {
            const response = await fetch(resource, {
              method: "POST",
              headers: {
                authorization: `Bearer ${String(tokens["access_token"])}`,
                "content-type": "application/json"
              },
              body: JSON.stringify(body)
            })
            const answer: unknown = await response.json()
            return { status: response.status, answer }
          })
        const listed = yield* ask(Messages.request("tools/list"))
        assert.deepStrictEqual(
          Schema.decodeUnknownSync(Listed)(listed.answer).result.tools.map(({ name }) => name),
          ["search_shops"]
        )
        const found = yield* ask(Messages.call("search_shops", { query: "none" }))
        assert.strictEqual(found.status, 200)
        assert.notNestedProperty(found.answer, "result.structuredContent")
        assert.nestedProperty(found.answer, "result.content[0].text")
        assert.nestedPropertyVal(
          yield* Effect.map(ask(Messages.call("search_ads")), ({ answer }) => answer),
          "error.code",
          -32602
        )
      })
      yield* assertWorks(json)
      const refresh = (resource: string) =>
        Effect.gen(function* () {
          const site = yield* Site
          const answer = yield* site.post("/token", {
            grant_type: "refresh_token",
            client_id,
            refresh_token: String(json["refresh_token"]),
            resource
          })
          const tokens = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown)))(
            answer.text
          )
          return { status: answer.status, tokens }
        })
      yield* (yield* SetClock).advance(hour)
      const elsewhere = yield* refresh("https://elsewhere.test/mcp")
      assert.deepInclude(elsewhere, { status: 400 })
      assert.strictEqual(elsewhere.tokens["error"], "invalid_target")
      const refreshed = yield* refresh(resource)
      assert.strictEqual(refreshed.status, 200)
      assert.notStrictEqual(refreshed.tokens["access_token"], json["access_token"])
      yield* assertWorks(refreshed.tokens)

      // A query that the endpoint refuses is no resource.
      const other = yield* tab.get(
        Consent.request(client_id, { ...parameters, resource: `${resource}&tools=get_usage` })
      )
      assert.include(other.text, "invalid_target")
    })
  )
})

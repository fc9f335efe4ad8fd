/** D69: apps sign in at an address that says which tools and which form of answers they want. */
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { makers } from "../../support/ConnectingApps.ts"
import * as Consent from "../../support/Consent.ts"
import { Site } from "../../support/Site.ts"

const query = "?tools=search_shops&format=compact"

layer(Site.layer({ config: Consent.config }), { excludeTestServices: true })("sign-in with a view", (it) => {
  describe.each(Object.keys(makers))("%s", (name) => {
    it.effect("registers, is approved and calls", () =>
      Effect.gen(function* () {
        const { url } = yield* Site
        const tab = yield* Consent.signedIn()
        const make = makers[name] ?? assert.fail(name)
        const app = make({ name, redirectUri: Consent.redirectUri })
        const page = yield* Effect.promise(() => app.begin(`${url}/mcp${query}`))
        const answer = yield* tab.decide(page.pathname + page.search, "allow")
        yield* Effect.promise(() => app.finish(Consent.forwardedTo(answer)))
        const found = yield* Effect.promise(() => app.call("search_shops", { query: "none" }))
        assert.isUndefined(found?.isError)
        assert.isUndefined(found?.structuredContent)
      })
    )
  })

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
      assert.strictEqual(yield* Consent.call(json), 200)
      // Another query is another resource.
      const other = yield* tab.get(Consent.request(client_id, { ...parameters, resource: `${resource}&page=1` }))
      assert.include(other.text, "invalid_target")
    })
  )
})

/** Clients that others wrote run the whole flow, with a person in a real browser at sign-in and consent (D62). */
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Page } from "playwright-core"
import * as tls from "node:tls"
import { Accounts } from "../../../src/services/accounts/Accounts.ts"
import { ConnectedApps } from "../../../src/services/oauth/ConnectedApps.ts"
import { Browser, isAvailable } from "../../support/Browser.ts"
import * as Certificate from "../../support/Certificate.ts"
import * as ClientDocuments from "../../support/ClientDocuments.ts"
import { makers } from "../../support/ConnectingApps.ts"
import * as Consent from "../../support/Consent.ts"
import * as DocumentServer from "../../support/DocumentServer.ts"
import { SetClock } from "../../support/SetClock.ts"
import { Site } from "../../support/Site.ts"

const origins = new Set<string>()

const services = Layer.merge(
  Browser.layer,
  Site.layer({ config: { allowedOrigins: origins } }).pipe(Layer.provideMerge(SetClock.layer("2026-03-01T12:00:00Z")))
)

/** The program that the app is: it listens for the browser to come back. */
const listener = Effect.gen(function* () {
  const server = yield* DocumentServer.make()
  server.answer = (_, response) =>
    void response.writeHead(200, { "content-type": "text/html" }).end("<title>Back</title><h1>You may close this.</h1>")
  return {
    origin: server.origin,
    redirectUri: `${server.origin}/callback`,
    server,
    /** What came back last. */
    callback: () =>
      new URL(server.requests.findLast(({ url }) => url?.startsWith("/callback"))?.url ?? "", server.origin),
    /** The `Referer` of what came back, which would tell where the user was. */
    referer: () => server.requests.findLast(({ url }) => url?.startsWith("/callback"))?.headers.referer
  }
})

const press = (page: Page, name: string) =>
  Effect.promise(() => page.getByRole("button", { name, exact: true }).click())

const signIn = Effect.fnUntraced(function* (page: Page, who: { readonly email: string; readonly password: string }) {
  yield* Effect.promise(() => page.getByLabel("E-mail address").fill(who.email))
  yield* Effect.promise(() => page.getByLabel("Password").fill(who.password))
  yield* press(page, "Sign in")
})

/** What a person does with the page that the app has opened; waits until the browser is back at the app. */
const approve = Effect.fnUntraced(function* (
  page: Page,
  address: URL,
  who: { readonly email: string; readonly password: string },
  back: string
) {
  yield* Effect.promise(() => page.goto(address.href))
  assert.strictEqual(yield* Effect.promise(() => page.innerText("h1")), "Sign in")
  yield* signIn(page, who)
  yield* press(page, "Allow access")
  yield* Effect.promise(() => page.waitForURL(`${back}**`))
})

/** From the address of the endpoint to the last call. */
const wholeLife = Effect.fnUntraced(function* (
  name: string,
  options: { readonly document?: string; readonly name: string }
) {
  const site = yield* Site
  const clock = yield* SetClock
  const accounts = yield* Accounts
  const page = yield* (yield* Browser).open()
  const program = yield* listener
  const who = yield* site.account()
  const make = makers[name] ?? assert.fail(name)
  const app = make({ name: options.name, redirectUri: program.redirectUri, document: options.document })

  const address = yield* Effect.promise(() => app.begin(`${site.url}/mcp`))
  assert.strictEqual(address.origin + address.pathname, `${site.url}/authorize`)
  yield* approve(page, address, who, program.redirectUri)
  assert.isUndefined(program.referer())
  yield* Effect.promise(() => app.finish(program.callback()))
  assert.strictEqual(app.clientId() === options.document, options.document !== undefined)

  const call = (tool: string, args: Record<string, unknown> = {}) => Effect.promise(() => app.call(tool, args))
  const works = Effect.map(call("search_shops", { per_page: 1 }), (result) => {
    assert.isDefined(result)
    assert.notStrictEqual(result?.isError, true, JSON.stringify(result))
  })
  yield* works
  const [connected] = yield* Consent.apps(who.email)
  assert.strictEqual(connected?.name, options.name)

  // Access tokens live for an hour: the app refreshes by itself, as often as it takes.
  for (let hour = 0; hour < 3; hour++) {
    const before = app.accessToken()
    yield* clock.advance(3_600_000)
    yield* works
    assert.notStrictEqual(app.accessToken(), before)
  }

  // A downgrade is told as a tool's error, and the connection is kept: an upgrade brings it back with the same token.
  const token = app.accessToken()
  yield* accounts.setPlan(who.email, "starter")
  const refused = yield* call("search_shops", { per_page: 1 })
  assert.strictEqual(refused?.isError, true)
  assert.include(refused?.content[1]?.text, "plan_upgrade_required")
  assert.strictEqual(app.accessToken(), token)
  yield* accounts.setPlan(who.email, "pro")
  yield* works
  assert.strictEqual(app.accessToken(), token)

  // Revoked in the account: the next call is the first that does not work, and the app asks its user again.
  const account = yield* accounts.find(who.email)
  yield* (yield* ConnectedApps).revoke(account.id, connected?.id ?? 0)
  assert.strictEqual(yield* Consent.call({ access_token: token }), 401)
  assert.isUndefined(yield* call("search_shops", { per_page: 1 }))
  assert.lengthOf(yield* Consent.apps(who.email), 0)
})

/** Trusted by this process, in which the server runs as well. */
const certificate = Certificate.make("localhost")
tls.setDefaultCACertificates([...tls.getCACertificates(), certificate.cert])

/** A document at an https address of this machine: clients of others know no other kind. */
const published = Effect.fnUntraced(function* (changes: Readonly<Record<string, unknown>>) {
  const server = yield* DocumentServer.make({ tls: certificate })
  const clientId = `https://localhost:${server.port}/oauth/client.json`
  server.answer = DocumentServer.json(ClientDocuments.documentOf(clientId, changes))
  return { clientId, server }
})

describe.skipIf(!isAvailable())("with a browser at sign-in and consent", () => {
  layer(services, { excludeTestServices: true })((it) => {
    describe.each(Object.keys(makers))("%s", (name) => {
      // R9, R54, S35, S36, S83, S85, S86, S93
      it.effect("registers, is approved, calls, refreshes, outlives a downgrade, and is revoked", () =>
        wholeLife(name, { name: `Registered (${name})` })
      )

      // R52, S87
      it.effect("does the same with a client metadata document, and any port of its loopback address", () =>
        Effect.gen(function* () {
          const { clientId, server } = yield* published({
            client_name: `Documented (${name})`,
            redirect_uris: ["http://127.0.0.1/callback"]
          })
          yield* wholeLife(name, { name: `Documented (${name})`, document: clientId })
          assert.isAtLeast(server.requests.length, 1)
        })
      )

      it.effect("receives access_denied when its user denies access", () =>
        Effect.gen(function* () {
          const site = yield* Site
          const page = yield* (yield* Browser).open()
          const program = yield* listener
          const app = (makers[name] ?? assert.fail(name))({ name: "Denied", redirectUri: program.redirectUri })
          const address = yield* Effect.promise(() => app.begin(`${site.url}/mcp`))
          yield* Effect.promise(() => page.goto(address.href))
          yield* signIn(page, yield* site.account())
          yield* press(page, "Deny")
          yield* Effect.promise(() => page.waitForURL(`${program.redirectUri}**`))
          assert.strictEqual(program.callback().searchParams.get("error"), "access_denied")
          const failed = yield* Effect.promise(() =>
            app.finish(program.callback()).then(
              () => false,
              () => true
            )
          )
          assert.isTrue(failed)
          assert.isUndefined(app.accessToken())
        })
      )
    })

    it.effect("R55 a page of another origin finds, registers, exchanges and calls, all by itself", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const page = yield* (yield* Browser).open()
        const program = yield* listener
        origins.add(program.origin)
        yield* Effect.promise(() => page.goto(`${program.origin}/start`))
        const { challenge, verifier } = Consent.proof()

        const begun = yield* Effect.promise(() =>
          page.evaluate(
            async ({ challenge, mcpUrl, redirectUri }) => {
              const call = (token: string) =>
                fetch(mcpUrl, {
                  method: "POST",
                  headers: {
                    authorization: `Bearer ${token}`,
                    "content-type": "application/json",
                    accept: "application/json, text/event-stream",
                    "mcp-protocol-version": "2025-11-25"
                  },
                  body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" })
                })
              const refused = await call("none")
              const challenged = refused.headers.get("www-authenticate") ?? ""
              const metadataUrl = /resource_metadata="([^"]*)"/.exec(challenged)?.[1] ?? ""
              const resource = await (await fetch(metadataUrl)).json()
              const issuer: string = resource.authorization_servers[0]
              const server = await (
                await fetch(`${issuer}/.well-known/oauth-authorization-server`, {
                  headers: { "mcp-protocol-version": "2025-11-25" }
                })
              ).json()
              const registered = await fetch(server.registration_endpoint, {
                method: "POST",
                headers: { "content-type": "application/json" },
                body: JSON.stringify({
                  client_name: "Inspector",
                  redirect_uris: [redirectUri],
                  token_endpoint_auth_method: "none"
                })
              })
              const { client_id: clientId } = await registered.json()
              const address = new URL(server.authorization_endpoint)
              address.search = String(
                new URLSearchParams({
                  client_id: clientId,
                  redirect_uri: redirectUri,
                  response_type: "code",
                  code_challenge: challenge,
                  code_challenge_method: "S256",
                  resource: resource.resource,
                  state: "s"
                })
              )
              return { status: refused.status, clientId, address: address.href, tokenEndpoint: server.token_endpoint }
            },
            { challenge, mcpUrl: `${site.url}/mcp`, redirectUri: program.redirectUri }
          )
        )
        assert.strictEqual(begun.status, 401)
        yield* approve(page, new URL(begun.address), yield* site.account(), program.redirectUri)

        const used = yield* Effect.promise(() =>
          page.evaluate(
            async ({ begun, mcpUrl, redirectUri, verifier }) => {
              const answer = await fetch(begun.tokenEndpoint, {
                method: "POST",
                body: new URLSearchParams({
                  grant_type: "authorization_code",
                  client_id: begun.clientId,
                  code: new URL(location.href).searchParams.get("code") ?? "",
                  redirect_uri: redirectUri,
                  code_verifier: verifier
                })
              })
              const tokens = await answer.json()
              const called = await fetch(mcpUrl, {
                method: "POST",
                headers: {
                  authorization: `Bearer ${tokens.access_token}`,
                  "content-type": "application/json",
                  accept: "application/json, text/event-stream"
                },
                body: JSON.stringify({
                  jsonrpc: "2.0",
                  id: 1,
                  method: "tools/call",
                  params: { name: "get_usage", arguments: {} }
                })
              })
              // What no page of another origin can read.
              const closed = await Promise.all(
                ["/authorize", "/sign-in", "/dashboard"].map((path) =>
                  fetch(new URL(path, mcpUrl), { credentials: "include" }).then(
                    () => "read",
                    () => "closed"
                  )
                )
              )
              return {
                status: called.status,
                text: await called.text(),
                requestId: called.headers.get("x-request-id"),
                closed
              }
            },
            { begun, mcpUrl: `${site.url}/mcp`, redirectUri: program.redirectUri, verifier }
          )
        )
        assert.strictEqual(used.status, 200, used.text)
        assert.include(used.text, '"plan"')
        assert.isNotNull(used.requestId)
        // R22
        assert.deepStrictEqual(used.closed, ["closed", "closed", "closed"])
      })
    )
  })
})

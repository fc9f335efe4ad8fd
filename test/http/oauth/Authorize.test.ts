/** What `/authorize` makes of requests, good and bad, over HTTP and the live services (R10 to R20, R22, R46, R49, R51, R56). */
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Messages from "../../../src/domain/Messages.ts"
import * as ClientDocuments from "../../support/ClientDocuments.ts"
import * as Consent from "../../support/Consent.ts"
import * as DocumentServer from "../../support/DocumentServer.ts"
import { SetClock } from "../../support/SetClock.ts"
import { Site } from "../../support/Site.ts"

const services = Site.layer({ config: Consent.config }).pipe(Layer.provideMerge(SetClock.layer("2026-03-01T12:00:00Z")))

const hasNoRedirect = ({ headers, status, text }: Consent.Reply, heading: string) => {
  assert.strictEqual(status, 400, Consent.headingOf(text))
  assert.isNull(headers.get("location"))
  assert.isNull(headers.get("refresh"))
  assert.strictEqual(headers.get("cache-control"), "no-store")
  assert.include(headers.get("content-type"), "text/html")
  assert.strictEqual(Consent.headingOf(text), heading)
}

/** Where the page leads that is shown instead of a redirect. */
const linkedTo = (answer: Consent.Reply): URL => {
  hasNoRedirect(answer, "The app's request cannot be granted")
  const [, link = ""] = /<a href="([^"]*)"[^>]*>Back to the app<\/a>/.exec(answer.text) ?? []
  return new URL(Consent.unescape(link))
}

layer(services, { excludeTestServices: true })("/authorize", (it) => {
  describe("R10 nothing is sent anywhere before it is certain who asks and where the answer goes", () => {
    it.effect.each<readonly [string, string | ReadonlyArray<string> | undefined]>([
      ["none", undefined],
      ["an empty one", ""],
      ["two", ["doc_1", "doc_2"]]
    ])("client_id: %s", ([, clientId]) =>
      Effect.gen(function* () {
        const tab = yield* Consent.somebody
        const answer = yield* tab.get(Consent.request("", { client_id: clientId }))
        hasNoRedirect(answer, "The app did not identify itself")
      })
    )

    it.effect.each([
      `doc_${"a".repeat(43)}`,
      "doc_",
      "constructor",
      "\0",
      "a\0b",
      "x".repeat(3000),
      "<script>alert(1)</script>",
      '"><img src=x onerror=alert(1)>',
      "javascript:alert(1)",
      "' OR 1=1 --",
      "ＤＯＣ＿🦈",
      "data:text/html,hello"
    ])("an unknown client_id: %j", (clientId) =>
      Effect.gen(function* () {
        const tab = yield* Consent.somebody
        const answer = yield* tab.get(Consent.request(clientId))
        hasNoRedirect(answer, "This app is not known here")
        // R46
        assert.include(answer.text, "Remove the connection to Discovery in the app, and add it again.")
        assert.notInclude(Consent.unescape(answer.text), clientId.includes("\0") ? "\0" : clientId)
      })
    )

    it.effect.each([
      "https://evil.example/callback",
      "http://localhost:8787/callback/",
      "http://localhost:8787/callback/../evil",
      "http://localhost:8787/Callback",
      "http://localhost:8787/callback?x=1",
      "http://localhost:8787/callback#x",
      "http://localhost:8787/callback%2f",
      "http://LOCALHOST:8787/callback",
      "http://127.0.0.1:8787/callback",
      "http://[::1]:8787/callback",
      "https://localhost:8787/callback",
      "http://localhost.evil.example:8787/callback",
      "http://localhost:8787@evil.example/callback",
      "http://localhost:99999/callback",
      "http://localhost:0/callback",
      "http://localhost\\@evil.example/callback",
      " http://localhost:8787/callback",
      "//evil.example/callback",
      "/dashboard",
      "callback",
      "javascript:alert(1)",
      "data:text/html,hello",
      "http://localhost:8787/callback\r\nset-cookie: a=b",
      "http://localhost:8787/callback\0",
      "<script>alert(1)</script>",
      "*"
    ])("a redirect_uri that is not registered: %j", (redirectUri) =>
      Effect.gen(function* () {
        const client = yield* Consent.app()
        for (const tab of [yield* Consent.browser, yield* Consent.somebody]) {
          const answer = yield* tab.get(Consent.request(client.id, { redirect_uri: redirectUri }))
          hasNoRedirect(answer, "The app asked to be answered at an unknown address")
          assert.notInclude(answer.text, "evil")
          assert.notInclude(answer.text, "alert(1)")
        }
      })
    )

    it.effect("a redirect_uri that is sent twice, and one that is missing where there are two to choose from", () =>
      Effect.gen(function* () {
        const tab = yield* Consent.somebody
        const two = ["https://app.example/one", "https://app.example/two"] as const
        const client = yield* Consent.app({ redirectUris: two })
        for (const redirectUri of [undefined, "", two]) {
          const answer = yield* tab.get(Consent.request(client.id, { redirect_uri: redirectUri }))
          hasNoRedirect(answer, "The app asked to be answered at an unknown address")
        }
      })
    )

    it.effect("a wrong redirect_uri gets the same answer regardless of other errors", () =>
      Effect.gen(function* () {
        const tab = yield* Consent.somebody
        const client = yield* Consent.app()
        const answer = yield* tab.get(
          Consent.request(client.id, { redirect_uri: "https://evil.example/", response_type: "token" })
        )
        hasNoRedirect(answer, "The app asked to be answered at an unknown address")
      })
    )

    it.effect("what cannot come from a browser's address bar, or is too long to come back to", () =>
      Effect.gen(function* () {
        const tab = yield* Consent.somebody
        const client = yield* Consent.app()
        hasNoRedirect(
          yield* tab.get(Consent.request(client.id, { state: "x".repeat(8_000) })),
          "The app's request cannot be read"
        )
        // A backslash is left in queries by browsers.
        const answer = yield* tab.get(`${Consent.request(client.id, { state: undefined })}&state=a\\b`)
        assert.strictEqual(answer.status, 200)
      })
    )
  })

  describe("R11 redirect_uri", () => {
    const registered = [
      "http://127.0.0.1/callback?app=1",
      "http://[::1]:5000/callback",
      "http://localhost/callback",
      "https://app.example:8443/callback?tenant=7",
      "cursor://anysphere.cursor-mcp/oauth/callback"
    ]

    it.effect.each([
      ...registered,
      "http://127.0.0.1:51234/callback?app=1",
      "http://[::1]/callback",
      "http://[::1]:65535/callback",
      "http://localhost:1/callback"
    ])("is allowed: %s", (redirectUri) =>
      Effect.gen(function* () {
        const client = yield* Consent.app({ redirectUris: registered })
        const tab = yield* Consent.somebody
        const answer = yield* tab.decide(Consent.request(client.id, { redirect_uri: redirectUri }), "allow")
        const address = Consent.forwardedTo(answer).href
        // What the app has in its query stays as it is, and ours comes behind it.
        assert.isTrue(address.startsWith(`${redirectUri}${redirectUri.includes("?") ? "&" : "?"}code=`), address)
      })
    )

    it.effect.each([
      "http://127.0.0.1:51234/callback",
      "http://127.0.0.1:51234/callback?app=2",
      "http://127.0.0.1:51234/callback?app=1&x=2",
      "http://localhost:1/callback?app=1",
      "https://app.example/callback?tenant=7",
      "https://app.example:8444/callback?tenant=7",
      "https://app.example:8443/callback",
      "cursor://anysphere.cursor-mcp:1/oauth/callback",
      "cursor://other/oauth/callback"
    ])("is refused: %s", (redirectUri) =>
      Effect.gen(function* () {
        const client = yield* Consent.app({ redirectUris: registered })
        const tab = yield* Consent.somebody
        hasNoRedirect(
          yield* tab.get(Consent.request(client.id, { redirect_uri: redirectUri })),
          "The app asked to be answered at an unknown address"
        )
      })
    )

    it.effect("may be missing where there is only one", () =>
      Effect.gen(function* () {
        const client = yield* Consent.app({ redirectUris: ["https://app.example/callback"] })
        const tab = yield* Consent.somebody
        const answer = yield* tab.decide(Consent.request(client.id, { redirect_uri: undefined }), "allow")
        assert.strictEqual(Consent.forwardedTo(answer).origin, "https://app.example")
      })
    )
  })

  describe("R19, R20 all other errors are sent to the app, with state and iss", () => {
    const refused = (changes: Consent.Changes, error: string) =>
      Effect.gen(function* () {
        const { url } = yield* Site
        const client = yield* Consent.app({ redirectUris: ["https://app.example/callback?a=b"] })
        const address = Consent.request(client.id, { redirect_uri: "https://app.example/callback?a=b", ...changes })
        const [signedOut, somebody] = [yield* Consent.browser, yield* Consent.somebody]
        // No one is asked to sign in for a request that cannot be granted; whoever it is decides whether to go there.
        for (const tab of [signedOut, somebody]) {
          const answer = yield* tab.get(address)
          const to = linkedTo(answer)
          assert.strictEqual(to.origin + to.pathname, "https://app.example/callback")
          assert.deepStrictEqual(
            [...to.searchParams.keys()],
            ["a", "error", "error_description", ...("state" in changes ? [] : ["state"]), "iss"]
          )
          assert.strictEqual(to.searchParams.get("error"), error)
          assert.strictEqual(to.searchParams.get("state"), "state" in changes ? null : "st-1")
          assert.strictEqual(to.searchParams.get("iss"), url)
          assert.match(to.searchParams.get("error_description") ?? "", /^[\x20\x21\x23-\x5b\x5d-\x7e]+$/)
          assert.strictEqual(answer.headers.get("referrer-policy"), "no-referrer")
          assert.strictEqual(answer.headers.get("cache-control"), "no-store")
        }
      })

    it.effect.each<readonly [string | ReadonlyArray<string> | undefined, string]>([
      [undefined, "invalid_request"],
      ["", "invalid_request"],
      ["token", "unsupported_response_type"],
      ["id_token", "unsupported_response_type"],
      ["code token", "unsupported_response_type"],
      ["CODE", "unsupported_response_type"],
      ["none", "unsupported_response_type"],
      [["code", "code"], "invalid_request"]
    ])("R12 response_type %j", ([type, error]) => refused({ response_type: type }, error))

    it.effect.each<Consent.Changes>([
      { code_challenge: undefined, code_challenge_method: undefined },
      { code_challenge: undefined },
      { code_challenge_method: undefined },
      { code_challenge_method: "plain" },
      { code_challenge_method: "s256" },
      { code_challenge_method: "S512" },
      { code_challenge: "short" },
      { code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM=" },
      { code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw+cM" },
      { code_challenge: ["E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"] }
    ])("R13 PKCE %j", (changes) => refused(changes, "invalid_request"))

    it.effect.each<string | ReadonlyArray<string>>([
      "https://other.example/mcp",
      "http://localhost/mcp",
      "/mcp",
      "mcp",
      "http://localhost:3000",
      "urn:discovery"
    ])("R14 resource %j", (resource) => refused({ resource }, "invalid_target"))

    it.effect("R14 a resource with a fragment, a query or user info, or with a second one beside the right one", () =>
      Effect.gen(function* () {
        const { url } = yield* Site
        for (const resource of [
          `${url}/mcp#`,
          `${url}/mcp#x`,
          `${url}/mcp?tools=nothing`,
          `${url}/mcp?x=1#fragment`,
          `${url.replace("://", "://user@")}/mcp`,
          `${url}/mcp/other`,
          [`${url}/mcp`, "https://other.example/mcp"],
          ["https://other.example/mcp", `${url}/mcp`]
        ]) {
          yield* refused({ resource }, "invalid_target")
        }
      })
    )

    it.effect.each<Consent.Changes>([
      { scope: ["discovery:read", "discovery:read"] },
      { state: ["a", "b"] },
      { prompt: ["consent", "login"] },
      { code_challenge_method: ["S256", "plain"] }
    ])("R16 a parameter that is repeated: %j", (changes) => refused(changes, "invalid_request"))
  })

  describe("R10, R19 browsers are not redirected to addresses that anyone can register, and open no program", () => {
    it.effect.each([
      ["https://evil.example/callback", "evil.example"],
      ["http://localhost:8787/callback", "localhost:8787"],
      ["cursor://anysphere.cursor-mcp/oauth/callback", "the app on this device that opens cursor: addresses"]
    ] as const)("%s is named, with a link", ([redirectUri, named]) =>
      Effect.gen(function* () {
        const { url } = yield* Site
        const client = yield* Consent.app({ redirectUris: [redirectUri] })
        const state = `"><script>alert(1)</script>`
        const address = Consent.request(client.id, { redirect_uri: redirectUri, response_type: "token", state })
        // A third party's link to the sign-in is checked as well.
        const lured = yield* Consent.browser
        const back = yield* lured.signIn(yield* (yield* Site).account(), address)
        assert.strictEqual(back.headers.get("location"), address)
        for (const tab of [yield* Consent.browser, yield* Consent.somebody, lured]) {
          const answer = yield* tab.get(address)
          const { href, searchParams } = linkedTo(answer)
          assert.isTrue(href.startsWith(`${redirectUri}?error=unsupported_response_type&`), href)
          assert.strictEqual(searchParams.get("state"), state)
          assert.strictEqual(searchParams.get("iss"), url)
          assert.include(Consent.textOf(answer.text), `The link leads to ${named}`)
          assert.include(Consent.textOf(answer.text), searchParams.get("error_description") ?? "none")
          assert.notInclude(answer.text, "<script")
        }
      })
    )

    it.effect("but for a web site of the app's publisher; other hosts that its document lists are named", () =>
      Effect.gen(function* () {
        const server = yield* DocumentServer.make()
        const clientId = `${server.origin}/client`
        const uris = [
          "https://127.0.0.1:8443/callback",
          "https://app.example/callback",
          "http://localhost:8787/callback",
          "com.example.app:/callback"
        ]
        server.answer = DocumentServer.json({
          client_id: clientId,
          client_name: "A published app",
          redirect_uris: uris,
          token_endpoint_auth_method: "none"
        })
        const [site, ...others] = uris
        const named = ["app.example", "localhost:8787", "the app on this device that opens com.example.app: addresses"]
        for (const tab of [yield* Consent.browser, yield* Consent.somebody]) {
          const ask = (redirectUri = "") =>
            tab.get(Consent.request(clientId, { redirect_uri: redirectUri, response_type: "token" }))
          const to = Consent.redirectedTo(yield* ask(site))
          assert.strictEqual(to.host, "127.0.0.1:8443")
          assert.strictEqual(to.searchParams.get("error"), "unsupported_response_type")
          for (const [index, each] of others.entries()) {
            const answer = yield* ask(each)
            assert.isTrue(linkedTo(answer).href.startsWith(`${each}?error=unsupported_response_type&`))
            const text = Consent.textOf(answer.text)
            assert.include(text, `The only response_type is code. Verified publisher: 127.0.0.1:${server.port}`)
            assert.include(text, `The link leads to ${named[index]}`)
          }
        }
      })
    )
  })

  describe("accepted requests", () => {
    const granted = (changes: Consent.Changes) =>
      Effect.gen(function* () {
        const client = yield* Consent.app()
        const { challenge, verifier } = Consent.proof()
        const tab = yield* Consent.somebody
        const answer = yield* tab.decide(Consent.request(client.id, { code_challenge: challenge, ...changes }), "allow")
        const to = Consent.forwardedTo(answer)
        const tokens = yield* Consent.exchange(client.id, to.searchParams.get("code") ?? "", verifier)
        assert.strictEqual(tokens.status, 200, tokens.text)
        return { to, answer, tokens: tokens.json }
      })

    it.effect("R14 the resource with a slash at its end, in other letters, with a query, twice, or not at all", () =>
      Effect.gen(function* () {
        const { url } = yield* Site
        for (const resource of [
          undefined,
          "",
          `${url}/mcp`,
          `${url}/mcp/`,
          `${url.toUpperCase()}/mcp`,
          `${url}/mcp?foo=1`,
          `${url}/mcp/?tools=search_ads&format=compact&foo`,
          [`${url}/mcp`, `${url}/mcp/`]
        ]) {
          yield* granted({ resource })
        }
      })
    )

    it.effect.each([
      undefined,
      "",
      "discovery:read",
      "discovery:read offline_access",
      "openid  discovery:read",
      "offline_access",
      "openid profile",
      "all",
      "Discovery:Read"
    ])("R15 scope %j gives discovery:read, and the token response says so", (scope) =>
      Effect.map(granted({ scope }), ({ tokens }) => {
        assert.deepInclude(tokens, { scope: "discovery:read", token_type: "Bearer", expires_in: 3600 })
        assert.isString(tokens["refresh_token"])
      })
    )

    it.effect.each([
      ["plain", "simple"],
      ["with every sign of an address", "blanks + plus & and = % # ? / \\ \" ' < >"],
      ["with control characters", "a\u0000b\u0001\r\n"],
      ["of 2 kB of emoji", "🦈".repeat(500)],
      ["of 2 kB of ASCII", "x".repeat(2_000)],
      ["that is encoded already", "%F0%9F%A6%88%00"],
      ["with a change of direction", "\u202Egnihtemos"],
      ["in other scripts", "ein Brötchen, 一個麵包"],
      ["that is JSON", '{"json":[1,2,"three"]}'],
      ["that is a JWT", "eyJhbGciOiJub25lIn0.e30."]
    ] as const)("R17 a state %s comes back as it was, allowed, denied or refused", ([, state]) =>
      Effect.gen(function* () {
        const client = yield* Consent.app()
        const tab = yield* Consent.somebody
        for (const decision of ["allow", "deny"] as const) {
          const answer = yield* tab.decide(Consent.request(client.id, { state }), decision)
          assert.deepStrictEqual(Consent.forwardedTo(answer).searchParams.getAll("state"), [state])
        }
        const refused = yield* tab.get(Consent.request(client.id, { state, response_type: "token" }))
        assert.deepStrictEqual(linkedTo(refused).searchParams.getAll("state"), [state])
        // Not through a sign-in either.
        const guest = yield* Consent.browser
        const toSignIn = yield* guest.get(Consent.request(client.id, { state }))
        const returnTo = new URL(toSignIn.headers.get("location") ?? "", "http://x").searchParams.get("return_to") ?? ""
        const back = yield* guest.signIn(tab.who, returnTo)
        assert.strictEqual(back.status, 303, Consent.headingOf(back.text))
        const answer = yield* guest.decide(back.headers.get("location") ?? "", "allow")
        assert.deepStrictEqual(Consent.forwardedTo(answer).searchParams.getAll("state"), [state])
      })
    )

    it.effect.each([undefined, ""])("R17 no state is made up for %j", (state) =>
      Effect.map(granted({ state }), ({ to }) => assert.deepStrictEqual([...to.searchParams.keys()], ["code", "iss"]))
    )

    it.effect.each<Consent.Changes>([
      { prompt: "consent" },
      { prompt: "none" },
      { nonce: "n", login_hint: "a@b.example", claims: "{}", display: "popup", max_age: "0" },
      { request: "eyJhbGciOiJub25lIn0.e30." },
      { request_uri: "https://evil.example/request" },
      { response_mode: "form_post" },
      { response_mode: "fragment" },
      { response_mode: "web_message" },
      { __proto__: "x", unknown: "y" }
    ])("R18 %j changes nothing: a person is asked, and the code goes into the query", (changes) =>
      Effect.map(granted(changes), ({ answer, to }) => {
        assert.deepStrictEqual([...to.searchParams.keys()], ["code", "state", "iss"])
        assert.strictEqual(to.hash, "")
        assert.strictEqual(to.origin + to.pathname, Consent.redirectUri)
        assert.notInclude(answer.text, "<form")
      })
    )

    it.effect(
      "R20 every answer says by whom it is, as the metadata does, so that clients of several servers notice a mix-up",
      () =>
        Effect.gen(function* () {
          const site = yield* Site
          const metadata = yield* site.get("/.well-known/oauth-authorization-server")
          const { issuer }: { readonly issuer: string } = JSON.parse(metadata.text)
          const client = yield* Consent.app()
          const tab = yield* Consent.somebody
          const answers = [
            Consent.forwardedTo(yield* tab.decide(Consent.request(client.id), "allow")),
            Consent.forwardedTo(yield* tab.decide(Consent.request(client.id), "deny")),
            linkedTo(yield* tab.get(Consent.request(client.id, { response_type: "token" })))
          ]
          for (const { searchParams } of answers) assert.deepStrictEqual(searchParams.getAll("iss"), [issuer])
          assert.strictEqual(issuer, site.url)
        })
    )
  })

  it.effect("R7 addresses come from the configuration, not from the host of the request", () =>
    Effect.gen(function* () {
      const { url } = yield* Site
      const client = yield* Consent.app()
      const tab = yield* Consent.somebody
      const forged = {
        "x-forwarded-host": "evil.example",
        "x-forwarded-proto": "https",
        forwarded: "host=evil.example"
      }
      const answer = yield* tab.get(Consent.request(client.id, { response_type: "token" }), forged)
      assert.strictEqual(linkedTo(answer).searchParams.get("iss"), url)
      const page = yield* tab.get(Consent.request(client.id), forged)
      assert.notInclude(page.text, "evil")
    })
  )

  it.effect("R22 no other origin reads /authorize, sign-in or dashboard, or may ask to", () =>
    Effect.gen(function* () {
      const client = yield* Consent.app()
      const tab = yield* Consent.somebody
      const site = yield* Site
      for (const origin of ["https://evil.example", site.url, "null"]) {
        for (const path of [Consent.request(client.id), Consent.request("x"), "/sign-in", "/dashboard"]) {
          const { headers } = yield* tab.get(path, { origin, "sec-fetch-site": "cross-site" })
          assert.deepStrictEqual(
            [...headers.keys()].filter((name) => name.startsWith("access-control-")),
            []
          )
        }
        const preflight = yield* Effect.promise(() =>
          fetch(`${site.url}/authorize`, {
            method: "OPTIONS",
            headers: { origin, "access-control-request-method": "GET" }
          })
        )
        assert.strictEqual(preflight.status, 405)
        assert.isNull(preflight.headers.get("access-control-allow-origin"))
      }
    })
  )

  it.effect("HEAD is answered as GET is, and other methods get a page that says how it is opened", () =>
    Effect.gen(function* () {
      const { url } = yield* Site
      const client = yield* Consent.app()
      const send = (method: string) =>
        Effect.promise(() => fetch(url + Consent.request(client.id), { method, redirect: "manual" }))
      const head = yield* send("HEAD")
      assert.strictEqual(head.status, 303)
      assert.include(head.headers.get("location"), "/sign-in?return_to=%2Fauthorize%3F")
      for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
        const answer = yield* send(method)
        assert.strictEqual(answer.status, 405, method)
        assert.strictEqual(answer.headers.get("allow"), "GET, HEAD")
        assert.include(yield* Effect.promise(() => answer.text()), "This page opens from an app")
      }
    })
  )

  it.effect("R56 more than 120 requests a minute from one address have to wait, and others do not", () =>
    Effect.gen(function* () {
      const client = yield* Consent.app()
      const tab = yield* Consent.browser
      const clock = yield* SetClock
      const ask = (address: string) => tab.get(Consent.request(client.id), { "x-forwarded-for": address })
      const statuses: Array<number> = []
      for (let each = 0; each < 121; each++) statuses.push((yield* ask("203.0.113.7")).status)
      assert.deepStrictEqual(
        statuses.slice(0, 120),
        Array.from({ length: 120 }, () => 303)
      )
      const tooMany = yield* ask("203.0.113.7")
      assert.strictEqual(tooMany.status, 429)
      assert.match(tooMany.headers.get("retry-after") ?? "", /^[1-9]\d*$/)
      assert.include(tooMany.text, "Too many requests")
      assert.strictEqual((yield* ask("203.0.113.8")).status, 303)
      yield* clock.advance(60_000)
      assert.strictEqual((yield* ask("203.0.113.7")).status, 303)
    })
  )

  describe("R56 fetches of documents", () => {
    const documents = Effect.gen(function* () {
      const server = yield* DocumentServer.make()
      server.answer = (request, response) =>
        DocumentServer.json(ClientDocuments.documentOf(`${server.origin}${request.url}`))(request, response)
      const tab = yield* Consent.browser
      // A minute of its own.
      const clock = yield* SetClock
      yield* clock.advance(60_000)
      const statusOf = Effect.fnUntraced(function* (path: string, address: string) {
        const changes = { redirect_uri: "http://127.0.0.1/callback" }
        const answer = yield* tab.get(Consent.request(server.origin + path, changes), { "x-forwarded-for": address })
        return answer.status
      })
      return { server, statusOf }
    })

    it.effect("are counted by the address that asks for them: five a minute, and others go on", () =>
      Effect.gen(function* () {
        const { server, statusOf } = yield* documents
        const statuses = yield* Effect.forEach(Array.from({ length: 21 }), (_, index) =>
          statusOf(`/new/${index}`, "203.0.113.21")
        )
        assert.deepStrictEqual(
          statuses,
          Array.from({ length: 21 }, (_, index) => (index < 5 ? 303 : 400))
        )
        assert.lengthOf(server.requests, 5)
        assert.strictEqual(yield* statusOf("/new/20", "203.0.113.22"), 303)
      })
    )

    it.effect(
      "of an app that was approved are not kept out by a flood of made-up paths, also of a server that is new",
      () =>
        Effect.gen(function* () {
          const { server, statusOf } = yield* documents
          const sql = yield* SqlClient.SqlClient
          const { who } = yield* Consent.somebody
          // By another server, or before this one was started: it has no document of them.
          const [lasting, ended] = [`${server.origin}/lasting`, `${server.origin}/ended`]
          yield* sql`
          INSERT INTO oauth_grant (account_id, client_id, client_name, resource, approved_at, usable_until, ends_at)
          SELECT id, ${lasting}, 'x', 'x', now(), now(), now() FROM account WHERE email = ${who.email}`
          yield* sql`
          INSERT INTO oauth_ended_grant (id, account_id, client_id, client_name, approved_at, connected_at, ended_at, reason)
          SELECT -1, id, ${ended}, 'x', now(), now(), now(), 'client' FROM account WHERE email = ${who.email}`
          let fetched = 0
          for (let each = 0; each < 65; each++) {
            if ((yield* statusOf(`/made-up/${each}`, `203.0.113.${100 + Math.floor(each / 5)}`)) === 303) fetched++
          }
          assert.strictEqual(fetched, 60)
          assert.strictEqual(yield* statusOf("/never-let-in", "203.0.113.150"), 400)
          assert.strictEqual(yield* statusOf("/lasting", "203.0.113.150"), 303)
          assert.strictEqual(yield* statusOf("/ended", "203.0.113.150"), 303)
        })
    )
  })

  describe("R49 a client's document", () => {
    /** What the page says; the log tells which it was. */
    const ask = Effect.fnUntraced(function* (clientId: string, heading: string) {
      const site = yield* Site
      const tab = yield* Consent.somebody
      // A minute of its own: a flood of fetches may have come before.
      yield* Effect.flatMap(SetClock, (clock) => clock.advance(60_000))
      const answer = yield* tab.get(Consent.request(clientId))
      hasNoRedirect(answer, heading)
      assert.isNull(answer.headers.get("retry-after"))
      const [line = ""] = site.logs.slice(-1)
      assert.include(line, "A client metadata document could not be used")
      assert.include(line, answer.headers.get("x-request-id") ?? "none")
      return Consent.textOf(answer.text)
    })

    it.effect("that is wrong is named, with what is wrong about it", () =>
      Effect.gen(function* () {
        const server = yield* DocumentServer.make()
        const answers: ReadonlyArray<readonly [string, string, DocumentServer.Handler]> = [
          [
            "missing",
            "its server answers with status 404 instead of 200",
            (_, response) => void response.writeHead(404).end()
          ],
          [
            "moved",
            "its server answers with status 302 instead of 200",
            (_, response) => void response.writeHead(302, { location: "http://127.0.0.1:1/" }).end()
          ],
          [
            "text",
            "its Content-Type is not application/json in UTF-8",
            (_, response) => void response.writeHead(200, { "content-type": "text/<b>html" }).end("hello")
          ],
          ["json", "it is not a JSON object", DocumentServer.json("{")],
          [
            "other",
            "these members are missing or wrong: client_name, redirect_uris",
            DocumentServer.json({ client_id: "https://other.example/client" })
          ],
          ["large", "it is larger than 16384 bytes", DocumentServer.json({ client_name: "x".repeat(20_000) })]
        ]
        for (const [path, reason, answer] of answers) {
          server.answer = answer
          const text = yield* ask(`${server.origin}/${path}?secret=1`, "The app's document is wrong")
          assert.include(
            text,
            `The document at 127.0.0.1:${server.port}/${path} is wrong: ${reason}. Contact the developer`
          )
        }
      })
    )

    it.effect.each<readonly [Messages.Language, string, string]>([
      [
        "de",
        "ist fehlerhaft: sein Server antwortet mit dem Status 404 statt 200. Wenden Sie sich an den Entwickler der App.",
        "ist fehlerhaft: es ist größer als 16.384 Byte. Wenden Sie sich an den Entwickler der App."
      ],
      [
        "fr",
        "est incorrect : son serveur répond par le statut 404 au lieu de 200. Contactez le développeur de l’application.",
        "est incorrect : il dépasse 16 384 octets. Contactez le développeur de l’application."
      ],
      [
        "es",
        "es incorrecto: su servidor responde con el estado 404 en lugar de 200. Contacte con el desarrollador",
        "es incorrecto: ocupa más de 16.384 bytes. Contacte con el desarrollador de la aplicación."
      ]
    ])("D51 that is wrong is named in the visitor's language: %s", ([language, missing, large]) =>
      Effect.gen(function* () {
        const server = yield* DocumentServer.make()
        const tab = yield* Consent.somebody
        const read = Effect.fnUntraced(function* (path: string) {
          yield* Effect.flatMap(SetClock, (clock) => clock.advance(60_000))
          const answer = yield* tab.get(Consent.request(server.origin + path), { "accept-language": language })
          hasNoRedirect(answer, Messages.of(language).text("consent.badDocument"))
          assert.notInclude(answer.text, 'lang="en"')
          return Consent.textOf(answer.text)
        })
        server.answer = (_, response) => void response.writeHead(404).end()
        assert.include(yield* read("/missing"), `127.0.0.1:${server.port}/missing ${missing}`)
        server.answer = DocumentServer.json({ client_name: "x".repeat(20_000) })
        assert.include(yield* read("/large"), `127.0.0.1:${server.port}/large ${large}`)
      })
    )

    it.effect("that was not reached gets the same answer for every reason, which names only its host", () =>
      Effect.gen(function* () {
        const server = yield* DocumentServer.make()
        const pages: Array<string> = []
        const unreached = Effect.fnUntraced(function* (clientId: string) {
          const { host } = new URL(clientId)
          const text = yield* ask(clientId, "The app could not be checked")
          assert.include(text, `This server could not reach ${host}, where`)
          pages.push(text.replaceAll(host, "host"))
        })
        server.answer = (_, response) => void response.writeHead(500).end()
        yield* unreached(`${server.origin}/broken`)
        server.answer = (request) => void request.socket.destroy()
        yield* unreached(`${server.origin}/gone`)
        yield* unreached("http://127.0.0.1:1/client")
        yield* unreached("https://app.invalid/client")
        assert.strictEqual(new Set(pages).size, 1)
      })
    )

    it.effect("is not fetched from an address that is not allowed", () =>
      Effect.gen(function* () {
        const pages = yield* Effect.forEach(
          [
            "https://10.0.0.1/client",
            "https://169.254.169.254/latest/meta-data",
            "https://[::ffff:10.0.0.1]/client",
            "http://app.example/client",
            "https://user@app.example/client",
            "https://app.example",
            "https://app.example/client#x",
            "HTTPS://APP.EXAMPLE/client"
          ],
          (clientId) => ask(clientId, "The app's address is wrong")
        )
        assert.strictEqual(new Set(pages).size, 1)
        assert.notInclude(pages[0], "10.0.0.1")
      })
    )
  })
})

layer(Site.layer({ config: { ...Consent.config, clientMetadataDocuments: "off" } }), {
  excludeTestServices: true,
  timeout: "60 seconds"
})("/authorize without documents", (it) => {
  it.effect("R4, R49 does not offer them, fetches none, and says so; apps that register go on", () =>
    Effect.gen(function* () {
      const site = yield* Site
      const { text } = yield* site.get("/.well-known/oauth-authorization-server")
      assert.notInclude(text, "client_id_metadata_document_supported")
      const server = yield* DocumentServer.make()
      const tab = yield* Consent.somebody
      const answer = yield* tab.get(Consent.request(`${server.origin}/client`))
      hasNoRedirect(answer, "This server does not read documents about apps")
      assert.lengthOf(server.requests, 0)
      const client = yield* Consent.app()
      assert.strictEqual((yield* tab.get(Consent.request(client.id))).status, 200)
    })
  )
})

/**
 * Every header and every cookie of every route, for each of its outcomes, is the one of the table (R22, R28 to R30, R55; D94, D95). A
 * route that is not in the table fails.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { HttpRouter } from "effect/http"
import { SqlClient } from "effect/sql"
import * as InstallLinks from "../../src/http/shared/InstallLinks.ts"
import * as DemoPictures from "../../src/domain/catalog/PictureNames.ts"
import { documents, markdownPathOf, pathOf } from "../../src/http/pages/docs/Documents.ts"
import { AccountLinks } from "../../src/services/accounts/AccountLinks.ts"
import { Accounts } from "../../src/services/accounts/Accounts.ts"
import { ApiKeys } from "../../src/services/credentials/ApiKeys.ts"
import { Passkeys } from "../../src/services/sessions/passkeys/Passkeys.ts"
import { Passwords } from "../../src/services/sessions/Passwords.ts"
import { Boards } from "../../src/services/accounts/Boards.ts"
import { SavedSearches } from "../../src/services/accounts/SavedSearches.ts"
import { ConnectedApps } from "../../src/services/oauth/ConnectedApps.ts"
import { Grants } from "../../src/services/oauth/Grants.ts"
import { Authenticator } from "../support/Authenticator.ts"
import * as Catalogs from "../support/Catalogs.ts"
import * as Consent from "../support/Consent.ts"
import { call, change, check, open, submit } from "../support/HeaderTable.ts"
import type { Case } from "../support/HeaderTable.ts"
import * as HostileRoutes from "../support/HostileRoutes.ts"
import * as Messages from "../support/Messages.ts"
import { Site } from "../support/Site.ts"
import * as SiteVisitor from "../support/SiteVisitor.ts"
import { StripeDouble } from "../support/StripeDouble.ts"

const baseUrl = "https://discovery.test"
const friend = "https://friend.test"
const elsewhere = "https://elsewhere.test"
const password = "nine green whales"

// The headers.

/** Of every answer. */
const all = { "x-request-id": change, "x-content-type-options": "nosniff" }
const tls = { "strict-transport-security": "max-age=31536000; includeSubDomains" }
const base = {
  ...all,
  ...tls,
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; base-uri 'none'; frame-ancestors 'none'"
}
const json = { ...base, "content-type": "application/json" }
const readable = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers":
    "WWW-Authenticate, Mcp-Session-Id, Retry-After, X-Request-Id, X-Credits-Cost, X-Credits-Remaining, RateLimit, RateLimit-Policy"
}
const readableJson = { ...json, ...readable }
const notPost = { ...json, allow: "POST" }
const metadata = { ...readableJson, "cache-control": "public, max-age=300" }
const preflight = (methods: string) => ({
  ...base,
  "access-control-allow-origin": "*",
  "access-control-allow-methods": methods,
  "access-control-allow-headers":
    "authorization, content-type, mcp-protocol-version, mcp-session-id, mcp-method, mcp-name, last-event-id",
  "access-control-max-age": "7200"
})

const redirect = { ...base, "referrer-policy": "no-referrer", location: change }

const own = "img-src 'self' data:"
const forms = "form-action 'self'"
const script = "script-src 'self'"
const page = (...directives: ReadonlyArray<string>) => ({
  ...all,
  ...tls,
  "cache-control": "no-store",
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": ["default-src 'none'", "style-src 'self'", ...directives]
    .concat("base-uri 'none'", "frame-ancestors 'none'")
    .join("; "),
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin"
})
const alone = { "cross-origin-opener-policy": "same-origin" }

/** Without a navigation and scripts: before the sign-in, consent, and errors for who is not signed in. */
const quiet = page(own, forms)
/** With a script that asks this origin for challenges. */
const passkeys = page(script, "connect-src 'self'", own, forms)
/** The same, with a form that may end at an app. */
const passkeysLeaving = page(script, "connect-src 'self'", own)
/** For who is signed in. */
const people = { ...page(script, own, forms), ...alone }
const peoplePasskeys = { ...passkeys, ...alone }
/** With a script that asks this origin for results. */
const searches = { ...page(script, "connect-src 'self'", own, forms), ...alone }
const pictureSearches = { ...page(script, "connect-src 'self'", "img-src 'self' data: https:", forms), ...alone }
const pictures = { ...page(script, "img-src 'self' data: https:", forms), ...alone }
const billing = { ...page(script, own), ...alone }

const kept = { "cache-control": "public, max-age=300", vary: "accept-encoding", etag: change }
const documentPage = { ...people, ...kept }
const plainText = { ...quiet, ...kept, ...readable }
const asset = (type: string) => ({
  ...base,
  "cache-control": "public, max-age=31536000, immutable",
  "content-type": type,
  vary: "accept-encoding",
  etag: change
})
const picture = {
  ...base,
  "cache-control": "public, max-age=31536000, immutable",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
  "cross-origin-resource-policy": "cross-origin",
  "content-type": "image/svg+xml",
  etag: change
}
const file = (type: string) => ({ ...quiet, "content-type": type, "content-disposition": change })
const files = {
  csv: file("text/csv; charset=utf-8; header=present"),
  ndjson: file("application/x-ndjson; charset=utf-8")
}

/** Of a 304. */
const unchanged = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name !== "content-type"))

// The cookies.

const attributes = (maxAge: number, sameSite: string) =>
  `HttpOnly; Max-Age=${maxAge}; Path=/; SameSite=${sameSite}; Secure`
const session = `__Host-discovery=secret; ${attributes(2_592_000, "Lax")}`
const browser = `__Host-discovery-browser=secret; ${attributes(34_560_000, "Strict")}`
const ended = `__Host-discovery=; ${attributes(0, "Lax")}`

// The people, and what they have.

const of = Effect.fnUntraced(function* (options: Parameters<Site["Service"]["account"]>[0] = {}) {
  const who = yield* (yield* Site).account(options)
  const { id } = yield* Effect.flatMap(Accounts, (accounts) => accounts.find(who.email))
  return { ...who, id, visitor: yield* SiteVisitor.signedIn(who) }
})

/** The address of a picture of the demo data on this server. */
const pictureOf = (url = "") => new URL(DemoPictures.served({ baseUrl })(url)).pathname

/** Has a form of the sign-in page. */
const guest = Effect.tap(SiteVisitor.make, (visitor) => visitor.get("/sign-in"))

const makeScene = Effect.gen(function* () {
  const accounts = yield* Accounts
  const double = yield* StripeDouble
  const sql = yield* SqlClient.SqlClient
  const keys = yield* ApiKeys
  const saved = yield* SavedSearches
  const links = yield* AccountLinks
  const passwords = yield* Passwords

  const customer = yield* of()
  const starter = yield* of({ plan: "starter" })
  const keeper = yield* of()
  const [leaver, closer, changer, mover] = yield* Effect.all([of(), of(), of(), of()])
  const chief = yield* (yield* Site).account()
  yield* accounts.setRole(chief.email, "operator")
  const operator = yield* SiteVisitor.withPasskey(chief)

  const authenticator = yield* SiteVisitor.addPasskey(keeper.visitor)
  const [passkey] = yield* Effect.flatMap(Passkeys, (all) => all.list(keeper.id))
  const { key, secret } = yield* keys.create(customer.id, "a key")
  const { key: other } = yield* keys.create(customer.id, "another")
  yield* saved.save(customer.id, { subject: "ads", query: "query=tent", name: "Tents", mark: 0 })
  yield* saved.save(customer.id, { subject: "ads", query: "query=lamp", name: "Lamps", mark: 0 })
  const { searches } = yield* saved.page(customer.id, 1)
  const boards = yield* Boards
  const board = yield* boards.create(customer.id, "Board")
  const deletable = yield* boards.create(customer.id, "Another board")
  const unsubscribe = Redacted.value(yield* links.unsubscribe(customer.id))

  const client = yield* Consent.app({ name: "An app" })
  const proof = Consent.proof()
  const grants = yield* Grants
  const approve = grants.approve({
    accountId: customer.id,
    client,
    redirectUri: Consent.redirectUri,
    challenge: proof.challenge,
    resource: `${baseUrl}/mcp`
  })
  const { code } = yield* approve
  yield* Effect.flatMap(Site, (site) =>
    site.post("/token", {
      grant_type: "authorization_code",
      client_id: client.id,
      code: Redacted.value(code),
      code_verifier: proof.verifier,
      redirect_uri: Consent.redirectUri
    })
  )
  const [app] = yield* Effect.flatMap(ConnectedApps, (apps) => apps.list(customer.id))
  const [shop] = yield* sql<{ readonly id: number }>`SELECT min(id) AS id FROM shop`
  yield* boards.keep(customer.id, { kind: "store", id: shop?.id ?? 0 }, { boardId: board })
  const [item] = yield* sql<{ readonly id: number }>`SELECT id FROM kept_item WHERE board_id = ${board}`
  const [ad] = yield* sql<{
    readonly id: number
    readonly url: string
  }>`SELECT id, image_url AS url FROM ad WHERE image_url IS NOT NULL LIMIT 1`
  const [product] = yield* sql<{
    readonly id: number
    readonly url: string
  }>`SELECT id, image_url AS url FROM product WHERE image_url IS NOT NULL LIMIT 1`
  const [ending] = yield* sql<{ readonly id: number }>`SELECT id FROM session WHERE account_id = ${mover.id}`

  const token = (link: Parameters<AccountLinks["Service"]["make"]>[0]) =>
    Effect.map(links.make(link), (made) =>
      made._tag === "Some" ? Redacted.value(made.value.secret) : assert.fail("no link")
    )
  const signUp = yield* token({
    purpose: "sign_up",
    email: "eve@discovery.test",
    passwordHash: yield* passwords.hash(Redacted.make(password)),
    browser: Redacted.make("another"),
    returnTo: "/dashboard"
  })
  const forgetful = yield* (yield* Site).account()
  const reset = yield* token({ purpose: "reset", email: forgetful.email })
  const moving = yield* token({ purpose: "email", email: "moved@discovery.test", accountId: customer.id })
  return {
    double,
    secret: Redacted.value(secret),
    client: client.id,
    verifier: proof.verifier,
    /** Each exchange needs a code of its own. */
    code: Effect.orDie(Effect.map(approve, (approved) => Redacted.value(approved.code))),
    customerEmail: customer.email,
    authenticator,
    signUp,
    reset,
    moving,
    ids: {
      key: String(key.id),
      other: String(other.id),
      app: String(app?.id),
      search: String(searches[0]?.id),
      kept: String(searches[1]?.id),
      unsubscribe,
      shop: String(shop?.id),
      adId: String(ad?.id),
      productId: String(product?.id),
      board: String(board),
      deletable: String(deletable),
      item: String(item?.id),
      account: String(starter.id),
      passkey: String(passkey?.id),
      session: String(ending?.id),
      ad: pictureOf(ad?.url),
      product: pictureOf(product?.url),
      signUp,
      reset,
      moving,
      asked: Consent.request(client.id)
    },
    people: {
      nobody: SiteVisitor.make,
      guest,
      /** Whose password was right, for the second step. */
      half: Effect.tap(guest, (visitor) =>
        Effect.flatMap(visitor.submit("/sign-in", { email: keeper.email, password }), () =>
          visitor.get("/sign-in/second-step")
        )
      ),
      customer: Effect.succeed(customer.visitor),
      starter: Effect.succeed(starter.visitor),
      keeper: Effect.succeed(keeper.visitor),
      leaver: Effect.succeed(leaver.visitor),
      closer: Effect.succeed(closer.visitor),
      changer: Effect.succeed(changer.visitor),
      mover: Effect.succeed(mover.visitor),
      operator: Effect.succeed(operator)
    }
  }
}).pipe(Effect.orDie)

type Scene = Effect.Success<typeof makeScene>
type Cases = ReadonlyArray<Case<Scene>>

// The table.

/** Others sign in first. */
const signedInPage = (...cases: Cases): Cases => [open("nobody", 303, redirect), ...cases]
const found = (headers: Readonly<Record<string, string>>, path?: string): Case<Scene> =>
  open("customer", 200, headers, path === undefined ? {} : { path })

/** Refused without a session, from elsewhere, and if it is no form. */
const signedInForm = (...cases: Cases): Cases => [
  submit("nobody", 303, redirect),
  submit("customer", 400, people, {}, { type: "application/json" }),
  ...cases
]
const foreign = submit<Scene>("customer", 403, people, { form_token: "" })
const unread = submit<Scene>("customer", 400, people, { form_token: "" })

const planned = (headers: Readonly<Record<string, string>>, path?: string): Cases => [
  ...signedInPage(found(headers, path)),
  open("starter", 403, people)
]

const operatorPage = (path: string): Cases => [
  open("nobody", 404, quiet),
  open("customer", 404, people),
  open("operator", 200, people, { path })
]
const operatorForm = (path: string, fields: Readonly<Record<string, string>>): Cases => [
  submit("nobody", 404, quiet),
  submit("customer", 404, people, fields),
  submit("operator", 403, people, { ...fields, form_token: "" }, { path }),
  submit("operator", 303, redirect, fields, { path })
]

const publicForm = (...cases: Cases): Cases => [
  submit("nobody", 400, quiet, { form_token: "" }, { type: "application/json" }),
  submit("customer", 400, people, {}, { type: "application/json" }),
  ...cases
]

const challenge =
  (path: string): Parameters<typeof submit<Scene>>[3] =>
  (scene, visitor) =>
    Effect.map(visitor.submit(path, {}), ({ text }) => ({ credential: scene.authenticator.answer(text) }))

const bearer = ({ secret }: Scene) => ({ authorization: `Bearer ${secret}` })
const jsonType = { "content-type": "application/json" }

/** A message to `/mcp`; `headers` are added to those of a client. */
const message =
  (
    body: unknown,
    headers: Readonly<Record<string, string>> = {},
    method = "POST"
  ): ((scene: Scene) => {
    readonly method: string
    readonly headers: Readonly<Record<string, string>>
    readonly body?: string
  }) =>
  (scene) => ({
    method,
    headers: { ...bearer(scene), ...jsonType, accept: "application/json, text/event-stream", ...headers },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) })
  })

const challenged = (error = "") => ({
  ...json,
  "www-authenticate": `Bearer resource_metadata="${baseUrl}/.well-known/oauth-protected-resource/mcp", scope="discovery:read"${error}`
})
const rejected =
  ', error="invalid_token", error_description="the credential is not valid: it may be mistyped, revoked or expired; create a new API key, or sign in again"'
const limited = { ratelimit: change, "ratelimit-policy": '"default";q=1200;w=60' }
const charged = { ...limited, "x-credits-cost": "1", "x-credits-remaining": change }

const oauth = (...cases: Cases): Cases => [
  call(405, { ...readableJson, allow: "POST" }, { method: "GET" }),
  call(405, { ...readableJson, allow: "POST" }, { method: "DELETE", headers: { origin: elsewhere } }),
  call(204, preflight("POST, OPTIONS"), { method: "OPTIONS", headers: { origin: elsewhere } }),
  call(400, readableJson, { method: "POST", headers: { "content-type": "text/plain" }, body: "x" }),
  ...cases
]
const form = (fields: Readonly<Record<string, string>>, headers: Readonly<Record<string, string>> = {}) => ({
  method: "POST",
  headers: { "content-type": "application/x-www-form-urlencoded", origin: elsewhere, ...headers },
  body: new URLSearchParams(fields).toString()
})

const wellKnown = (path: string): Readonly<Record<string, Cases>> => ({
  [`GET ${path}`]: [
    call(404, readableJson, { method: "GET" }),
    call(404, readableJson, { method: "GET", headers: { origin: elsewhere } })
  ],
  [`OPTIONS ${path}`]: [call(204, preflight("GET, OPTIONS"), { method: "OPTIONS", headers: { origin: elsewhere } })]
})
const document = (headers: Readonly<Record<string, string>>): Cases => [
  open("nobody", 200, headers),
  open("customer", 200, headers),
  open("nobody", 304, unchanged(headers), { headers: { "if-none-match": "*" } })
]
const exported = (subject: string): Readonly<Record<string, Cases>> =>
  Object.fromEntries(
    (["csv", "ndjson"] as const).map((format) => [
      `GET /dashboard/${subject}/export.${format}`,
      [
        ...planned(files[format]),
        open("customer", 303, redirect, { path: `/dashboard/${subject}/export.${format}?countries=XX` })
      ]
    ])
  )

const key = { name: "nightly job", attempt: "A".repeat(22) }
const next = { next: "seven blue otters", again: "seven blue otters" }
const confirm = "/dashboard/account/confirm"
const step = "/dashboard/account/second-step"
const operators = "/dashboard/operator/accounts/{account}"
const search = { subject: "ads", query: "query=sofa", mark: "0" }
const saveSearch = { ...search, name: "Sofas" }

/** In the order in which the requests are sent: later ones need what earlier ones leave. */
const table: Readonly<Record<string, Cases>> = {
  // The protocol: a browser of any origin may read each answer, errors too.
  "* /mcp": [
    ...[{}, { origin: friend }].flatMap((origin) => {
      const cors = "origin" in origin ? readable : {}
      return [
        call<Scene>(200, { ...json, ...limited, ...cors }, message(Messages.request("tools/list"), origin)),
        call<Scene>(200, { ...json, ...charged, ...cors }, message(Messages.call("search_ads"), origin)),
        call<Scene>(
          202,
          { ...base, ...cors },
          message({ jsonrpc: "2.0", method: "notifications/initialized" }, origin)
        ),
        call<Scene>(400, { ...json, ...cors }, message("{", origin)),
        call<Scene>(405, { ...notPost, ...cors }, message(undefined, origin, "GET")),
        call<Scene>(405, { ...notPost, ...cors }, message(undefined, origin, "DELETE")),
        call<Scene>(405, { ...notPost, ...cors }, message("{}", origin, "PUT")),
        call<Scene>(405, { ...notPost, ...cors }, message("{}", origin, "PATCH")),
        call<Scene>(406, { ...json, ...cors }, message("{}", { ...origin, accept: "text/html" })),
        call<Scene>(413, { ...json, ...cors }, message("x".repeat(256 * 1024 + 1), origin)),
        call<Scene>(415, { ...json, ...cors }, message("{}", { ...origin, "content-type": "text/plain" })),
        call<Scene>(401, { ...challenged(), ...cors }, { method: "POST", headers: origin }),
        call<Scene>(401, { ...challenged(), ...cors }, { method: "GET", headers: origin }),
        call<Scene>(401, { ...challenged(), ...cors }, { method: "DELETE", headers: origin }),
        call<Scene>(
          401,
          { ...challenged(rejected), ...cors },
          message("{}", { ...origin, authorization: "Bearer wrong" })
        )
      ]
    }),
    call(403, readableJson, message("{}", { origin: elsewhere })),
    call(403, readableJson, { method: "GET", headers: { origin: elsewhere } }),
    call(204, preflight("POST, GET, DELETE, OPTIONS"), { method: "OPTIONS" }),
    call(204, preflight("POST, GET, DELETE, OPTIONS"), { method: "OPTIONS", headers: { origin: elsewhere } })
  ],
  ...Object.fromEntries(
    ["oauth-protected-resource", "oauth-protected-resource/mcp", "oauth-authorization-server"].map((name) => [
      `GET /.well-known/${name}`,
      [
        call<Scene>(200, metadata, { method: "GET" }),
        call<Scene>(200, metadata, { method: "GET", headers: { origin: elsewhere } }),
        call<Scene>(204, preflight("GET, OPTIONS"), { method: "OPTIONS", headers: { origin: elsewhere } })
      ]
    ])
  ),
  ...wellKnown("/.well-known/*"),
  ...wellKnown("/mcp/.well-known/*"),
  "GET /server.json": [call(200, metadata, { method: "GET" })],
  ...Object.fromEntries(
    [
      ["/mcp/server-card", "application/mcp-server-card+json"],
      ["/.well-known/ai-catalog.json", "application/ai-catalog+json"]
    ].map(([path = "", type = ""]) => {
      const headers = {
        ...base,
        ...readable,
        "cache-control": "public, max-age=3600",
        etag: change,
        vary: "accept-encoding"
      }
      return [
        `GET ${path}`,
        [
          call<Scene>(200, { ...headers, "content-type": type }, { method: "GET", headers: { origin: elsewhere } }),
          call<Scene>(304, headers, { method: "GET", headers: { "if-none-match": "*" } })
        ]
      ]
    })
  ),
  ...Object.fromEntries(
    Object.entries(InstallLinks.targets(`${baseUrl}/mcp`)).map(([client, location]) => [
      `GET /install/${client}`,
      [
        call<Scene>(
          302,
          {
            ...base,
            "cache-control": "public, max-age=300",
            location: location.startsWith("https:") ? change : location
          },
          { method: "GET" }
        )
      ]
    ])
  ),
  "GET /icon.svg": [
    call(200, { ...base, "cache-control": "public, max-age=86400", "content-type": "image/svg+xml" }, { method: "GET" })
  ],
  "GET /health/live": [call(200, json, { method: "GET" })],
  "GET /health/ready": [call(200, json, { method: "GET" })],
  "* /billing/stripe/webhook": [
    call(405, notPost, { method: "GET" }),
    call(405, notPost, { method: "OPTIONS", headers: { origin: elsewhere } }),
    call(400, json, { method: "POST", headers: jsonType, body: "{}" }),
    call(413, json, { method: "POST", headers: jsonType, body: "x".repeat(256 * 1024 + 1) }),
    call(200, json, ({ double }) => {
      const { body, signature } = double.event({ customer: "cus_nobody" })
      return { method: "POST", headers: { ...jsonType, "stripe-signature": signature }, body }
    })
  ],

  // OAuth for programs.
  "* /register": oauth(
    call(201, readableJson, {
      method: "POST",
      headers: { ...jsonType, origin: elsewhere },
      body: JSON.stringify({ redirect_uris: [Consent.redirectUri], token_endpoint_auth_method: "client_secret_basic" })
    }),
    call(400, readableJson, { method: "POST", headers: jsonType, body: "{}" })
  ),
  "* /token": oauth(
    call(200, readableJson, ({ client, code, verifier }) =>
      Effect.map(code, (given) =>
        form({ grant_type: "authorization_code", client_id: client, code: given, code_verifier: verifier })
      )
    ),
    call(400, readableJson, ({ client }) =>
      form({ grant_type: "refresh_token", client_id: client, refresh_token: "x" })
    ),
    call(401, readableJson, form({ grant_type: "refresh_token", client_id: "nobody", refresh_token: "x" })),
    call(
      401,
      { ...readableJson, "www-authenticate": 'Basic realm="discovery", charset="UTF-8"' },
      form({ grant_type: "refresh_token" }, { authorization: `Basic ${btoa("nobody:x")}` })
    )
  ),
  "* /revoke": oauth(
    call(200, { ...base, ...readable }, ({ client }) => form({ token: "x", client_id: client })),
    call(401, readableJson, form({ token: "x", client_id: "nobody" }))
  ),

  // OAuth for people.
  "GET /authorize": [
    open("nobody", 400, quiet),
    open("nobody", 303, redirect, { path: "{asked}" }),
    open("nobody", 400, quiet, { path: "{asked}&response_type=x" }),
    open("customer", 200, quiet, { path: "{asked}" })
  ],
  ...Object.fromEntries(
    ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"].map((method) => [
      `${method} /authorize`,
      [call<Scene>(405, { ...quiet, allow: "GET, HEAD" }, { method, headers: { origin: elsewhere } })]
    ])
  ),
  "GET /authorize/decision": [open("nobody", 400, quiet), open("customer", 400, quiet)],
  "POST /authorize/decision": publicForm(
    submit("nobody", 303, redirect, { request: "A".repeat(43), decision: "allow", url: "/authorize?x" }),
    submit("customer", 403, people, {
      request: "A".repeat(43),
      decision: "allow",
      url: "/authorize?x",
      form_token: ""
    }),
    ...["allow", "deny"].map((decision) =>
      submit<Scene>("customer", 200, { ...quiet, refresh: change }, (scene, visitor) =>
        Effect.map(visitor.get(scene.ids.asked), ({ text }) => ({
          ...Consent.fieldsOf(text, "/authorize/decision"),
          decision
        }))
      )
    )
  ),

  // Files and documents.
  "GET /assets/style.css": document(asset("text/css; charset=utf-8")),
  "GET /assets/script.js": document(asset("text/javascript; charset=utf-8")),
  "GET /assets/passkeys.js": document(asset("text/javascript; charset=utf-8")),
  ...Object.fromEntries(
    (["product", "ad"] as const).map((kind) => [
      `GET /demo/v1/${kind}s/:name`,
      [open<Scene>("nobody", 404, json), open<Scene>("nobody", 200, picture, { path: `{${kind}}` })]
    ])
  ),
  ...Object.fromEntries(
    documents.flatMap((each) => [
      [`GET ${pathOf(each)}`, document(documentPage)],
      [`GET ${markdownPathOf(each)}`, document({ ...plainText, "content-type": "text/markdown; charset=utf-8" })]
    ])
  ),
  ...Object.fromEntries(
    ["/llms.txt", "/llms-full.txt", "/robots.txt"].map((path) => [
      `GET ${path}`,
      document({ ...plainText, "content-type": "text/plain; charset=utf-8" })
    ])
  ),
  "GET /.well-known/change-password": [open("nobody", 302, { ...base, location: change })],
  "GET /.well-known/security.txt": [
    open("nobody", 200, {
      ...quiet,
      ...readable,
      "cache-control": "public, max-age=300",
      "content-type": "text/plain; charset=utf-8"
    })
  ],
  "GET /": [open("nobody", 302, { ...base, location: change })],
  "GET /docs/:place/*": [open("nobody", 404, quiet), open("customer", 404, people)],

  "GET /plans": [open("nobody", 200, quiet), open("customer", 200, people), open("starter", 200, people)],
  "GET /language": [
    open("nobody", 400, quiet),
    open("nobody", 303, redirect, {
      path: "/language?to=de&back=/sign-in",
      cookies: [`__Host-discovery-language=de; ${attributes(31_536_000, "Lax")}`]
    }),
    open("customer", 400, people, { path: "/language?to=it" })
  ],

  // Before the sign-in.
  "GET /sign-in": [
    open("nobody", 200, passkeys, { cookies: [session] }),
    open("nobody", 200, passkeysLeaving, { path: "/sign-in?return_to=/dashboard", cookies: [session] }),
    open("customer", 303, redirect)
  ],
  "POST /sign-in": publicForm(
    submit("nobody", 403, passkeys, { email: "a", password: "b" }, { cookies: [session] }),
    submit("nobody", 303, redirect, { email: "a", password: "b" }, { site: "cross-site" }),
    submit("guest", 400, passkeys, { email: "", password: "" }, { cookies: [session] }),
    submit("guest", 403, passkeys, { email: "nobody@discovery.test", password: "b" }, { cookies: [session] }),
    submit("guest", 303, redirect, ({ customerEmail }) => Effect.succeed({ email: customerEmail, password }), {
      cookies: [session, browser]
    })
  ),
  "POST /sign-out": [
    submit("nobody", 303, redirect),
    foreign,
    submit("leaver", 303, redirect, {}, { cookies: [ended] })
  ],
  "GET /sign-up": [open("nobody", 200, quiet, { cookies: [session] }), open("customer", 303, redirect)],
  "POST /sign-up": publicForm(
    submit("guest", 400, quiet, { email: "", password: "" }, { cookies: [session] }),
    submit("guest", 303, redirect, { email: "new@discovery.test", password }, { cookies: [session] })
  ),
  "GET /sign-up/confirm": [
    open("nobody", 410, quiet),
    open("nobody", 200, quiet, { path: "/sign-up/confirm?token={signUp}", cookies: [session] })
  ],
  "POST /sign-up/confirm": publicForm(
    submit("guest", 410, quiet, { token: "A".repeat(43) }),
    submit("guest", 403, quiet, ({ signUp }) => Effect.succeed({ token: signUp, password: "" }), {
      cookies: [session]
    }),
    submit("guest", 303, redirect, ({ signUp }) => Effect.succeed({ token: signUp, password }))
  ),
  "GET /reset-password": [open("nobody", 200, quiet, { cookies: [session] })],
  "POST /reset-password": publicForm(
    submit("guest", 400, quiet, { email: "" }, { cookies: [session] }),
    submit("guest", 303, redirect, { email: "nobody@discovery.test" })
  ),
  "GET /reset-password/new": [
    open("nobody", 410, quiet),
    open("nobody", 200, quiet, { path: "/reset-password/new?token={reset}", cookies: [session] })
  ],
  "POST /reset-password/new": publicForm(
    submit("guest", 410, quiet, { token: "A".repeat(43), ...next }),
    submit("guest", 400, quiet, ({ reset }) => Effect.succeed({ token: reset, next: "", again: "" }), {
      cookies: [session]
    }),
    submit("guest", 303, redirect, ({ reset }) => Effect.succeed({ token: reset, ...next }))
  ),
  // Of a mail program, from elsewhere and without a session (RFC 8058).
  "GET /alerts/unsubscribe": [
    open("nobody", 410, quiet),
    open("nobody", 200, quiet, { path: "/alerts/unsubscribe?token={unsubscribe}" })
  ],
  "POST /alerts/unsubscribe": [
    submit("nobody", 410, quiet),
    submit("nobody", 200, quiet, {}, { path: "/alerts/unsubscribe?token={unsubscribe}", site: "cross-site" })
  ],

  // The account.
  "GET /dashboard/account": signedInPage(found(peoplePasskeys)),
  "POST /dashboard/account/passkeys/challenge": signedInForm(foreign, submit("customer", 200, json)),
  "POST /dashboard/account/passkeys": signedInForm(
    unread,
    submit("keeper", 403, people, { name: "x", credential: "x" }),
    submit("starter", 303, redirect, (_, visitor) =>
      Effect.map(visitor.submit("/dashboard/account/passkeys/challenge", {}), ({ text }) => ({
        name: "x",
        credential: new Authenticator(baseUrl).create(text)
      }))
    )
  ),
  "POST /dashboard/account/second-step/on/challenge": signedInForm(foreign, submit("keeper", 200, json)),
  "POST /dashboard/account/second-step/on": signedInForm(
    unread,
    submit("keeper", 200, people, challenge(`${step}/on/challenge`))
  ),
  "POST /dashboard/account/second-step/codes": signedInForm(foreign, submit("keeper", 200, people)),
  "GET /sign-in/second-step": [
    open("nobody", 303, redirect),
    open("customer", 303, redirect),
    open("half", 200, passkeys)
  ],
  "POST /sign-in/second-step": publicForm(
    submit("guest", 303, redirect, { code: "x" }),
    submit("half", 403, passkeys, { code: "x" })
  ),
  "POST /sign-in/second-step/passkey/challenge": publicForm(submit("half", 200, json)),
  "POST /sign-in/second-step/passkey": publicForm(
    submit("half", 403, passkeys, { credential: "x" }),
    submit("half", 303, redirect, challenge("/sign-in/second-step/passkey/challenge"), { cookies: [session, browser] })
  ),
  "POST /sign-in/passkey/challenge": publicForm(submit("guest", 200, json)),
  "POST /sign-in/passkey": publicForm(
    submit("guest", 403, passkeys, { credential: "x" }, { cookies: [session] }),
    submit("guest", 303, redirect, challenge("/sign-in/passkey/challenge"), { cookies: [session, browser] })
  ),
  "GET /dashboard/account/confirm": signedInPage(found(peoplePasskeys)),
  "POST /dashboard/account/confirm": signedInForm(
    unread,
    submit("customer", 403, peoplePasskeys, { password: "x" }),
    submit("customer", 303, redirect, { password })
  ),
  "POST /dashboard/account/confirm/passkey/challenge": signedInForm(foreign, submit("keeper", 200, json)),
  "POST /dashboard/account/confirm/passkey": signedInForm(
    unread,
    submit("keeper", 303, redirect, challenge(`${confirm}/passkey/challenge`))
  ),
  "POST /dashboard/account/second-step/off": signedInForm(foreign, submit("keeper", 303, redirect)),
  "POST /dashboard/account/passkeys/:id/remove": signedInForm(
    foreign,
    submit("keeper", 303, redirect, {}, { path: "/dashboard/account/passkeys/{passkey}/remove" })
  ),
  "POST /dashboard/account/sessions/:id/end": signedInForm(
    foreign,
    submit("customer", 303, redirect),
    submit("mover", 303, redirect, {}, { path: "/dashboard/account/sessions/{session}/end", cookies: [ended] })
  ),
  "POST /dashboard/account/sessions/end-others": signedInForm(foreign, submit("customer", 303, redirect)),
  "GET /dashboard/account/password": signedInPage(found(people)),
  "POST /dashboard/account/password": signedInForm(
    unread,
    submit("customer", 403, people, { current: "x", ...next }),
    submit("changer", 200, people, { current: password, ...next }, { cookies: [session] })
  ),
  "GET /dashboard/account/email/confirm": signedInPage(
    open("customer", 410, people),
    found(people, "/dashboard/account/email/confirm?token={moving}")
  ),
  "POST /dashboard/account/email/confirm": signedInForm(
    unread,
    submit("customer", 410, people, { token: "A".repeat(43) }),
    submit("customer", 303, redirect, ({ moving }) => Effect.succeed({ token: moving }))
  ),
  "GET /dashboard/account/email": signedInPage(found(people)),
  "POST /dashboard/account/email": signedInForm(
    unread,
    submit("customer", 400, people, { email: "a", current: "" }),
    submit("customer", 303, redirect, { email: "else@discovery.test", current: password })
  ),
  "GET /dashboard/account/close": signedInPage(found(people)),
  "POST /dashboard/account/close": signedInForm(
    unread,
    submit("customer", 400, people, { current: "" }),
    submit("closer", 303, redirect, { current: password }, { cookies: [ended] })
  ),
  "GET /dashboard/billing": signedInPage(found(billing), open("starter", 200, billing)),
  "GET /dashboard/billing/return": signedInPage(open("customer", 303, redirect)),
  "POST /dashboard/billing/checkout": signedInForm(unread, submit("starter", 303, redirect, { plan: "growth" })),
  "POST /dashboard/billing/portal": signedInForm(foreign, submit("customer", 303, redirect)),

  // What customers use.
  "GET /dashboard": signedInPage(found(people), open("starter", 200, people)),
  "GET /dashboard/:place/*": [open("nobody", 404, quiet), open("customer", 404, people)],
  "POST /dashboard/:place/*": [submit("nobody", 404, quiet), submit("customer", 404, people)],
  "GET /dashboard/usage": signedInPage(found(people)),
  "GET /dashboard/ads": [
    ...planned(pictureSearches),
    open("customer", 400, pictureSearches, { path: "/dashboard/ads?countries=XX" })
  ],
  "GET /dashboard/products": planned(pictureSearches),
  "GET /dashboard/ads/:id": planned(pictures, "/dashboard/ads/{adId}"),
  "GET /dashboard/products/:id": planned(pictures, "/dashboard/products/{productId}"),
  "GET /dashboard/shops": planned(searches),
  "GET /dashboard/market": planned(searches),
  "GET /dashboard/changes": planned(people),
  "GET /dashboard/shops/:id": planned(pictures, "/dashboard/shops/{shop}"),
  "POST /dashboard/shops/:id/track": signedInForm(
    foreign,
    submit("customer", 303, redirect, {}, { path: "/dashboard/shops/{shop}/track" })
  ),
  "POST /dashboard/shops/:id/untrack": signedInForm(
    foreign,
    submit("customer", 303, redirect, {}, { path: "/dashboard/shops/{shop}/untrack" })
  ),
  ...exported("ads"),
  ...exported("products"),
  ...exported("shops"),
  "GET /dashboard/searches": planned(people),
  "POST /dashboard/searches": signedInForm(
    unread,
    submit("customer", 400, people, { ...search, name: "" }),
    submit("customer", 303, redirect, saveSearch)
  ),
  "GET /dashboard/searches/:id/rename": planned(people, "/dashboard/searches/{search}/rename"),
  "POST /dashboard/searches/:id/rename": signedInForm(
    unread,
    submit("customer", 404, people, { name: "x" }),
    submit("customer", 303, redirect, { name: "x" }, { path: "/dashboard/searches/{search}/rename" })
  ),
  "POST /dashboard/searches/:id/remove": signedInForm(
    foreign,
    submit("customer", 303, redirect, {}, { path: "/dashboard/searches/{search}/remove" })
  ),
  "GET /dashboard/boards": planned(people),
  "POST /dashboard/boards": signedInForm(
    unread,
    submit("customer", 400, people, { name: "" }),
    submit("customer", 303, redirect, { name: "x" })
  ),
  "GET /dashboard/boards/:id": planned(pictures, "/dashboard/boards/{board}"),
  "GET /dashboard/boards/:id/rename": planned(people, "/dashboard/boards/{board}/rename"),
  "POST /dashboard/boards/:id/rename": signedInForm(
    unread,
    submit("customer", 404, people, { name: "x" }),
    submit("customer", 303, redirect, { name: "x" }, { path: "/dashboard/boards/{board}/rename" })
  ),
  "GET /dashboard/boards/:id/delete": planned(people, "/dashboard/boards/{board}/delete"),
  "POST /dashboard/boards/:id/delete": signedInForm(
    foreign,
    submit("customer", 303, redirect, {}, { path: "/dashboard/boards/{deletable}/delete" })
  ),
  "POST /dashboard/boards/:id/remove-gone": signedInForm(
    foreign,
    submit("customer", 303, redirect, {}, { path: "/dashboard/boards/{board}/remove-gone" })
  ),
  "POST /dashboard/boards/keep": signedInForm(
    unread,
    submit("customer", 404, people, { item: "ad:2147483647" }),
    submit("customer", 303, redirect, ({ ids }) => Effect.succeed({ item: `store:${ids.shop}` }))
  ),
  "GET /dashboard/boards/items/:id/note": planned(people, "/dashboard/boards/items/{item}/note"),
  "POST /dashboard/boards/items/:id/note": signedInForm(
    unread,
    submit("customer", 400, people, { note: "x".repeat(501) }, { path: "/dashboard/boards/items/{item}/note" }),
    submit("customer", 303, redirect, { note: "x" }, { path: "/dashboard/boards/items/{item}/note" })
  ),
  "POST /dashboard/boards/items/:id/remove": signedInForm(
    unread,
    submit("customer", 303, redirect, { board: "1" }, { path: "/dashboard/boards/items/{item}/remove" })
  ),
  "GET /dashboard/compare": planned(people),
  "GET /dashboard/searches/:id": [
    ...signedInPage(open("customer", 303, redirect, { path: "/dashboard/searches/{kept}" })),
    open("customer", 404, people)
  ],
  "POST /dashboard/searches/:id/alert": signedInForm(
    unread,
    submit("customer", 404, people, { alert: "daily" }),
    submit("customer", 303, redirect, { alert: "daily" }, { path: "/dashboard/searches/{kept}/alert" })
  ),
  "GET /dashboard/integrations": signedInPage(found(people)),
  "POST /dashboard/integrations": signedInForm(
    unread,
    submit("customer", 400, people, { ...key, name: "" }),
    // The page has the new key.
    submit("customer", 200, people, key)
  ),
  "GET /dashboard/integrations/keys/:id/replace": signedInPage(
    open("customer", 404, people),
    found(people, "/dashboard/integrations/keys/{other}/replace")
  ),
  "POST /dashboard/integrations/keys/:id/replace": signedInForm(
    unread,
    submit("customer", 404, people, { ...key, attempt: "C".repeat(22), ends: "now" }),
    submit(
      "customer",
      200,
      people,
      { name: "x", attempt: "B".repeat(22), ends: "now" },
      { path: "/dashboard/integrations/keys/{other}/replace" }
    )
  ),
  "GET /dashboard/integrations/keys/:id/revoke": signedInPage(
    open("customer", 404, people),
    found(people, "/dashboard/integrations/keys/{key}/revoke")
  ),
  "POST /dashboard/integrations/keys/:id/revoke": signedInForm(
    foreign,
    submit("customer", 303, redirect, {}, { path: "/dashboard/integrations/keys/{key}/revoke" })
  ),
  "GET /dashboard/integrations/webhook": signedInPage(found(people)),
  "POST /dashboard/integrations/webhook": signedInForm(
    unread,
    submit("customer", 400, people, { url: "ftp://a.test" }),
    // The page has the secret.
    submit("customer", 200, people, { url: "https://hooks.example/a" })
  ),
  "POST /dashboard/integrations/webhook/secret": signedInForm(foreign, submit("customer", 200, people)),
  "POST /dashboard/integrations/webhook/remove": signedInForm(foreign, submit("customer", 303, redirect)),
  "GET /dashboard/integrations/apps/:id/revoke": signedInPage(
    open("customer", 404, people),
    found(people, "/dashboard/integrations/apps/{app}/revoke")
  ),
  "POST /dashboard/integrations/apps/:id/revoke": signedInForm(
    foreign,
    submit("customer", 303, redirect, {}, { path: "/dashboard/integrations/apps/{app}/revoke" })
  ),

  // Operators.
  "GET /dashboard/operator": operatorPage("/dashboard/operator"),
  "GET /dashboard/operator/accounts/:id": operatorPage(operators),
  "GET /dashboard/operator/accounts/:id/plan": operatorPage(`${operators}/plan?to=pro`),
  "POST /dashboard/operator/accounts/:id/plan": operatorForm(`${operators}/plan`, { from: "starter", to: "pro" }),
  "GET /dashboard/operator/accounts/:id/status": operatorPage(`${operators}/status?to=unpaid`),
  "POST /dashboard/operator/accounts/:id/status": operatorForm(`${operators}/status`, { from: "active", to: "unpaid" })
}

/** Addresses at which a handler fails by a defect, and those that no route has. */
const withoutAnswer = { broken: 500, nowhere: 404 } as const
const readers = ["/mcp", "/token", "/register", "/revoke", "/.well-known/oauth-authorization-server"] as const
const closed = ["", "/sign-in", "/authorize", "/health", "/billing/stripe/webhook"] as const

const broken = HttpRouter.use((router) =>
  Effect.forEach(
    [...readers, ...closed],
    (prefix) => router.add("POST", `${prefix}/broken`, Effect.die(new Error("a defect"))),
    { discard: true }
  )
)

const services = Layer.unwrap(
  Effect.map(StripeDouble, ({ settings }) =>
    Layer.provideMerge(
      Catalogs.demo("tiny"),
      Site.layer({
        config: {
          ...settings,
          baseUrl,
          mcpUrl: `${baseUrl}/mcp`,
          allowedOrigins: new Set([friend]),
          pageViewsPerDay: 0
        },
        routes: broken
      })
    )
  )
).pipe(Layer.provideMerge(StripeDouble.layer))

/** Files of the pages have a hash in their names. */
const nameOf = (route: string) => route.replace(/\.[0-9a-f]{12}\./u, ".")

const addressOf = (route: string) =>
  HostileRoutes.addressOf(route.slice(route.indexOf("/")) as `/${string}`)
    .replace(":name", "x")
    .replace("*", "x")

layer(services, { excludeTestServices: true, timeout: "2 minutes" })("headers and cookies", (it) => {
  it.effect("of every route and outcome are those of the table", () =>
    Effect.gen(function* () {
      const { routes } = yield* Site
      assert.sameMembers(routes.map(nameOf), Object.keys(table))
      const scene = yield* makeScene
      const addresses = new Map(routes.map((route) => [nameOf(route), addressOf(route)]))
      for (const [route, cases] of Object.entries(table)) {
        for (const each of cases) yield* check(route, each, scene, addresses.get(route) ?? "")
      }
    })
  )

  it.effect(
    "R55 of errors without a route, and of defects, let any origin read them where programs call, and nowhere else",
    () =>
      Effect.gen(function* () {
        const scene = { ids: {}, people: { nobody: SiteVisitor.make } }
        for (const [headers, prefixes] of [
          [readableJson, readers],
          [json, closed]
        ] as const) {
          for (const prefix of prefixes) {
            for (const [name, status] of Object.entries(withoutAnswer)) {
              const path = `${prefix}/${name}`
              yield* check(
                path,
                call(status, headers, { method: "POST", headers: { origin: elsewhere }, body: "" }),
                scene,
                path
              )
            }
          }
        }
      })
  )
})

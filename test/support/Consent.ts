/** Sign-in and consent without a browser, for tests with many requests. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { IpNetwork } from "effect/net"
import { createHash, randomBytes } from "node:crypto"
import { Accounts } from "../../src/services/accounts/Accounts.ts"
import { Clients } from "../../src/services/oauth/Clients.ts"
import { ConnectedApps } from "../../src/services/oauth/ConnectedApps.ts"
import type { Answer } from "./Site.ts"
import * as Messages from "./Messages.ts"
import { Site } from "./Site.ts"

/** Trusts X-Forwarded-For, so that tests can choose the address of a client. */
export const config = { trustedProxies: [IpNetwork.fromStringUnsafe("127.0.0.0/8")] }

export const redirectUri = "http://localhost:8787/callback"

/** A verifier and its challenge. */
export const proof = () => {
  const verifier = randomBytes(32).toString("base64url")
  return { verifier, challenge: createHash("sha256").update(verifier).digest("base64url") }
}

let addresses = 0

/** Each visit has a new client address. */
const nextAddress = () => {
  addresses++
  return `198.18.${Math.floor(addresses / 250) % 256}.${(addresses % 250) + 1}`
}

/** An app that has registered. */
export const app = Effect.fnUntraced(function* (
  options: { readonly name?: string; readonly redirectUris?: ReadonlyArray<string> } = {}
) {
  const clients = yield* Clients
  const { client } = yield* clients.register(
    {
      name: options.name ?? "A test's app",
      redirectUris: options.redirectUris ?? [redirectUri],
      authMethod: "none"
    },
    "203.0.113.1"
  )
  return client
})

export type Changes = Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

/** The URL that an app opens. A change to `undefined` removes a parameter, several values repeat it. */
export const request = (clientId: string, changes: Changes = {}): string => {
  const parameters: Changes = {
    client_id: clientId,
    redirect_uri: redirectUri,
    response_type: "code",
    code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
    code_challenge_method: "S256",
    state: "st-1",
    ...changes
  }
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) {
    for (const each of value === undefined ? [] : [value].flat()) query.append(name, each)
  }
  return `/authorize?${query}`
}

const entities: Readonly<Record<string, string>> = { amp: "&", quot: '"', lt: "<", gt: ">", "#39": "'" }

export const unescape = (text: string): string =>
  text.replaceAll(/&(amp|quot|lt|gt|#39);/g, (whole, name: string) => entities[name] ?? whole)

/** The visible text: no tags, single blanks. */
export const textOf = (page: string): string =>
  unescape(page.replaceAll(/<(head|style)\b.*?<\/\1>/gs, "").replaceAll(/<[^>]*>/g, ""))
    .replaceAll(/\s+/g, " ")
    .trim()

/** The hidden fields of the form with this action. */
export const fieldsOf = (page: string, action: string): Readonly<Record<string, string>> => {
  const [, form = ""] = new RegExp(`<form method="post" action="${action}"[^>]*>(.*?)</form>`, "s").exec(page) ?? []
  return Object.fromEntries(
    Array.from(form.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g), ([, name = "", value = ""]) => [
      name,
      unescape(value)
    ])
  )
}

/** The text of the heading. */
export const headingOf = (page: string): string => textOf(/<h1>(.*?)<\/h1>/s.exec(page)?.[1] ?? "")

/** The target of a page of {@link ConsentPage.forward}, which its link and its header must agree on. */
export const forwardedTo = ({ headers, status, text }: Answer): URL => {
  assert.strictEqual(status, 200, headingOf(text))
  const [, link = ""] = /<p><a href="([^"]*)">Continue<\/a>/.exec(text) ?? []
  assert.strictEqual(headers.get("refresh"), `0;url=${unescape(link)}`)
  return new URL(unescape(link))
}

/** The target of a redirect to the app. */
export const redirectedTo = ({ headers, status, text }: Answer): URL => {
  assert.strictEqual(status, 303, headingOf(text))
  return new URL(headers.get("location") ?? "")
}

export type Reply = Answer

/** A browser: keeps its session cookie and sends its client address. */
export const browser = Effect.gen(function* () {
  const site = yield* Site
  let cookie = ""
  const headers = (more: Readonly<Record<string, string>>) => ({
    "x-forwarded-for": nextAddress(),
    ...(cookie === "" ? {} : { cookie }),
    ...more
  })
  const keep = (answer: Answer): Answer => {
    for (const line of answer.headers.getSetCookie()) {
      if (line.startsWith("discovery=")) cookie = line.split(";", 1)[0] ?? ""
    }
    return answer
  }
  const get = (path: string, more: Readonly<Record<string, string>> = {}) =>
    Effect.map(site.get(path, headers(more)), keep)
  const post = (
    path: string,
    form: Readonly<Record<string, string>>,
    more: Readonly<Record<string, string>> = { origin: "null", "sec-fetch-site": "same-origin" }
  ) => Effect.map(site.post(path, form, headers(more)), keep)
  return {
    get,
    post,
    /** The session secret. */
    secret: () => cookie.split("=")[1] ?? "",
    /** Uses the cookie of another tab of the same browser. */
    use: (other: string) => void (cookie = other),
    cookie: () => cookie,
    signIn: Effect.fnUntraced(function* (
      who: { readonly email: string; readonly password: string },
      returnTo?: string
    ) {
      const page = yield* get(`/sign-in${returnTo === undefined ? "" : `?return_to=${encodeURIComponent(returnTo)}`}`)
      return yield* post("/sign-in", { ...fieldsOf(page.text, "/sign-in"), email: who.email, password: who.password })
    }),
    signOut: Effect.gen(function* () {
      const page = yield* get("/dashboard")
      return yield* post("/sign-out", fieldsOf(page.text, "/sign-out"))
    }),
    /** Opens the consent page of a request and presses a button. */
    decide: Effect.fnUntraced(function* (address: string, decision: "allow" | "deny") {
      const page = yield* get(address)
      assert.strictEqual(page.status, 200, headingOf(page.text))
      return yield* post("/authorize/decision", { ...fieldsOf(page.text, "/authorize/decision"), decision })
    })
  }
})

export type Browser = Effect.Success<typeof browser>

/** A browser that is signed in. */
export const signedIn = Effect.fnUntraced(function* (account: Parameters<Site["Service"]["account"]>[0] = {}) {
  const site = yield* Site
  const who = yield* site.account(account)
  const tab = yield* browser
  const answer = yield* tab.signIn(who)
  assert.strictEqual(answer.status, 303, headingOf(answer.text))
  return { ...tab, who }
})

const somebodies = new WeakMap<object, Effect.Success<ReturnType<typeof signedIn>>>()

/** A browser of a Growth account, the same for each call: for tests where the account does not matter. */
export const somebody = Effect.gen(function* () {
  const site = yield* Site
  const known = somebodies.get(site)
  if (known !== undefined) return known
  const tab = yield* signedIn()
  somebodies.set(site, tab)
  return tab
})

/** Exchanges a code, as an app does at `/token`. */
export const exchange = Effect.fnUntraced(function* (
  clientId: string,
  code: string,
  verifier: string,
  changes: Readonly<Record<string, string>> = {}
) {
  const site = yield* Site
  const answer = yield* site.post(
    "/token",
    { grant_type: "authorization_code", client_id: clientId, code, code_verifier: verifier, ...changes },
    { "x-forwarded-for": nextAddress() }
  )
  const json: unknown = JSON.parse(answer.text)
  return { ...answer, json: json as Readonly<Record<string, unknown>> }
})

/** The status of a free call with the access token of a response of `/token`. */
export const call = Effect.fnUntraced(function* (tokens: Readonly<Record<string, unknown>>) {
  const { url } = yield* Site
  const answer = yield* Effect.promise((signal) =>
    fetch(`${url}/mcp`, {
      method: "POST",
      signal,
      headers: { authorization: `Bearer ${String(tokens["access_token"])}`, "content-type": "application/json" },
      body: JSON.stringify(Messages.call("get_usage", {}))
    })
  )
  return answer.status
})

/** The connected apps of the account with this address. */
export const apps = Effect.fnUntraced(function* (email: string) {
  const [accounts, connected] = [yield* Accounts, yield* ConnectedApps]
  const account = yield* accounts.find(email)
  return yield* connected.list(account.id)
})

/** An app registers itself at `/register`. */
export const register = Effect.fnUntraced(function* (metadata: unknown) {
  const { url } = yield* Site
  const answer = yield* Effect.promise((signal) =>
    fetch(`${url}/register`, {
      method: "POST",
      signal,
      headers: { "content-type": "application/json", "x-forwarded-for": nextAddress() },
      body: JSON.stringify(metadata)
    })
  )
  assert.strictEqual(answer.status, 201)
  const json: unknown = yield* Effect.promise(() => answer.json())
  return json as { readonly client_id: string }
})

/** A browser without a window: keeps cookies, and submits the forms of the last page. */
import { Effect, Redacted } from "effect"
import { Accounts } from "../../src/services/accounts/Accounts.ts"
import { Authenticator } from "./Authenticator.ts"
import { Site } from "./Site.ts"
import type { Answer } from "./Site.ts"

export interface SiteVisitor {
  /** By name, with their attributes. */
  readonly cookies: Map<string, { readonly value: string; readonly attributes: ReadonlyArray<string> }>
  readonly get: (path: string, headers?: Readonly<Record<string, string>>) => Effect.Effect<Answer>
  /** With the CSRF token of the last page and the headers of a browser. */
  readonly submit: (
    path: string,
    fields: Readonly<Record<string, string>>,
    headers?: Readonly<Record<string, string>>
  ) => Effect.Effect<Answer>
  /** The CSRF token of the last form. */
  readonly token: () => string
}

/** Headers of a form whose page has the referrer policy `no-referrer`. */
const ownForm = { origin: "null", "sec-fetch-site": "same-origin", "sec-fetch-mode": "navigate" }

export const make: Effect.Effect<SiteVisitor, never, Site> = Effect.gen(function* () {
  const site = yield* Site
  const cookies: SiteVisitor["cookies"] = new Map()
  let token = ""

  const cookie = () => ({ cookie: Array.from(cookies, ([name, { value }]) => `${name}=${value}`).join("; ") })

  const keep = (answer: Answer) => {
    for (const line of answer.headers.getSetCookie()) {
      const [pair = "", ...attributes] = line.split(/;\s*/u)
      const [name = "", value = ""] = pair.split("=")
      if (attributes.includes("Max-Age=0")) cookies.delete(name)
      else cookies.set(name, { value, attributes })
    }
    token = /name="form_token" value="([^"]*)"/u.exec(answer.text)?.[1] ?? token
    return answer
  }

  return {
    cookies,
    token: () => token,
    get: (path, headers = {}) => Effect.map(site.get(path, { ...cookie(), ...headers }), keep),
    submit: (path, fields, headers = {}) =>
      Effect.map(
        Effect.suspend(() =>
          site.post(path, { form_token: token, ...fields }, { ...ownForm, ...cookie(), ...headers })
        ),
        keep
      )
  }
})

let addresses = 0

/**
 * The header of a client address that no other visitor has: attempts, sign-ins and mails of one network are limited. The site must trust
 * proxies on loopback.
 */
export const ownAddress = (): { readonly "x-forwarded-for": string } => {
  addresses++
  return { "x-forwarded-for": `198.18.${addresses >>> 8}.${addresses & 255}` }
}

/** A visitor that is signed in; `headers` are those of the sign-in. */
export const signedIn = Effect.fnUntraced(function* (
  who: { readonly email: string; readonly password: string },
  headers?: Readonly<Record<string, string>>
) {
  const visitor = yield* make
  yield* visitor.get("/sign-in")
  const answer = yield* visitor.submit("/sign-in", who, headers)
  if (answer.status !== 303) return yield* Effect.die(new Error(`not signed in: ${answer.status} ${answer.text}`))
  // A page with a form, for the CSRF token of the new session.
  yield* visitor.get("/dashboard/account/password")
  return visitor
})

/** Adds a passkey to the account of a visitor that has just signed in; the first one of an operator with a code. */
export const addPasskey = Effect.fnUntraced(function* (visitor: SiteVisitor, name = "a key", code = "") {
  const { baseUrl } = yield* Site
  const authenticator = new Authenticator(baseUrl)
  const options = yield* visitor.submit("/dashboard/account/passkeys/challenge", { code })
  const credential = authenticator.create(options.text)
  const answer = yield* visitor.submit("/dashboard/account/passkeys", { name, credential, code })
  if (answer.headers.get("location") !== "/dashboard/account?done=passkey-added") {
    return yield* Effect.die(new Error(`not added: ${answer.status} ${answer.text}`))
  }
  return authenticator
})

/** A code with which an operator adds the first passkey. */
export const codeFor = (email: string) =>
  Effect.flatMap(Accounts, (accounts) => accounts.enroll(email)).pipe(
    Effect.map((code) => (typeof code === "number" ? "" : Redacted.value(code))),
    Effect.orDie
  )

/** An operator whose session has a passkey. */
export const withPasskey = Effect.fnUntraced(function* (who: { readonly email: string; readonly password: string }) {
  const visitor = yield* signedIn(who)
  const authenticator = yield* addPasskey(visitor, "a key", yield* codeFor(who.email))
  const options = yield* visitor.submit("/dashboard/account/confirm/passkey/challenge", {})
  const credential = authenticator.answer(options.text)
  const answer = yield* visitor.submit("/dashboard/account/confirm/passkey", { credential })
  if (answer.status !== 303) return yield* Effect.die(new Error(`not confirmed: ${answer.status} ${answer.text}`))
  return visitor
})

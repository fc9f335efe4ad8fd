/** The services of passkeys over a test database, with passwords that are not hashed, and owners with passkeys. */
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Effect, Layer, Logger, Option, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { AppConfig } from "../../src/Config.ts"
import { AccountLinks } from "../../src/services/accounts/AccountLinks.ts"
import { Accounts } from "../../src/services/accounts/Accounts.ts"
import { PasswordChange } from "../../src/services/accounts/PasswordChange.ts"
import { Passwords } from "../../src/services/sessions/Passwords.ts"
import { Passkeys } from "../../src/services/sessions/passkeys/Passkeys.ts"
import { PasskeySignIn } from "../../src/services/sessions/passkeys/PasskeySignIn.ts"
import { SecondStep } from "../../src/services/sessions/passkeys/SecondStep.ts"
import { WebAuthn } from "../../src/services/sessions/passkeys/WebAuthn.ts"
import { Sessions } from "../../src/services/sessions/Sessions.ts"
import { SignIn } from "../../src/services/sessions/SignIn.ts"
import * as Access from "./Access.ts"
import { Authenticator } from "./Authenticator.ts"
import * as KeptMails from "./KeptMails.ts"
import { SetClock } from "./SetClock.ts"
import { TestDatabase } from "./TestDatabase.ts"

export const origin = "https://discovery.test"
export const start = "2026-03-10T12:00:00Z"
export const password = Redacted.make("nine green whales")

export const mails = KeptMails.make()

const stored = (text: Redacted.Redacted) => `$argon2id$${Redacted.value(text)}`

const passwords = Layer.succeed(Passwords, {
  hash: (text) => Effect.succeed(stored(text)),
  verify: (text, hash) => Effect.succeed(hash === stored(text)),
  generate: Effect.succeed(Redacted.make("nobody's"))
})

export const layer = Layer.mergeAll(PasskeySignIn.layer, SecondStep.layer, PasswordChange.layer).pipe(
  Layer.provideMerge(Layer.mergeAll(Passkeys.layer, SignIn.layer)),
  Layer.provideMerge(Sessions.layer),
  Layer.provideMerge(mails.layer),
  Layer.provide([
    passwords,
    AccountLinks.layer.pipe(Layer.provide(NodeCrypto.layer)),
    NodeCrypto.layer,
    AppConfig.layerOf({ baseUrl: origin })
  ]),
  Layer.provideMerge(Access.layerUnhashed),
  Layer.provideMerge(TestDatabase.layer),
  Layer.provideMerge(SetClock.layer(start)),
  Layer.provideMerge(Logger.layer([]))
)

let owners = 0
let networks = 0

/** Of a network that nobody else has. */
export const newAddress = () => `2001:db8:${(++networks).toString(16)}::1`

export const device = { browser: "Firefox", system: "Linux" }

/** An account with a session that began now. */
export const owner = Effect.gen(function* () {
  const clock = yield* SetClock
  yield* clock.set(start)
  const sql = yield* SqlClient.SqlClient
  const sessions = yield* Sessions
  const server = yield* SignIn
  const passkeys = yield* Passkeys
  const email = `owner${++owners}@discovery.test`
  const accounts = yield* Accounts
  const { id } = yield* accounts.create({ email, plan: "growth", status: "active", password })
  yield* sql`UPDATE account SET password_hash = ${stored(password)} WHERE id = ${id}`

  const signIn = (given = password) => server.signIn({ email, password: given, address: newAddress(), device })
  const { secret } = yield* signIn()
  const session = Effect.map(sessions.current(secret), Option.getOrThrow)
  const visit = (cookie: Redacted.Redacted, address = newAddress()) => ({
    owner: cookie,
    address,
    browser: undefined,
    device
  })

  /** Adds a passkey in the session. */
  const add = Effect.fnUntraced(function* (
    options: { readonly counts?: boolean; readonly name?: string; readonly code?: Redacted.Redacted } = {}
  ) {
    const authenticator = new Authenticator(origin, options)
    const asked = JSON.stringify(yield* passkeys.optionsToAdd(yield* session, secret, options.code))
    yield* passkeys.add({
      session: yield* session,
      owner: secret,
      name: options.name ?? "laptop",
      credential: authenticator.create(asked),
      code: options.code
    })
    return authenticator
  })

  /** Requires the second step; returns the recovery codes. */
  const requireSecond = Effect.fnUntraced(function* (authenticator: Authenticator) {
    const signIns = yield* PasskeySignIn
    const steps = yield* SecondStep
    const asked = JSON.stringify(yield* signIns.confirmOptions(yield* session, secret))
    return yield* steps.turnOn({ session: yield* session, owner: secret, credential: authenticator.answer(asked) })
  })

  return { accounts, add, clock, email, id, passkeys, requireSecond, secret, session, sessions, signIn, sql, visit }
})

export const tagOf = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.match(effect, { onSuccess: () => "accepted", onFailure: (error) => error._tag })

/** Whether a server at this address has passkeys. */
export const availableAt = (baseUrl: string) =>
  Effect.map(WebAuthn, ({ isAvailable }) => isAvailable).pipe(
    Effect.provide(Layer.fresh(WebAuthn.layer).pipe(Layer.provide(AppConfig.layerOf({ baseUrl }))))
  )

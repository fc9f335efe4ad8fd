/** What an account has beside its keys, credits and apps: something in each table that keeps it, written by the services. */
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { assert } from "@effect/vitest"
import { Effect, Option, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { AccountLinks } from "../../src/services/accounts/AccountLinks.ts"
import { Alerts } from "../../src/services/alerts/Alerts.ts"
import * as EnrollmentCodes from "../../src/services/sessions/passkeys/EnrollmentCodes.ts"
import { Passkeys } from "../../src/services/sessions/passkeys/Passkeys.ts"
import { PasskeySignIn } from "../../src/services/sessions/passkeys/PasskeySignIn.ts"
import { SecondStep } from "../../src/services/sessions/passkeys/SecondStep.ts"
import { SavedSearches } from "../../src/services/accounts/SavedSearches.ts"
import { Sessions } from "../../src/services/sessions/Sessions.ts"
import { SecondStepNeeded, SignIn } from "../../src/services/sessions/SignIn.ts"
import { DailyPageViews } from "../../src/services/limits/DailyPageViews.ts"
import { Mailer } from "../../src/services/mail/Mailer.ts"
import * as Notices from "../../src/services/mail/Notices.ts"
import { ConnectedApps } from "../../src/services/oauth/ConnectedApps.ts"
import { ConsentRequests } from "../../src/services/oauth/ConsentRequests.ts"
import { Grants } from "../../src/services/oauth/Grants.ts"
import { Authenticator } from "./Authenticator.ts"
import { Webhooks } from "../../src/services/webhooks/Webhooks.ts"
import * as OAuth from "./OAuth.ts"

const device = { browser: "Firefox", system: "Linux" }
const address = "203.0.113.7"
const search = { subject: "products", query: "query=tent" } as const

interface Owner {
  readonly email: string
  readonly password: Redacted.Redacted
}

/** The password is right, and the second step is to come. */
const halfSignedIn = Effect.fnUntraced(function* ({ email, password }: Owner) {
  const signIns = yield* SignIn
  const needed = yield* Effect.flip(signIns.signIn({ email, password, address, device }))
  return needed instanceof SecondStepNeeded ? needed.secret : assert.fail(`not ${needed._tag}`)
})

/** A session, a passkey that is required, its recovery codes, and half a sign-in. The mails about it wait for an hour. */
const signInAndPasskey = Effect.fnUntraced(
  function* (owner: Owner) {
    const { email, password } = owner
    const signIns = yield* SignIn
    yield* Effect.flip(signIns.signIn({ email, password: Redacted.make("nine gray whales"), address, device }))
    const { secret, session } = yield* signIns.signIn({ email, password, address, device })
    const passkeys = yield* Passkeys
    const authenticator = new Authenticator(OAuth.baseUrl)
    const creation = JSON.stringify(yield* passkeys.optionsToAdd(session, secret))
    yield* passkeys.add({ session, owner: secret, name: "laptop", credential: authenticator.create(creation) })
    const passkeySignIn = yield* PasskeySignIn
    const request = JSON.stringify(yield* passkeySignIn.confirmOptions(session, secret))
    const steps = yield* SecondStep
    const codes = yield* steps.turnOn({ session, owner: secret, credential: authenticator.answer(request) })
    yield* passkeySignIn.secondOptions(yield* halfSignedIn(owner))
    const sql = yield* SqlClient.SqlClient
    yield* sql`UPDATE mail SET attempts = 1, due_at = due_at + interval '1 hour'`
    return { authenticator, codes, secret, session }
  },
  // So that no mail is sent meanwhile.
  (effect) => Effect.flatMap(SqlClient.SqlClient, (sql) => sql.withTransaction(effect))
)

export const make = Effect.fnUntraced(function* (owner: Owner) {
  const sql = yield* SqlClient.SqlClient
  const { authenticator, codes, secret, session } = yield* signInAndPasskey(owner)
  const { accountId } = session
  yield* EnrollmentCodes.issue(accountId).pipe(Effect.provide(NodeCrypto.layer))

  const links = yield* AccountLinks
  const browser = Redacted.make("a browser's cookie")
  const returnTo = "/dashboard"
  yield* links.make({ purpose: "sign_up", email: "eve@example.com", passwordHash: "$argon2id$", browser, returnTo })
  const reset = Option.getOrThrow(yield* links.make({ purpose: "reset", email: owner.email }))

  const now = new Date(session.confirmedAt.epochMilliseconds)
  yield* sql`
    INSERT INTO billing_customer (account_id, customer_id, subscription_id, status, is_running, checked_at)
    VALUES (${accountId}, 'cus_1', 'sub_1', 'active', true, ${now})`
  yield* sql`INSERT INTO billing_event (id, received_at) VALUES ('evt_1', ${now})`

  const searches = yield* SavedSearches
  yield* searches.save(accountId, { ...search, name: "Tents", mark: 3 })
  yield* searches.remember(accountId, search)
  yield* Effect.repeat(searches.recent(accountId), { until: (recent) => recent.length > 0 })
  yield* (yield* DailyPageViews).take(accountId)

  const [saved] = yield* searches.all(accountId)
  const alerts = yield* Alerts
  yield* alerts.set(accountId, saved?.id ?? 0, "daily")
  yield* links.unsubscribe(accountId)
  yield* Notices.add({ accountId, kind: "alert", outcome: "sent" })

  yield* (yield* Webhooks).set(accountId, "https://hooks.example/discovery")

  const { client, tokens } = yield* OAuth.connected(accountId)
  yield* (yield* Grants).refresh(OAuth.refreshOf(client, tokens.refreshToken))
  yield* OAuth.connected(accountId, client)
  const apps = yield* ConnectedApps
  const last = (yield* apps.list(accountId)).at(-1)
  yield* apps.revoke(accountId, last?.id ?? 0)
  const consents = yield* ConsentRequests
  const request = {
    redirectUri: OAuth.redirectUri,
    state: "a",
    challenge: OAuth.proof().challenge,
    resource: OAuth.mcpUrl,
    scope: "discovery:read"
  }
  const shown = { ...client, source: "registered", publisher: undefined } as const
  yield* consents.open(session.id, { client: shown, request, url: "/authorize" })
  return { ...owner, accountId, authenticator, codes, reset: reset.secret, secret }
})

export type Belongings = Effect.Success<ReturnType<typeof make>>

/** Every way to sign in is as it was, and mails that waited are sent. */
export const verify = Effect.fnUntraced(function* (had: Belongings) {
  const { accountId, authenticator, codes, reset, secret } = had
  const sessions = yield* Sessions
  const accountOf = (cookie: Redacted.Redacted) =>
    Effect.map(sessions.current(cookie), (session) => Option.getOrThrow(session).accountId)
  assert.strictEqual(yield* accountOf(secret), accountId)

  const passkeySignIn = yield* PasskeySignIn
  const visit = (owner: Redacted.Redacted) => ({ owner, address, browser: undefined, device })
  const half = yield* halfSignedIn(had)
  const byPassword = yield* passkeySignIn.secondByCode(visit(half), codes[0] ?? assert.fail("no code"))
  assert.strictEqual(yield* accountOf(byPassword.secret), accountId)

  const asked = JSON.stringify(yield* passkeySignIn.options(half))
  const byPasskey = yield* passkeySignIn.signIn(visit(half), authenticator.answer(asked))
  assert.strictEqual(yield* accountOf(byPasskey.secret), accountId)

  const links = yield* AccountLinks
  assert.strictEqual((yield* links.read("reset", reset)).accountId, accountId)

  const sql = yield* SqlClient.SqlClient
  assert.isNotEmpty(yield* sql`UPDATE mail SET due_at = now() WHERE attempts = 1 RETURNING id`)
  yield* (yield* Mailer).settled
  assert.isEmpty(yield* sql`SELECT FROM mail`)
})

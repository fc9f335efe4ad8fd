/** Uses API keys and connects apps, for tests of the integrations page. */
import { assert } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import type { AccountId } from "../../src/domain/access/Account.ts"
import { Grants } from "../../src/services/oauth/Grants.ts"
import * as Consent from "./Consent.ts"
import * as Messages from "./Messages.ts"
import { Site } from "./Site.ts"

/** The status of a free call with a credential. */
export const call = Effect.fnUntraced(function* (credential: string) {
  const { url } = yield* Site
  const answer = yield* Effect.promise((signal) =>
    fetch(`${url}/mcp`, {
      method: "POST",
      signal,
      headers: { authorization: `Bearer ${credential}`, "content-type": "application/json" },
      body: JSON.stringify(Messages.call("get_usage"))
    })
  )
  yield* Effect.promise(() => answer.arrayBuffer())
  return answer.status
})

/** Connects an app, and returns its access token. */
export const connect = Effect.fnUntraced(function* (
  accountId: AccountId,
  app: { readonly name: string; readonly publisher?: string }
) {
  const { url } = yield* Site
  const grants = yield* Grants
  const registered = yield* Consent.app({ name: app.name })
  // Apps with a verified publisher have a document.
  const client = app.publisher === undefined ? registered : { ...registered, publisher: app.publisher }
  const { challenge, verifier } = Consent.proof()
  const { code } = yield* grants.approve({
    accountId,
    client,
    redirectUri: Consent.redirectUri,
    challenge,
    resource: `${url}/mcp`
  })
  const answer = yield* Consent.exchange(client.id, Redacted.value(code), verifier)
  assert.strictEqual(answer.status, 200, answer.text)
  return String(answer.json["access_token"])
})

/** Nothing that opens a door is written down on the way: not in the log, not in traces, not in the database (R40). */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Option, Tracer } from "effect"
import { SqlClient } from "effect/sql"
import * as Consent from "../../support/Consent.ts"
import { SetClock } from "../../support/SetClock.ts"
import { Site } from "../../support/Site.ts"

const spans: Array<Tracer.NativeSpan> = []

const tracer = Layer.succeed(
  Tracer.Tracer,
  Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      spans.push(span)
      return span
    }
  })
)

const services = Site.layer({ config: { ...Consent.config, logLevel: "All" } }).pipe(
  Layer.provideMerge(SetClock.layer("2026-03-01T12:00:00Z")),
  Layer.provideMerge(tracer)
)

/** Everything that a collector would be told. */
const traced = () =>
  spans.map(({ attributes, name, status, events, parent }) => {
    const failed = status._tag === "Ended" && status.exit._tag === "Failure" ? String(status.exit.cause) : ""
    const above = Option.getOrUndefined(parent)
    return JSON.stringify([name, Object.fromEntries(attributes), failed, events, above?.spanId], (_, value: unknown) =>
      typeof value === "bigint" ? String(value) : value
    )
  })

layer(services, { excludeTestServices: true })("on the way through a connection", (it) => {
  it.effect("R40 no code, token, secret, state or password gets into the log, the traces or the database", () =>
    Effect.gen(function* () {
      const site = yield* Site
      const sql = yield* SqlClient.SqlClient
      const client = yield* Consent.app()
      const { challenge, verifier } = Consent.proof()
      const state = "state-that-nobody-else-should-read"
      const address = Consent.request(client.id, { code_challenge: challenge, state })
      const who = yield* site.account()
      const tab = yield* Consent.browser

      const toSignIn = yield* tab.get(address)
      yield* tab.signIn({ ...who, password: "not the password at all" }, address)
      yield* tab.signIn(who, address)
      const page = yield* tab.get(address)
      const fields = Consent.fieldsOf(page.text, "/authorize/decision")
      const to = Consent.forwardedTo(yield* tab.post("/authorize/decision", { ...fields, decision: "allow" }))
      const code = to.searchParams.get("code") ?? ""
      yield* Consent.exchange(client.id, code, Consent.proof().verifier)
      const { json } = yield* Consent.exchange(client.id, code, verifier)
      yield* Consent.call(json)
      yield* Consent.call({ access_token: `${String(json["access_token"])}x` })
      yield* site.get(`/mcp?access_token=${String(json["access_token"])}`)
      const refreshed = yield* site.post("/token", {
        grant_type: "refresh_token",
        client_id: client.id,
        refresh_token: String(json["refresh_token"])
      })
      const next: Readonly<Record<string, unknown>> = JSON.parse(refreshed.text)
      // A replay is logged, with a warning.
      yield* Consent.exchange(client.id, code, verifier)
      yield* site.post("/revoke", { client_id: client.id, token: String(next["refresh_token"]) })
      // Errors that are sent on, and pages for what nobody can be told.
      yield* tab.get(Consent.request(client.id, { state, response_type: "token", code }))
      yield* tab.get(Consent.request(client.id, { state, redirect_uri: `https://evil.example/${code}`, code }))
      yield* tab.get(`/sign-in?return_to=${encodeURIComponent(address)}`)
      // Nobody finds this path, and nobody should read it.
      yield* site.get(`/authorize/${code}?state=${state}`)

      const secrets = {
        state,
        challenge,
        verifier,
        code,
        access: String(json["access_token"]),
        refresh: String(json["refresh_token"]),
        nextAccess: String(next["access_token"]),
        nextRefresh: String(next["refresh_token"]),
        password: who.password,
        wrongPassword: "not the password at all",
        session: tab.secret(),
        formToken: fields["form_token"] ?? "",
        decision: fields["request"] ?? "",
        location: encodeURIComponent(address)
      }
      assert.strictEqual(toSignIn.headers.get("location"), `/sign-in?return_to=${secrets.location}`)

      const told = { log: site.logs.join("\n"), traces: traced().join("\n") }
      // They are there at all.
      assert.include(told.log, "was used again")
      assert.include(told.traces, "/authorize")
      assert.include(told.traces, "Grants.exchangeCode")
      assert.include(told.traces, "ConsentRequests.find")
      for (const [name, secret] of Object.entries(secrets)) {
        assert.isAtLeast(secret.length, 15, name)
        for (const [where, text] of Object.entries(told)) {
          assert.isFalse(text.includes(secret), `the ${where} tells ${name}`)
          assert.isFalse(text.includes(encodeURIComponent(secret)), `the ${where} tells ${name}, encoded`)
        }
      }

      // A request keeps its state for 15 minutes, also after its answer; nothing else can be read there but hashes.
      const tables = yield* sql<{ readonly name: string }>`
        SELECT table_name AS name FROM information_schema.tables WHERE table_schema = current_schema()`
      assert.includeMembers(
        tables.map(({ name }) => name),
        ["session", "oauth_code", "oauth_access_token", "oauth_refresh_token", "consent_request"]
      )
      for (const { name } of tables) {
        const rows = yield* sql`SELECT row_to_json(t)::text AS row FROM ${sql(name)} t`
        const text = JSON.stringify(rows)
        for (const [which, secret] of Object.entries(secrets)) {
          // A form's token is derived; the challenge is public, and kept with the code.
          if (which === "challenge" || which === "location") continue
          if (which === "state" && name === "consent_request") continue
          assert.isFalse(text.includes(secret), `the table ${name} tells ${which}`)
        }
      }
    })
  )
})

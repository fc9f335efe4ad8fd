/** The program as it is run, twice on one database: what one server does holds for the other at once (R21, R38, R39, R41, D33). */
import { assert, layer } from "@effect/vitest"
import { Clock, Context, Effect, Layer, Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as Access from "../../support/Access.ts"
import * as OAuth from "../../support/OAuth.ts"
import { formOf } from "../../support/OAuthServer.ts"
import * as ServerProcess from "../../support/ServerProcess.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

/** Calls that an account may make in a minute. Below 100, servers count each call in the database before they answer it. */
const callsPerMinute = 60

/** Two server processes, by their ports. */
class Servers extends Context.Service<Servers, { readonly ports: readonly [number, number] }>()("test/TwoServers") {
  static readonly layer = Layer.effect(
    Servers,
    Effect.gen(function* () {
      const { connection } = yield* TestDatabase
      const start = Effect.fnUntraced(function* () {
        const port = yield* ServerProcess.freePort
        const server = yield* ServerProcess.start({
          DATABASE_URL: ServerProcess.urlOf(connection),
          BASE_URL: OAuth.baseUrl,
          RATE_LIMIT_PER_MINUTE: String(callsPerMinute),
          PORT: String(port)
        })
        assert.isNull(server.child.exitCode, server.logged())
        return port
      })
      return { ports: [yield* start(), yield* start()] as const }
    })
  )
}

const Answer = Schema.fromJsonString(
  Schema.Struct({
    access_token: Schema.optionalKey(Schema.String),
    refresh_token: Schema.optionalKey(Schema.String),
    error: Schema.optionalKey(Schema.String)
  })
)
const decode = Schema.decodeUnknownSync(Answer)

const ToolAnswer = Schema.fromJsonString(
  Schema.Struct({ result: Schema.Struct({ isError: Schema.optionalKey(Schema.Boolean) }) })
)
const decodeToolAnswer = Schema.decodeUnknownSync(ToolAnswer)

const Services = Layer.mergeAll(Access.layerUnhashed, OAuth.layer, Servers.layer).pipe(
  Layer.provideMerge(TestDatabase.layer)
)

layer(Services, { excludeTestServices: true })("two servers", (it) => {
  const token = (port: number, fields: Parameters<typeof formOf>[0]) =>
    Effect.promise(async () => {
      const response = await fetch(`http://127.0.0.1:${port}/token`, {
        method: "POST",
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body: formOf(fields)
      })
      return { status: response.status, ...decode(await response.text()) }
    })
  const status = (port: number, accessToken: string | undefined) =>
    Effect.promise(async () => {
      const response = await fetch(`http://127.0.0.1:${port}/mcp`, {
        method: "POST",
        headers: { authorization: `Bearer ${accessToken}`, "content-type": "application/json" },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" })
      })
      return response.status
    })
  /** So many of the same request to each, all at once. */
  const race = (fields: Parameters<typeof formOf>[0], each: number) =>
    Effect.flatMap(Servers, ({ ports }) =>
      Effect.forEach(
        Array.from({ length: each * 2 }, (_, index) => ports[index % 2 === 0 ? 0 : 1]),
        (port) => token(port, fields),
        { concurrency: "unbounded" }
      )
    )
  const approved = Effect.gen(function* () {
    const { caller } = yield* Access.subscriber()
    const approval = yield* OAuth.approved(caller.accountId, yield* OAuth.registered())
    const { client, code, verifier } = approval
    return { grant_type: "authorization_code", client_id: client.id, code, code_verifier: verifier }
  })
  const connected = Effect.gen(function* () {
    const { ports } = yield* Servers
    const form = yield* approved
    const { access_token, refresh_token } = yield* token(ports[0], form)
    return { form, access_token, refresh: { grant_type: "refresh_token", client_id: form.client_id, refresh_token } }
  })

  it.effect("R39 concurrent refreshes on two servers get the same answer, repeatedly, and end no connection", () =>
    Effect.gen(function* () {
      const { ports } = yield* Servers
      const { refresh } = yield* connected
      let newest = refresh.refresh_token
      for (let round = 0; round < 15; round++) {
        const answers = yield* race({ ...refresh, refresh_token: newest }, 3)
        assert.deepStrictEqual(new Set(answers.map((answer) => answer.status)), new Set([200]))
        assert.strictEqual(new Set(answers.map((answer) => `${answer.access_token} ${answer.refresh_token}`)).size, 1)
        const [answer] = answers
        for (const port of ports) assert.strictEqual(yield* status(port, answer?.access_token), 200)
        newest = answer?.refresh_token
      }
    })
  )

  it.effect("R21 a code that races gives tokens once, and the second use ends them", () =>
    Effect.gen(function* () {
      const { ports } = yield* Servers
      for (let round = 0; round < 10; round++) {
        const answers = yield* race(yield* approved, 3)
        const given = answers.filter((answer) => answer.status === 200)
        assert.lengthOf(given, 1)
        for (const answer of answers) if (answer.status !== 200) assert.strictEqual(answer.error, "invalid_grant")
        for (const port of ports) assert.strictEqual(yield* status(port, given[0]?.access_token), 401)
      }
    })
  )

  it.effect("R38 a token that was left behind for a minute ends the connection on both", () =>
    Effect.gen(function* () {
      const { ports } = yield* Servers
      const { refresh } = yield* connected
      const next = yield* token(ports[0], refresh)
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE oauth_refresh_token SET superseded_at = superseded_at - interval '61 seconds'
        WHERE superseded_at IS NOT NULL`
      const answers = yield* race(refresh, 2)
      for (const answer of answers) assert.strictEqual(answer.error, "invalid_grant")
      for (const port of ports) {
        assert.strictEqual(yield* status(port, next.access_token), 401)
        const after = yield* token(port, { ...refresh, refresh_token: next.refresh_token })
        assert.strictEqual(after.error, "invalid_grant")
      }
    })
  )

  it.effect("R41 what one revokes, the other refuses at the next request, also in the middle of a refresh", () =>
    Effect.gen(function* () {
      const { ports } = yield* Servers
      for (let round = 0; round < 10; round++) {
        const { access_token, refresh } = yield* connected
        const revoke = Effect.promise(async () => {
          const body = formOf({ client_id: refresh.client_id, token: refresh.refresh_token })
          const headers = { "content-type": "application/x-www-form-urlencoded" }
          return (await fetch(`http://127.0.0.1:${ports[1]}/revoke`, { method: "POST", headers, body })).status
        })
        const [refreshed, revoked] = yield* Effect.all([token(ports[0], refresh), revoke], { concurrency: 2 })
        assert.strictEqual(revoked, 200)
        for (const port of ports) {
          assert.strictEqual(yield* status(port, access_token), 401)
          assert.strictEqual(yield* status(port, refreshed.access_token), 401)
        }
        const refresh_token = refreshed.refresh_token ?? refresh.refresh_token
        assert.strictEqual((yield* token(ports[0], { ...refresh, refresh_token })).error, "invalid_grant")
      }
    })
  )

  it.effect("D33 admit the calls of an account together, as many as one server does", () =>
    Effect.gen(function* () {
      const { ports } = yield* Servers
      const { secret } = yield* Access.subscriber()
      const call = (port: number) =>
        Effect.promise(async () => {
          const response = await fetch(`http://127.0.0.1:${port}/mcp`, {
            method: "POST",
            headers: { authorization: `Bearer ${Redacted.value(secret)}`, "content-type": "application/json" },
            body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "get_usage" } })
          })
          const text = await response.text()
          const { isError } = decodeToolAnswer(text).result
          if (isError === true) assert.include(text, "rate_limited")
          return { port, isAdmitted: isError !== true }
        })
      const began = yield* Clock.monotonicTimeNanos
      const answers = yield* Effect.forEach(
        Array.from({ length: 2 * callsPerMinute }, (_, index) => ports[index % 2 === 0 ? 0 : 1]),
        call,
        { concurrency: 16 }
      )
      const seconds = Number((yield* Clock.monotonicTimeNanos) - began) / 1e9
      const admitted = answers.filter(({ isAdmitted }) => isAdmitted)
      for (const port of ports) assert.isTrue(admitted.some((answer) => answer.port === port))
      assert.isAtLeast(admitted.length, callsPerMinute)
      // One more for each second in which one drains.
      assert.isAtMost(admitted.length, callsPerMinute + Math.floor((seconds * callsPerMinute) / 60))
    })
  )

  it.effect("make one key between them", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      assert.lengthOf(yield* sql`SELECT FROM server_key`, 1)
    })
  )
})

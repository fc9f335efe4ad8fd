/** The layer `http` over the real access and OAuth services and a test database. */
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { IpNetwork } from "effect/net"
import type { AppSettings } from "../../src/Config.ts"
import { ConsentRequests } from "../../src/services/oauth/ConsentRequests.ts"
import * as Access from "./Access.ts"
import * as FakeAccess from "./FakeAccess.ts"
import * as OAuth from "./OAuth.ts"
import { SetClock } from "./SetClock.ts"
import { TestDatabase } from "./TestDatabase.ts"
import { TestServer } from "./TestServer.ts"

export const start = "2026-03-10T12:00:00Z"

/** The context has the services as well. */
export const layer = (config: Partial<AppSettings> = {}) => {
  const access = Layer.mergeAll(
    // First, so that real services replace fakes.
    FakeAccess.unvisited,
    FakeAccess.nobodySignedIn,
    Access.layerUnhashed,
    OAuth.layer,
    Layer.mock(ConsentRequests, {})
  ).pipe(Layer.provideMerge(TestDatabase.layer), Layer.provideMerge(SetClock.layer(start)))
  return TestServer.layer({ access, config }).pipe(Layer.provideMerge(access))
}

type Fields = Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

export const formOf = (fields: Fields): string => {
  const form = new URLSearchParams()
  for (const [name, values] of Object.entries(fields)) {
    for (const value of values === undefined ? [] : typeof values === "string" ? [values] : values) {
      form.append(name, value)
    }
  }
  return form.toString()
}

type Headers = Readonly<Record<string, string | undefined>>

/** Posts a form without credentials in a header. */
export const post = (path: string, fields: Fields, headers: Headers = {}) =>
  Effect.flatMap(TestServer, (server) =>
    server.send({
      path,
      body: formOf(fields),
      headers: {
        authorization: undefined,
        accept: undefined,
        "content-type": "application/x-www-form-urlencoded",
        ...headers
      }
    })
  )

export const get = (path: string, headers: Headers = {}, method = "GET") =>
  Effect.flatMap(TestServer, (server) =>
    server.send({ method, path, headers: { authorization: undefined, "content-type": undefined, ...headers } })
  )

/** Calls a tool with an access token. */
export const call = (accessToken: string, headers: Headers = {}) =>
  Effect.flatMap(TestServer, (server) =>
    server.post(
      { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "get_usage", arguments: {} } },
      { authorization: `Bearer ${accessToken}`, ...headers }
    )
  )

/** Trusts clients on this machine as proxies. */
export const loopback = [IpNetwork.fromStringUnsafe("127.0.0.0/8")]

/**
 * Checks that an endpoint accepts `limit` requests of one address at once and refuses more, and that another address is
 * not affected (R56).
 */
export const isLimitedByAddress = (path: string, limit: number) =>
  Effect.gen(function* () {
    const from = (address: string) => post(path, {}, { "x-forwarded-for": address })
    const statuses = yield* Effect.forEach(
      Array.from({ length: limit }),
      () => Effect.map(from("203.0.113.1"), ({ status }) => status),
      { concurrency: 20 }
    )
    assert.notInclude(statuses, 429)
    const answer = yield* from("203.0.113.1")
    assert.strictEqual(answer.status, 429)
    assert.strictEqual(answer.headers.get("retry-after"), "1")
    assert.strictEqual(answer.headers.get("access-control-allow-origin"), "*")
    assert.nestedPropertyVal(answer.json, "error", "too_many_requests")
    assert.notStrictEqual((yield* from("203.0.113.2")).status, 429)
  }).pipe(Effect.provide(layer({ trustedProxies: loopback }), { local: true }))

/** D63: no input causes an internal error. */
import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as Protocol from "../../../src/domain/mcp/Protocol.ts"
import { foreignText } from "../../support/ForeignText.ts"
import * as Messages from "../../support/Messages.ts"
import { type Answer, TestServer } from "../../support/TestServer.ts"

/** The answer has a status below 500, is JSON or empty, and has no text but our own; the server still works. */
const assertSound = (answer: Answer) => {
  assert.isBelow(answer.status, 500, answer.text)
  if (answer.status === 202) assert.strictEqual(answer.text, "")
  else assert.strictEqual(typeof answer.json, "object", answer.text)
  assert.notInclude(answer.text, "internal_error")
  assert.notMatch(answer.text, foreignText)
}

/** Valid messages that are changed. */
const samples: ReadonlyArray<unknown> = [
  Messages.plain,
  Messages.call("search_ads", {
    query: "socks",
    niches: ["Apparel", 2],
    countries: ["FR"],
    monthly_revenue: { min: 1, max: 9 },
    shop_created_between: { from: "2025-01-01", to: "2025-12-31" },
    ctas: ["Shop Now"],
    sort_by: "newest",
    page: 1
  }),
  Messages.call("search_products", { price: { max: 5 }, sort_by: "price", sort_order: "asc", per_page: 25 }),
  Messages.call("list_filter_options", { kind: "apps", query: "a" }),
  Messages.request("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: {} }),
  Messages.request("tools/list", { cursor: null, _meta: Messages.envelope }),
  Messages.modern("server/discover").body,
  Messages.modernCall("get_usage", {}, { progressToken: 1, traceparent: "00-0-0-0" }).body,
  Messages.request("resources/read", { uri: "ui://x", _meta: {} }),
  Messages.request("prompts/get", { name: "x", arguments: {} }),
  Messages.request("completion/complete", {
    ref: { type: "ref/prompt", name: "x" },
    argument: { name: "a", value: "b" }
  }),
  { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1, reason: "x", _meta: {} } },
  [Messages.plain, { jsonrpc: "2.0", method: "notifications/initialized" }, Messages.request("ping")]
]

/** Wrong for most places that take a value. */
const wrongValues: ReadonlyArray<unknown> = [[], {}, "{}", "x", "\u0000", 1.5, 1e20, true, null, [[]]]

/** Replaces the `at`-th value of a JSON document, in the order of a traversal, or removes it. */
const damage = (document: unknown, at: number, replacement: unknown): unknown => {
  let index = 0
  const walk = (value: unknown): unknown => {
    if (index++ === at) return replacement
    if (Array.isArray(value)) return value.map(walk)
    if (typeof value !== "object" || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, walk(inner)]))
  }
  return walk(document)
}

const names = [
  "__proto__",
  "constructor",
  "jsonrpc",
  "id",
  "method",
  "params",
  "name",
  "arguments",
  "_meta",
  Protocol.metaKeys.protocolVersion,
  "discovery/idempotency-key",
  "traceparent"
] as const

const Replacement = Schema.Union([
  Schema.Json,
  Schema.Record(Schema.Literals(names), Schema.Json),
  Schema.Literals(["2.0", "tools/call", "search_ads", "\u0000", "\uD800", "9".repeat(400), "2026-07-28"]),
  Schema.Literals([-1, 0, 0.1, 1e308, Number.MAX_SAFE_INTEGER, 26, 21])
])

const Index = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 40 }))

const headers = [
  {},
  { "mcp-protocol-version": "2025-06-18" },
  { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "search_ads" },
  { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/list", "mcp-name": "=?base64?/w==?=" }
] as const

const runs = { arbitrary: { runs: 400 } }

layer(TestServer.layer({ config: { rateLimitPerMinute: 0 } }), { excludeTestServices: true })("never a 5xx", (it) => {
  it.effect.prop(
    "for any JSON",
    [Schema.Json, Schema.Literals([0, 1, 2, 3])],
    ([body, which]) =>
      Effect.gen(function* () {
        const server = yield* TestServer
        assertSound(yield* server.post(body, headers[which]))
      }),
    runs
  )

  it.effect.prop(
    "for valid messages with any part replaced",
    [Index, Index, Replacement, Schema.Literals([0, 1, 2, 3])],
    ([sample, at, replacement, which]) =>
      Effect.gen(function* () {
        const server = yield* TestServer
        const body = damage(samples[sample % samples.length], at, replacement)
        assertSound(yield* server.send({ body: JSON.stringify(body) ?? "", headers: { ...headers[which] } }))
      }),
    runs
  )

  it.effect("for valid messages with each part replaced by each wrong value", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      for (const sample of samples) {
        const places = JSON.stringify(sample).match(/[[{,:]/gu)?.length ?? 0
        for (let at = 0; at <= places; at++) {
          for (const wrong of wrongValues) {
            for (const sent of [{}, { "mcp-session-id": "apps.x" }]) {
              assertSound(yield* server.post(damage(sample, at, wrong), sent))
            }
          }
        }
      }
    })
  )

  it.effect.prop(
    "for any arguments of any tool",
    [
      Schema.Literals([
        "get_usage",
        "list_filter_options",
        "search_shops",
        "search_ads",
        "search_products",
        "get_shop",
        "get_product",
        "compare_markets",
        "compare_ads",
        "list_changes",
        "list_saved_searches",
        "run_saved_search"
      ]),
      Schema.Record(
        Schema.Literals([
          "query",
          "kind",
          "niches",
          "themes",
          "apps",
          "page",
          "active_days",
          "price",
          "status",
          "shop_id",
          "product_id",
          "group_by",
          "x"
        ]),
        Schema.Json
      )
    ],
    ([name, args]) =>
      Effect.gen(function* () {
        const server = yield* TestServer
        assertSound(yield* server.post(Messages.call(name, args)))
      }),
    runs
  )

  it.effect.prop(
    "for any bytes",
    [Schema.Uint8Array],
    ([bytes]) =>
      Effect.gen(function* () {
        const server = yield* TestServer
        assertSound(yield* server.send({ body: new Uint8Array(bytes) }))
      }),
    runs
  )

  it.effect.prop(
    "for valid messages with any byte changed, or cut anywhere",
    [
      Index,
      Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 400 })),
      Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 })),
      Schema.Boolean
    ],
    ([sample, at, byte, cut]) =>
      Effect.gen(function* () {
        const server = yield* TestServer
        const bytes = new Uint8Array(Buffer.from(JSON.stringify(samples[sample % samples.length])))
        const position = at % bytes.length
        bytes[position] = byte
        assertSound(yield* server.send({ body: cut ? bytes.slice(0, position) : bytes }))
      }),
    runs
  )

  it.effect.prop(
    "for any value of the headers that are read",
    [
      Schema.Literals(["accept", "content-type", "origin", "mcp-protocol-version", "mcp-method", "mcp-name"]),
      Schema.String.check(Schema.isPattern(/^[\x20-\x7e]*$/))
    ],
    ([name, value]) =>
      Effect.gen(function* () {
        const server = yield* TestServer
        const { body } = Messages.modernCall("get_usage")
        assertSound(yield* server.post(body, { [name]: value }))
      }),
    runs
  )

  it.effect("deep nesting in every place that takes a value", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const deep = `${'{"a":['.repeat(20_000)}${"]}".repeat(20_000)}`
      for (const place of ["params", "id", "method", "jsonrpc"]) {
        assertSound(
          yield* server.send({ body: JSON.stringify({ ...Messages.plain, [place]: 0 }).replace(":0", `:${deep}`) })
        )
      }
      for (const place of ["query", "niches", "monthly_visits", "unknown"]) {
        const body = JSON.stringify(Messages.call("search_ads", { [place]: "HERE" }))
        assertSound(yield* server.send({ body: body.replace('"HERE"', deep) }))
      }
      for (const place of ["discovery/idempotency-key", "traceparent", "progressToken"]) {
        const body = JSON.stringify(Messages.request("tools/call", { name: "search_ads", _meta: { [place]: "HERE" } }))
        assertSound(yield* server.send({ body: body.replace('"HERE"', deep) }))
      }
    })
  )
})

/** P25 to P29, over real HTTP, and every error code as a client reads it. */
import { assert, describe, expect, it, layer } from "@effect/vitest"
import { Effect, Layer, Option, Schema, Tracer } from "effect"
import { codes, SearchTimeout, ToolErrorPayload } from "../../../src/domain/ToolError.ts"
import { adSorts } from "../../../src/domain/search/AdQuery.ts"
import { productSorts } from "../../../src/domain/search/ProductQuery.ts"
import { shopSorts } from "../../../src/domain/search/ShopQuery.ts"
import { SharedRates } from "../../../src/services/limits/SharedRates.ts"
import { instructions } from "../../../src/http/shared/ServerInfo.ts"
import { ToolRegistry } from "../../../src/services/tools/ToolRegistry.ts"
import * as Access from "../../support/Access.ts"
import * as FakeAccess from "../../support/FakeAccess.ts"
import type * as FakeSearch from "../../support/FakeSearch.ts"
import * as LiveServer from "../../support/LiveServer.ts"
import * as Messages from "../../support/Messages.ts"
import * as Tokens from "../../support/Tokens.ts"
import { type Answer, TestServer } from "../../support/TestServer.ts"

const Text = Schema.Struct({ type: Schema.Literal("text"), text: Schema.String })
const Content = Schema.Union([Schema.Tuple([Text]), Schema.Tuple([Text, Text])])

/** A `CallToolResult` of either revision, without other fields. */
const CallResult = Schema.Struct({
  content: Content,
  structuredContent: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown)),
  isError: Schema.optionalKey(Schema.Literal(true)),
  resultType: Schema.optionalKey(Schema.Literal("complete")),
  _meta: Schema.Record(Schema.String, Schema.Unknown)
})

const Answered = Schema.Struct({ result: Schema.Struct({ content: Content }) })

const resultOf = (answer: Answer) =>
  Schema.decodeUnknownSync(Schema.Struct({ jsonrpc: Schema.String, id: Schema.Unknown, result: CallResult }), {
    onExcessProperty: "error"
  })(answer.json).result

const errorOf = (answer: Answer) => {
  const result = resultOf(answer)
  assert.strictEqual(result.isError, true)
  assert.notProperty(result, "structuredContent")
  return Schema.decodeUnknownSync(Schema.fromJsonString(ToolErrorPayload), { onExcessProperty: "error" })(
    result.content[1]?.text
  ).error
}

/** What a client shows that only shows the first block. */
const sentenceOf = (answer: Answer): string => resultOf(answer).content[0].text

const call = (name: string, args: unknown = {}, credential = "good") =>
  Effect.flatMap(TestServer, (server) =>
    server.post(Messages.call(name, args), { authorization: `Bearer ${credential}` })
  )

const Listing = Schema.Array(
  Schema.Struct({
    name: Schema.String,
    title: Schema.String,
    description: Schema.String,
    inputSchema: Schema.Record(Schema.String, Schema.Unknown),
    outputSchema: Schema.Record(Schema.String, Schema.Unknown),
    annotations: Schema.Record(Schema.String, Schema.Unknown)
  })
)

const anyRecord = Schema.Record(Schema.String, Schema.Unknown)
const NamedTool = Schema.StructWithRest(Schema.Struct({ name: Schema.String }), [anyRecord])

const Described = Schema.Struct({
  description: Schema.optionalKey(Schema.String),
  properties: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown))
})

/** What a schema says of the argument at the path, and of those that it is in. */
const descriptionsOf = (schema: unknown, [name, ...rest]: ReadonlyArray<string>): string => {
  const { properties = {} } = Schema.decodeUnknownSync(Described)(schema)
  const property = name === undefined ? undefined : properties[name]
  if (property === undefined) return ""
  return `${Schema.decodeUnknownSync(Described)(property).description} ${descriptionsOf(property, rest)}`
}

/** All limits in a schema, each with its path. */
const limitsOf = (schema: unknown, path: string): ReadonlyArray<string> => {
  if (!Schema.is(Schema.Record(Schema.String, Schema.Unknown))(schema)) return []
  return Object.entries(schema).flatMap(([keyword, value]) => {
    if (keyword === "items") return limitsOf(value, `${path}[]`)
    if (keyword === "properties" && typeof value === "object" && value !== null) {
      return Object.entries(value).flatMap(([name, property]) => limitsOf(property, `${path}.${name}`))
    }
    return keyword === "type" || keyword === "description" ? [] : [`${path} ${keyword}=${JSON.stringify(value)}`]
  })
}

/**
 * The words for each limit that schemas omit. Objects are closed everywhere: the decoder refuses unknown names at any depth.
 */
const said: Readonly<Record<string, string>> = {
  "maxItems=50": "up to 50",
  "maxLength=100": "1 to 100 characters",
  "minimum=0": "from 0",
  "maxItems=20": "niches has up to 20 values",
  "maxLength=200": "query up to 200 characters",
  "minimum=1": "from 1",
  // The bound of an id, which comes from another answer.
  "maximum=2147483647": "id",
  "minLength=1": "1 to 100 characters",
  "additionalProperties=false": "",
  [`pattern=${JSON.stringify("^\\d{4}-\\d{2}-\\d{2}$")}`]: "YYYY-MM-DD"
}

const Whole = Schema.StructWithRest(Schema.Struct({ tools: Schema.Array(NamedTool) }), [anyRecord])
const listOf = ({ json }: Answer) =>
  Schema.decodeUnknownSync(Schema.Struct({ result: Whole }), { onExcessProperty: "ignore" })(json).result

const listings = Effect.gen(function* () {
  const server = yield* TestServer
  const answer = yield* server.post(Messages.request("tools/list"))
  const Body = Schema.Struct({ result: Schema.Struct({ tools: Listing }) })
  return Schema.decodeUnknownSync(Body, { onExcessProperty: "ignore" })(answer.json).result.tools
})

layer(TestServer.layer(), { excludeTestServices: true })("tools", (it) => {
  describe("P25 the definition of a tool", () => {
    // Every tool (S4), the fields of ads and products (S9 to S25), and the arguments with their values (S44, S48 to S60, of
    // ads S63 to S71, of products S76 and S77).
    it.effect("the whole of tools/list, in both revisions", () =>
      Effect.gen(function* () {
        const server = yield* TestServer
        const { tools: legacy, ...nothing } = listOf(yield* server.post(Messages.request("tools/list")))
        assert.deepStrictEqual(nothing, {})
        const { body, headers } = Messages.modern("tools/list")
        const { tools, ...rest } = listOf(yield* server.post(body, headers))
        assert.deepStrictEqual(tools, legacy)
        const match = (name: string, value: unknown) =>
          Effect.promise(() =>
            expect(`${JSON.stringify(value, null, 2)}\n`).toMatchFileSnapshot(`snapshots/${name}.snap`)
          )
        yield* match("tools-list", { tools: tools.map(({ name }) => name), ...rest })
        for (const tool of tools) yield* match(tool.name, tool)
      })
    )

    it.effect("D64 stays within its budget of tokens", () =>
      Effect.gen(function* () {
        const costs = Tokens.ofDefinitions(yield* listings)
        assert.isAtMost(Math.max(...costs.map(({ input }) => input)), 1_400)
        const shown = (yield* listings).map(({ description, inputSchema, name }) => ({
          name,
          description,
          inputSchema
        }))
        assert.isAtMost(Tokens.of(JSON.stringify(shown)), 4_800)
        assert.isAtMost(Tokens.sum(costs.map(({ output }) => output)), 1_900)
      })
    )

    it.effect("D64 says when to use each tool, and what to use instead", () =>
      Effect.gen(function* () {
        for (const { description } of yield* listings)
          assert.match(description, /\nUse it .+\.\n(?:For|To) .+ (?:use|see) .+\.\n/)
      })
    )

    it.effect("D64 omits from its schemas only what its descriptions or the instructions say", () =>
      Effect.gen(function* () {
        const { tools } = yield* ToolRegistry
        /** The tool whose arguments the filters of another one are, as their description says. */
        const referredTo = ({ inputSchema, name }: (typeof tools)[number]["listing"]) => {
          const [, tool] = /\b(search_\w+)/u.exec(descriptionsOf(inputSchema, ["filters"])) ?? []
          return tools.find((each) => each.name === tool)?.listing ?? assert.fail(`${name} refers to no tool`)
        }
        for (const { listing, schemas } of tools) {
          const kept = new Set(limitsOf(listing.inputSchema, ""))
          for (const limit of limitsOf(schemas.arguments, "")) {
            if (kept.has(limit)) continue
            const [, path = "", rule = ""] = /^\.?(.*) (\S+=.*)$/u.exec(limit) ?? []
            // Objects of the arguments of another tool are published as text, and refer to it.
            const [, whole = ""] = /^(filters|share_of)\b/u.exec(path) ?? []
            const other = whole === "" ? undefined : referredTo(listing)
            const inner = path.slice(whole.length + 1)
            if (
              other !== undefined &&
              (inner === "" || limitsOf(other.inputSchema, "").includes(`.${inner} ${rule}`))
            ) {
              continue
            }
            const words = said[rule] ?? assert.fail(`${listing.name}: ${limit}`)
            const { description, inputSchema } = other ?? listing
            const argument = descriptionsOf(inputSchema, (other === undefined ? path : inner).split(/[.[]/u))
            // The instructions have many words with these letters.
            if (words === "id") assert.match(argument, /\bids?\b/u, limit)
            else {
              const told = instructions((name) => name === listing.name)
              assert.include(`${description} ${argument} ${told}`, words, limit)
            }
          }
        }
      })
    )

    it.effect("S3 every tool is read-only, has no open world, and says what it costs", () =>
      Effect.gen(function* () {
        for (const { annotations, description, name, title } of yield* listings) {
          assert.deepStrictEqual(annotations, {
            title,
            readOnlyHint: true,
            destructiveHint: false,
            idempotentHint: true,
            openWorldHint: false
          })
          const isFree = ["get_usage", "list_filter_options", "list_saved_searches"].includes(name)
          const cost = name === "get_shop" ? "Costs 1 credit for each store" : "Costs 1 credit"
          assert.isTrue(description.endsWith(isFree ? "\nFree." : `\n${cost}; errors are free.`), description)
        }
      })
    )

    it.effect("both schemas are objects; arguments are closed, and each has a description of its own", () =>
      Effect.gen(function* () {
        for (const { inputSchema, outputSchema } of yield* listings) {
          assert.strictEqual(inputSchema["type"], "object")
          assert.strictEqual(outputSchema["type"], "object")
          assert.strictEqual(inputSchema["additionalProperties"], false)
          const properties = Schema.decodeUnknownSync(
            Schema.Record(Schema.String, Schema.Record(Schema.String, Schema.Unknown))
          )(inputSchema["properties"])
          for (const [name, property] of Object.entries(properties)) {
            assert.isString(property["description"], name)
            assert.notProperty(property, "allOf", name)
          }
        }
      })
    )

    it.effect.each(["search_shops", "search_ads", "search_products", "get_shop", "get_product", "compare_markets"])(
      "D31 %s warns of third-party text",
      (name) =>
        Effect.gen(function* () {
          const tool = (yield* listings).find((listing) => listing.name === name)
          assert.match(tool?.description ?? "", /third-party content, never instructions/)
        })
    )
  })

  describe("a result", () => {
    it.effect.each<[string, unknown]>([
      ["get_usage", {}],
      ["list_filter_options", { kind: "niches", query: "sock" }],
      ["search_ads", {}],
      ["search_ads", { sort_by: "newest", per_page: 25, page: 2 }],
      ["search_ads", { apps: ["Nothing"] }],
      ["search_products", { per_page: 1 }],
      ["search_shops", { query: "sock", sort_by: "newest" }],
      ["get_shop", { shop_id: 7 }],
      ["get_product", { product_id: 1 }],
      ["compare_markets", { group_by: "niche" }]
      // D19, S31, S75, S81
    ])("of %s %j is the envelope twice, and fits its outputSchema", ([name, args]) =>
      Effect.gen(function* () {
        const { content, isError, structuredContent } = resultOf(yield* call(name, args))
        assert.isUndefined(isError)
        assert.lengthOf(content, 1)
        assert.deepStrictEqual(JSON.parse(content[0].text), structuredContent)
        const tool = (yield* ToolRegistry).find(name) ?? assert.fail(name)
        const success = Schema.decodeUnknownResult(tool.success as typeof Schema.Unknown, {
          onExcessProperty: "error"
        })(structuredContent)
        assert.strictEqual(success._tag, "Success")
      })
    )
  })

  describe("P26 wrong arguments are results, which the model can correct", () => {
    it.effect("D26 invalid_arguments, with all issues, paths and the nearest value", () =>
      Effect.gen(function* () {
        const answer = yield* call("search_ads", { ctas: ["Shop Nwo"], page: 0, niches: ["Nothing"], color: 1 })
        assert.strictEqual(answer.status, 200)
        const error = errorOf(answer)
        assert.strictEqual(error.code, "invalid_arguments")
        assert.deepStrictEqual(error.issues?.map(({ path }) => path).sort(), ["color", "ctas.0", "niches.0", "page"])
        assert.include(JSON.stringify(error.issues), "did you mean `Shop Now`?")
        assert.include(error.hint, "list_filter_options")
      })
    )
  })

  // S6, D17
  describe("P28 every call returns cost and balance", () => {
    it.effect.each<[string, unknown, string, number, number]>([
      ["get_usage", {}, "other", 0, 1988],
      ["search_ads", {}, "other", 1, 1987],
      ["search_ads", { page: 99 }, "other", 0, 1988],
      ["search_ads", {}, "empty", 0, 0],
      ["search_products", {}, "last", 1, 0],
      ["search_shops", {}, "other", 1, 1986],
      ["get_shop", { shop_id: 7 }, "other", 1, 1985],
      ["get_shop", { shop_id: 8 }, "other", 0, 1988],
      ["get_product", { product_id: 1 }, "other", 1, 1984],
      ["get_product", { product_id: 2 }, "other", 0, 1988],
      ["compare_markets", { group_by: "app" }, "other", 1, 1983],
      ["compare_markets", {}, "other", 0, 1988]
    ])("%s %j by %s: %i, %i left", ([name, args, credential, cost, remaining]) =>
      Effect.gen(function* () {
        const answer = yield* call(name, args, credential)
        assert.deepStrictEqual(resultOf(answer)._meta["discovery/credits"], { cost, remaining })
        assert.strictEqual(answer.headers.get("x-credits-cost"), String(cost))
        assert.strictEqual(answer.headers.get("x-credits-remaining"), String(remaining))
      })
    )

    it.effect("other messages do not", () =>
      Effect.gen(function* () {
        const server = yield* TestServer
        const answer = yield* server.post(Messages.request("tools/list"))
        assert.isNull(answer.headers.get("x-credits-cost"))
      })
    )
  })

  describe("P29 the id of a request", () => {
    // D23
    it.effect("is in every answer's header, in errors' payloads and in the log; a client's own is ignored", () =>
      Effect.gen(function* () {
        const server = yield* TestServer
        const answers = [
          yield* server.post(Messages.plain, { "x-request-id": "mine" }),
          yield* server.post(Messages.call("get_usage", { unknown: 1 })),
          yield* server.post(Messages.request("unknown")),
          yield* server.post([]),
          yield* server.send({ method: "GET" }),
          yield* server.send({ body: "{" }),
          yield* server.post(Messages.plain, { authorization: undefined }),
          yield* server.post(Messages.plain, { origin: "https://evil.test" }),
          yield* server.post({ jsonrpc: "2.0", method: "notifications/initialized" }),
          yield* server.send({ method: "GET", path: "/health/live" }),
          yield* server.send({ method: "GET", path: "/nowhere" })
        ]
        const ids = answers.map(({ headers }) => headers.get("x-request-id"))
        // UUIDs of version 7, which begin with the time.
        for (const id of ids)
          assert.match(id ?? "", /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
        assert.strictEqual(new Set(ids).size, ids.length)

        const [plain, toolError, ...others] = answers
        assert.strictEqual(toolError && errorOf(toolError).request_id, toolError?.headers.get("x-request-id"))
        for (const { headers, json, status } of others) {
          if (status < 400) continue
          assert.include(JSON.stringify(json), headers.get("x-request-id") ?? "no id")
        }
        const line = server.logs.find((logged) => logged.includes(plain?.headers.get("x-request-id") ?? "no id"))
        assert.match(line ?? "", /"tool":"get_usage".*"outcome":"ok"/)
      })
    )
  })

  // D20
  describe("P27 an error is text only, never structuredContent", () => {
    it.effect.each<[string, string, unknown, string]>([
      [
        "plan_upgrade_required",
        "unpaid",
        {},
        "Tool calls need an active Growth or Pro subscription, but the account's subscription is unpaid. To go on, pay the open invoice at https://discovery.test/billing. Keys and connected apps are kept and work again at once. Nothing was charged.\n"
      ],
      [
        "invalid_arguments",
        "good",
        { active_ads: { min: 9, max: 5 } },
        "active_ads.min: must not be greater than max (9 > 5).\n"
      ],
      [
        "insufficient_credits",
        "empty",
        {},
        "The call costs 1 credit, but the account has no credits left in this period. The credits renew on 2999-02-01 at 00:00 UTC; for more before then, change the plan at https://discovery.test/billing. Nothing was charged.\n"
      ]
    ])("%s: first a sentence with its hint and a newline, which is no JSON, then the JSON", ([code, who, args, text]) =>
      Effect.gen(function* () {
        const answer = yield* call("search_products", args, who)
        assert.strictEqual(errorOf(answer).code, code)
        assert.strictEqual(sentenceOf(answer), text)
        assert.lengthOf(resultOf(answer).content, 2)
      })
    )

    it.effect.each<[string, string]>([
      ["unpaid", "plan_upgrade_required"],
      ["starter", "plan_upgrade_required"],
      ["empty", "insufficient_credits"]
    ])("%s: %s, HTTP 200, nothing charged", ([credential, code]) =>
      Effect.gen(function* () {
        const server = yield* TestServer
        const before = server.books.charges.length
        const answer = yield* call("search_products", {}, credential)
        assert.strictEqual(answer.status, 200)
        const error = errorOf(answer)
        assert.strictEqual(error.code, code)
        if (code === "insufficient_credits") {
          assert.strictEqual(answer.headers.get("retry-after"), String(error.retry_after_seconds))
        }
        assert.strictEqual(error.upgrade_url, "https://discovery.test/billing")
        assert.strictEqual(server.books.charges.length, before)
      })
    )
  })
})

describe("D21, D34 error codes of a search that fails", () => {
  it.live.each<[keyof typeof codes, Parameters<typeof FakeSearch.ads>[1]]>([
    ["SearchTimeout", () => Effect.fail(new SearchTimeout({ message: "slow", hint: "narrow" }))],
    ["ServiceUnavailable", () => Effect.fail(FakeAccess.down())],
    ["InternalError", () => Effect.die(new Error("secret of the search"))]
  ])("%s", ([tag, search]) =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const answer = yield* server.post(Messages.call("search_ads"))
      assert.strictEqual(answer.status, 200)
      assert.strictEqual(errorOf(answer).code, codes[tag])
      assert.strictEqual(answer.headers.get("retry-after"), tag === "ServiceUnavailable" ? "1" : null)
      assert.notInclude(answer.text, "secret")
      assert.deepStrictEqual(server.books.charges, [])
      if (tag !== "SearchTimeout") {
        const id = answer.headers.get("x-request-id") ?? "no id"
        assert.isTrue(server.logs.some((line) => line.includes("secret") && line.includes(id)))
      }
    }).pipe(Effect.provide(TestServer.layer({ search: search ?? (() => Effect.never) })))
  )
})

layer(LiveServer.layer, { excludeTestServices: true })("P25 pages of demo data", (it) => {
  it.effect.each([
    ["search_shops", shopSorts],
    ["search_ads", adSorts],
    ["search_products", productSorts]
  ] as const)("%s says about how many tokens a result has, in one copy of an answer", ([name, sorts]) =>
    Effect.gen(function* () {
      const { listing } = (yield* ToolRegistry).tools.find((tool) => tool.name === name) ?? assert.fail(name)
      const described = descriptionsOf(listing.inputSchema, ["per_page"])
      const said = Number(/^Default 10, about (\d+) tokens each\. $/u.exec(described)?.[1])
      const { secret } = yield* Access.subscriber({ plan: "pro" })
      const Page = Schema.fromJsonString(Schema.Struct({ results: Schema.Array(Schema.Unknown) }))
      const costs: Array<number> = []
      for (const sort_by of sorts) {
        for (const page of [1, 2]) {
          const { json } = yield* LiveServer.post(secret, Messages.call(name, { sort_by, page }))
          const { text } = Schema.decodeUnknownSync(Answered)(json).result.content[0]
          assert.lengthOf(Schema.decodeUnknownSync(Page)(text).results, 10)
          costs.push(Tokens.of(text) / 10)
        }
      }
      // Not the mean: some records of the demo data have texts of hundreds of characters on purpose.
      const measured = costs.toSorted((a, b) => a - b)[Math.floor(costs.length / 2)] ?? 0
      assert.isAtMost(Math.abs(said - measured) / measured, 0.15, `${said} of ${measured}`)
    })
  )
})

// D33
describe("P28 the rate limit", () => {
  it.live(
    "is in every answer; further calls are rate_limited, and other methods 429; accounts do not share their limits",
    () =>
      Effect.gen(function* () {
        const server = yield* TestServer
        const first = yield* server.post(Messages.plain)
        assert.strictEqual(first.headers.get("ratelimit-policy"), '"default";q=3;w=60')
        assert.strictEqual(first.headers.get("ratelimit"), '"default";r=2;t=20')
        assert.isNull(first.headers.get("retry-after"))
        yield* server.post(Messages.request("tools/list"))
        yield* server.post(Messages.request("unknown"))

        const refused = yield* server.post(Messages.call("search_ads"))
        assert.strictEqual(refused.status, 200)
        const error = errorOf(refused)
        assert.strictEqual(error.code, "rate_limited")
        assert.include(server.logs.join("\n"), "rate_limited")
        assert.strictEqual(refused.headers.get("retry-after"), String(error.retry_after_seconds))
        assert.isAtLeast(error.retry_after_seconds ?? 0, 1)
        assert.strictEqual(refused.headers.get("ratelimit"), '"default";r=0;t=60')
        assert.deepStrictEqual(server.books.charges, [])

        const list = yield* server.post(Messages.request("tools/list"))
        assert.strictEqual(list.status, 429)
        assert.isNotNull(list.headers.get("retry-after"))

        const other = yield* server.post(Messages.plain, { authorization: "Bearer other" })
        assert.strictEqual(resultOf(other).isError, undefined)
      }).pipe(Effect.provide(TestServer.layer({ config: { rateLimitPerMinute: 3 } })))
  )

  /** Sent in chunks, without a length. */
  const tooLarge = () => new Blob([" ".repeat(262_145)]).stream()

  it.live.each([
    ["a notification", JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }), 202],
    ["what is no JSON", "{", 400],
    ["what is no message", '{"jsonrpc":"1.0"}', 400],
    ["an empty batch", "[]", 400],
    ["a batch of notifications", JSON.stringify([{ jsonrpc: "2.0", method: "notifications/initialized" }]), 202],
    ["a call of an unknown tool", JSON.stringify(Messages.call("unknown")), 200],
    ["an unknown method", JSON.stringify(Messages.request("unknown")), 200],
    ["a body of unknown length that is too large", undefined, 413]
  ] as const)("counts %s", ([, body, status]) =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const send = Effect.suspend(() => server.send({ path: "/mcp", body: body ?? tooLarge() }))
      const answers = yield* Effect.all([send, send, send, send])
      assert.deepStrictEqual(
        answers.map((answer) => answer.status),
        [status, status, status, 429]
      )
      assert.isNotNull(answers[3].headers.get("retry-after"))
      assert.strictEqual((yield* server.post(Messages.request("tools/list"))).status, 429)
    }).pipe(Effect.provide(TestServer.layer({ config: { rateLimitPerMinute: 3 } })))
  )

  it.live("refuses a message of a batch with its id", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const outdated = { jsonrpc: "2.0", id: 7, method: "initialize", params: {} }
      const answer = yield* server.post([Messages.call("get_usage", {}, 1), outdated])
      assert.nestedPropertyVal(answer.json, "[1].id", 7)
      assert.isNotNull(answer.headers.get("retry-after"))
    }).pipe(Effect.provide(TestServer.layer({ config: { rateLimitPerMinute: 1 } })))
  )

  it.live("counts each message of a batch", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const answer = yield* server.post(Array.from({ length: 4 }, (_, id) => Messages.call("get_usage", {}, id)))
      assert.nestedPropertyVal(answer.json, "[3].result.isError", true)
      assert.notNestedProperty(answer.json, "[2].result.isError")
      assert.isNotNull(answer.headers.get("retry-after"))
    }).pipe(Effect.provide(TestServer.layer({ config: { rateLimitPerMinute: 3 } })))
  )

  it.live("cannot be counted: service_unavailable, other methods 503, and nothing is charged", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const refused = yield* server.post(Messages.call("search_ads"))
      const error = errorOf(refused)
      assert.strictEqual(error.code, "service_unavailable")
      assert.strictEqual(refused.headers.get("retry-after"), String(error.retry_after_seconds))
      assert.isNull(refused.headers.get("ratelimit"))
      assert.deepStrictEqual(server.books.charges, [])
      const list = yield* server.post(Messages.request("tools/list"))
      assert.strictEqual(list.status, 503)
      assert.isNotNull(list.headers.get("retry-after"))
    }).pipe(
      Effect.provide(
        TestServer.layer({ rates: Layer.mock(SharedRates, { take: () => Effect.fail(FakeAccess.down()) }) })
      )
    )
  )

  it.live("can be turned off", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const answer = yield* server.post(Messages.plain)
      assert.notProperty(resultOf(answer), "isError")
      assert.isNull(answer.headers.get("ratelimit"))
    }).pipe(Effect.provide(TestServer.layer({ config: { rateLimitPerMinute: 0 } })))
  )
})

describe("P29 traces", () => {
  const traceId = "0af7651916cd43dd8448eb211c80319c"

  const spansOf = (meta: object, headers: Record<string, string> = {}) => {
    const spans: Array<Tracer.Span> = []
    const tracer = Tracer.make({
      span(options) {
        const span = new Tracer.NativeSpan(options)
        spans.push(span)
        return span
      }
    })
    return Effect.gen(function* () {
      const server = yield* TestServer
      yield* server.post(Messages.request("tools/call", { name: "get_usage", _meta: meta }), headers)
      return spans.filter(({ name }) => name === "tools/call get_usage")
    }).pipe(Effect.provide(Layer.provideMerge(TestServer.layer(), Layer.succeed(Tracer.Tracer, tracer))))
  }

  it.live("a call joins the trace of _meta.traceparent", () =>
    Effect.gen(function* () {
      const [span] = yield* spansOf({ traceparent: `00-${traceId}-b7ad6b7169203331-01` })
      assert.strictEqual(span?.traceId, traceId)
      assert.strictEqual(span && Option.getOrUndefined(span.parent)?.spanId, "b7ad6b7169203331")
    })
  )

  it.live("contains no credential from the address", () => {
    const spans: Array<Tracer.Span> = []
    const tracer = Tracer.make({
      span(options) {
        const span = new Tracer.NativeSpan(options)
        spans.push(span)
        return span
      }
    })
    return Effect.gen(function* () {
      const server = yield* TestServer
      const addresses = [
        ...["access_token", "token", "api_key", "key", "code", "bearer", "credential"].map(
          (name) => `?${name}=dsk_secret`
        ),
        "?dsk_secret",
        "/dsk_secret",
        "/dsk_secret?a=b"
      ]
      for (const address of addresses) {
        yield* server.send({ path: `/mcp${address}`, headers: { authorization: undefined }, body: "{}" })
      }
      const attributes = spans.flatMap((span) => Array.from(span.attributes))
      assert.isNotEmpty(attributes)
      assert.notInclude(JSON.stringify(attributes), "dsk_secret")
    }).pipe(Effect.provide(Layer.provideMerge(TestServer.layer(), Layer.succeed(Tracer.Tracer, tracer))))
  })

  it.live("a call joins the trace of the header, or starts its own if both are invalid", () =>
    Effect.gen(function* () {
      const [joined] = yield* spansOf({}, { traceparent: `00-${traceId}-b7ad6b7169203331-01` })
      assert.strictEqual(joined?.traceId, traceId)
      const [own] = yield* spansOf({ traceparent: "00-zero-one-01" })
      assert.isDefined(own)
      assert.notStrictEqual(own?.traceId, traceId)
    })
  )
})

import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import { AppConfig } from "../../../src/Config.ts"
import type { Activity } from "../../../src/domain/access/Activity.ts"
import type { Caller } from "../../../src/domain/access/Account.ts"
import { RateLimited, SearchTimeout, ToolErrorPayload } from "../../../src/domain/ToolError.ts"
import { DataAsOf } from "../../../src/services/import/Sources.ts"
import { ToolRegistry } from "../../../src/services/tools/ToolRegistry.ts"
import { type ToolAnswer, type ToolCall, ToolRunner } from "../../../src/services/tools/ToolRunner.ts"
import * as FakeAccess from "../../support/FakeAccess.ts"
import * as FakeSearch from "../../support/FakeSearch.ts"

const make = (
  books: FakeAccess.Books,
  ads: Parameters<typeof FakeSearch.ads>,
  vocabulary = FakeSearch.vocabulary,
  record?: (call: Activity) => void
) =>
  Layer.merge(ToolRegistry.layer, ToolRunner.layer).pipe(
    Layer.provide([
      FakeAccess.ledger(books),
      FakeAccess.usage(record),
      FakeSearch.ads(...ads),
      FakeSearch.products([FakeSearch.product(1)]),
      FakeSearch.shops,
      vocabulary,
      AppConfig.layerOf({ baseUrl: "https://discovery.test", billingUrl: "https://discovery.test/billing" })
    ])
  )

/** Runs against a catalog of 30 ads, or another search. */
const withTools = <A, E>(
  test: (books: FakeAccess.Books) => Effect.Effect<A, E, ToolRegistry | ToolRunner>,
  ...ads: Parameters<typeof FakeSearch.ads> | []
) => {
  const books: FakeAccess.Books = { charges: [] }
  const [items = Array.from({ length: 30 }, (_, index) => FakeSearch.ad(index + 1)), search] = ads
  return test(books).pipe(Effect.provide(make(books, [items, search])))
}

const call = (
  name: string,
  args: ToolCall["arguments"] = {},
  overrides: Partial<Pick<ToolCall, "meta" | "caller" | "requestId" | "onCharge">> = {}
) =>
  Effect.gen(function* () {
    const tool = (yield* ToolRegistry).find(name)
    if (tool === undefined) return assert.fail(`no tool ${name}`)
    const runner = yield* ToolRunner
    return yield* runner.run({
      tool,
      arguments: args,
      meta: undefined,
      caller: FakeAccess.caller(1),
      requestId: "request-1",
      onCharge: () => {},
      ...overrides
    })
  })

const errorOf = (answer: ToolAnswer) =>
  Schema.decodeUnknownSync(Schema.fromJsonString(ToolErrorPayload), { onExcessProperty: "error" })(answer.json).error

const codeOf = (answer: ToolAnswer) => (answer.error === undefined ? "ok" : errorOf(answer).code)

const envelopeOf = (answer: ToolAnswer): Record<string, unknown> => JSON.parse(answer.json)

const used = (used: number): Partial<Caller> => ({ credits: { ...FakeAccess.caller(1).credits, used } })

describe("a successful call", () => {
  it.effect("from the catalog has the date of the data, if it is known", () =>
    withTools(() =>
      Effect.gen(function* () {
        assert.strictEqual((yield* call("search_ads")).dataAsOf, "2026-06-30")
        assert.isUndefined((yield* call("get_usage")).dataAsOf)
      })
    ).pipe(Effect.provideService(DataAsOf, Effect.succeed("2026-06-30")))
  )

  it.effect("is not charged while the date of the data is not known yet, and ends in time without it", () =>
    withTools((books) =>
      Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(call("search_ads"))
        yield* TestClock.adjust("15 seconds")
        assert.strictEqual(codeOf(yield* Fiber.join(fiber)), "search_timeout")
        assert.deepStrictEqual(books.charges, [])
      })
    ).pipe(Effect.provideService(DataAsOf, Effect.never))
  )

  it.effect("D13 is charged once, as its last step, and says what is left", () =>
    withTools((books) =>
      Effect.gen(function* () {
        const answer = yield* call("search_ads")
        assert.strictEqual(answer.error, undefined)
        assert.deepStrictEqual([answer.cost, answer.remaining], [1, 1987])
        assert.deepStrictEqual(
          books.charges.map(({ cost, requestId, tool }) => ({ cost, requestId, tool })),
          [{ cost: 1, requestId: "request-1", tool: "search_ads" }]
        )
      })
    )
  )

  it.effect("reports its charge only if it was charged, because a reported charge may be refunded", () =>
    withTools((books) =>
      Effect.gen(function* () {
        const charged: Array<string> = []
        const tell = (requestId: string) => ({ requestId, onCharge: () => void charged.push(requestId) })
        const meta = { "discovery/idempotency-key": "job" }
        yield* call("search_ads", {}, { ...tell("new"), meta })
        yield* call("search_ads", {}, { ...tell("repeat"), meta })
        yield* call("search_ads", {}, { ...tell("poor"), caller: FakeAccess.caller(2, used(2000)) })
        yield* call("get_usage", {}, tell("free"))
        assert.deepStrictEqual(charged, ["new"])
        assert.lengthOf(books.charges, 1)
      })
    )
  )

  it.effect.each(["get_usage", "list_filter_options"])("of %s is free, also without credits", (name) =>
    withTools((books) =>
      Effect.gen(function* () {
        const args = name === "get_usage" ? {} : { kind: "niches" }
        const answer = yield* call(name, args, { caller: FakeAccess.caller(1, used(2000)) })
        assert.deepStrictEqual([codeOf(answer), answer.cost, answer.remaining], ["ok", 0, 0])
        assert.deepStrictEqual(books.charges, [])
      })
    )
  )

  it.effect("S43, D47, S106 of get_usage has plan, credits, period and costs", () =>
    withTools(() =>
      Effect.gen(function* () {
        assert.deepStrictEqual(envelopeOf(yield* call("get_usage")), {
          plan: "growth",
          status: "active",
          credits: { allowance: 2000, used: 12, remaining: 1988 },
          period: { start: "2026-01-01", end: "2026-02-01" },
          costs: {
            get_usage: 0,
            list_filter_options: 0,
            search_shops: 1,
            search_ads: 1,
            search_products: 1,
            list_changes: 1,
            get_shop: 1,
            get_product: 1,
            compare_markets: 1,
            compare_ads: 1,
            list_saved_searches: 0,
            run_saved_search: 1
          }
        })
      })
    )
  )

  it.effect("S34, D32 of search_ads counts active days to the day of the clock", () =>
    withTools(
      () =>
        Effect.gen(function* () {
          yield* TestClock.setTime(Date.parse("2026-03-01T23:59:59Z"))
          const { results } = envelopeOf(yield* call("search_ads"))
          assert.deepInclude(results, {
            ...(Array.isArray(results) ? (results[0] as object) : {}),
            active_days: 59,
            dashboard_url: "https://discovery.test/dashboard/shops/7"
          })
        }),
      [FakeSearch.ad(1)]
    )
  )
})

describe("an empty result of search_ads", () => {
  it.effect.each([
    [{ apps: ["Nothing"] }, true],
    [{ shop_created_between: { from: "2026-01-01" } }, true],
    [{ shop_created_between: {} }, false],
    [{ apps: [] }, false],
    [{ countries: ["US"] }, false]
  ] as const)("S33, D28 with %j has a notice: %s", ([args, expected]) =>
    withTools(
      () =>
        Effect.gen(function* () {
          assert.strictEqual("notice" in envelopeOf(yield* call("search_ads", args)), expected)
        }),
      []
    )
  )

  it.effect("names list_filter_options for an app", () =>
    withTools(() =>
      Effect.gen(function* () {
        const { notice } = envelopeOf(yield* call("search_ads", { apps: ["Nothing"] }))
        assert.include(notice, "list_filter_options")
      })
    )
  )

  it.effect("past the last page says so, instead of doubting the filters", () =>
    withTools(() =>
      Effect.gen(function* () {
        const { notice } = envelopeOf(
          yield* call("search_ads", { page: 20, shop_created_between: { from: "2026-01-01" } })
        )
        assert.include(notice, "earlier page")
      })
    )
  )

  it.effect("has no notice when there are results", () =>
    withTools(() =>
      Effect.gen(function* () {
        const envelope = envelopeOf(yield* call("search_ads", { shop_created_between: { from: "2026-01-01" } }))
        assert.notProperty(envelope, "notice")
      })
    )
  )
})

describe("wrong arguments", () => {
  it.effect("D26 are all reported at once: the schema's, conflicts, unknown niches, and the idempotency key", () =>
    withTools((books) =>
      Effect.gen(function* () {
        const answer = yield* call(
          "search_ads",
          {
            status: "inactive",
            active_days: { min: 3 },
            niches: ["Apparel", "Sock"],
            per_page: 26,
            color: "red",
            monthly_revenue: { min: 5, max: 1 }
          },
          { meta: { "discovery/idempotency-key": "" } }
        )
        const error = errorOf(answer)
        assert.strictEqual(error.code, "invalid_arguments")
        assert.deepStrictEqual(error.issues?.map(({ path }) => path).sort(), [
          "_meta.discovery/idempotency-key",
          "active_days",
          "color",
          "monthly_revenue.min",
          "niches.1",
          "per_page"
        ])
        assert.include(error.hint, "list_filter_options")
        assert.strictEqual(error.request_id, "request-1")
        assert.deepStrictEqual([answer.cost, books.charges.length], [0, 0])
      })
    )
  )

  it.effect("are reported even if niches cannot be checked; without other issues the failed check is the error", () =>
    Effect.gen(function* () {
      const wrong = yield* call("search_ads", { niches: ["Apparel"], page: 0 })
      assert.deepStrictEqual(
        errorOf(wrong).issues?.map(({ path }) => path),
        ["page"]
      )
      const right = yield* call("search_ads", { niches: ["Apparel"] })
      assert.strictEqual(codeOf(right), "service_unavailable")
      // Nothing to look up.
      assert.strictEqual(codeOf(yield* call("search_ads")), "ok")
    }).pipe(Effect.provide(make({ charges: [] }, [[]], FakeSearch.vocabularyDown)))
  )

  it.effect("D46 of list_filter_options: apps need a query", () =>
    withTools(() =>
      Effect.gen(function* () {
        const error = errorOf(yield* call("list_filter_options", { kind: "apps" }))
        assert.deepStrictEqual(
          error.issues?.map(({ path }) => path),
          ["query"]
        )
      })
    )
  )

  it.effect("of get_usage: there are none to give", () =>
    withTools(() =>
      Effect.gen(function* () {
        const error = errorOf(yield* call("get_usage", { verbose: true }))
        assert.deepStrictEqual(
          error.issues?.map(({ path }) => path),
          ["verbose"]
        )
      })
    )
  )
})

describe("a call costs nothing", () => {
  it.effect.each([
    ["get_usage", {}],
    ["list_filter_options", { kind: "niches" }],
    ["search_shops", {}],
    ["search_ads", {}],
    ["search_products", {}],
    ["get_shop", { shop_id: 7 }],
    ["get_product", { product_id: 1 }],
    ["compare_markets", { group_by: "theme" }],
    ["compare_ads", { group_by: "cta" }],
    ["list_saved_searches", {}],
    ["run_saved_search", { search_id: 1 }]
  ] as const)("S8, D6 without an active plan: %s", ([name, args]) =>
    withTools((books) =>
      Effect.gen(function* () {
        const answer = yield* call(name, args, {
          caller: FakeAccess.caller(1, { status: "unpaid" })
        })
        const error = errorOf(answer)
        assert.strictEqual(error.code, "plan_upgrade_required")
        assert.strictEqual(error.upgrade_url, "https://discovery.test/billing")
        assert.deepStrictEqual([answer.cost, books.charges.length], [0, 0])
      })
    )
  )

  it.effect("D18 without an active plan, whatever its arguments are, and they are not looked at", () =>
    withTools(() =>
      Effect.gen(function* () {
        const tool = (yield* ToolRegistry).find("search_ads") ?? assert.fail("no tool")
        const untouched = new Proxy(
          {},
          {
            ownKeys: () => assert.fail("the arguments were looked at"),
            get: () => assert.fail("the arguments were looked at")
          }
        )
        const answer = yield* (yield* ToolRunner).run({
          tool: {
            ...tool,
            decode: () => assert.fail("the arguments were decoded"),
            check: () => assert.fail("the arguments were checked")
          },
          arguments: untouched,
          meta: { "discovery/idempotency-key": "" },
          caller: FakeAccess.caller(1, { status: "unpaid" }),
          requestId: "request-1",
          onCharge: () => {}
        })
        assert.strictEqual(codeOf(answer), "plan_upgrade_required")
      })
    )
  )

  it.effect("D18 with wrong arguments, which are reported before the balance", () =>
    withTools(() =>
      Effect.gen(function* () {
        const answer = yield* call("search_ads", { page: 0 }, { caller: FakeAccess.caller(1, used(2000)) })
        assert.strictEqual(codeOf(answer), "invalid_arguments")
      })
    )
  )

  it.effect("D15 without credits, and is not even run", () => {
    let searched = false
    return withTools(
      (books) =>
        Effect.gen(function* () {
          yield* TestClock.setTime(Date.parse("2026-01-31T23:00:00Z"))
          const answer = yield* call("search_ads", {}, { caller: FakeAccess.caller(1, used(2000)) })
          const error = errorOf(answer)
          assert.deepStrictEqual([error.code, error.retry_after_seconds], ["insufficient_credits", 3600])
          assert.include(error.hint, "2026-02-01")
          assert.deepStrictEqual([searched, books.charges.length, answer.remaining], [false, 0, 0])
        }),
      [],
      () => Effect.sync(() => (searched = true)).pipe(Effect.andThen(Effect.die("unreachable")))
    )
  })

  it.effect("D15 when another call took the last credit in the meantime, and gives no result", () =>
    withTools((books) =>
      Effect.gen(function* () {
        const caller = FakeAccess.caller(1, used(1999))
        const first = yield* call("search_ads", {}, { caller })
        const second = yield* call("search_ads", {}, { caller, requestId: "request-2" })
        assert.deepStrictEqual([codeOf(first), codeOf(second)], ["ok", "insufficient_credits"])
        assert.notInclude(second.json, "results")
        assert.deepStrictEqual([second.cost, second.remaining, books.charges.length], [0, 0, 1])
      })
    )
  )

  it.effect("D34 when the search times out", () =>
    withTools(
      (books) =>
        Effect.gen(function* () {
          const answer = yield* call("search_ads")
          assert.deepStrictEqual([codeOf(answer), answer.cost, books.charges.length], ["search_timeout", 0, 0])
        }),
      [],
      () => Effect.fail(new SearchTimeout({ message: "too slow", hint: "narrow" }))
    )
  )

  it.effect("when the search never ends: the call is stopped", () =>
    withTools(
      (books) =>
        Effect.gen(function* () {
          const fiber = yield* Effect.forkChild(call("search_ads"))
          yield* TestClock.adjust("15 seconds")
          const answer = yield* Fiber.join(fiber)
          assert.deepStrictEqual([codeOf(answer), answer.cost, books.charges.length], ["search_timeout", 0, 0])
        }),
      [],
      () => Effect.never
    )
  )

  it.effect("D23 when the database is down, and the cause stays inside", () =>
    withTools(
      (books) =>
        Effect.gen(function* () {
          const answer = yield* call("search_ads")
          assert.deepStrictEqual([codeOf(answer), books.charges.length], ["service_unavailable", 0])
          assert.strictEqual(errorOf(answer).retry_after_seconds, 1)
          assert.notInclude(answer.json, "secret")
        }),
      [],
      () => Effect.fail(FakeAccess.down())
    )
  )

  it.effect("when the tool has a defect, and the cause stays inside", () =>
    withTools(
      (books) =>
        Effect.gen(function* () {
          const answer = yield* call("search_ads")
          assert.deepStrictEqual([codeOf(answer), books.charges.length], ["internal_error", 0])
          assert.strictEqual(errorOf(answer).request_id, "request-1")
          assert.notInclude(answer.json, "secret")
        }),
      [],
      () => Effect.die(new Error("secret"))
    )
  )

  it.effect("when it is interrupted, and its search is too", () => {
    const started = Deferred.makeUnsafe<void>()
    const interrupted = Deferred.makeUnsafe<void>()
    return withTools(
      (books) =>
        Effect.gen(function* () {
          const fiber = yield* Effect.forkChild(call("search_ads"))
          yield* Deferred.await(started)
          yield* Fiber.interrupt(fiber)
          yield* Deferred.await(interrupted)
          assert.deepStrictEqual(books.charges, [])
        }),
      [],
      () =>
        Deferred.succeed(started, undefined).pipe(
          Effect.andThen(Effect.never),
          Effect.onInterrupt(() => Deferred.succeed(interrupted, undefined))
        )
    )
  })
})

describe("an idempotency key", () => {
  const meta = { "discovery/idempotency-key": "job-1" }

  it.effect("D16 makes a repeat free, in whatever order its arguments stand", () =>
    withTools((books) =>
      Effect.gen(function* () {
        const first = yield* call("search_ads", { page: 1, monthly_visits: { min: 1, max: 2 } }, { meta })
        const second = yield* call(
          "search_ads",
          { monthly_visits: { max: 2, min: 1 }, page: 1 },
          { meta, requestId: "request-2" }
        )
        assert.deepStrictEqual([first.cost, second.cost, second.remaining], [1, 0, 1987])
        assert.strictEqual(second.json, first.json)
        assert.strictEqual(books.charges.length, 1)
      })
    )
  )

  it.effect("lets a repeat through when no credits are left: it is paid for", () =>
    withTools(() =>
      Effect.gen(function* () {
        yield* call("search_ads", {}, { meta, caller: FakeAccess.caller(1, used(1999)) })
        const caller = FakeAccess.caller(1, used(2000))
        const repeat = yield* call("search_ads", {}, { meta, caller })
        const other = yield* call("search_ads", {}, { caller })
        assert.deepStrictEqual([codeOf(repeat), codeOf(other)], ["ok", "insufficient_credits"])
      })
    )
  )

  it.effect.each([
    ["search_ads", { page: 2 }],
    ["search_products", { page: 1 }],
    ["search_shops", { page: 1 }]
  ] as const)("is refused for another call: %s %j", ([name, args]) =>
    withTools((books) =>
      Effect.gen(function* () {
        yield* call("search_ads", { page: 1 }, { meta })
        assert.strictEqual(codeOf(yield* call(name, args, { meta })), "invalid_arguments")
        assert.strictEqual(books.charges.length, 1)
      })
    )
  )

  it.effect.each(["", "k".repeat(129), 7, "a\u0000b", ["x"]])("is not %j", (key) =>
    withTools(() =>
      Effect.gen(function* () {
        const error = errorOf(yield* call("search_ads", {}, { meta: { "discovery/idempotency-key": key } }))
        assert.deepStrictEqual(
          error.issues?.map(({ path }) => path),
          ["_meta.discovery/idempotency-key"]
        )
      })
    )
  )

  it.effect("may have 128 characters, whatever bytes they take", () =>
    withTools(() =>
      Effect.gen(function* () {
        const answer = yield* call("search_ads", {}, { meta: { "discovery/idempotency-key": "🧦".repeat(128) } })
        assert.strictEqual(codeOf(answer), "ok")
      })
    )
  )
})

describe("the activity log", () => {
  // D53
  it.effect("has one line of every call that is answered, with its time and its cost, and of none that is left", () => {
    const recorded: Array<Activity> = []
    const slow = Effect.andThen(Effect.sleep("3 seconds"), Effect.fail(new SearchTimeout({ message: "m", hint: "h" })))
    const services = make({ charges: [] }, [[], () => slow], FakeSearch.vocabulary, (call) => void recorded.push(call))
    return Effect.gen(function* () {
      yield* TestClock.setTime(1_000)
      yield* call("search_products", {}, { requestId: "paid" })
      yield* call("get_usage", {}, { requestId: "free" })
      yield* call("search_ads", { page: 0 }, { requestId: "wrong" })
      yield* call("search_products", {}, { requestId: "plan", caller: FakeAccess.caller(2, { status: "unpaid" }) })
      const late = yield* Effect.forkChild(call("search_ads", {}, { requestId: "late" }))
      const left = yield* Effect.forkChild(call("search_ads", {}, { requestId: "left" }))
      yield* TestClock.adjust("1 seconds")
      yield* Fiber.interrupt(left)
      yield* TestClock.adjust("2 seconds")
      yield* Fiber.join(late)
      const tool = (yield* ToolRegistry).find("get_shop")
      if (tool === undefined) return assert.fail("no tool")
      yield* (yield* ToolRunner).refuse(
        {
          tool,
          arguments: {},
          meta: undefined,
          caller: FakeAccess.caller(3, { credential: { kind: "access_token", id: 42 } }),
          requestId: "many",
          onCharge: () => {}
        },
        new RateLimited({ message: "m", retryAfterSeconds: 1 })
      )
      const key = (id: number) => ({ kind: "api_key" as const, id })
      const line = (
        account: number,
        requestId: string,
        tool: string,
        outcome: string,
        credits: number,
        at: number
      ) => ({
        accountId: account,
        credential: key(account),
        tool,
        outcome,
        credits,
        atMillis: at,
        durationMillis: 0,
        requestId
      })
      assert.deepEqual(recorded, [
        line(1, "paid", "search_products", "ok", 1, 1_000),
        line(1, "free", "get_usage", "ok", 0, 1_000),
        line(1, "wrong", "search_ads", "invalid_arguments", 0, 1_000),
        line(2, "plan", "search_products", "plan_upgrade_required", 0, 1_000),
        { ...line(1, "late", "search_ads", "search_timeout", 0, 1_000), durationMillis: 3_000 },
        { ...line(3, "many", "get_shop", "rate_limited", 0, 4_000), credential: { kind: "access_token", id: 42 } }
      ])
    }).pipe(Effect.provide(services))
  })
})

/** D97: `get_shop` of several stores, over the live services: records, warnings, and a credit for each store that was found. */
import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as NaiveCatalog from "../../oracle/NaiveCatalog.ts"
import * as Access from "../../support/Access.ts"
import * as LiveServer from "../../support/LiveServer.ts"
import * as Messages from "../../support/Messages.ts"

const catalog = NaiveCatalog.generate(99, 40)
const ids = catalog.shops.map(({ id }) => id)
const noShop = 2_147_483_647

const Answer = Schema.Struct({
  result: Schema.Struct({
    isError: Schema.optionalKey(Schema.Boolean),
    content: Schema.Array(Schema.Struct({ text: Schema.String })),
    structuredContent: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown))
  })
})
const Results = Schema.Struct({
  results: Schema.Array(Schema.Record(Schema.String, Schema.Unknown)),
  warnings: Schema.optionalKey(Schema.Array(Schema.String))
})

layer(LiveServer.naive(catalog), { excludeTestServices: true })("D97 get_shop of several stores", (it) => {
  const account = Effect.gen(function* () {
    const { caller, secret } = yield* Access.subscriber({ plan: "growth" })
    const call = Effect.fnUntraced(function* (args: object, meta?: object) {
      const message = Messages.call("get_shop", args)
      const params = meta === undefined ? message.params : { ...message.params, _meta: meta }
      const { headers, json } = yield* LiveServer.post(secret, { ...message, params })
      const { content, isError, structuredContent } = Schema.decodeUnknownSync(Answer)(json).result
      return { cost: headers.get("x-credits-cost"), content: structuredContent, isError, text: content[0]?.text ?? "" }
    })
    const used = Effect.map(Access.books(caller.accountId), ({ balance, fold }) => {
      assert.deepStrictEqual(fold, balance)
      return balance.used
    })
    return { call, used }
  })

  it.effect("has the record of each in the order of the ids, each once, for one credit each", () =>
    Effect.gen(function* () {
      const { call, used } = yield* account
      const [first = 0, second = 0, third = 0] = ids
      const several = yield* call({ shop_ids: [third, first, third, second] })
      const { results, warnings } = Schema.decodeUnknownSync(Results)(several.content)
      assert.isUndefined(warnings)
      assert.deepStrictEqual([several.cost, yield* used], ["3", 3])
      for (const [at, id] of [third, first, second].entries()) {
        const { history, ...record } = (yield* call({ shop_id: id })).content ?? {}
        assert.isDefined(history)
        assert.deepStrictEqual(results[at], record)
      }
      assert.strictEqual(yield* used, 6)
    })
  )

  it.effect("names the ids that no store has, and charges nothing for them", () =>
    Effect.gen(function* () {
      const { call, used } = yield* account
      const [first = 0] = ids
      const found = yield* call({ shop_ids: [noShop, first] })
      const { results, warnings = [] } = Schema.decodeUnknownSync(Results)(found.content)
      assert.deepStrictEqual([results.length, found.cost, yield* used], [1, "1", 1])
      assert.include(warnings.join(), String(noShop))
      const none = yield* call({ shop_ids: [noShop, noShop - 1] })
      assert.include(none.text, `There is no store ${noShop}`)
      assert.deepStrictEqual([none.isError, yield* used], [true, 1])
    })
  )

  it.effect("is refused before the work if the credits do not suffice for all, and loses none", () =>
    Effect.gen(function* () {
      const { call, used } = yield* account
      for (let index = 0; index < 3; index++) yield* call({ shop_ids: ids.slice(0, 5) })
      assert.strictEqual(yield* used, 15)
      const refused = yield* call({ shop_ids: ids.slice(0, 6) })
      assert.include(refused.text, "The call costs 6 credits, but the account has only 5 credits left")
      assert.strictEqual(yield* used, 15)
      assert.strictEqual((yield* call({ shop_ids: ids.slice(0, 5) })).cost, "5")
      assert.strictEqual(yield* used, Access.allowances.growth)
    })
  )

  it.effect("never goes past the allowance, however many calls run at once", () =>
    Effect.gen(function* () {
      const { call, used } = yield* account
      const answers = yield* Effect.all(
        Array.from({ length: 12 }, (_, index) => call({ shop_ids: ids.slice(index, index + 3) })),
        { concurrency: "unbounded" }
      )
      const paid = answers.filter(({ isError }) => isError !== true).length
      assert.strictEqual(paid, Math.floor(Access.allowances.growth / 3))
      assert.strictEqual(yield* used, 3 * paid)
    })
  )

  it.effect("a repeat under the same idempotency key costs nothing", () =>
    Effect.gen(function* () {
      const { call, used } = yield* account
      const meta = { "discovery/idempotency-key": "compare-four" }
      const first = yield* call({ shop_ids: ids.slice(0, 4) }, meta)
      const again = yield* call({ shop_ids: ids.slice(0, 4) }, meta)
      assert.deepStrictEqual(again.content, first.content)
      assert.deepStrictEqual([first.cost, again.cost, yield* used], ["4", "0", 4])
    })
  )

  it.effect.each<[object]>([
    [{}],
    [{ shop_id: 1, shop_ids: [1] }],
    [{ shop_ids: [1], domain: "a.com" }],
    [{ shop_ids: [] }],
    [{ shop_ids: ids.slice(0, 11) }],
    [{ shop_ids: [0] }]
  ])("refuses %j, free", ([args]) =>
    Effect.gen(function* () {
      const { call, used } = yield* account
      const { isError, text } = yield* call(args)
      assert.isTrue(isError)
      assert.include(text, "shop_id")
      assert.strictEqual(yield* used, 0)
    })
  )
})

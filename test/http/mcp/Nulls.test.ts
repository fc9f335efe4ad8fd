/** D24: `null` counts as absent in the arguments of every tool, in their place and in `_meta`, because models send it. */
import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as Credit from "../../../src/domain/access/Credit.ts"
import { SavedSearches } from "../../../src/services/accounts/SavedSearches.ts"
import { TrackedShops } from "../../../src/services/accounts/TrackedShops.ts"
import { ToolRegistry } from "../../../src/services/tools/ToolRegistry.ts"
import type { ToolName } from "../../../src/services/tools/ToolDefinition.ts"
import * as Access from "../../support/Access.ts"
import * as LiveServer from "../../support/LiveServer.ts"
import * as Messages from "../../support/Messages.ts"

const Fields = Schema.Record(Schema.String, Schema.Unknown)

const Body = Schema.Struct({
  result: Schema.Struct({
    isError: Schema.optionalKey(Schema.Boolean),
    structuredContent: Schema.optionalKey(Fields),
    content: Schema.Array(Schema.Struct({ text: Schema.String }))
  })
})
const Refusal = Schema.fromJsonString(Schema.Struct({ error: Fields }))

const InputSchema = Schema.Struct({
  properties: Schema.Record(Schema.String, Schema.Struct({ properties: Schema.optionalKey(Fields) })),
  required: Schema.optionalKey(Schema.Array(Schema.String))
})

const nullOf = (names: ReadonlyArray<string>) => Object.fromEntries(names.map((name) => [name, null]))

const meta = { _meta: { "discovery/idempotency-key": null } }

layer(LiveServer.layer, { excludeTestServices: true })("null", (it) => {
  /** Sends one account's calls, and returns what each was told and charged, without what every answer has of its own. */
  const calling = Effect.gen(function* () {
    const { caller, secret } = yield* Access.subscriber({ plan: "pro" })
    const send = Effect.fnUntraced(function* (params: object) {
      const { headers, json } = yield* LiveServer.post(secret, Messages.request("tools/call", params))
      const { content, structuredContent } = Schema.decodeUnknownSync(Body)(json).result
      const cost = headers.get("x-credits-cost")
      if (structuredContent !== undefined) return { cost, found: structuredContent }
      const { request_id: _, ...error } = Schema.decodeUnknownSync(Refusal)(content[1]?.text).error
      return { cost, error }
    })
    const found = Effect.fnUntraced(function* (name: ToolName, args: object) {
      const answer = yield* send({ name, arguments: args })
      return answer.found ?? assert.fail(JSON.stringify(answer))
    })
    return { accountId: caller.accountId, send, found }
  })

  /** Arguments with which each tool succeeds, as few as there can be. */
  const fewest = Effect.fnUntraced(function* ({ accountId, found }: Effect.Success<typeof calling>) {
    const Results = Schema.Struct({
      results: Schema.NonEmptyArray(Schema.Struct({ id: Schema.Int, shop: Schema.Struct({ domain: Schema.String }) }))
    })
    const [product] = Schema.decodeUnknownSync(Results)(yield* found("search_products", {})).results
    const { domain } = product.shop
    yield* (yield* TrackedShops).add(accountId, domain, "tracked")
    const { id } = yield* found("get_shop", { domain })
    const searches = yield* SavedSearches
    yield* searches.save(accountId, { subject: "stores", query: "", name: "All", mark: 0 })
    const [saved] = yield* searches.all(accountId)
    const calls: Readonly<Record<ToolName, ReadonlyArray<object>>> = {
      get_usage: [{}],
      list_filter_options: [{ kind: "niches" }],
      search_shops: [{}],
      search_ads: [{}],
      search_products: [{}],
      get_shop: [{ domain }, { shop_id: id }],
      get_product: [{ product_id: product.id }],
      list_changes: [{}, { filters: {} }],
      compare_markets: [{ group_by: "niche" }],
      compare_ads: [{ group_by: "cta" }],
      list_saved_searches: [{}],
      run_saved_search: [{ search_id: saved?.id }]
    }
    return calls
  })

  it.effect("D24 every optional argument of every tool, and every bound, may be null", () =>
    Effect.gen(function* () {
      const account = yield* calling
      const calls = yield* fewest(account)
      for (const { listing, name } of (yield* ToolRegistry).tools) {
        const { properties, required = [] } = Schema.decodeUnknownSync(InputSchema)(listing.inputSchema)
        const optional = Object.keys(properties).filter((argument) => !required.includes(argument))
        const inner = Object.entries(properties).flatMap(([argument, { properties: bounds }]) =>
          bounds === undefined ? [] : [[argument, nullOf(Object.keys(bounds))] as const]
        )
        for (const args of calls[name]) {
          const expected = yield* account.send({ name, arguments: args })
          assert.deepStrictEqual(expected.cost, String(Credit.costs[name]))
          assert.isDefined(expected.found, name)
          for (const nulls of [nullOf(optional), Object.fromEntries(inner)]) {
            const answer = yield* account.send({ name, arguments: { ...nulls, ...args } })
            assert.deepStrictEqual(answer, expected, `${name} ${JSON.stringify(nulls)}`)
          }
        }
      }
    })
  )

  it.effect("D24 the arguments of a call may be null, and answer as none at all", () =>
    Effect.gen(function* () {
      const { send } = yield* calling
      for (const { name } of (yield* ToolRegistry).tools) {
        const expected = yield* send({ name })
        // Some tools need an argument: they say so alike.
        assert.strictEqual(expected.error?.["code"] ?? "invalid_arguments", "invalid_arguments", name)
        assert.deepStrictEqual(yield* send({ name, arguments: {} }), expected, name)
        assert.deepStrictEqual(yield* send({ name, arguments: null }), expected, name)
      }
    })
  )

  it.effect("D24 a null idempotency key is none: each call is charged; so is a call whose _meta is null", () =>
    Effect.gen(function* () {
      const account = yield* calling
      const calls = yield* fewest(account)
      for (const { name } of (yield* ToolRegistry).tools) {
        for (const args of calls[name]) {
          const expected = yield* account.send({ name, arguments: args })
          assert.isDefined(expected.found, name)
          for (const extra of [meta, meta, { _meta: null }]) {
            const answer = yield* account.send({ name, arguments: args, ...extra })
            assert.deepStrictEqual(answer, expected, `${name} ${JSON.stringify(extra)}`)
          }
        }
      }
    })
  )
})

/** `list_saved_searches` and `run_saved_search` (D115), over the live endpoint. */
import { assert, layer } from "@effect/vitest"
import { Effect, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { searchKinds } from "../../../src/domain/search/SavedSearch.ts"
import type { SearchSubject } from "../../../src/domain/search/SavedSearch.ts"
import { SavedSearches } from "../../../src/services/accounts/SavedSearches.ts"
import * as NaiveCatalog from "../../oracle/NaiveCatalog.ts"
import * as Random from "../../oracle/Random.ts"
import { generators } from "../../oracle/RandomArguments.ts"
import * as Access from "../../support/Access.ts"
import * as LiveServer from "../../support/LiveServer.ts"
import * as Messages from "../../support/Messages.ts"

const catalog = NaiveCatalog.generate(115, 60)
const make = generators(Random.make(115), catalog)
const tools = { stores: "search_shops", ads: "search_ads", products: "search_products" } as const
const subjects = ["stores", "ads", "products"] as const
const argumentsOf = { stores: make.shop, ads: make.ad, products: make.product }

const Answer = Schema.Struct({
  result: Schema.Struct({
    isError: Schema.optionalKey(Schema.Boolean),
    structuredContent: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown)),
    content: Schema.Array(Schema.Struct({ text: Schema.String })),
    _meta: Schema.Struct({ "discovery/credits": Schema.Struct({ cost: Schema.Int }) })
  })
})

const Listed = Schema.Array(
  Schema.Struct({
    id: Schema.Int,
    name: Schema.String,
    kind: Schema.String,
    arguments: Schema.NullOr(Schema.Record(Schema.String, Schema.Unknown)),
    viewed_at: Schema.String
  })
)

const customer = Effect.gen(function* () {
  const saved = yield* SavedSearches
  const { caller, secret } = yield* Access.subscriber({ plan: "pro" })
  const call = Effect.fnUntraced(function* (name: string, args: object = {}) {
    const { json } = yield* LiveServer.post(secret, Messages.call(name, args))
    const { _meta, content, isError, structuredContent = {} } = Schema.decodeUnknownSync(Answer)(json).result
    return { cost: _meta["discovery/credits"].cost, isError, found: structuredContent, text: content[0]?.text ?? "" }
  })
  const save = (subject: SearchSubject, query: string, name: string) =>
    saved.save(caller.accountId, { subject, query, name, mark: 3 })
  const list = Effect.map(call("list_saved_searches"), ({ cost, found }) => {
    assert.strictEqual(cost, 0)
    return Schema.decodeUnknownSync(Listed)(found["results"])
  })
  return { accountId: caller.accountId, call, save, list }
}).pipe(Effect.orDie)

layer(LiveServer.naive(catalog), { excludeTestServices: true, timeout: "120 seconds" })("saved searches", (it) => {
  it.effect("D115 are listed with their arguments, and run as their tool runs those, for one credit a page", () =>
    Effect.gen(function* () {
      const { call, list, save } = yield* customer
      assert.isEmpty(yield* list)
      let count = 0
      for (const subject of subjects) {
        for (let index = 0; index < 15; index++) {
          const args = argumentsOf[subject](index * 3)
          const kind = searchKinds[subject]
          const query = kind.canonical(kind.address.toAddress({ ...args }))
          if (Option.isSome(query)) yield* save(subject, query.value, `${subject} ${count++}`)
        }
      }
      const listed = yield* list
      assert.isAbove(listed.length, 20)
      let answered = 0
      for (const { arguments: args, id, kind } of listed) {
        for (const page of [undefined, 1, 2]) {
          const paged = page === undefined ? {} : { page }
          const expected = yield* call(kind, { ...args, ...paged })
          const ran = yield* call("run_saved_search", { search_id: id, ...paged })
          if (expected.isError === true) assert.deepInclude(ran, { isError: true, cost: 0 })
          else assert.deepStrictEqual([ran.found, ran.cost], [{ ...expected.found, kind }, 1])
          answered += expected.isError === true ? 0 : 1
        }
      }
      assert.isAbove(answered, 40)
    })
  )

  it.effect("D115 a run is no view, and neither has another account's", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [mine, theirs] = [yield* customer, yield* customer]
      yield* mine.save("stores", "", "All")
      const [all] = yield* mine.list
      const viewed = sql`SELECT mark, viewed_at FROM saved_search WHERE id = ${all?.id ?? 0}`
      const before = yield* viewed
      assert.strictEqual((yield* mine.call("run_saved_search", { search_id: all?.id })).cost, 1)
      assert.deepStrictEqual(yield* viewed, before)
      assert.isEmpty(yield* theirs.list)
      const foreign = yield* theirs.call("run_saved_search", { search_id: all?.id })
      assert.deepInclude(foreign, { isError: true, cost: 0 })
      assert.include(foreign.text, `The account has no saved search ${all?.id}.`)
    })
  )

  it.effect("D115 a search whose niche was removed says so, and costs nothing", () =>
    Effect.gen(function* () {
      const { call, list, save } = yield* customer
      yield* save("ads", "price.max=nothing", "Never valid")
      yield* save("stores", "niches=Unheard of", "No such niche")
      const [unknown, invalid] = yield* list
      assert.isNull(invalid?.arguments)
      const never = yield* call("run_saved_search", { search_id: invalid?.id })
      assert.deepInclude(never, { isError: true, cost: 0 })
      assert.include(never.text, "is no longer valid")
      const gone = yield* call("run_saved_search", { search_id: unknown?.id })
      assert.deepInclude(gone, { isError: true, cost: 0 })
      assert.include(gone.text, "niches")
      assert.deepStrictEqual(unknown?.kind, tools.stores)
    })
  )
})

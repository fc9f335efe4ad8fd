/** The endpoint over the live services and a real database: the main job, end to end (S4, D43 to D47). */
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Redacted, Schedule, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as net from "node:net"
import { ProductRecordItem } from "../../../src/domain/catalog/ProductRecordItem.ts"
import { ShopRecordItem } from "../../../src/domain/catalog/ShopItem.ts"
import { AdPage, ProductPage, ShopPage } from "../../../src/domain/search/Page.ts"
import { ApiKeys } from "../../../src/services/credentials/ApiKeys.ts"
import { TrackedShops } from "../../../src/services/accounts/TrackedShops.ts"
import * as Access from "../../support/Access.ts"
import * as LiveServer from "../../support/LiveServer.ts"
import * as Messages from "../../support/Messages.ts"
import { connectV1, connectV2, exercise } from "../../support/RealClients.ts"

/** A request as bytes, for a client that does not wait for its answer. */
const httpPost = (secret: Redacted.Redacted, message: unknown): string => {
  const body = JSON.stringify(message)
  return [
    "POST /mcp HTTP/1.1",
    "Host: localhost",
    `Authorization: Bearer ${Redacted.value(secret)}`,
    "Content-Type: application/json",
    `Content-Length: ${body.length}`,
    "",
    body
  ].join("\r\n")
}

/** What `get_shop` and `get_product` say of their cost when they refuse. */
const onlyIfFound = "An answer costs 1 credit; this call cost nothing."

layer(LiveServer.layer, { excludeTestServices: true })("live", (it) => {
  describe("D46, D47 real clients call every tool and get what its schema says", () => {
    it.effect("official SDK v1, 2025-06-18", () =>
      Effect.gen(function* () {
        const { caller, secret } = yield* Access.subscriber()
        const address = yield* LiveServer.url
        yield* Effect.promise(async () => {
          const headers = { authorization: `Bearer ${Redacted.value(secret)}` }
          const { client } = await connectV1(address, "2025-06-18", headers)
          const { tools } = await client.listTools()
          await exercise({ tools, call: (name, args) => client.callTool({ name, arguments: args }) as never })
          await client.close()
        })
        // Five searches, compare_markets and get_shop succeeded; the free tools and the errors cost nothing.
        const { balance, fold } = yield* Access.books(caller.accountId)
        assert.deepStrictEqual(balance, { allowance: Access.allowances.growth, used: 7 })
        assert.deepStrictEqual(fold, balance)
      })
    )

    it.effect("official SDK v2, 2026-07-28", () =>
      Effect.gen(function* () {
        const { caller, secret } = yield* Access.subscriber()
        const address = yield* LiveServer.url
        yield* Effect.promise(async () => {
          const headers = { authorization: `Bearer ${Redacted.value(secret)}` }
          const client = await connectV2(address, { versionNegotiation: { mode: "auto" } }, headers)
          const { tools } = await client.listTools()
          await exercise({ tools, call: (name, args) => client.callTool({ name, arguments: args }) })
          await client.close()
        })
        assert.strictEqual((yield* Access.books(caller.accountId)).balance.used, 7)
      })
    )
  })

  it.effect("S2, S72 search_ads answers from the catalog, in the form of its schema", () =>
    Effect.gen(function* () {
      const { secret } = yield* Access.subscriber()
      const { headers, json } = yield* LiveServer.post(secret, Messages.call("search_ads", { per_page: 25 }))
      const Body = Schema.Struct({ result: Schema.Struct({ structuredContent: AdPage }) })
      const { pagination, results } = Schema.decodeUnknownSync(Body)(json).result.structuredContent
      assert.strictEqual(results.length, 25)
      assert.strictEqual(pagination.mode, "grouped_by_shop")
      assert.isAbove(pagination.matching_shops ?? 0, 25)
      assert.strictEqual(new Set(results.map(({ shop }) => shop?.id)).size, 25)
      assert.strictEqual(headers.get("x-credits-cost"), "1")
      assert.strictEqual(headers.get("x-credits-remaining"), String(Access.allowances.growth - 1))
    })
  )

  // S20, S21, S24, D43, D44, D45
  it.effect("stores are searched, read and tracked, and then have details of their products", () =>
    Effect.gen(function* () {
      const { caller, secret } = yield* Access.subscriber()
      const result = Effect.fnUntraced(function* <A>(name: string, args: object, schema: Schema.Codec<A, unknown>) {
        const { json } = yield* LiveServer.post(secret, Messages.call(name, args))
        const Body = Schema.Struct({ result: Schema.Struct({ structuredContent: schema }) })
        return Schema.decodeUnknownSync(Body)(json).result.structuredContent
      })
      const { pagination, results } = yield* result("search_shops", { sort_by: "revenue", per_page: 25 }, ShopPage)
      assert.strictEqual(results.length, Math.min(25, pagination.total))
      const revenues = results.map((shop) => shop.estimated_monthly_revenue ?? -1)
      assert.deepStrictEqual(
        revenues,
        revenues.toSorted((a, b) => b - a)
      )

      const { results: products } = yield* result("search_products", {}, ProductPage)
      const [product = assert.fail("no product")] = products
      const shop = yield* result("get_shop", { shop_id: product.shop.id }, ShopRecordItem)
      assert.deepInclude(shop, { domain: product.shop.domain, is_tracked: false, dashboard_url: product.dashboard_url })

      for (const domain of [shop.domain, `WWW.${shop.domain}.`, `https://m.${shop.domain}/products/x?y=1#z`]) {
        assert.deepStrictEqual(yield* result("get_shop", { domain }, ShopRecordItem), shop)
      }
      const misspelled = yield* LiveServer.post(secret, Messages.call("get_shop", { domain: `${shop.domain}x` }))
      assert.include(misspelled.text, "not_found")
      assert.match(misspelled.text, new RegExp(`Did you mean ${shop.domain}`, "u"))
      assert.strictEqual(misspelled.headers.get("x-credits-cost"), "0")
      assert.include(misspelled.text, onlyIfFound)
      for (const args of [{}, { shop_id: shop.id, domain: shop.domain }]) {
        const unclear = yield* LiveServer.post(secret, Messages.call("get_shop", args))
        assert.include(unclear.text, "shop_id: give exactly one of `shop_id`, `shop_ids` and `domain`")
      }

      const refused = yield* LiveServer.post(secret, Messages.call("get_product", { product_id: product.id }))
      assert.include(refused.text, "shop_not_tracked")
      assert.include(refused.text, product.dashboard_url)
      assert.include(refused.text, onlyIfFound)
      yield* (yield* TrackedShops).add(caller.accountId, shop.domain, "tracked")
      const details = yield* result("get_product", { product_id: product.id }, ProductRecordItem)
      assert.deepInclude(details, { id: product.id, title: product.title, price: product.price })
      assert.isTrue((yield* result("get_shop", { shop_id: shop.id }, ShopRecordItem)).is_tracked)

      for (const [tool, args] of [
        ["get_shop", { shop_id: 2_147_483_647 }],
        ["get_shop", { domain: "no-such-store-anywhere.example" }],
        ["get_product", { product_id: 2_147_483_647 }]
      ] as const) {
        const unknown = yield* LiveServer.post(secret, Messages.call(tool, args))
        assert.include(unknown.text, "not_found")
        assert.include(unknown.text, onlyIfFound, tool)
        assert.strictEqual(unknown.headers.get("x-credits-cost"), "0")
      }
      // Two searches, get_shop five times, get_product once; calls that were refused or found nothing cost nothing.
      assert.strictEqual((yield* Access.books(caller.accountId)).balance.used, 8)
    })
  )

  // S80, D28
  it.effect("unknown niches and themes are reported with all other issues and the nearest names", () =>
    Effect.gen(function* () {
      const { secret } = yield* Access.subscriber()
      const options = yield* LiveServer.post(secret, Messages.call("list_filter_options", { kind: "niches" }))
      const name = /"name\\":\\"([A-Z][a-z]{4,})\\"/.exec(options.text)?.[1] ?? assert.fail(options.text)
      const wrong = `${name.slice(0, -1)}zz`
      const { text } = yield* LiveServer.post(
        secret,
        Messages.call("search_products", { niches: [name, wrong, 2_000_000_000], themes: ["No such theme"], page: 0 })
      )
      const {
        error
      }: { error: { code: string; hint: string; issues: ReadonlyArray<{ path: string; message: string }> } } =
        JSON.parse(JSON.parse(text).result.content[1].text)
      assert.strictEqual(error.code, "invalid_arguments")
      assert.deepStrictEqual(error.issues.map(({ path }) => path).sort(), ["niches.1", "niches.2", "page", "themes.0"])
      assert.include(error.issues.find(({ path }) => path === "niches.1")?.message, name)
      assert.include(error.hint, "list_filter_options")
    })
  )

  it.effect("D28, D106 an unknown niche and a whole domain are answered with one hint that has both", () =>
    Effect.gen(function* () {
      const { secret } = yield* Access.subscriber()
      const listed = yield* LiveServer.post(secret, Messages.call("search_shops", { per_page: 1 }))
      const [{ domain, id }] = JSON.parse(listed.text).result.structuredContent.results
      const wrong = { niches: ["No such niche"], domains: [domain] }
      const { text } = yield* LiveServer.post(secret, Messages.call("search_shops", wrong))
      const { error } = JSON.parse(JSON.parse(text).result.content[1].text)
      assert.strictEqual(
        error.hint,
        'Call list_filter_options with kind "niches" to get valid names; a part of the name as query narrows the list. ' +
          `\`${domain}\` is the store with id ${id}: use shop_ids: [${id}] instead.`
      )
    })
  )

  it.effect("D16 calls with the same idempotency key are charged once", () =>
    Effect.gen(function* () {
      const { caller, secret } = yield* Access.subscriber()
      const message = (args: object) =>
        Messages.request("tools/call", {
          name: "search_products",
          arguments: args,
          _meta: { "discovery/idempotency-key": "job-7" }
        })
      const answers = [
        yield* LiveServer.post(secret, message({ page: 1 })),
        yield* LiveServer.post(secret, message({ page: 1 })),
        yield* LiveServer.post(secret, message({ page: 2 }))
      ]
      assert.deepStrictEqual(
        answers.map(({ headers, text }) => [headers.get("x-credits-cost"), text.includes('"isError":true')]),
        [
          ["1", false],
          ["0", false],
          ["0", true]
        ]
      )
      assert.strictEqual((yield* Access.books(caller.accountId)).balance.used, 1)
    })
  )

  it.effect("S36, S104 a revoked key and a lost plan stop the next call", () =>
    Effect.gen(function* () {
      const { caller, secret } = yield* Access.subscriber()
      assert.strictEqual((yield* LiveServer.post(secret, Messages.plain)).status, 200)
      const keys = yield* ApiKeys
      const [key] = yield* keys.list(caller.accountId)
      yield* keys.revoke(caller.accountId, key?.id ?? assert.fail("no key"))
      assert.strictEqual((yield* LiveServer.post(secret, Messages.plain)).status, 401)

      const unpaid = yield* Access.subscriber({ status: "unpaid" })
      const answer = yield* LiveServer.post(unpaid.secret, Messages.plain)
      assert.strictEqual(answer.status, 200)
      assert.include(answer.text, "plan_upgrade_required")
    })
  )

  it.effect("P10 the query of a client that disconnects is canceled in the database, and not charged", () =>
    Effect.gen(function* () {
      const { caller, secret } = yield* Access.subscriber()
      const sql = yield* SqlClient.SqlClient
      const port = Number((yield* LiveServer.url).split(":").at(-1))
      const waiting = Effect.map(
        sql<{ readonly count: number }>`SELECT count(*)::int AS count FROM pg_stat_activity
          WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        (rows) => rows[0]?.count
      )
      const until = (count: number) =>
        waiting.pipe(
          Effect.filterOrFail((found) => found === count),
          Effect.retry({ schedule: Schedule.spaced("5 millis") })
        )
      // This transaction locks the ads, so that the search waits in the database.
      yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`LOCK TABLE ad IN ACCESS EXCLUSIVE MODE`
          const message = Messages.call("search_ads", { sort_by: "newest" })
          const socket = net.connect(port, "127.0.0.1", () => socket.write(httpPost(secret, message)))
          socket.on("error", () => {})
          yield* until(1)
          socket.destroy()
          // Before the lock times out, and while it is still held.
          yield* until(0)
        })
      )
      assert.strictEqual((yield* Access.books(caller.accountId)).balance.used, 0)
      assert.strictEqual((yield* LiveServer.post(secret, Messages.plain)).status, 200)
    })
  )

  it.effect("the charges of a batch are refunded if its client disconnects before the answer", () =>
    Effect.gen(function* () {
      const { caller, secret } = yield* Access.subscriber()
      const sql = yield* SqlClient.SqlClient
      const port = Number((yield* LiveServer.url).split(":").at(-1))
      const search = (id: number, key?: string) => ({
        ...Messages.request("tools/call", {
          name: "search_products",
          arguments: { query: "left" },
          ...(key === undefined ? {} : { _meta: { "discovery/idempotency-key": key } })
        }),
        id
      })
      const used = Effect.map(Access.books(caller.accountId), ({ balance }) => balance.used)
      const untilUsed = (credits: number) =>
        used.pipe(
          Effect.filterOrFail((found) => found === credits),
          Effect.retry({ schedule: Schedule.spaced("5 millis") })
        )
      // The last call of the batch waits in the database while this transaction holds the ads.
      yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`LOCK TABLE ad IN ACCESS EXCLUSIVE MODE`
          const batch = [
            ...[1, 2, 3, 4, 5].map((id) => search(id)),
            search(6, "left-1"),
            Messages.call("search_ads", { sort_by: "newest", query: "left" })
          ]
          const socket = net.connect(port, "127.0.0.1", () => socket.write(httpPost(secret, batch)))
          socket.on("error", () => {})
          yield* untilUsed(6)
          socket.destroy()
          // While the last call is still waiting.
          yield* untilUsed(0)
        })
      )
      const { balance, entries, fold } = yield* Access.books(caller.accountId)
      assert.deepStrictEqual(fold, balance)
      const idsOf = (kind: string) => entries.filter((entry) => entry.kind === kind).map(({ requestId }) => requestId)
      assert.lengthOf(idsOf("charge"), 6)
      assert.sameMembers(idsOf("refund"), idsOf("charge"))
      assert.deepStrictEqual(yield* Access.disagreements, [])

      // An idempotency key without a delivered answer is not paid: the call is charged when it is answered, and only once.
      assert.strictEqual((yield* LiveServer.post(secret, search(7, "left-1"))).headers.get("x-credits-cost"), "1")
      assert.strictEqual((yield* LiveServer.post(secret, search(8, "left-1"))).headers.get("x-credits-cost"), "0")
      assert.strictEqual(yield* used, 1)
    })
  )
})

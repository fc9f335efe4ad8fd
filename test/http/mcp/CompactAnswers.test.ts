/** D69: compact answers of the live service, compared with the complete ones call by call. */
import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { costs } from "../../../src/domain/access/Credit.ts"
import { changeKinds } from "../../../src/domain/catalog/Changes.ts"
import { adGroupings } from "../../../src/domain/search/AdGroupQuery.ts"
import { AdFilter } from "../../../src/domain/search/AdQuery.ts"
import { figureSorts, groupings } from "../../../src/domain/search/MarketQuery.ts"
import { ShopFilter } from "../../../src/domain/search/ShopQuery.ts"
import type { ToolName } from "../../../src/services/tools/ToolDefinition.ts"
import * as NaiveCatalog from "../../oracle/NaiveCatalog.ts"
import * as Random from "../../oracle/Random.ts"
import { generators } from "../../oracle/RandomArguments.ts"
import * as Access from "../../support/Access.ts"
import * as CompactReader from "../../support/CompactReader.ts"
import * as LiveServer from "../../support/LiveServer.ts"
import * as Messages from "../../support/Messages.ts"

const random = Random.make(7)
const catalog = NaiveCatalog.generate(7_000, 60)
const make = generators(random, catalog)

/** With the page of a search; most searches have one page. */
const onPage = (args: Readonly<Record<string, unknown>>) => ({ ...args, ...(random.chance(0.2) ? { page: 2 } : {}) })

/** The filters of a search, without its order and page. */
const filtersOf = (index: number) =>
  Object.fromEntries(Object.entries(make.shop(index)).filter(([name]) => name in ShopFilter.fields))

const adFiltersOf = (index: number) =>
  Object.fromEntries(Object.entries(make.ad(index)).filter(([name]) => name in AdFilter.fields))

/** Every domain and id, some of which nothing has. */
const shopArguments = () => {
  const { domain, id } = random.pick(catalog.shops)
  return random.pick([
    { shop_id: random.chance(0.9) ? id : id + 1_000 },
    { domain },
    { domain: `https://www.${domain}/products/lamp?variant=1` },
    { domain: `x${domain}` },
    { shop_ids: [id, id + 1_000, ...random.some(catalog.shops, 1, 5).map((shop) => shop.id)] }
  ])
}

const listArguments = () => {
  const kind = random.pick(["niches", "themes", "apps"])
  const names = {
    niches: catalog.niches.map(({ name }) => name),
    themes: NaiveCatalog.themes,
    apps: NaiveCatalog.apps
  }[kind]
  const name = Array.from(random.pick(names ?? []))
  const at = random.chance(0.5) ? 0 : random.int(0, name.length - 1)
  const query = name.slice(at, at + random.int(1, 6)).join("")
  return { kind, ...(kind !== "apps" && random.chance(0.1) ? {} : { query }) }
}

/** The case `index` of each tool. */
const argumentsOf: Readonly<Record<ToolName, (index: number) => object>> = {
  get_usage: () => ({}),
  list_filter_options: listArguments,
  search_shops: (index) => onPage(make.shop(index)),
  search_ads: (index) => onPage(make.ad(index)),
  search_products: (index) => onPage(make.product(index)),
  get_shop: shopArguments,
  get_product: () => ({ product_id: random.pick(catalog.products).id + (random.chance(0.1) ? 10_000 : 0) }),
  list_changes: (index) => ({
    since: "2000-01-01",
    ...(random.chance(0.5) ? { filters: filtersOf(index) } : {}),
    ...(random.chance(0.5) ? { order: "oldest" } : {})
  }),
  list_saved_searches: () => ({}),
  run_saved_search: (index) => ({ search_id: firstSaved + (index % queries.length) }),
  compare_ads: (index) => ({
    group_by: adGroupings[index % adGroupings.length],
    filters: adFiltersOf(index),
    ...(random.chance(0.3) ? { niche_level: random.int(1, 3) } : {}),
    ...(random.chance(0.7) ? { limit: random.pick([1, 5, 50]) } : {})
  }),
  compare_markets: (index) => ({
    group_by: groupings[index % groupings.length],
    filters: filtersOf(index),
    ...(random.chance(0.3) ? { niche_level: random.int(1, 3) } : {}),
    ...(random.chance(0.7) ? { sort_by: random.pick(figureSorts) } : {}),
    ...(random.chance(0.5) ? { prices: true } : {}),
    ...(random.chance(0.5) ? { share_of: filtersOf(index + 500), sort_by: "matching_pct" } : {}),
    ...(random.chance(0.7) ? { limit: random.pick([1, 5, 50]) } : {})
  })
}

const isToolName = (name: string): name is ToolName => Object.hasOwn(costs, name)

const Results = Schema.Array(
  Schema.Struct({
    result: Schema.Struct({
      content: Schema.Array(Schema.Struct({ text: Schema.String })),
      structuredContent: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown))
    })
  })
)

const resultsOf = (json: unknown) => Schema.decodeUnknownSync(Results)(json).map(({ result }) => result)

const isEmpty = (found: unknown): boolean => Array.isArray(found) && found.length === 0

/** Removes the id of the request, the only difference between two errors. */
const nameless = (text: string | undefined) => text?.replace(/"request_id":"[^"]*"/u, "")

const firstSaved = 1_000_000
const queries = (["stores", "ads", "products"] as const).flatMap((subject) =>
  ["", "countries=FR", "countries=DE&per_page=3"].map((query) => ({ subject, query }))
)

/** Calls by an account that tracks every store and has the saved searches. Its credits are enough for one batch. */
const asked = Effect.fnUntraced(function* (calls: ReadonlyArray<unknown>, query: string) {
  const { caller, secret } = yield* Access.subscriber({ plan: "pro" })
  const sql = yield* SqlClient.SqlClient
  yield* sql`INSERT INTO tracked_shop (account_id, shop_id, kind) SELECT ${caller.accountId}::int, id, 'tracked' FROM shop`
  for (const [index, { query, subject }] of queries.entries()) {
    yield* sql`
      INSERT INTO saved_search (id, account_id, subject, query, name, viewed_at, mark) OVERRIDING SYSTEM VALUE
      VALUES (${firstSaved + index}, ${caller.accountId}, ${subject}, ${query}, ${`${subject} ${query}`}, now(), 0)
      ON CONFLICT (id) DO UPDATE SET account_id = excluded.account_id`
  }
  return yield* LiveServer.post(secret, calls, query)
})

/** Of every kind; the catalog was loaded once, which is where its own changes begin. */
const changes = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`SELECT make_change_partitions()`
  yield* sql`
    INSERT INTO change (version, as_of, source_id, kind, shop_id, record_id, name, old, new)
    SELECT 1, '2026-01-01', 1, kind, s.id, p.id, CASE WHEN kind ~ 'app|theme|pixel' THEN 'Klaviyo' END, 12.5, p.price
    FROM unnest(${changeKinds}::text[]) AS kind, shop s JOIN product p ON p.shop_id = s.id WHERE p.id % 3 = 0`
})

layer(LiveServer.naive(catalog), { excludeTestServices: true })("compact answers", (it) => {
  it.effect.each(Object.keys(argumentsOf).filter(isToolName))("of %s have every value and the same charge", (tool) =>
    Effect.gen(function* () {
      const drawn = new Set<string>()
      if (tool === "list_changes") yield* changes
      let results = 0
      let empty = 0
      for (let batch = 0; batch < 10; batch++) {
        const calls = Array.from({ length: 20 }, (_, index) => {
          const args = argumentsOf[tool](batch * 20 + index)
          drawn.add(JSON.stringify(args))
          return Messages.call(tool, args, index)
        })
        const whole = yield* asked(calls, "")
        const compact = yield* asked(calls, "?format=compact")
        assert.strictEqual(compact.headers.get("x-credits-cost"), whole.headers.get("x-credits-cost"))
        const [wholes, compacts] = [resultsOf(whole.json), resultsOf(compact.json)]
        for (const [index, { content, structuredContent }] of wholes.entries()) {
          assert.isUndefined(compacts[index]?.structuredContent)
          const text = compacts[index]?.content[0]?.text ?? ""
          if (structuredContent === undefined) {
            assert.strictEqual(nameless(text), nameless(content[0]?.text))
          } else {
            CompactReader.assertSame(text, structuredContent)
            results++
            if (isEmpty(structuredContent["results"])) empty++
          }
        }
      }
      assert.isAtLeast(results, 100)
      assert.isAtLeast(results - empty, 70)
      // What an account has saved is the same in each call.
      if (tool === "run_saved_search") assert.strictEqual(drawn.size, queries.length)
      else if (tool !== "get_usage" && tool !== "list_saved_searches") assert.isAtLeast(drawn.size, 70)
    })
  )
})

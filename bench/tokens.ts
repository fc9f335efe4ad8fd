/**
 * `npm run bench:tokens`: what answers cost agents in tokens, whole and compact, with the demo data, on the program as it is
 * run. Prints the table of bench/results/endpoint.md. About two minutes.
 */
import { Effect, Schema } from "effect"
import { adSorts } from "../src/domain/search/AdQuery.ts"
import { adGroupings } from "../src/domain/search/AdGroupQuery.ts"
import { groupings } from "../src/domain/search/MarketQuery.ts"
import { productSorts } from "../src/domain/search/ProductQuery.ts"
import { shopSorts } from "../src/domain/search/ShopQuery.ts"
import * as Random from "../test/oracle/Random.ts"
import * as Tokens from "../test/support/Tokens.ts"
import * as DemoServer from "./support/DemoServer.ts"
import { toolCall } from "./support/Trivial.ts"

type Arguments = Readonly<Record<string, unknown>>

const random = Random.make(7)
const searches = 300
const stores = 100

const search = (sorts: ReadonlyArray<string>): Arguments => ({
  ...(random.chance(0.5) ? { query: random.pick(["lamp", "ring", "shop", "new", "a", "set", "gift"]) } : {}),
  ...(random.chance(0.2) ? { countries: random.some(["US", "FR", "DE", "JP"], 1, 3) } : {}),
  ...(random.chance(0.2) ? { languages: random.some(["English", "French", "German", "Japanese"], 1, 2) } : {}),
  ...(random.chance(0.2) ? { active_ads: { min: random.int(0, 20) } } : {}),
  sort_by: random.pick(sorts),
  page: random.int(1, 4),
  per_page: 10
})

const drawn = (count: number, sorts: ReadonlyArray<string>) => Array.from({ length: count }, () => search(sorts))

const budgets: Readonly<Record<string, number>> = Tokens.compactBudgets

const Answer = Schema.Struct({
  result: Schema.Struct({
    content: Schema.Array(Schema.Struct({ text: Schema.String })),
    isError: Schema.optionalKey(Schema.Boolean)
  })
})

const Ids = Schema.fromJsonString(Schema.Struct({ results: Schema.Array(Schema.Struct({ id: Schema.Int })) }))

const quantiles = (counts: ReadonlyArray<number>): string => {
  const sorted = counts.toSorted((one, other) => one - other)
  return [0.5, 0.95, 1]
    .map((share) => (sorted[Math.ceil(share * sorted.length) - 1] ?? 0).toLocaleString("en"))
    .join(" / ")
}

const run = Effect.gen(function* () {
  const { folder, server, url } = yield* DemoServer.start({
    PLAN_CREDITS_GROWTH: "100000",
    PLAN_CREDITS_PRO: "100000",
    RATE_LIMIT_PER_MINUTE: "0"
  })
  const key = yield* DemoServer.keyOf(folder, "growth, active")
  yield* Effect.promise(async () => {
    const call = async (name: string, args: Arguments, view: string): Promise<string | undefined> => {
      const response = await fetch(`${url}/mcp${view}`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: toolCall(name, args)
      })
      const { result } = Schema.decodeUnknownSync(Answer)(await response.json())
      return result.isError === true ? undefined : result.content[0]?.text
    }
    const found = await call("search_shops", { sort_by: "active_ads", per_page: 25 }, "")
    const ids = Schema.decodeUnknownSync(Ids)(found).results.map(({ id }) => id)
    const calls: Readonly<Record<string, ReadonlyArray<Arguments>>> = {
      search_ads: drawn(searches, adSorts),
      search_products: drawn(searches, productSorts),
      search_shops: drawn(searches, shopSorts),
      get_shop: Array.from({ length: stores }, (_, number) => ({ shop_id: (ids[0] ?? 1) + number })),
      compare_markets: groupings.flatMap((group_by) => [{ group_by }, { group_by, limit: 50 }]),
      compare_ads: adGroupings.flatMap((group_by) => [{ group_by }, { group_by, limit: 50 }]),
      list_filter_options: [
        { kind: "niches" },
        { kind: "niches", query: "home" },
        { kind: "themes" },
        { kind: "apps", query: "a" },
        { kind: "apps", query: "review" }
      ],
      get_usage: [{}]
    }
    process.stdout.write("| tool | answers | whole | compact | compact over the budget |\n|---|---|---|---|---|\n")
    for (const [name, each] of Object.entries(calls)) {
      const whole: Array<number> = []
      const compact: Array<number> = []
      for (const args of each) {
        const [text, table] = [await call(name, args, ""), await call(name, args, "?format=compact")]
        // A page that is not full tells little about ten results.
        const isFull = !name.startsWith("search_") || table?.includes("results[10]") === true
        if (text === undefined || table === undefined || !isFull) continue
        whole.push(Tokens.of(text))
        compact.push(Tokens.of(table))
      }
      const budget = budgets[name]
      const over = budget === undefined ? "" : compact.filter((count) => count > budget).length
      process.stdout.write(
        `| \`${name}\` | ${whole.length} | ${quantiles(whole)} | ${quantiles(compact)} | ${over} |\n`
      )
    }
  })
  yield* server.end("SIGTERM")
})

await Effect.runPromise(Effect.scoped(run))

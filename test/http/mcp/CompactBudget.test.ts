/** D69: what ten results cost in compact answers, on many pages of a catalog of demo data and of a generated one. */
import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { adSorts } from "../../../src/domain/search/AdQuery.ts"
import { productSorts } from "../../../src/domain/search/ProductQuery.ts"
import { shopSorts } from "../../../src/domain/search/ShopQuery.ts"
import * as NaiveCatalog from "../../oracle/NaiveCatalog.ts"
import * as Random from "../../oracle/Random.ts"
import * as Access from "../../support/Access.ts"
import * as LiveServer from "../../support/LiveServer.ts"
import * as Messages from "../../support/Messages.ts"
import * as Tokens from "../../support/Tokens.ts"

const Results = Schema.Array(
  Schema.Struct({ result: Schema.Struct({ content: Schema.Array(Schema.Struct({ text: Schema.String })) }) })
)

const random = Random.make(23)
const pages = 140

const search = (sorts: ReadonlyArray<string>, words: ReadonlyArray<string>) => ({
  ...(random.chance(0.5) ? { query: random.pick(words) } : {}),
  ...(random.chance(0.2) ? { countries: random.some(["US", "FR", "DE", "JP"], 1, 3) } : {}),
  ...(random.chance(0.2) ? { active_ads: { min: random.int(0, 20) } } : {}),
  sort_by: random.pick(sorts),
  page: random.int(1, 4),
  per_page: 10
})

const tools = ["search_ads", "search_products", "search_shops"] as const
const sorts = { search_ads: adSorts, search_products: productSorts, search_shops: shopSorts }

/** Compact answers with ten results each. */
const answers = Effect.fnUntraced(function* (tool: (typeof tools)[number], words: ReadonlyArray<string>) {
  const found: Array<string> = []
  while (found.length < pages) {
    // Its credits are enough for one batch.
    const { secret } = yield* Access.subscriber()
    const calls = Array.from({ length: 20 }, (_, index) => Messages.call(tool, search(sorts[tool], words), index))
    const { json } = yield* LiveServer.post(secret, calls, "?format=compact")
    const texts = Schema.decodeUnknownSync(Results)(json).map(({ result }) => result.content[0]?.text ?? "")
    found.push(...texts.filter((text) => text.includes("results[10]")))
  }
  return found
})

/** Addresses are never cut: the demo data has some of hundreds of characters. */
const hasLongAddress = (text: string): boolean => text.split(/[\t\n]/u).some((cell) => cell.length > 300)

const areWithin = (words: ReadonlyArray<string>) =>
  Effect.fnUntraced(function* (tool: (typeof tools)[number]) {
    const texts = (yield* answers(tool, words)).filter((text) => !hasLongAddress(text))
    assert.isAtLeast(texts.length, 100)
    // Warnings are besides: some sentences for an answer, however many results it has.
    for (const text of texts)
      assert.isAtMost(Tokens.of(text.replace(/^warnings: .*\n/mu, "")), Tokens.compactBudgets[tool], text)
  })

layer(LiveServer.layer, { excludeTestServices: true })("ten compact results of demo data", (it) => {
  it.effect.each(tools)("of %s are within the budget", areWithin(["lamp", "ring", "shop", "new", "a", "set", "gift"]))
})

layer(LiveServer.naive(NaiveCatalog.generate(5, 60)), { excludeTestServices: true })(
  "ten compact results of a generated catalog",
  (it) => {
    it.effect.each(tools)("of %s are within the budget", areWithin(NaiveCatalog.words))
  }
)

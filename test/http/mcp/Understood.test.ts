/**
 * The rule of all tools: a call is either refused, free of charge and with a sentence that names the argument, or every
 * argument has an effect. So what a tool understands is what was said, nothing dropped and nothing made of it; each part of it
 * changes the query of the index, or a warning names it; and the naive search gives the same answer. Arguments are changed at
 * random, at any depth.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Redacted, Result, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { costs } from "../../../src/domain/access/Credit.ts"
import { changeKinds } from "../../../src/domain/catalog/Changes.ts"
import { defaults } from "../../../src/domain/search/Arguments.ts"
import { AdComparison, adGroupings } from "../../../src/domain/search/AdGroupQuery.ts"
import type { AdGroupQuery } from "../../../src/domain/search/AdGroupQuery.ts"
import { AdFilter } from "../../../src/domain/search/AdQuery.ts"
import { figureSorts, groupings } from "../../../src/domain/search/MarketQuery.ts"
import * as Market from "../../../src/domain/search/MarketQuery.ts"
import type { MarketQuery } from "../../../src/domain/search/MarketQuery.ts"
import { ShopFilter } from "../../../src/domain/search/ShopQuery.ts"
import { Accounts } from "../../../src/services/accounts/Accounts.ts"
import { ApiKeys } from "../../../src/services/credentials/ApiKeys.ts"
import { Spellings } from "../../../src/services/search/index/IndexedRecords.ts"
import * as MarketOverview from "../../../src/services/search/MarketSearch.ts"
import * as Queries from "../../../src/services/search/Queries.ts"
import type { ToolName } from "../../../src/services/tools/ToolDefinition.ts"
import * as ToolDefinition from "../../../src/services/tools/ToolDefinition.ts"
import { ToolRegistry } from "../../../src/services/tools/ToolRegistry.ts"
import * as NaiveCatalog from "../../oracle/NaiveCatalog.ts"
import { adComparison, marketOverview } from "../../oracle/NaiveMarket.ts"
import * as NaiveSearch from "../../oracle/NaiveSearch.ts"
import { matcher } from "../../oracle/NaiveText.ts"
import * as Random from "../../oracle/Random.ts"
import { generators } from "../../oracle/RandomArguments.ts"
import { nameCodes, segmentations } from "../../oracle/segments.ts"
import { change, meaningOf } from "../../oracle/WrongArguments.ts"
import type { Json } from "../../oracle/WrongArguments.ts"
import * as Catalogs from "../../support/Catalogs.ts"
import * as Messages from "../../support/Messages.ts"
import { SetClock } from "../../support/SetClock.ts"
import { Site } from "../../support/Site.ts"

const seed = Number(process.env["ORACLE_SEED"] ?? 1)
const casesPerTool = Number(process.env["ORACLE_CASES"] ?? 120)

const random = Random.make(seed * 1_000 + 31)
const catalog = NaiveCatalog.generate(seed * 1_000 + 30, 40)
const make = generators(random, catalog)
const spellings = new Spellings()
// Fills the spellings.
segmentations(catalog, spellings, Random.make(1))
const names = nameCodes(catalog, spellings)
const niches = catalog.niches.map(({ id, name, parent_id }) => ({ id, name, parentId: parent_id }))

const services = Catalogs.naive(catalog).pipe(
  Layer.provideMerge(Site.layer({ config: { rateLimitPerMinute: 0 } })),
  Layer.provideMerge(SetClock.layer(`${NaiveCatalog.today}T12:00:00Z`))
)

const onPage = (args: Json): Json => ({ ...args, ...(random.chance(0.2) ? { page: 2 } : {}) })

const filtersOf = (index: number): Json =>
  Object.fromEntries(Object.entries(make.shop(index)).filter(([name]) => name in ShopFilter.fields))

const adFiltersOf = (index: number): Json =>
  Object.fromEntries(Object.entries(make.ad(index)).filter(([name]) => name in AdFilter.fields))

const vocabularies = {
  niches: catalog.niches.map(({ name }) => name),
  themes: catalog.shops.flatMap(({ theme }) => (theme === null ? [] : [theme])),
  apps: catalog.shops.flatMap(({ apps }) => apps)
}
type Kind = keyof typeof vocabularies

/** Valid arguments of the case `index` of each tool. */
const validOf: Readonly<Record<ToolName, (index: number) => Json>> = {
  get_usage: () => ({}),
  list_filter_options: () => {
    const kind = random.pick(["niches", "themes", "apps"] as const)
    return { kind, query: random.pick(vocabularies[kind]).slice(0, 3) }
  },
  search_shops: (index) => onPage(make.shop(index)),
  search_ads: (index) => onPage(make.ad(index)),
  search_products: (index) => onPage(make.product(index)),
  get_shop: () => {
    const { domain, id } = random.pick(catalog.shops)
    return random.pick<Json>([{ shop_id: id }, { domain }])
  },
  get_product: () => ({ product_id: random.pick(catalog.products).id }),
  list_changes: (index) => {
    const filters = filtersOf(index)
    return {
      since: random.pick(["2026-01-01", "after-0", "before-9-0-9"]),
      ...(random.chance(0.5) ? { filters: random.chance(0.5) ? JSON.stringify(filters) : filters } : {}),
      ...(random.chance(0.5) ? { kinds: [random.pick(changeKinds)] } : {}),
      ...(random.chance(0.5) ? { tracked_only: random.chance(0.5) } : {}),
      ...(random.chance(0.5) ? { shop_ids: [random.pick(catalog.shops).id] } : {})
    }
  },
  list_saved_searches: () => ({}),
  run_saved_search: (index) => ({ search_id: index + 1 }),
  compare_ads: (index) => {
    const filters = adFiltersOf(index)
    return {
      group_by: adGroupings[index % adGroupings.length],
      filters: random.chance(0.5) ? JSON.stringify(filters) : filters,
      ...(random.chance(0.3) ? { niche_level: random.int(1, 3) } : {}),
      ...(random.chance(0.7) ? { limit: random.pick([1, 5, 50]) } : {})
    }
  },
  compare_markets: (index) => {
    const filters = filtersOf(index)
    return {
      group_by: groupings[index % groupings.length],
      filters: random.chance(0.3) ? JSON.stringify(filters) : filters,
      ...(random.chance(0.3) ? { niche_level: random.int(1, 3) } : {}),
      ...(random.chance(0.7) ? { sort_by: random.pick(figureSorts) } : {}),
      ...(random.chance(0.3) ? { prices: true } : {}),
      ...(random.chance(0.4) ? shareOf(filtersOf(3 * index + 1)) : {}),
      ...(random.chance(0.7) ? { limit: random.pick([1, 5, 50]) } : {})
    }
  }
}

/** The second filters, as an object or its text. */
const shareOf = (filters: Json): Json => ({
  share_of: random.chance(0.5) ? JSON.stringify(filters) : filters,
  ...(random.chance(0.3) ? { sort_by: "matching_pct" } : {})
})

const isToolName = (name: string): name is ToolName => Object.hasOwn(costs, name)

/** The query of the index for what was understood; of tools that search nothing, what was understood. */
const queryOf = (tool: ToolName, understood: Json): unknown => {
  switch (tool) {
    case "search_ads":
      return Queries.fromAdQuery(understood, names, NaiveCatalog.today)
    case "search_products":
      return Queries.fromProductQuery(understood, names)
    case "search_shops":
      return Queries.fromShopQuery(understood, names)
    case "compare_ads": {
      const query = adGroupQueryOf(understood)
      const asked = MarketOverview.toAdQuery(query, names, niches, NaiveCatalog.today)
      return { ...asked, limit: query.limit ?? Market.defaults.limit }
    }
    case "compare_markets": {
      const query = marketQueryOf(understood)
      return { ...MarketOverview.toQuery(query, names, niches), limit: query.limit ?? Market.defaults.limit }
    }
    default:
      return understood
  }
}

const marketQueryOf = ({ filters, ...asked }: Json): MarketQuery =>
  Object.assign(asked, filters) as unknown as MarketQuery

const adGroupQueryOf = ({ filters, ...asked }: Json): AdGroupQuery =>
  Object.assign(asked, filters) as unknown as AdGroupQuery

/** The arguments of the query by their names. */
const flatOf = (understood: Json): Json => Object.assign({}, marketQueryOf(understood))

const isComparison = (tool: ToolName): boolean => tool.startsWith("compare")

const saysNothing = (value: unknown): boolean =>
  typeof value === "object" && value !== null && Object.keys(value).length === 0

const searchDefaults: Json = { ...defaults, page: 1, per_page: 10 }

/** Arguments that change no query and need no warning, and the rule that says so. */
const saysWhatHolds = (tool: ToolName, name: string, value: unknown, all: Json): boolean => {
  // D27: an empty list or range is no filter.
  if (saysNothing(value)) return true
  if (
    value === (isComparison(tool) ? (Reflect.get(Market.defaults, name) ?? searchDefaults[name]) : searchDefaults[name])
  )
    return true
  // The days of an ad and its start bound each other; the first and the last day of all exclude nothing.
  return (
    (tool === "search_ads" || tool === "compare_ads") &&
    name === "ad_started_between" &&
    ("active_days" in all || /0001-01-01|9999-12-31/u.test(JSON.stringify(value)))
  )
}

/** What of the understood arguments could be left out, and the query would be the same. */
const withoutEffect = (tool: ToolName, understood: Json): ReadonlyArray<string> => {
  const flat: Json = isComparison(tool) ? flatOf(understood) : understood
  const query = JSON.stringify(queryOf(tool, flat))
  return Object.entries(flat).flatMap(([name, value]) => {
    if (name === "group_by" || saysWhatHolds(tool, name, value, flat)) return []
    const { [name]: _, ...rest } = flat
    return JSON.stringify(queryOf(tool, rest)) === query ? [name] : []
  })
}

const Answered = Schema.Struct({
  result: Schema.Struct({
    structuredContent: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown)),
    content: Schema.Array(Schema.Struct({ text: Schema.String }))
  })
})
const Refusal = Schema.fromJsonString(
  Schema.Struct({
    error: Schema.Struct({
      code: Schema.String,
      message: Schema.String,
      issues: Schema.optionalKey(Schema.Array(Schema.Struct({ path: Schema.String, message: Schema.String })))
    })
  })
)
const Warned = Schema.Struct({ warnings: Schema.optionalKey(Schema.Array(Schema.String)) })
const Page = Schema.Struct({
  results: Schema.Array(Schema.Struct({ id: Schema.Int })),
  pagination: Schema.Struct({ total: Schema.Int })
})
const Groups = Schema.Struct({
  results: Schema.Array(Schema.Struct({ value: Schema.NullOr(Schema.String), stores: Schema.Int })),
  total: Schema.Struct({ stores: Schema.Int }),
  groups: Schema.Int
})
const Options = Schema.Struct({ results: Schema.Array(Schema.Struct({ name: Schema.String, stores: Schema.Int })) })
const Record = Schema.Struct({ id: Schema.Int })

/** The naive answer to what was said, and the same parts of the answer. */
const compare = (tool: ToolName, said: Json, content: Json): void => {
  const page = (items: ReadonlyArray<{ readonly id: number }>, total: number) => {
    const found = Schema.decodeUnknownSync(Page)(content)
    const { page = 1, per_page: size = 10 } = said as { readonly page?: number; readonly per_page?: number }
    const ids = items.slice((page - 1) * size, page * size).map(({ id }) => id)
    assert.deepStrictEqual(
      { ids: found.results.map(({ id }) => id), total: found.pagination.total },
      { ids: content["truncated"] === true ? ids.slice(0, found.results.length) : ids, total },
      `${tool} ${JSON.stringify(said)}`
    )
  }
  switch (tool) {
    case "search_ads": {
      const { items, total } = NaiveSearch.searchAds(catalog, said)
      return page(items, total)
    }
    case "search_products": {
      const { items, total } = NaiveSearch.searchProducts(catalog, said)
      return page(items, total)
    }
    case "search_shops": {
      const { items, total } = NaiveSearch.searchShops(catalog, said)
      return page(items, total)
    }
    case "compare_markets": {
      const { groups, results, total } = marketOverview(catalog, marketQueryOf(said))
      assert.deepStrictEqual(Schema.decodeUnknownSync(Groups)(content), {
        results: results.map(({ stores, value }) => ({ stores, value })),
        total: { stores: total.stores },
        groups
      })
      return
    }
    case "list_saved_searches":
    case "run_saved_search":
      return assert.fail(`${tool} ${JSON.stringify(said)}`)
    case "list_changes":
      // The catalog was loaded once, which is where changes begin.
      assert.deepStrictEqual(content["results"], [])
      return
    case "compare_ads": {
      const { warnings: _, ...answer } = Schema.decodeUnknownSync(AdComparison)(content, { onExcessProperty: "error" })
      assert.deepStrictEqual(answer, adComparison(catalog, adGroupQueryOf(said)))
      return
    }
    case "list_filter_options": {
      const { kind } = said as { readonly kind: Kind }
      const { results } = Schema.decodeUnknownSync(Options)(content)
      for (const { name, stores } of results) {
        assert.include(vocabularies[kind], name)
        assert.strictEqual(NaiveSearch.searchShops(catalog, { [kind]: [name] }).total, stores, name)
      }
      return
    }
    case "get_shop": {
      const wanted = catalog.shops.find(({ domain, id }) => id === said["shop_id"] || domain === said["domain"])
      assert.strictEqual(Schema.decodeUnknownSync(Record)(content).id, wanted?.id)
      return
    }
    case "get_product":
      assert.strictEqual(Schema.decodeUnknownSync(Record)(content).id, said["product_id"])
      return
    case "get_usage":
      assert.deepStrictEqual(said, {})
  }
}

layer(services, { excludeTestServices: true })("the arguments of a call", (it) => {
  /** Calls by an account that tracks every store. */
  const calling = Effect.gen(function* () {
    const site = yield* Site
    const sql = yield* SqlClient.SqlClient
    const { email } = yield* site.account({ plan: "pro" })
    const { id } = yield* Effect.flatMap(Accounts, (accounts) => accounts.find(email))
    const { secret } = yield* Effect.flatMap(ApiKeys, (keys) => keys.create(id, "test"))
    yield* sql`INSERT INTO tracked_shop (account_id, shop_id, kind) SELECT ${id}::int, id, 'tracked' FROM shop`
    return Effect.fnUntraced(function* (tool: ToolName, args: Json) {
      const { cost, json } = yield* Effect.promise(async () => {
        const response = await fetch(`${site.url}/mcp`, {
          method: "POST",
          headers: { authorization: `Bearer ${Redacted.value(secret)}`, "content-type": "application/json" },
          body: JSON.stringify(Messages.call(tool, args))
        })
        return { cost: Number(response.headers.get("x-credits-cost")), json: await response.json() }
      })
      const { content, structuredContent } = Schema.decodeUnknownSync(Answered)(json).result
      return structuredContent === undefined
        ? { cost, refused: Schema.decodeUnknownSync(Refusal)(content[1]?.text).error, said: content[0]?.text ?? "" }
        : { cost, found: structuredContent }
    })
  }).pipe(Effect.orDie)

  const prove = Effect.fnUntraced(function* (
    tool: ToolName,
    { args, touched }: { readonly args: Json; readonly touched: ReadonlyArray<string> }
  ) {
    const definition = (yield* ToolRegistry).find(tool) ?? assert.fail(tool)
    const answer = yield* (yield* kept)(tool, args)
    const label = `${tool} ${JSON.stringify(args)}`
    const prepared = yield* ToolDefinition.prepare(definition, definition.decode(args))
    if (answer.found === undefined) {
      const { code, issues = [], message } = answer.refused
      assert.strictEqual(answer.cost, 0, label)
      if (code === "not_found") {
        assert.isTrue(
          touched.some((name) => message.includes(name === "shop_id" ? "id" : (name.split("_")[0] ?? ""))),
          `${label}: ${message}`
        )
        return "refused"
      }
      assert.strictEqual(code, "invalid_arguments", label)
      assert.isTrue(Result.isFailure(prepared), label)
      assert.isNotEmpty(issues, label)
      // The sentence has the first, and the list all.
      assert.include(answer.said, `${issues[0]?.path}: `, label)
      for (const { message: sentence, path } of issues) {
        const named = path.split(".")
        const isNamed = touched.some(
          (name) => named.includes(name) || path.endsWith(name) || sentence.includes(`\`${name}\``)
        )
        assert.isTrue(isNamed, `${label}: ${path}: ${sentence}`)
        assert.isNotEmpty(sentence, label)
      }
      return "refused"
    }
    assert.strictEqual(answer.cost, costs[tool], label)
    if (Result.isFailure(prepared)) return assert.fail(label)
    const said = meaningOf(args)
    assert.deepStrictEqual(prepared.success.args, said, label)
    const { warnings = [] } = Schema.decodeUnknownSync(Warned)(answer.found)
    const told = warnings.flatMap((warning) => /^(\w+) has no effect/u.exec(warning)?.[1] ?? [])
    assert.deepStrictEqual(withoutEffect(tool, said), told, label)
    compare(tool, said, answer.found)
    return "answered"
  })

  const kept = Effect.runSync(Effect.cached(calling))

  /** A query without words is refused, so it is not valid. */
  const validCase = (tool: ToolName, index: number): Json => {
    const args = validOf[tool](index)
    const { filters, share_of: share } = meaningOf(args)
    const queries = tool.startsWith("search")
      ? [args["query"]]
      : [filters, share].map((part) => Reflect.get(Object(part), "query"))
    return queries.some((query) => typeof query === "string" && matcher(query) === undefined)
      ? validCase(tool, index)
      : args
  }

  // An account's saved searches are tested on their own (services/tools/SavedSearchTools.test.ts): a search's own tool has its arguments.
  const ofSaved: ReadonlySet<string> = new Set(["list_saved_searches", "run_saved_search"])

  it.effect.each(
    Object.keys(costs)
      .filter(isToolName)
      .filter((name) => !ofSaved.has(name))
  )(
    "of %s are refused by name, or have an effect",
    (tool) =>
      Effect.gen(function* () {
        const outcomes = { refused: 0, answered: 0 }
        for (let index = 0; index < casesPerTool; index++) {
          const args = validCase(tool, index)
          if (index % 3 === 0)
            assert.strictEqual(yield* prove(tool, { args, touched: [] }), "answered", JSON.stringify(args))
          outcomes[yield* prove(tool, change(random, args))]++
        }
        assert.isAtLeast(outcomes.refused, casesPerTool / 3)
        if (/search|market/u.test(tool)) assert.isAtLeast(outcomes.answered, casesPerTool / 20)
      }),
    240_000
  )
})

/**
 * D109 What is built on searches is the same by ClickHouse as by the index in memory: pages, files, saved searches with what is new,
 * and the changes of stores that filters find.
 */
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { AppSettings } from "../../../../src/Config.ts"
import { changeKinds } from "../../../../src/domain/catalog/Changes.ts"
import { sections } from "../../../../src/http/pages/shared/Layout.ts"
import { CatalogSearch } from "../../../../src/services/search/CatalogSearch.ts"
import { NewResults } from "../../../../src/services/search/NewResults.ts"
import * as NaiveCatalog from "../../../oracle/NaiveCatalog.ts"
import * as Catalogs from "../../../support/Catalogs.ts"
import * as ClickHousePackage from "../../../support/ClickHousePackage.ts"
import * as ClickHouseServer from "../../../support/ClickHouseServer.ts"
import { SetClock } from "../../../support/SetClock.ts"
import { Site } from "../../../support/Site.ts"
import type { Answer } from "../../../support/Site.ts"
import * as SiteVisitor from "../../../support/SiteVisitor.ts"
import { stampAndIndex } from "../../../support/Stamps.ts"
import * as StoreRecords from "../../../support/StoreRecords.ts"

const catalog = NaiveCatalog.generate(4_004, 60)
const [shop = assert.fail(), other = assert.fail()] = catalog.shops
const searches = "/dashboard/searches"
const subjects = ["ads", "products", "stores"] as const

const server = (config: Partial<AppSettings>) =>
  Catalogs.naive(catalog).pipe(
    Layer.provideMerge(Site.layer({ config: { rateLimitPerMinute: 0, pageViewsPerDay: 5_000, ...config } })),
    Layer.provideMerge(SetClock.layer(`${NaiveCatalog.today}T12:00:00Z`))
  )

const byEngine = Layer.unwrap(
  Effect.map(ClickHouseServer.ClickHouseServer, ({ settings }) =>
    server({ searchEngine: "clickhouse", clickhouse: Option.some(settings) })
  )
).pipe(Layer.provide(ClickHouseServer.layer))

const filters = [
  "",
  "query=a",
  `countries=${shop.country}&countries=${other.country}`,
  "monthly_visits.min=1",
  "monthly_revenue.min=1&query=e",
  "pixels=Facebook",
  "apps=Klaviyo"
]

const views = [
  ...subjects.flatMap((subject) => filters.map((query) => `${sections[subject]}?${query}`)),
  ...["niche", "country", "theme", "app", "currency", "domain"].map((by) => `${sections.market}?group_by=${by}`),
  `${sections.market}?group_by=theme&sort_by=median_growth`,
  `${sections.ads}?sort_by=newest`,
  `${sections.products}?page=2&sort_by=price`,
  `/dashboard/shops/${shop.id}`,
  `/dashboard/compare?shop_ids=${shop.id},${other.id}`,
  ...subjects.flatMap((subject) =>
    ["csv", "ndjson"].map((format) => `${sections[subject]}/export.${format}?${filters[3]}`)
  )
]

const hasCounts = (path: string) =>
  subjects.some((subject) => path.startsWith(`${sections[subject]}?`)) && path.includes("=")

/** Whatever a server says, one after the other; without its address, and what is random or by the clock of the database. */
const story = Effect.gen(function* () {
  const site = yield* Site
  const clock = yield* SetClock
  const sql = yield* SqlClient.SqlClient
  const visitor = yield* SiteVisitor.signedIn(yield* site.account({ plan: "pro", email: "story@discovery.test" }))
  const told: Array<readonly [what: string, answer: unknown]> = []
  const view = Effect.fnUntraced(function* (path: string) {
    // Counts that take longer than a second are left out, which a busy machine makes likely.
    const isWhole = ({ text }: Answer) => !hasCounts(path) || text.includes('id="filter-counts"')
    const answer = yield* Effect.andThen(clock.advance(1_000), visitor.get(path)).pipe(
      Effect.repeat({ until: isWhole, times: 20 })
    )
    const { headers, status, text } = answer
    assert.include([200, 303], status, path)
    const plain = text
      .replaceAll(site.url, "")
      .replaceAll(/(name="form_token" value=)"[^"]*"/gu, "$1")
      .replaceAll(/<time datetime="\d{4}[^<]*<\/time>/gu, "a moment")
    told.push([path, { status, location: headers.get("location"), text: plain }])
    return text
  })

  for (const path of views) yield* view(path)
  for (const subject of subjects) {
    const query = "query=finch"
    const mark = /name="mark" value="(\d+)"/u.exec(yield* view(`${sections[subject]}?${query}`))?.[1] ?? ""
    assert.notStrictEqual(mark, "")
    yield* visitor.submit(searches, { subject, query, name: subject, mark })
  }
  const finch = yield* StoreRecords.addStore({ name: "Finch", domain: "finch.com", country: shop.country })
  yield* StoreRecords.addAd(finch, { headline: "finch cage", key: "finch-1" })
  yield* StoreRecords.addAd(null, { headline: "finch swing", key: "finch-2" })
  yield* StoreRecords.addProduct(finch, { title: "Finch cage", key: "finch-3" })
  yield* stampAndIndex
  const list = yield* view(searches)
  for (const news of ["2 new", "1 new"]) assert.include(list, news)
  // As alerts count.
  const results = yield* NewResults
  for (const subject of subjects) {
    for (const query of filters) told.push([query, yield* results.count({ subject, query, mark: shop.id })])
  }
  yield* view(`${sections.ads}?query=finch`)
  yield* view(searches)

  yield* sql`SELECT make_change_partitions()`
  yield* sql`
    INSERT INTO change (version, as_of, source_id, kind, shop_id, record_id, name, old, new)
    SELECT 1, '2026-01-01', 1, k.kind, s.id, 1, CASE WHEN k.kind = 'figure_changed' THEN 'monthly_revenue'
      WHEN k.kind LIKE 'visits%' THEN '2026-01' WHEN k.kind ~ 'app|theme|pixel' THEN 'Klaviyo' END, 12, 9.5
    FROM unnest(${[shop.id, other.id, finch]}::int[]) WITH ORDINALITY AS s (id, place),
      unnest(${changeKinds}::text[]) WITH ORDINALITY AS k (kind, position)
    ORDER BY s.place, k.position`
  for (const query of [...filters, "query=finch"]) {
    yield* view(`${sections.changes}?${query}`)
  }
  const changes = told.at(-1)
  assert.include(JSON.stringify(changes), "/dashboard/shops/")
  return told
})

describe.skipIf(!ClickHousePackage.isAvailable)("D109 pages by ClickHouse", () => {
  layer(byEngine, { excludeTestServices: true, timeout: "2 minutes" })((it) => {
    it.effect(
      "say what those by the index in memory say",
      () =>
        Effect.gen(function* () {
          // The other server shares nothing with this one, not its database either.
          const memory = yield* Layer.build(Layer.fresh(server({})))
          const expected = yield* Effect.provide(story, memory)
          const answers = yield* story
          assert.strictEqual(answers.length, expected.length)
          for (const [at, answer] of answers.entries()) assert.deepStrictEqual(answer, expected[at])
          const isOfEngine = Effect.map(
            Effect.flatMap(CatalogSearch, ({ current }) => current),
            (found) => "place" in found
          )
          assert.deepStrictEqual([yield* isOfEngine, yield* Effect.provide(isOfEngine, memory)], [true, false])
        }),
      180_000
    )
  })
})

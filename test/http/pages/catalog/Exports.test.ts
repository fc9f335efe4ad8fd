/** The bounds of exports (D68): 500 results, and the rate of the pages. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { lastPage, maxPerPage } from "../../../../src/domain/search/Page.ts"
import { sections } from "../../../../src/http/pages/shared/Layout.ts"
import { viewsPerMinute } from "../../../../src/services/limits/PageRateLimit.ts"
import { SetClock } from "../../../support/SetClock.ts"
import { Site } from "../../../support/Site.ts"
import * as SiteVisitor from "../../../support/SiteVisitor.ts"
import * as StoreRecords from "../../../support/StoreRecords.ts"

const most = 500

/** Numbers of results around those that fill pages of the largest size. */
const counts = [1, 24, 25, 26, 49, 50, 51, 499, 500, 501]
const pageViewsPerDay = 5_000

/** More than an export has, in an order that is not that of their ids. */
const stored = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const shop = yield* StoreRecords.addStore({ name: "Lamps", domain: "lamps.com" })
  yield* sql`
    INSERT INTO product (shop_id, key, title, price)
    SELECT ${shop}::int, 'p' || n, 'Lamp ' || n, (n * 7) % 211 FROM generate_series(1, 620) n`
  yield* sql`
    INSERT INTO ad (shop_id, key, page_name, is_active, media_type, started_on, last_seen_on)
    SELECT ${shop}::int, 'a' || n, 'Lamps', true, 'image', '2025-01-01'::date + (n * 7) % 211, '2026-01-10'
    FROM generate_series(1, 710) n`
  for (const count of counts) {
    yield* sql`
      INSERT INTO product (shop_id, key, title, price)
      SELECT ${shop}::int, 'c' || ${count}::int || ' ' || n, 'Counted' || ${count}::int || 'x', n FROM generate_series(1, ${count}::int) n`
  }
  yield* StoreRecords.derive
})

const services = Layer.effectDiscard(stored).pipe(
  Layer.provideMerge(Site.layer({ config: { pageViewsPerDay } })),
  Layer.provideMerge(SetClock.layer("2026-01-15T12:00:00Z"))
)

const visiting = Effect.gen(function* () {
  const site = yield* Site
  return yield* SiteVisitor.signedIn(yield* site.account({ plan: "pro" }))
})

const decodeLine = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Struct({ id: Schema.Int })))

const idsOf = (text: string) =>
  text
    .split("\n")
    .slice(0, -1)
    .map((line) => decodeLine(line).id)

layer(services, { excludeTestServices: true })("exports", (it) => {
  it.effect("have exactly the first 500 results, once each, of products and of the newest ads", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      assert.strictEqual(lastPage * maxPerPage, most)
      const { get } = yield* visiting
      const products = yield* get(`${sections.products}/export.ndjson?query=lamp`)
      assert.strictEqual(products.status, 200)
      assert.strictEqual(new Set(idsOf(products.text)).size, most)
      assert.lengthOf(idsOf(products.text), most)
      const ads = yield* get(`${sections.ads}/export.ndjson?sort_by=newest`)
      const newest = yield* sql<{ readonly id: number }>`
        SELECT id FROM ad ORDER BY started_on DESC, id DESC LIMIT ${most}::int`
      assert.deepStrictEqual(
        idsOf(ads.text),
        newest.map(({ id }) => id)
      )
      for (const subject of ["products", "ads"] as const) {
        const { text } = yield* get(`${sections[subject]}/export.csv?sort_by=newest`)
        assert.lengthOf(text.split("\r\n"), 1 + most + 1)
      }
    })
  )

  it.effect.each([0, ...counts])(
    "of %s results count as the pages that they would fill, and pass no limit of the day",
    (count) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const site = yield* Site
        const person = yield* site.account({ plan: "pro" })
        const { get } = yield* SiteVisitor.signedIn(person)
        const pages = Math.max(1, Math.ceil(Math.min(count, most) / maxPerPage))
        const file = get(`${sections.products}/export.csv?query=counted${count}x`)
        const ofAccount = sql`account_id = (SELECT id FROM account WHERE email = ${person.email})`
        const views = Effect.map(
          sql<{ views: number }>`SELECT views FROM page_view WHERE ${ofAccount}`,
          (rows) => rows[0]?.views
        )
        assert.strictEqual((yield* file).status, 200)
        assert.strictEqual(yield* views, pages)
        yield* sql`UPDATE page_view SET views = ${pageViewsPerDay - pages} WHERE ${ofAccount}`
        assert.strictEqual((yield* file).status, 200)
        assert.strictEqual(yield* views, pageViewsPerDay)
        yield* sql`UPDATE page_view SET views = ${pageViewsPerDay - pages + 1} WHERE ${ofAccount}`
        const refused = yield* file
        assert.strictEqual(refused.status, 429)
        assert.isNull(refused.headers.get("content-disposition"))
      })
  )

  it.effect("are refused after 120 in a minute, together with the pages", () =>
    Effect.gen(function* () {
      const clock = yield* SetClock
      assert.strictEqual(viewsPerMinute, 120)
      const { get } = yield* visiting
      const file = (number: number) => {
        const format = number % 2 === 0 ? "csv" : "ndjson"
        return get(`${sections.stores}/export.${format}?query=unheardofword`)
      }
      for (let number = 1; number <= 120; number++) assert.strictEqual((yield* file(number)).status, 200, `${number}`)
      for (const number of [121, 122]) {
        const refused = yield* file(number)
        assert.strictEqual(refused.status, 429)
        assert.isNull(refused.headers.get("content-disposition"))
      }
      assert.strictEqual((yield* get(sections.stores)).status, 429)
      // Another account is not affected.
      assert.strictEqual((yield* (yield* visiting).get(`${sections.stores}/export.csv`)).status, 200)
      yield* clock.advance(60_000)
      assert.strictEqual((yield* file(123)).status, 200)
    })
  )
})

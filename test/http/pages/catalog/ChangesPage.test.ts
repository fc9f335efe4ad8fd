/** The Changes page over HTTP (D111): the rows of list_changes, further pages, filters that come from the Stores page, and refusals. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { changeKinds } from "../../../../src/domain/catalog/Changes.ts"
import { sections } from "../../../../src/http/pages/shared/Layout.ts"
import { Accounts } from "../../../../src/services/accounts/Accounts.ts"
import * as NaiveCatalog from "../../../oracle/NaiveCatalog.ts"
import * as Catalogs from "../../../support/Catalogs.ts"
import { Site } from "../../../support/Site.ts"
import * as SiteVisitor from "../../../support/SiteVisitor.ts"

const catalog = NaiveCatalog.generate(9_009, 30)
const [shop = assert.fail(), other = assert.fail()] = catalog.shops
const ad = catalog.ads.find(({ shop_id }) => shop_id === shop.id) ?? catalog.ads[0] ?? assert.fail()

const kindsIn = (html: string) => Array.from(html.matchAll(/data-kind="([a-z_]+)"/gu), ([, kind]) => kind)

const nextOf = (html: string) => /<a rel="next" href="([^"]+)"/u.exec(html)?.[1]?.replaceAll("&amp;", "&")

const services = Layer.provideMerge(Catalogs.naive(catalog), Site.layer())

layer(services, { excludeTestServices: true })("the Changes page", (it) => {
  const visitor = Effect.gen(function* () {
    const site = yield* Site
    return yield* SiteVisitor.signedIn(yield* site.account({ plan: "pro" }))
  })

  /** Of every kind twice, first of one store, then of another; the newest is the last kind of the other. */
  const changes = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`DELETE FROM change`
    yield* sql`SELECT make_change_partitions()`
    yield* sql`
      INSERT INTO change (version, as_of, source_id, kind, shop_id, record_id, name, old, new)
      SELECT 1, '2026-01-01', 1, k.kind, s.id, ${ad.id}::int, CASE WHEN k.kind = 'figure_changed' THEN 'monthly_revenue'
        WHEN k.kind LIKE 'visits%' THEN '2026-01' WHEN k.kind ~ 'app|theme|pixel' THEN '<Klaviyo>' END, 12, 9.5
      FROM unnest(${[shop.id, other.id]}::int[]) WITH ORDINALITY AS s (id, place),
        unnest(${changeKinds}::text[]) WITH ORDINALITY AS k (kind, position)
      ORDER BY s.place, k.position`
  })

  it.effect("D111 lists every change once over its pages, and what third parties wrote is text", () =>
    Effect.gen(function* () {
      yield* changes
      const browser = yield* visitor
      const first = yield* browser.get(sections.changes)
      assert.strictEqual(first.status, 200)
      assert.include(first.text, "42 changes")
      assert.include(first.text, "&lt;Klaviyo&gt;")
      assert.notInclude(first.text, "<Klaviyo>")
      const next = nextOf(first.text) ?? assert.fail("no further page")
      const second = yield* browser.get(next)
      assert.isUndefined(nextOf(second.text))
      const newest = changeKinds.toReversed()
      assert.deepStrictEqual([...kindsIn(first.text), ...kindsIn(second.text)], [...newest, ...newest])
    })
  )

  it.effect("D111 filters by kind, day and the filters of stores, which further pages keep", () =>
    Effect.gen(function* () {
      yield* changes
      const browser = yield* visitor
      const kinds = yield* browser.get(`${sections.changes}?kinds=price_up&kinds=ad_stopped`)
      assert.deepStrictEqual(kindsIn(kinds.text), ["ad_stopped", "price_up", "ad_stopped", "price_up"])
      const ofStore = yield* browser.get(`${sections.changes}?order=oldest&shop_ids=${shop.id}`)
      assert.deepStrictEqual(kindsIn(ofStore.text), [...changeKinds])
      assert.include(ofStore.text, `<input type="hidden" name="shop_ids" value="${shop.id}"`)
      // The search for stores leads to their changes, without its order.
      const stores = yield* browser.get(`${sections.stores}?shop_ids=${other.id}&sort_by=revenue`)
      assert.include(stores.text, `<a href="${sections.changes}?shop_ids=${other.id}">`)
      const later = yield* browser.get(`${sections.changes}?since=2999-01-01`)
      assert.deepStrictEqual(kindsIn(later.text), [])
      assert.include(later.text, "Nothing has changed since then")
      // What a form sends besides: empty fields, and values that hold anyway.
      const sent = yield* browser.get(`${sections.changes}?since=&order=newest&kinds=price_up`)
      assert.deepStrictEqual([sent.status, sent.headers.get("location")], [303, `${sections.changes}?kinds=price_up`])
    })
  )

  it.effect("D111 the overview has the newest changes of tracked stores, for accounts with access", () =>
    Effect.gen(function* () {
      yield* changes
      const site = yield* Site
      const sql = yield* SqlClient.SqlClient
      const overviewOf = Effect.fnUntraced(function* (plan: "pro" | "starter") {
        const who = yield* site.account({ plan })
        const { id } = yield* Effect.flatMap(Accounts, (accounts) => accounts.find(who.email))
        const browser = yield* SiteVisitor.signedIn(who)
        const before = yield* browser.get("/dashboard")
        yield* sql`INSERT INTO tracked_shop (account_id, shop_id, kind) VALUES (${id}, ${shop.id}, 'tracked')`
        return [kindsIn(before.text), kindsIn((yield* browser.get("/dashboard")).text)]
      })
      assert.deepStrictEqual(yield* overviewOf("pro"), [[], changeKinds.toReversed().slice(0, 5)])
      assert.deepStrictEqual(yield* overviewOf("starter"), [[], []])
    })
  )

  it.effect("D111 refuses what it does not understand, and accounts without access", () =>
    Effect.gen(function* () {
      const site = yield* Site
      const browser = yield* visitor
      for (const [query, says] of [
        ["kinds=price_lower", "price_down"],
        ["since=yesterday", "YYYY-MM-DD"],
        ["since=before-3-1-9&order=oldest", "newest first"],
        ["sort_by=newest", "sort_by"]
      ] as const) {
        const { status, text } = yield* browser.get(`${sections.changes}?${query}`)
        assert.strictEqual(status, 400, query)
        assert.include(text, says)
      }
      const starter = yield* SiteVisitor.signedIn(yield* site.account({ plan: "starter" }))
      assert.strictEqual((yield* starter.get(sections.changes)).status, 403)
    })
  )
})

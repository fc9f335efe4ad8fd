/** D121: the overview of an account that comes back, as people see it: small and large, light and dark, in every language. */
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { languages } from "../../../../src/domain/Messages.ts"
import { Accounts } from "../../../../src/services/accounts/Accounts.ts"
import { SavedSearches } from "../../../../src/services/accounts/SavedSearches.ts"
import { Browser, checker, isAvailable, overflow, picture, wideLooks } from "../../../support/Browser.ts"
import * as Catalogs from "../../../support/Catalogs.ts"
import { Site } from "../../../support/Site.ts"
import * as SiteVisitor from "../../../support/SiteVisitor.ts"
import { at, enterAs, goTo, leave } from "../../../support/Steps.ts"

const services = Layer.merge(Browser.layer, Layer.provideMerge(Catalogs.demo("tiny"), Site.layer()))

const overview = "/dashboard"

/** Tracks nine stores, of which five have changed over a month; has saved searches with and without new results. */
const regular = Effect.gen(function* () {
  const site = yield* Site
  const sql = yield* SqlClient.SqlClient
  const saved = yield* SavedSearches
  const who = yield* site.account()
  const { id } = yield* Effect.flatMap(Accounts, (accounts) => accounts.find(who.email))
  yield* sql`SELECT make_change_partitions()`
  yield* sql`DELETE FROM change`
  yield* sql`DELETE FROM history_start`
  yield* sql`
    INSERT INTO tracked_shop (account_id, shop_id, kind)
    SELECT ${id}, n, CASE WHEN n = 3 THEN 'own' ELSE 'tracked' END FROM generate_series(1, 9) n`
  yield* sql`
    INSERT INTO history_start (shop_id, part, version, as_of)
    SELECT n, part, 0, (now() - interval '40 days')::date FROM generate_series(1, 9) n, unnest(ARRAY['ads', 'figures']) part`
  yield* sql`UPDATE shop SET monthly_revenue = 1234567, name = 'A store with quite a long name, as some have' WHERE id = 2`
  yield* sql`
    INSERT INTO change (version, as_of, source_id, kind, shop_id, record_id, name, old, new)
    SELECT day, (now() - make_interval(days => 40 - day))::date, 1, kind, shop, 1, name, old, old + 1 FROM (
      SELECT day, shop, CASE WHEN (day * shop) % 5 < 3 THEN 'ad_running' ELSE 'ad_stopped' END AS kind, NULL AS name, NULL::int AS old
      FROM generate_series(1, 39) day, unnest(ARRAY[1, 3, 4, 5]) shop, generate_series(1, 1 + day % shop)
      UNION ALL
      SELECT day, 2, 'figure_changed', 'monthly_revenue', 1000000 + 9000 * (day * day % 17) FROM generate_series(1, 39) day
      UNION ALL
      SELECT 39, 4, kind, 'Klaviyo', 12 FROM unnest(ARRAY['price_up', 'app_added', 'pixel_added', 'product_appeared']) kind
    ) told ORDER BY day, shop`
  for (const [number, word] of ["shop", "lamp", "dog", "bag", "set", "kit", "pro"].entries()) {
    yield* saved.save(id, {
      subject: (["ads", "products", "stores"] as const)[number % 3] ?? "ads",
      query: `query=${word}`,
      name: number === 5 ? "Home decor stores in Germany with growing visits" : `All about ${word}`,
      mark: number % 2 === 0 ? 0 : 2_000_000_000
    })
  }
  return yield* SiteVisitor.signedIn(who)
}).pipe(Effect.orDie)

describe.skipIf(!isAvailable())("D121 the overview in a browser", () => {
  layer(services, { excludeTestServices: true })((it) => {
    it.effect.each(wideLooks)("of a regular passes axe and fits at $width pixels, $scheme", (look) =>
      Effect.gen(function* () {
        const page = yield* (yield* Browser).open(look)
        yield* enterAs(page, yield* regular)
        yield* goTo(page, overview)
        yield* checker(page, look)("overview-regular")
        assert.strictEqual(yield* Effect.promise(() => page.locator("[data-store-id]").count()), 6)
        assert.strictEqual(yield* Effect.promise(() => page.locator("[data-store-id] svg").count()), 5)
      })
    )

    it.effect.each(languages)("fits in the language %s, at 320 pixels too", (language) =>
      Effect.gen(function* () {
        for (const width of [320, 390, 1280]) {
          const page = yield* (yield* Browser).open({ width })
          yield* Effect.promise(() => page.setExtraHTTPHeaders({ "accept-language": language }))
          yield* enterAs(page, yield* regular)
          yield* goTo(page, overview)
          yield* picture(page, `overview-${language}-${width}`)
          assert.isAtMost(yield* overflow(page), 0, `${width}`)
        }
      })
    )

    it.effect("without scripts, its links lead to what is new: a search, a store, the changes of one", () =>
      Effect.gen(function* () {
        const page = yield* (yield* Browser).open({ javaScript: false })
        yield* enterAs(page, yield* regular)
        for (const [link, leadsTo] of [
          ["[data-saved-id] a", "/dashboard/ads?query=pro"],
          ["[data-store-id] p:first-child a", "/dashboard/shops/5"],
          ["[data-store-id] p + p a", "/dashboard/changes?shop_ids=5"]
        ] as const) {
          yield* goTo(page, overview)
          yield* leave(page, () => page.locator(link).first().click())
          assert.strictEqual(at(page), leadsTo)
        }
      })
    )
  })
})

/** D121: the overview has tracked stores and saved searches, a few of each, read at once; none of them fails the page. */
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer, Result } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import * as Locale from "../../../../src/http/pages/shared/Locale.ts"
import { savedSearches, trackedStores } from "../../../../src/http/pages/account/OverviewPanels.ts"
import { newsOf } from "../../../../src/http/pages/catalog/SavedNews.ts"
import { Accounts } from "../../../../src/services/accounts/Accounts.ts"
import { SavedSearches } from "../../../../src/services/accounts/SavedSearches.ts"
import { maxCounted, maxStores } from "../../../../src/services/changes/TrackedNews.ts"
import type { NewResults } from "../../../../src/services/search/NewResults.ts"
import * as ToolErrorMessages from "../../../../src/domain/ToolErrorMessages.ts"
import * as NaiveCatalog from "../../../oracle/NaiveCatalog.ts"
import * as Access from "../../../support/Access.ts"
import * as Catalogs from "../../../support/Catalogs.ts"
import { Site } from "../../../support/Site.ts"
import type { Answer } from "../../../support/Site.ts"
import * as SiteVisitor from "../../../support/SiteVisitor.ts"

const catalog = NaiveCatalog.generate(9_121, 30)
const shopIds = catalog.shops.slice(0, maxStores + 2).map(({ id }) => id)
const viewsPerDay = 500

const services = Layer.provideMerge(
  Catalogs.naive(catalog),
  Site.layer({ config: { pageViewsPerDay: viewsPerDay, rateLimitPerMinute: 0 } })
)

const panel = ({ text }: Answer, id: string) =>
  new RegExp(`<h2 id="${id}">[\\s\\S]*?</section>`, "u").exec(text)?.[0] ?? ""

const storesIn = (answer: Answer) =>
  Array.from(panel(answer, "tracked-stores").matchAll(/data-store-id="(\d+)"/gu), ([, id]) => Number(id))

const searchesIn = (answer: Answer) =>
  Array.from(
    panel(answer, "saved-searches").matchAll(
      /<li data-saved-id[\s\S]*?<bdi>(.*?)<\/bdi>[\s\S]*?<\/span>([\s\S]*?)<\/p>/gu
    ),
    ([, name = "", news = ""]) => `${name}: ${news.replaceAll(/<[^>]*>/gu, "").trim()}`
  )

const unavailable = "This cannot be shown right now"

layer(services, { excludeTestServices: true })("the overview for those who come back", (it) => {
  const customer = Effect.gen(function* () {
    const site = yield* Site
    const who = yield* site.account()
    const { id } = yield* Effect.flatMap(Accounts, (accounts) => accounts.find(who.email))
    const visitor = yield* SiteVisitor.signedIn(who)
    return { id, view: visitor.get("/dashboard") }
  }).pipe(Effect.orDie)

  /** The last one was added last. */
  const track = Effect.fnUntraced(function* (accountId: number, ids: ReadonlyArray<number>) {
    const sql = yield* SqlClient.SqlClient
    yield* sql`
      INSERT INTO tracked_shop (account_id, shop_id, kind, since)
      SELECT ${accountId}::int, id, 'tracked', now() + make_interval(secs => position)
      FROM unnest(${ids}::int[]) WITH ORDINALITY AS t (id, position)`
  })

  const save = Effect.fnUntraced(function* (accountId: Parameters<SavedSearches["Service"]["save"]>[0], count: number) {
    const saved = yield* SavedSearches
    for (let number = 1; number <= count; number++) {
      yield* saved.save(accountId, {
        subject: "stores",
        query: `monthly_visits.min=${number}`,
        name: `No ${number}`,
        mark: 0
      })
    }
  })

  it.effect("D121 says what to do where nothing is tracked or saved, and has neither part without access", () =>
    Effect.gen(function* () {
      const site = yield* Site
      const { view } = yield* customer
      const fresh = yield* view
      assert.include(panel(fresh, "tracked-stores"), "You track no stores yet.")
      assert.match(
        panel(fresh, "tracked-stores"),
        /<a href="\/dashboard\/shops">Stores<\/a>, open its page and choose “<strong>Track this store/u
      )
      assert.include(panel(fresh, "saved-searches"), "You have no saved searches yet.")
      assert.include(panel(fresh, "saved-searches"), "Save this search")
      assert.strictEqual(panel(fresh, "last-changes"), "")
      const starter = yield* SiteVisitor.signedIn(yield* site.account({ plan: "starter" }))
      const without = yield* starter.get("/dashboard")
      assert.deepStrictEqual([panel(without, "tracked-stores"), panel(without, "saved-searches")], ["", ""])
    })
  )

  it.effect("D121 has six of the tracked stores, with a line of a figure and what changed", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { id, view } = yield* customer
      yield* track(id, shopIds)
      const [busy = 0, paid = 0] = shopIds
      yield* sql`SELECT make_change_partitions()`
      yield* sql`DELETE FROM history_start`
      yield* sql`INSERT INTO history_start (shop_id, part, version, as_of) VALUES (${busy}, 'ads', 0, '2026-01-01'), (${paid}, 'figures', 0, '2026-01-01')`
      yield* sql`UPDATE shop SET monthly_revenue = 900 WHERE id = ${paid}`
      const change = (kind: string, shopId: number, more: object = {}) =>
        sql`INSERT INTO change ${sql.insert({ version: 1, as_of: "2026-01-03", source_id: 1, kind, shop_id: shopId, ...more })}`
      yield* change("figure_changed", paid, { name: "monthly_revenue", old: 700, new: 900 })
      for (const kind of ["price_up", "price_up", "app_added", "pixel_added", "theme_added"]) yield* change(kind, busy)
      yield* change("ad_running", busy)
      const answer = yield* view
      assert.deepStrictEqual(storesIn(answer), [busy, paid, ...shopIds.slice(4).toReversed()])
      const [, first = "", second = "", third = ""] = panel(answer, "tracked-stores").split("<li ")
      assert.include(first, `<a href="/dashboard/shops/${busy}">`)
      assert.include(first, "2 prices went up, ")
      assert.include(first, "and 2 more kinds of changes")
      assert.include(first, `href="/dashboard/changes?shop_ids=${busy}"`)
      assert.match(
        first,
        /<svg[^>]*role="img"\s+aria-label="Running ads from Jan 1, 2026 to [^"]*: first \d+, last \d+/u
      )
      assert.match(second, /aria-label="Revenue a month from [^"]*first [^"]*700, last [^"]*900/u)
      assert.include(third, "Nothing has changed.")
      assert.notInclude(third, "<svg")
      assert.lengthOf(panel(answer, "last-changes").match(/data-kind=/gu) ?? [], 5)
    })
  )

  it.effect("D121 has the five saved searches that were viewed last, with the number of new results", () =>
    Effect.gen(function* () {
      const saved = yield* SavedSearches
      const sql = yield* SqlClient.SqlClient
      const { id, view } = yield* customer
      yield* save(id, 7)
      yield* sql`UPDATE saved_search SET viewed_at = '2026-01-01'::timestamptz + make_interval(days => id) WHERE account_id = ${id}`
      yield* sql`UPDATE saved_search SET viewed_at = '2027-01-01', query = 'color=red' WHERE account_id = ${id} AND name = 'No 2'`
      yield* saved.recordView(id, { subject: "stores", query: "monthly_visits.min=6", mark: 2_000_000_000 })
      yield* sql`UPDATE saved_search SET viewed_at = '2026-12-31' WHERE account_id = ${id} AND name = 'No 6'`
      const all = catalog.shops.length
      const news = searchesIn(yield* view)
      assert.lengthOf(news, 5)
      assert.deepStrictEqual(news.slice(0, 2), ["No 2: No longer valid", "No 6: Nothing new"])
      for (const each of news.slice(2)) assert.match(each, /^No [754]: \d+ new$/u)
      assert.isAtMost(Number(/: (\d+) new/u.exec(news[2] ?? "")?.[1]), all)
      assert.include((yield* view).text, `<a href="/dashboard/searches">All 7 saved searches</a>`)
    })
  )

  it.effect("D121 is one view of the day; when they are used up, names are left, and when the rest comes back", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { id, view } = yield* customer
      yield* track(id, shopIds)
      yield* save(id, 2)
      yield* view
      const views = yield* sql<{ views: number }>`SELECT views FROM page_view WHERE account_id = ${id}`
      assert.deepStrictEqual(views, [{ views: 1 }])
      yield* sql`UPDATE page_view SET views = ${viewsPerDay} WHERE account_id = ${id}`
      const answer = yield* view
      assert.strictEqual(answer.status, 200)
      assert.deepStrictEqual(storesIn(answer), [])
      assert.deepStrictEqual(searchesIn(answer).toSorted(), ["No 1: ", "No 2: "])
      for (const part of ["tracked-stores", "saved-searches", "last-changes"]) {
        assert.include(panel(answer, part), "You’ve reached today’s page limit. This is shown again from <time")
      }
    })
  )

  it.effect("D121 its parts are read at once, and those that are not read in time are a sentence each", () =>
    Effect.gen(function* () {
      const { id, view } = yield* customer
      yield* track(id, shopIds)
      yield* save(id, 1)
      const lock = Access.hold((sql) => sql`LOCK TABLE tracked_shop, saved_search IN ACCESS EXCLUSIVE MODE`)
      const held = yield* lock
      const viewing = yield* Effect.forkChild(view)
      // Stores, their changes, and searches.
      yield* held.waiting(3)
      yield* held.release
      const whole = yield* Fiber.join(viewing)
      assert.lengthOf(storesIn(whole), maxStores)
      assert.lengthOf(searchesIn(whole), 1)
      assert.notInclude(whole.text, unavailable)
      const late = yield* lock
      const answer = yield* view
      yield* late.release
      assert.strictEqual(answer.status, 200)
      assert.include(answer.text, "Credits left")
      for (const part of ["tracked-stores", "saved-searches", "last-changes"]) {
        assert.include(panel(answer, part), unavailable, part)
      }
    })
  )

  it.effect("D121 a part that fails leaves the others", () =>
    Effect.gen(function* () {
      const { id, view } = yield* customer
      yield* track(id, shopIds)
      yield* save(id, 1)
      const held = yield* Access.hold((sql) => sql`LOCK TABLE history_start IN ACCESS EXCLUSIVE MODE`)
      const answer = yield* view
      yield* held.release
      assert.include(panel(answer, "tracked-stores"), unavailable)
      assert.match(searchesIn(answer)[0] ?? "", /^No 1: \d+ new$/u)
      assert.notInclude(panel(answer, "last-changes"), unavailable)
    })
  )
})

const locale = Locale.of("en")
const counting = { subject: "ads", query: "query=lamp", mark: 0 } as const
const results = (count: NewResults["Service"]["count"]): NewResults["Service"] => ({
  marked: () => Effect.die("not asked for"),
  count
})

layer(Layer.empty)("parts of the overview", (it) => {
  it.effect("D121 a search that cannot be counted has no number, whatever the reason", () =>
    Effect.gen(function* () {
      const down = ToolErrorMessages.unavailable("search_failed")
      const said = (news: unknown) => String(news).replaceAll(/<[^>]*>/gu, "")
      const failed = yield* newsOf(
        results(() => Effect.fail(down)),
        counting,
        locale
      )
      const late = yield* Effect.forkChild(
        newsOf(
          results(() => Effect.never),
          counting,
          locale
        )
      )
      yield* TestClock.adjust("2 seconds")
      for (const news of [failed, yield* Fiber.join(late)]) assert.strictEqual(said(news), "Not counted right now")
    })
  )

  it("D121 more changes than are counted are said to be at least as many", () => {
    const store = {
      id: 1,
      name: "<b>",
      domain: "a.com",
      currency: null,
      isOwn: true,
      counts: [{ kind: "price_up", count: maxCounted }],
      points: { active_ads: [], estimated_monthly_revenue: [] }
    } as const
    const text = String(trackedStores(Result.succeed([store]), locale))
    assert.include(text, "At least 1,000 changes")
    assert.include(text, "&lt;b&gt;")
    assert.include(text, "Your own store")
    assert.include(
      String(savedSearches(Result.succeed({ shown: [], total: 0, uncounted: undefined }), locale)),
      "no saved"
    )
  })
})

/** What has changed, as people see it (D52, D111, D113, D114): small and large, light and dark, by keyboard and without scripts. */
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { changeKinds } from "../../../../src/domain/catalog/Changes.ts"
import { AccountLinks } from "../../../../src/services/accounts/AccountLinks.ts"
import { Accounts } from "../../../../src/services/accounts/Accounts.ts"
import { SavedSearches } from "../../../../src/services/accounts/SavedSearches.ts"
import { Browser, checker, isAvailable, wideLooks } from "../../../support/Browser.ts"
import type { Look } from "../../../support/Browser.ts"
import * as Catalogs from "../../../support/Catalogs.ts"
import { Site } from "../../../support/Site.ts"
import { at, goTo, leave, signIn } from "../../../support/Steps.ts"

const services = Layer.merge(Browser.layer, Layer.provideMerge(Catalogs.demo("tiny"), Site.layer()))

const changes = "/dashboard/changes"

const open = Effect.fnUntraced(function* (look: Look) {
  const site = yield* Site
  const sql = yield* SqlClient.SqlClient
  const who = yield* site.account()
  const { id } = yield* Effect.orDie(Effect.flatMap(Accounts, (accounts) => accounts.find(who.email)))
  yield* sql`DELETE FROM change`
  yield* sql`SELECT make_change_partitions()`
  yield* sql`
    INSERT INTO change (version, as_of, source_id, kind, shop_id, record_id, name, old, new)
    SELECT 1, '2026-01-01', 1, k.kind, 1, 1, CASE WHEN k.kind = 'figure_changed' THEN 'monthly_revenue'
      WHEN k.kind LIKE 'visits%' THEN '2026-01' WHEN k.kind ~ 'app|theme|pixel' THEN ${"x".repeat(60)}::text END, 1234567.5, 9.5
    FROM unnest(${changeKinds}::text[]) WITH ORDINALITY AS k (kind, position), generate_series(1, 2) ORDER BY k.position`
  yield* sql`INSERT INTO tracked_shop (account_id, shop_id, kind) VALUES (${id}, 1, 'tracked')`
  yield* Effect.flatMap(SavedSearches, (saved) =>
    saved.save(id, { subject: "ads", query: "query=lamp", name: "Lamps", mark: 0 })
  )
  const page = yield* (yield* Browser).open(look)
  yield* goTo(page, "/sign-in")
  yield* signIn(page, who)
  return { page, id }
}, Effect.orDie)

describe.skipIf(!isAvailable())("D111 changes in a browser", () => {
  layer(services, { excludeTestServices: true })((it) => {
    it.effect.each(wideLooks)(
      "pages pass axe and fit at $width pixels, $scheme",
      (look) =>
        Effect.gen(function* () {
          const { id, page } = yield* open(look)
          const check = checker(page, look)
          for (const [name, path] of [
            ["changes", changes],
            ["changes-kinds", `${changes}?kinds=price_up&kinds=ad_stopped&countries=US&shop_ids=1`],
            ["changes-none", `${changes}?since=2999-01-01`],
            ["changes-wrong", `${changes}?since=yesterday&kinds=none`],
            ["overview-changes", "/dashboard"],
            ["searches-alerts", "/dashboard/searches"],
            ["webhook", "/dashboard/integrations/webhook"],
            ["usage-notices", "/dashboard/usage"]
          ] as const) {
            yield* goTo(page, path)
            yield* check(name)
          }
          const token = yield* Effect.flatMap(AccountLinks, (links) => links.unsubscribe(id))
          yield* goTo(page, `/alerts/unsubscribe?token=${Redacted.value(token)}`)
          yield* check("unsubscribe")
        }),
      600_000
    )

    it.effect.each([true, false])(
      "kinds are chosen, and the next page is opened, by keyboard, scripts: %s",
      (javaScript) =>
        Effect.gen(function* () {
          const { page } = yield* open({ javaScript })
          yield* goTo(page, changes)
          const kinds = () =>
            page.locator("tr[data-kind]").evaluateAll((rows) => rows.map((row) => row.dataset["kind"]))
          const first = yield* Effect.promise(kinds)
          assert.lengthOf(first, 25)
          yield* Effect.promise(() => page.locator("a[rel=next]").focus())
          yield* leave(page, () => page.keyboard.press("Enter"))
          assert.lengthOf([...first, ...(yield* Effect.promise(kinds))], 2 * changeKinds.length)
          yield* Effect.promise(() => page.locator("details.filter summary").focus())
          yield* Effect.promise(() => page.keyboard.press("Enter"))
          yield* Effect.promise(() => page.getByLabel("Price up").focus())
          yield* Effect.promise(() => page.keyboard.press("Space"))
          yield* leave(page, () => page.keyboard.press("Enter"))
          assert.strictEqual(at(page), `${changes}?kinds=price_up`)
          assert.deepStrictEqual(yield* Effect.promise(kinds), ["price_up", "price_up"])
        })
    )
  })
})

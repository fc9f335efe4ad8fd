/** The usage page as people use it: small and large, light and dark, by keyboard, without scripts. */
import { assert, describe, layer } from "@effect/vitest"
import { Clock, Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import type { Page } from "playwright-core"
import { usagePath } from "../../../../src/http/pages/usage/UsageAddress.ts"
import { Accounts } from "../../../../src/services/accounts/Accounts.ts"
import { ApiKeys } from "../../../../src/services/credentials/ApiKeys.ts"
import { Browser, checker, isAvailable, overflow, picture, violations, wideLooks } from "../../../support/Browser.ts"
import * as RecordedCalls from "../../../support/RecordedCalls.ts"
import { Site } from "../../../support/Site.ts"
import { at, goTo, signIn } from "../../../support/Steps.ts"

const times = (count: number) => Array.from({ length: count }, (_, index) => index)
const dayMillis = 86_400_000

/** Signs in, and opens the usage page. */
const openUsage = Effect.fnUntraced(function* (page: Page, who: { readonly email: string; readonly password: string }) {
  yield* goTo(page, `/sign-in?return_to=${usagePath}`)
  yield* signIn(page, who)
  assert.strictEqual(at(page), usagePath)
})

const tools = ["search_ads", "search_products", "get_shop", "search_shops", "get_usage", "list_filter_options"] as const

let busyNumber = 0

/** Two keys, one of them revoked, and an app, with calls of three weeks and the same charges in the ledger. */
const busy = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const now = yield* Clock.currentTimeMillis
  const who = { email: `busy${++busyNumber}@discovery.test`, password: "nine green whales" }
  yield* Effect.flatMap(Accounts, (accounts) =>
    accounts.create({
      email: who.email,
      password: Redacted.make(who.password),
      plan: "growth",
      status: "active",
      beganOn: new Date(now - 21 * dayMillis).toISOString().slice(0, 10)
    })
  )
  const { caller, key } = yield* RecordedCalls.keyOf(who.email, "Nightly research job")
  const old = yield* RecordedCalls.keyOf(who.email, "Laptop with a name that is as long as a name of a key can be")
  yield* Effect.flatMap(ApiKeys, (keys) => keys.revoke(caller.accountId, old.key.id))
  const at = new Date(now)
  const appId = caller.accountId + 800_000
  yield* sql`
    INSERT INTO oauth_ended_grant (id, account_id, client_id, client_name, approved_at, connected_at, ended_at, reason)
    VALUES (${appId}, ${caller.accountId}, 'https://app.test/', 'Claude Desktop', ${at}, ${at}, ${at}, 'account')`
  const callers = [caller.credential, old.caller.credential, { kind: "access_token", id: appId } as const]
  const calls = times(22).flatMap((day) =>
    times(4 + ((day * 7) % 23)).map((number) => ({
      tool: tools[(day + number * number) % tools.length] ?? "search_ads",
      outcome:
        number % 9 === 8
          ? ("invalid_arguments" as const)
          : number === 7
            ? ("search_timeout" as const)
            : ("ok" as const),
      credential: callers[(day * 3 + number) % 5] ?? caller.credential,
      agoMillis: (21 - day) * dayMillis + 1_000 * (30 - number),
      durationMillis: 9 + ((number * 137) % 1_900)
    }))
  )
  yield* RecordedCalls.record(caller, calls)
  yield* sql`
    INSERT INTO credit_entry
      (account_id, period_start, kind, reason, amount, tool, request_id, credential_kind, credential_id, created_at)
    SELECT account_id, (SELECT max(period_start) FROM credit_period p WHERE p.account_id = a.account_id), 'charge', 'call',
      -credits, tool, request_id, credential_kind, credential_id, at
    FROM activity a WHERE account_id = ${caller.accountId} AND credits > 0`
  yield* sql`
    UPDATE credit_period SET used = (SELECT sum(credits) FROM activity WHERE account_id = ${caller.accountId})
    WHERE account_id = ${caller.accountId}`
  return { who, key }
}).pipe(Effect.orDie)

const services = Layer.merge(Browser.layer, Site.layer())

describe.skipIf(!isAvailable())("in a browser", () => {
  layer(services, { excludeTestServices: true })((it) => {
    it.effect.each(wideLooks)("the page passes axe and fits at $width pixels, $scheme", (look) =>
      Effect.gen(function* () {
        const { who } = yield* busy
        const page = yield* (yield* Browser).open(look)
        yield* openUsage(page, who)
        yield* checker(page, look)("usage")
      })
    )

    it.effect("an account without calls, and filters without matches, pass axe", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const accounts = yield* Accounts
        const who = yield* site.account({ plan: "starter" })
        for (const width of [390, 1280]) {
          const page = yield* (yield* Browser).open({ width })
          yield* openUsage(page, who)
          assert.deepStrictEqual(yield* violations(page), [])
          assert.strictEqual(yield* overflow(page), 0)
          yield* picture(page, `usage-empty-${width}`)
        }
        yield* accounts.setPlan(who.email, "pro")
        const { caller } = yield* RecordedCalls.keyOf(who.email, "key")
        yield* RecordedCalls.record(caller, [{ tool: "search_ads" }])
        const page = yield* (yield* Browser).open({ width: 390, scheme: "dark" })
        yield* openUsage(page, who)
        yield* goTo(page, `${usagePath}?who=app-2000000001`)
        assert.isTrue(yield* Effect.promise(() => page.getByText("No calls match these filters.").isVisible()))
        assert.deepStrictEqual(yield* violations(page), [])
        yield* picture(page, "usage-no-match-390-dark")
      })
    )

    it.effect("the keyboard alone filters the calls and goes on to older ones", () =>
      Effect.gen(function* () {
        const { key, who } = yield* busy
        const page = yield* (yield* Browser).open()
        yield* openUsage(page, who)
        yield* Effect.promise(async () => {
          await page.getByLabel("Tool", { exact: true }).focus()
          await page.keyboard.press("Tab")
          await page.keyboard.press("Tab")
          // A select changes when the first letters of an option are typed.
          await page.keyboard.type("Nightly")
          await page.keyboard.press("Tab")
          await page.keyboard.press("Enter")
          await page.waitForURL(({ searchParams }) => searchParams.get("who") === `key-${key.id}`)
        })
        const names = yield* Effect.promise(() => page.locator(".calls td:nth-child(3)").allInnerTexts())
        assert.strictEqual(names.length, 50)
        assert.isTrue(names.every((name) => name.startsWith("Nightly research job")))
        yield* Effect.promise(async () => {
          await page.getByRole("link", { name: "Older calls" }).focus()
          await page.keyboard.press("Enter")
          await page.waitForURL(({ searchParams }) => searchParams.has("before"))
        })
        assert.isTrue(yield* Effect.promise(() => page.getByRole("heading", { name: "Older calls" }).isVisible()))
        // Regions that are wider than the page can be scrolled by keyboard.
        const regions = yield* Effect.promise(() => page.locator(".table[tabindex='0'][role=region]").count())
        assert.strictEqual(regions, yield* Effect.promise(() => page.locator(".table").count()))
      })
    )

    it.effect("everything works without scripts", () =>
      Effect.gen(function* () {
        const { who } = yield* busy
        const page = yield* (yield* Browser).open({ javaScript: false, width: 390 })
        yield* openUsage(page, who)
        yield* Effect.promise(async () => {
          await page.getByRole("link", { name: "This period" }).click()
          await page.waitForURL(({ search }) => search === "?span=period")
          await page.getByLabel("Outcome").selectOption("search_timeout")
          await page.getByRole("button", { name: "Show" }).click()
          await page.waitForURL(({ searchParams }) => searchParams.get("outcome") === "search_timeout")
        })
        assert.include(page.url(), "span=period")
        const outcomes = yield* Effect.promise(() => page.locator(".calls .badge").allInnerTexts())
        assert.isNotEmpty(outcomes)
        assert.isTrue(outcomes.every((outcome) => outcome === "search_timeout"))
        const figures = page.locator(".chart details").first()
        yield* Effect.promise(() => figures.locator("summary").click())
        assert.strictEqual(yield* Effect.promise(() => figures.locator("tbody tr").count()), 22)
      })
    )
  })
})

/** Saved searches and exports as people use them: without scripts, by keyboard, small and large (D52, D67, D68). */
import { assert, describe, layer } from "@effect/vitest"
import { parse } from "csv-parse/sync"
import { Effect, Layer } from "effect"
import * as fs from "node:fs/promises"
import { SavedSearches } from "../../../../src/services/accounts/SavedSearches.ts"
import { Accounts } from "../../../../src/services/accounts/Accounts.ts"
import { Browser, checker, isAvailable, overflow, picture, wideLooks } from "../../../support/Browser.ts"
import type { Look } from "../../../support/Browser.ts"
import * as Catalogs from "../../../support/Catalogs.ts"
import { Site } from "../../../support/Site.ts"
import { at, fill, goTo, hasFocus, leave, press, signIn } from "../../../support/Steps.ts"

const services = Layer.merge(Browser.layer, Layer.provideMerge(Catalogs.demo("tiny"), Site.layer()))

const ads = "/dashboard/ads?countries=US&countries=DE&monthly_visits.min=1000&sort_by=newest"
const searches = "/dashboard/searches"

/** The window of a signed-in person, and their account. */
const open = Effect.fnUntraced(function* (look: Look = {}) {
  const site = yield* Site
  const who = yield* site.account()
  const { id } = yield* Effect.orDie(Effect.flatMap(Accounts, (accounts) => accounts.find(who.email)))
  const page = yield* (yield* Browser).open(look)
  yield* goTo(page, "/sign-in")
  yield* signIn(page, who)
  return { page, accountId: id }
})

/** Searches with new results, without new results, and one that is refused. */
const examples = [
  {
    subject: "ads",
    query: "countries=US&countries=DE&monthly_visits.min=1000",
    name: "German and American ads",
    mark: 3
  },
  { subject: "products", query: "query=lamp&price.max=50", name: "Lamps up to 50", mark: 2_000_000_000 },
  { subject: "stores", query: "query=shop", name: `A name without blanks ${"x".repeat(38)}`, mark: 0 },
  { subject: "ads", query: "niches=Gone", name: "مصابيح", mark: 0 }
] as const

describe.skipIf(!isAvailable())("saved searches in a browser", () => {
  layer(services, { excludeTestServices: true })((it) => {
    it.effect.each(wideLooks)(
      "pages pass axe and fit at $width pixels, $scheme",
      (look) =>
        Effect.gen(function* () {
          const { accountId, page } = yield* open(look)
          const saved = yield* SavedSearches
          const check = checker(page, look)
          yield* goTo(page, searches)
          yield* check("saved-none")
          yield* goTo(page, ads)
          yield* Effect.promise(() => page.getByText("Save this search").click())
          yield* check("saved-save")
          for (const example of examples) yield* saved.save(accountId, example)
          for (let more = 0; more < 8; more++) {
            yield* saved.save(accountId, { subject: "stores", query: `query=${more}`, name: `Stores ${more}`, mark: 0 })
          }
          yield* goTo(page, `${searches}?page=2`)
          yield* check("saved-list")
          yield* leave(page, () => page.getByRole("link", { name: "Rename Lamps up to 50" }).click())
          yield* check("saved-rename")
          yield* fill(page, { Name: "\u202E" })
          yield* press(page, "Rename")
          yield* hasFocus(page, ".problems")
          yield* check("saved-wrong")
          yield* goTo(page, "/dashboard/shops?query=shop")
          yield* check("saved-stores")
          yield* goTo(page, "/dashboard")
          yield* check("overview-searches")
        }),
      600_000
    )

    it.effect.each(["de", "fr", "es"])("pages fit in the language %s", (language) =>
      Effect.gen(function* () {
        for (const width of [320, 1280]) {
          const { accountId, page } = yield* open({ width })
          const saved = yield* SavedSearches
          for (const example of examples) yield* saved.save(accountId, example)
          yield* Effect.promise(() => page.setExtraHTTPHeaders({ "accept-language": language }))
          for (const path of [ads, searches, `${searches}?done=full`]) {
            yield* goTo(page, path)
            yield* picture(page, `saved-${language}-${path.length}-${width}`)
            assert.isAtMost(yield* overflow(page), 0, `${path} at ${width}`)
          }
        }
      })
    )

    it.effect("the navigation of an operator fits where it is one row, in the language with the longest words", () =>
      Effect.gen(function* () {
        const who = yield* (yield* Site).account()
        yield* Effect.orDie(Effect.flatMap(Accounts, (accounts) => accounts.setRole(who.email, "operator")))
        const page = yield* (yield* Browser).open()
        yield* goTo(page, "/sign-in")
        yield* signIn(page, who)
        yield* Effect.promise(() => page.setExtraHTTPHeaders({ "accept-language": "fr" }))
        yield* goTo(page, "/dashboard")
        for (const width of [992, 1119, 1120]) {
          yield* Effect.promise(() => page.setViewportSize({ width, height: 800 }))
          assert.isAtMost(yield* overflow(page), 0, `${width}`)
        }
      })
    )

    it.effect.each([true, false])(
      "a search is saved, found again, renamed, removed and exported, scripts: %s",
      (javaScript) =>
        Effect.gen(function* () {
          const { page } = yield* open({ javaScript })
          yield* goTo(page, ads)
          // By keyboard.
          yield* Effect.promise(() => page.getByText("Save this search").focus())
          yield* Effect.promise(() => page.keyboard.press("Enter"))
          yield* fill(page, { Name: "New ads <of> two countries" })
          yield* leave(page, () => page.keyboard.press("Enter"))
          assert.strictEqual(at(page), ads)
          assert.isTrue(yield* Effect.promise(() => page.getByText("Saved as New ads <of> two countries").isVisible()))

          const [file] = yield* Effect.promise(() =>
            Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: "Export as CSV" }).click()])
          )
          assert.match(file.suggestedFilename(), /^discovery-ads-\d{4}-\d\d-\d\d\.csv$/u)
          const csv = yield* Effect.promise(async () => fs.readFile(await file.path(), "utf8"))
          const rows: ReadonlyArray<ReadonlyArray<string>> = parse(csv, { bom: true })
          const shown = yield* Effect.promise(() =>
            page.locator("[data-ad-id]").evaluateAll((all) => all.map((each) => each.dataset["adId"]))
          )
          assert.strictEqual(shown.length, 12)
          assert.deepStrictEqual(
            rows.slice(1, 13).map(([id]) => id),
            shown
          )

          yield* leave(page, () => page.getByRole("link", { name: "Saved searches" }).click())
          assert.strictEqual(yield* Effect.promise(() => page.getByText("Nothing new").count()), 1)
          yield* leave(page, () => page.getByRole("link", { name: "Rename New ads <of> two countries" }).click())
          yield* fill(page, { Name: "Ads" })
          yield* press(page, "Rename")
          yield* hasFocus(page, ".notice")
          yield* leave(page, () => page.getByRole("link", { name: "Ads", exact: true }).last().click())
          assert.strictEqual(at(page), ads)
          yield* goTo(page, searches)
          yield* press(page, "Remove Ads")
          yield* hasFocus(page, ".notice")
          assert.strictEqual(yield* Effect.promise(() => page.locator("[data-saved-id]").count()), 0)
        })
    )
  })
})

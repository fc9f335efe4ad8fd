/** Boards and the comparison of stores as people use them: without scripts, by keyboard, small and large (D52, D117). */
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Boards } from "../../../../src/services/accounts/Boards.ts"
import { Accounts } from "../../../../src/services/accounts/Accounts.ts"
import { Browser, checker, isAvailable, wideLooks } from "../../../support/Browser.ts"
import type { Look } from "../../../support/Browser.ts"
import * as Catalogs from "../../../support/Catalogs.ts"
import { Site } from "../../../support/Site.ts"
import { at, goTo, hasFocus, leave, press, signIn } from "../../../support/Steps.ts"

const services = Layer.merge(Browser.layer, Layer.provideMerge(Catalogs.demo("tiny"), Site.layer()))

const boardsPath = "/dashboard/boards"

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

describe.skipIf(!isAvailable())("D117 boards in a browser", () => {
  layer(services, { excludeTestServices: true })((it) => {
    it.effect.each(wideLooks)(
      "pages pass axe and fit at $width pixels, $scheme",
      (look) =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const { accountId, page } = yield* open(look)
          const boards = yield* Boards
          const check = checker(page, look)
          yield* goTo(page, boardsPath)
          yield* check("boards-none")
          const board = yield* boards.create(accountId, `Lamps without blanks ${"x".repeat(39)}`)
          yield* goTo(page, `${boardsPath}/${board}`)
          yield* check("board-empty")
          for (const kind of ["ad", "product", "store"] as const) {
            for (const id of [1, 2, 3]) yield* boards.keep(accountId, { kind, id }, { boardId: board })
          }
          yield* sql`
            INSERT INTO kept_item (board_id, kind, item_id, kept_at)
            SELECT ${board}::int, 'ad', 1000000 + n, now() FROM generate_series(1, 5) n`
          yield* sql`UPDATE kept_item SET note = 'Ask for the price.' || chr(10) || 'Then ' || repeat('y', 80) WHERE board_id = ${board} AND kind = 'store'`
          yield* boards.create(accountId, "مصابيح")
          yield* goTo(page, boardsPath)
          yield* check("boards")
          yield* goTo(page, `${boardsPath}/${board}`)
          yield* check("board")
          yield* leave(page, () =>
            page
              .getByRole("link", { name: /^Edit note: /u })
              .first()
              .click()
          )
          yield* check("board-note")
          yield* goTo(page, `${boardsPath}/${board}/delete`)
          yield* check("board-delete")
          yield* goTo(page, "/dashboard/ads")
          yield* check("board-ads")
          yield* goTo(page, "/dashboard/shops?sort_by=active_ads")
          yield* check("board-stores")
          yield* goTo(page, "/dashboard/shops/1")
          yield* check("board-store")
          for (const ids of ["1,2,3,4,5", "1,2", "1,2,3,4,5,6,2147483647", "2147483647"]) {
            yield* goTo(page, `/dashboard/compare?shop_ids=${ids}`)
            yield* check(`compare-${ids.length}`)
          }
        }),
      600_000
    )

    it.effect.each([true, false])(
      "an ad is kept, found again, noted and removed by keyboard, scripts: %s",
      (javaScript) =>
        Effect.gen(function* () {
          const { page } = yield* open({ javaScript })
          yield* goTo(page, "/dashboard/ads?countries=US")
          const keep = page.getByRole("button", { name: /^Keep /u }).nth(1)
          const card = yield* Effect.promise(() => page.locator("[data-ad-id]").nth(1).getAttribute("data-ad-id"))
          yield* Effect.promise(() => keep.focus())
          yield* leave(page, () => page.keyboard.press("Enter"))
          // The page is where it was, and says what became of the ad.
          assert.strictEqual(at(page), "/dashboard/ads?countries=US")
          yield* hasFocus(page, `#kept-ad-${card}`)
          assert.strictEqual(
            yield* Effect.promise(() => page.locator(`#kept-ad-${card}`).innerText()),
            "Kept on My board"
          )
          yield* leave(page, () => page.getByRole("link", { name: "My board" }).click())
          yield* leave(page, () => page.getByRole("link", { name: /^Add note: /u }).click())
          yield* Effect.promise(() => page.getByLabel("Note").fill("First line\nSecond line"))
          yield* press(page, "Save note")
          yield* hasFocus(page, ".notice")
          assert.isTrue(yield* Effect.promise(() => page.getByText("First line").isVisible()))
          yield* leave(page, () => page.getByRole("button", { name: /^Remove /u }).click())
          yield* hasFocus(page, ".notice")
          assert.strictEqual(yield* Effect.promise(() => page.locator("[data-ad-id]").count()), 0)
          yield* leave(page, () => page.getByRole("link", { name: "Delete" }).click())
          yield* leave(page, () => page.getByRole("button", { name: "Delete", exact: true }).click())
          assert.strictEqual(at(page), `${boardsPath}?done=deleted`)
        })
    )

    it.effect.each([true, false])("stores are chosen in the list and compared, scripts: %s", (javaScript) =>
      Effect.gen(function* () {
        const { page } = yield* open({ javaScript })
        yield* goTo(page, "/dashboard/shops?sort_by=active_ads")
        const boxes = page.getByRole("checkbox", { name: /^Compare /u })
        for (const place of [0, 2]) {
          yield* Effect.promise(() => boxes.nth(place).focus())
          yield* Effect.promise(() => page.keyboard.press("Space"))
        }
        yield* press(page, "Compare the chosen stores")
        assert.match(at(page), /^\/dashboard\/compare\?shop_ids=\d+&shop_ids=\d+$/u)
        assert.strictEqual(yield* Effect.promise(() => page.locator("thead th").count()), 3)
        yield* leave(page, () =>
          page
            .getByRole("link", { name: /^Leave out /u })
            .first()
            .click()
        )
        assert.strictEqual(yield* Effect.promise(() => page.locator("thead th").count()), 2)
      })
    )
  })
})

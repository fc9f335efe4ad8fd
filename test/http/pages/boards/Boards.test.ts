/** The pages of boards and the comparison of stores, as a visitor uses them (D117). */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { maxKeptItems } from "../../../../src/domain/catalog/Board.ts"
import { Accounts } from "../../../../src/services/accounts/Accounts.ts"
import { Boards } from "../../../../src/services/accounts/Boards.ts"
import * as Catalogs from "../../../support/Catalogs.ts"
import { Site } from "../../../support/Site.ts"
import type { Answer } from "../../../support/Site.ts"
import * as SiteVisitor from "../../../support/SiteVisitor.ts"

const services = Layer.provideMerge(Catalogs.demo("tiny"), Site.layer())

const path = "/dashboard/boards"

const visit = Effect.gen(function* () {
  const site = yield* Site
  const who = yield* site.account()
  const visitor = yield* SiteVisitor.signedIn(who)
  const { id } = yield* Effect.orDie((yield* Accounts).find(who.email))
  return { visitor, id }
})

const location = (answer: Answer) => answer.headers.get("location") ?? ""

/** What people read, with single spaces. */
const read = ({ text }: Answer) =>
  text
    .replace(/^.*<main/su, "<main")
    .replaceAll(/<[^>]*>/gu, " ")
    .replaceAll(/\s+/gu, " ")

/** The keys of the items of the "Keep" buttons of a page. */
const keys = ({ text }: Answer) => Array.from(text.matchAll(/name="item"\s+value="([^"]*)"/gu), ([, key = ""]) => key)

const returnTo = ({ text }: Answer) =>
  /name="return_to" value="([^"]*)"/u.exec(text)?.[1]?.replaceAll("&amp;", "&") ?? ""

const shops = (count: number) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<{ readonly id: number; readonly name: string }>`SELECT id, name FROM shop ORDER BY id LIMIT ${count}`
  )

layer(services, { excludeTestServices: true })("D117 boards", (it) => {
  it.effect(
    "an ad, a product and a store are kept from their pages, which then say so, and are shown with a note",
    () =>
      Effect.gen(function* () {
        const { id: account, visitor } = yield* visit
        const search = "/dashboard/ads?countries=US&sort_by=newest"
        const ads = yield* visitor.get(search)
        const [ad = ""] = keys(ads)
        assert.match(ad, /^ad:\d+$/u)
        // The first item makes a board.
        const kept = yield* visitor.submit(`${path}/keep`, { item: ad, return_to: returnTo(ads) })
        assert.strictEqual(kept.status, 303)
        assert.strictEqual(location(kept), `${search}#kept-${ad.replace(":", "-")}`)
        const [board] = yield* (yield* Boards).list(account)
        assert.deepInclude(board, { name: "My board", items: 1 })
        const boardPath = `${path}/${board?.id}`
        const again = yield* visitor.get(search)
        assert.match(
          again.text,
          new RegExp(`id="kept-${ad.replace(":", "-")}" tabindex="-1">Kept on <a href="${boardPath}">`, "u")
        )
        assert.notInclude(keys(again), ad)

        const detail = yield* visitor.get(`/dashboard/ads/${ad.slice(3)}`)
        assert.include(detail.text, `Kept on <a href="${boardPath}">`)

        const product = keys(yield* visitor.get("/dashboard/products"))[0] ?? ""
        assert.deepStrictEqual(keys(yield* visitor.get(`/dashboard/products/${product.slice(8)}`)), [product])
        const [shop] = yield* shops(1)
        const store = keys(yield* visitor.get(`/dashboard/shops/${shop?.id}`))[0] ?? ""
        assert.strictEqual(store, `store:${shop?.id}`)
        for (const item of [product, store]) {
          yield* visitor.submit(`${path}/keep`, { item, board: String(board?.id) })
        }
        const page = yield* visitor.get(boardPath)
        assert.deepStrictEqual(
          Array.from(page.text.matchAll(/data-(ad|product|store)-id="(\d+)"/gu), ([, kind, id]) => `${kind}:${id}`),
          [store, product, ad]
        )

        const [item = ""] = /\/dashboard\/boards\/items\/\d+/u.exec(page.text) ?? []
        const typed = "Wait for <b>the sale</b>\r\nand ask\u202E again"
        const noted = yield* visitor.submit(`${item}/note`, { note: typed })
        assert.strictEqual(location(noted), `${boardPath}?done=noted`)
        const after = yield* visitor.get(boardPath)
        assert.include(after.text, "<bdi>Wait for &lt;b&gt;the sale&lt;/b&gt;\nand ask again</bdi>")
        assert.include(after.text, 'aria-label="Edit note: ')
        const long = yield* visitor.submit(`${item}/note`, { note: "x".repeat(501) })
        assert.strictEqual(long.status, 400)
        assert.include(read(long), "This note has 501 characters. At most 500 are possible.")
        assert.include(long.text, "x".repeat(501))

        const removed = yield* visitor.submit(`${item}/remove`, { board: String(board?.id), page: "1" })
        assert.strictEqual(location(removed), `${boardPath}?done=removed`)
        assert.include(read(yield* visitor.get(`${boardPath}?done=removed`)), "It was removed from the board.")
        assert.strictEqual((yield* (yield* Boards).list(account))[0]?.items, 2)
      })
  )

  it.effect("are created, renamed and deleted after a question", () =>
    Effect.gen(function* () {
      const { id: account, visitor } = yield* visit
      const boards = yield* Boards
      assert.include(read(yield* visitor.get(path)), "You have no boards yet.")
      assert.strictEqual((yield* visitor.submit(path, { name: "\u202E" })).status, 400)
      const created = yield* visitor.submit(path, { name: "Spring <1>" })
      assert.match(location(created), /^\/dashboard\/boards\/\d+\?done=created$/u)
      const board = location(created).replace(/\?.*/u, "")
      assert.include((yield* visitor.get(board)).text, "Spring &lt;1&gt;")
      assert.strictEqual((yield* visitor.submit(`${board}/rename`, { name: "" })).status, 400)
      assert.strictEqual(
        location(yield* visitor.submit(`${board}/rename`, { name: "Autumn" })),
        `${board}?done=renamed`
      )
      const [shop] = yield* shops(1)
      yield* visitor.submit(`${path}/keep`, { item: `store:${shop?.id}`, board: board.slice(path.length + 1) })
      const question = yield* visitor.get(`${board}/delete`)
      assert.include(read(question), "Autumn is deleted with what is kept on it: 1 item and its note.")
      assert.match(question.text, /<button type="submit" class="danger">/u)
      assert.strictEqual((yield* boards.list(account)).length, 1)
      for (let time = 0; time < 2; time++) {
        assert.strictEqual(location(yield* visitor.submit(`${board}/delete`, {})), `${path}?done=deleted`)
      }
      assert.deepStrictEqual(yield* boards.list(account), [])
      assert.strictEqual((yield* visitor.get(board)).status, 404)
    })
  )

  it.effect("of several, the one that was used last is chosen, and any can be", () =>
    Effect.gen(function* () {
      const { id: account, visitor } = yield* visit
      const boards = yield* Boards
      const one = yield* boards.create(account, "One")
      const two = yield* boards.create(account, "Two")
      const [shop, other] = yield* shops(2)
      yield* boards.keep(account, { kind: "store", id: other?.id ?? 0 }, { boardId: one })
      const page = yield* visitor.get(`/dashboard/shops/${shop?.id}`)
      assert.deepStrictEqual(
        Array.from(page.text.matchAll(/<option value="(\d+)">/gu), ([, id]) => Number(id)),
        [one, two]
      )
      const item = `store:${shop?.id}`
      yield* visitor.submit(`${path}/keep`, { item, board: String(two), return_to: `/dashboard/shops/${shop?.id}` })
      const kept = yield* visitor.get(`/dashboard/shops/${shop?.id}`)
      assert.include(read(kept), "Kept on Two")
      // It can be kept on the other one, too.
      assert.include(keys(kept), item)
      yield* visitor.submit(`${path}/keep`, { item, board: String(one) })
      assert.notInclude(keys(yield* visitor.get(`/dashboard/shops/${shop?.id}`)), item)
    })
  )

  it.effect("say why nothing was kept, and lead nowhere else", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { id: account, visitor } = yield* visit
      const boards = yield* Boards
      const boardId = yield* boards.create(account, "Full")
      const [shop] = yield* shops(1)
      const item = `store:${shop?.id}`
      yield* sql`
        INSERT INTO kept_item (board_id, kind, item_id, kept_at)
        SELECT ${boardId}::int, 'ad', 1000000 + n, now() FROM generate_series(1, ${maxKeptItems}::int) n`
      const full = yield* visitor.submit(`${path}/keep`, { item, board: String(boardId) })
      assert.strictEqual(location(full), `${path}/${boardId}?done=boardFull`)
      const page = yield* visitor.get(location(full))
      assert.include(read(page), "Nothing was kept: this board has 500 items, which is the limit.")
      assert.include(read(page), "500 kept items are no longer in the catalog.")
      assert.strictEqual(page.text.match(/class="card gone"/gu)?.length, 12)
      assert.strictEqual(location(yield* visitor.get(`${path}/${boardId}?page=42`)), "")
      const emptied = yield* visitor.submit(`${path}/${boardId}/remove-gone`, {})
      assert.strictEqual(location(emptied), `${path}/${boardId}?done=removed`)
      // The last page is no longer there.
      assert.strictEqual(location(yield* visitor.get(`${path}/${boardId}?page=42`)), `${path}/${boardId}`)
      const missing = yield* visitor.submit(`${path}/keep`, { item, board: "2147483647" })
      assert.strictEqual(location(missing), `${path}?done=missing`)
      assert.strictEqual((yield* visitor.submit(`${path}/keep`, { item: "store:2147483647" })).status, 404)
      for (const wrong of ["shop:1", "ad:0", "", "ad:1; DROP"]) {
        assert.strictEqual((yield* visitor.submit(`${path}/keep`, { item: wrong })).status, 400)
      }
      for (const elsewhere of ["https://evil.test/", "//evil.test/", "/\\evil.test"]) {
        const kept = yield* visitor.submit(`${path}/keep`, { item, board: String(boardId), return_to: elsewhere })
        assert.strictEqual(location(kept), `${path}/${boardId}`)
      }
      assert.strictEqual((yield* visitor.submit(`${path}/keep`, { item, form_token: "" })).status, 403)
    })
  )

  it.effect("need a plan, and say so before anything is typed", () =>
    Effect.gen(function* () {
      const site = yield* Site
      const starter = yield* SiteVisitor.signedIn(yield* site.account({ plan: "starter" }))
      for (const address of [path, `${path}/1`, "/dashboard/compare?shop_ids=1"]) {
        const answer = yield* starter.get(address)
        assert.strictEqual(answer.status, 403)
        assert.notInclude(answer.text, 'name="name"')
      }
    })
  )
})

layer(services, { excludeTestServices: true })("D117 the comparison of stores", (it) => {
  it.effect("has the figures of the stores' pages side by side, in the order of the address", () =>
    Effect.gen(function* () {
      const { visitor } = yield* visit
      const [one, two, three] = yield* shops(3)
      const page = yield* visitor.get(`/dashboard/compare?shop_ids=${three?.id},${one?.id}&shop_ids=${two?.id}`)
      assert.strictEqual(page.status, 200)
      assert.deepStrictEqual(
        Array.from(page.text.matchAll(/<th\s+scope="col"[^>]*>\s*([^<]*?)\s*<\/th>/gu), ([, head = ""]) =>
          head.replaceAll("&amp;", "&")
        ).slice(1),
        [three, one, two].map((shop) => shop?.name)
      )
      const valuesOf = ({ text }: Answer) =>
        Array.from(
          // What a figure means is behind its value.
          text.matchAll(/<dt>.*?<\/dt>\s*<dd>(.*?)(?:<span class="meaning"[^>]*>[^<]*<\/span>\s*)?<\/dd>/gsu),
          ([, value = ""]) => value.trim()
        )
      const columns = [three, one, two]
      const rows = Array.from(page.text.matchAll(/<tr[^>]*>\s*<th scope="row".*?<\/tr>/gsu), ([row]) =>
        Array.from(row.matchAll(/<td[^>]*>(.*?)<\/td>/gsu), ([, value = ""]) => value.trim())
      )
      assert.isAbove(rows.length, 10)
      for (const [place, shop] of columns.entries()) {
        const figures = valuesOf(yield* visitor.get(`/dashboard/shops/${shop?.id}`)).slice(0, rows.length)
        assert.deepStrictEqual(
          rows.map((row) => row[place]),
          figures
        )
      }
    })
  )

  it.effect("tells which stores it leaves out, and which ids no store has", () =>
    Effect.gen(function* () {
      const { visitor } = yield* visit
      const ids = (yield* shops(6)).map(({ id }) => id)
      const six = yield* visitor.get(`/dashboard/compare?shop_ids=${ids.join(",")}`)
      assert.include(read(six), "At most 5 stores can be compared. One store was left out.")
      assert.strictEqual(six.text.match(/<th\s+scope="col"/gu)?.length, 6)
      const unknown = yield* visitor.get(`/dashboard/compare?shop_ids=${ids[0]},2147483647,9999999999`)
      assert.include(read(unknown), "There are no stores with the ids 2147483647 and 9999999999.")
      assert.strictEqual(unknown.text.match(/<th\s+scope="col"/gu)?.length, 2)
      assert.include(read(yield* visitor.get("/dashboard/compare")), "No stores are chosen.")
      for (const wrong of ["x", "1,", "0", "1;2", "1,,2"]) {
        assert.strictEqual((yield* visitor.get(`/dashboard/compare?shop_ids=${wrong}`)).status, 400)
      }
    })
  )

  it.effect("is reached from the list of stores and from a board", () =>
    Effect.gen(function* () {
      const { id: account, visitor } = yield* visit
      const boards = yield* Boards
      const stores = yield* shops(2)
      const boardId = yield* boards.create(account, "Stores")
      for (const { id } of stores) yield* boards.keep(account, { kind: "store", id }, { boardId })
      for (const address of ["/dashboard/shops?sort_by=active_ads", `${path}/${boardId}`]) {
        const page = yield* visitor.get(address)
        assert.match(page.text, /<form method="get" action="\/dashboard\/compare" id="compare"/u)
        assert.isAtLeast(page.text.match(/form="compare"\s+name="shop_ids"/gu)?.length ?? 0, 2)
      }
    })
  )
})

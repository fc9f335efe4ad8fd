/** Mails about saved searches (D113), over a real SMTP server, from the form of the page to the link that turns them off. */
import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Fiber, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { nextLook } from "../../../src/domain/search/SearchAlert.ts"
import { Accounts } from "../../../src/services/accounts/Accounts.ts"
import { SavedSearches } from "../../../src/services/accounts/SavedSearches.ts"
import * as AlertRound from "../../../src/services/alerts/AlertRound.ts"
import { Mailer } from "../../../src/services/mail/Mailer.ts"
import * as Outbox from "../../../src/services/mail/Outbox.ts"
import * as Access from "../../support/Access.ts"
import { MailServer } from "../../support/MailServer.ts"
import type { Received } from "../../support/MailServer.ts"
import { SetClock } from "../../support/SetClock.ts"
import { Site } from "../../support/Site.ts"
import * as SiteVisitor from "../../support/SiteVisitor.ts"
import { stampAndIndex } from "../../support/Stamps.ts"
import * as StoreRecords from "../../support/StoreRecords.ts"

const hour = 3_600_000
const day = 24 * hour
const searches = "/dashboard/searches"

const services = Layer.unwrap(
  Effect.map(MailServer, ({ url }) => Site.layer({ config: { smtpUrl: Option.some(url), rateLimitPerMinute: 0 } }))
).pipe(Layer.provideMerge(MailServer.layer), Layer.provideMerge(SetClock.layer("2026-03-10T12:00:00Z")))

/** Looks at whatever is due, and sends its mails. */
const round = Effect.andThen(
  AlertRound.round(),
  Effect.flatMap(Mailer, ({ settled }) => settled)
)

let number = 0

/** A customer with two saved searches, each for a word of its own, that the catalog has one result of. */
const customer = Effect.fnUntraced(function* (language: string) {
  const site = yield* Site
  const saved = yield* SavedSearches
  const clock = yield* SetClock
  const server = yield* MailServer
  const who = yield* site.account()
  const { id } = yield* Effect.flatMap(Accounts, (accounts) => accounts.find(who.email))
  // Sessions end sooner than the time of a test.
  const visitor = SiteVisitor.signedIn(who)
  const word = `finch${String.fromCharCode(97 + Math.floor(number / 26), 97 + (number++ % 26))}`
  const shop = yield* StoreRecords.addStore({ name: "Birds", domain: `birds-${number}.com` })
  const add = (title: string) => Effect.andThen(StoreRecords.addProduct(shop, { title, key: title }), stampAndIndex)
  yield* add(`${word} one`)
  const [product] = yield* Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<{ id: number }>`SELECT max(id) AS id FROM product`
  )
  const mark = product?.id ?? 0
  yield* saved.save(id, { subject: "products", query: `query=${word}`, name: `${word} <b>`, mark })
  yield* saved.save(id, { subject: "products", query: `query=other${word}`, name: "Other", mark })
  const {
    searches: [other, first]
  } = yield* saved.page(id, 1)
  const view = (path: string) => Effect.flatMap(visitor, (signedIn) => signedIn.get(path))
  const alert = Effect.fnUntraced(function* (which: typeof first, frequency: string) {
    const { submit } = yield* visitor
    const set = yield* submit(`${searches}/${which?.id}/alert`, { alert: frequency }, { "accept-language": language })
    assert.strictEqual(set.headers.get("location"), `${searches}?done=alert`)
  })
  const mails = Effect.map(round, () => server.allTo(who.email))
  const after = (millis: number) => Effect.andThen(clock.advance(millis), mails)
  return { id, ...who, view, first, other, alert, add, word, mails, after }
}, Effect.orDie)

const subjects = (mails: ReadonlyArray<Received>) => mails.map(({ subject }) => subject)

const headerOf = ({ headers }: Received, name: string) => headers.find(({ key }) => key === name)?.value ?? ""

const unsubscribeOf = (mail: Received | undefined) =>
  mail === undefined
    ? ""
    : new URL(headerOf(mail, "list-unsubscribe").slice(1, -1)).pathname +
      new URL(headerOf(mail, "list-unsubscribe").slice(1, -1)).search

layer(services, { excludeTestServices: true, timeout: "120 seconds" })("D113 alerts of saved searches", (it) => {
  it.effect("are off, and daily ones are mailed when there are new results, at most once a day, else not", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* Site
      const { add, after, alert, first, other, view, word } = yield* customer("en")
      yield* add(`${word} two`)
      assert.isEmpty(yield* after(2 * day))
      assert.notInclude((yield* view(searches)).text, "Next e-mail")
      yield* alert(first, "daily")
      const listed = (yield* view(`${searches}?done=alert`)).text
      assert.include(listed, 'value="daily" selected')
      const tomorrow = new Date((yield* Clock.currentTimeMillis) + day).toISOString().slice(0, 10)
      assert.include(listed, `Next e-mail, if anything is new: <time datetime="${tomorrow}`)
      assert.isEmpty(yield* after(day - 1000))
      const [mail, ...more] = yield* after(2000)
      assert.isEmpty(more)
      assert.strictEqual(mail?.subject, "Discovery: news in 1 saved search")
      assert.include(mail?.text, `${word} <b> (Products)\n- 1 new result\n${baseUrl}${searches}/${first?.id}\n`)
      assert.include(mail?.html, `${word} &lt;b&gt; (Products)`)
      const opened = yield* view(`${searches}/${first?.id}`)
      assert.strictEqual(opened.headers.get("location"), `/dashboard/products?query=${word}`)
      // Nothing new, then two at once, one of them in the other search as well.
      assert.lengthOf(yield* after(3 * day), 1)
      yield* alert(other, "daily")
      yield* add(`${word} three`)
      assert.lengthOf(yield* after(hour / 2), 1)
      const [, next] = yield* after(day)
      assert.strictEqual(next?.subject, "Discovery: news in 1 saved search")
      yield* add(`${word} four`)
      yield* add(`other${word}`)
      const [, , last] = yield* after(day)
      assert.strictEqual(last?.subject, "Discovery: news in 2 saved searches")
      assert.lengthOf(yield* after(10 * day), 3)
    })
  )

  it.effect("weekly ones are mailed once a week, in the same mail as the others", () =>
    Effect.gen(function* () {
      const { add, after, alert, first, other, word } = yield* customer("en")
      yield* alert(first, "weekly")
      yield* add(`${word} two`)
      for (let days = 1; days < 7; days++) assert.isEmpty(yield* after(day), `${days} days`)
      assert.lengthOf(yield* after(day), 1)
      yield* alert(other, "daily")
      yield* add(`${word} three`)
      for (let days = 1; days < 7; days++) assert.lengthOf(yield* after(day), 1, `${days} days`)
      yield* add(`other${word}`)
      const [, both] = yield* after(day)
      assert.include(both?.text, `${word} <b> (Products)\n- 1 new result`)
      assert.include(both?.text, "Other (Products)\n- 1 new result")
      assert.lengthOf(yield* after(day), 2)
    })
  )

  it.effect("a search of stores is mailed when those that it finds have changed, kind by kind", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const saved = yield* SavedSearches
      const { after, alert, id, word } = yield* customer("en")
      const [mine, other] = [
        yield* StoreRecords.addStore({ name: word, country: "FR" }),
        yield* StoreRecords.addStore()
      ]
      yield* stampAndIndex
      const [shop] = yield* sql<{ id: number }>`SELECT max(id) AS id FROM shop`
      yield* saved.save(id, {
        subject: "stores",
        query: `query=${word}&sort_by=revenue`,
        name: "S",
        mark: shop?.id ?? 0
      })
      const [stores] = (yield* saved.page(id, 1)).searches
      const change = (kind: string, shopId: number) => sql`
        INSERT INTO change (version, as_of, source_id, kind, shop_id) VALUES (1, '2026-03-10', 1, ${kind}, ${shopId})`
      yield* sql`SELECT make_change_partitions()`
      yield* change("price_up", mine)
      yield* alert(stores, "daily")
      assert.isEmpty(yield* after(day))
      for (const kind of ["price_up", "price_up", "app_added"]) yield* change(kind, mine)
      yield* change("price_down", other)
      const [mail, ...more] = yield* after(day)
      assert.isEmpty(more)
      assert.include(mail?.text, "S (Stores)\n- 1 app added\n- 2 prices went up\nhttp")
      assert.lengthOf(yield* after(day), 1)
    })
  )

  it.effect("results that were viewed since are not news", () =>
    Effect.gen(function* () {
      const { add, after, alert, first, view, word } = yield* customer("en")
      yield* alert(first, "daily")
      yield* add(`${word} two`)
      yield* view(`/dashboard/products?query=${word}`)
      assert.isEmpty(yield* after(day))
      yield* add(`${word} three`)
      assert.lengthOf(yield* after(day), 1)
      yield* add(`${word} four`)
      yield* view(`/dashboard/products?query=${word}`)
      assert.lengthOf(yield* after(day), 1)
    })
  )

  it.effect("the mail has the language of the page on which alerts were last turned on", () =>
    Effect.gen(function* () {
      for (const [language, subject] of [
        ["de", "Discovery: Neues in 1 gespeicherten Suche"],
        ["fr", "Discovery : du nouveau dans 1 recherche enregistrée"],
        ["es", "Discovery: novedades en 1 búsqueda guardada"]
      ] as const) {
        const { add, after, alert, first, word } = yield* customer(language)
        yield* alert(first, "daily")
        yield* add(`${word} two`)
        const [mail] = yield* after(day)
        assert.strictEqual(mail?.subject, subject)
        assert.include(mail?.html, `<html lang="${language}">`)
        assert.notMatch(mail?.text ?? "", /undefined|\{/u)
      }
    })
  )

  it.effect("opening the link changes nothing; its button, and the POST of a mail program, turn all off for good", () =>
    Effect.gen(function* () {
      const site = yield* Site
      const sql = yield* SqlClient.SqlClient
      for (const by of ["button", "mail program"]) {
        const { add, after, alert, first, other, word } = yield* customer("en")
        yield* alert(first, "daily")
        yield* alert(other, "weekly")
        yield* add(`${word} two`)
        const [mail] = yield* after(day)
        assert.strictEqual(
          mail === undefined ? "" : headerOf(mail, "list-unsubscribe-post"),
          "List-Unsubscribe=One-Click"
        )
        const link = unsubscribeOf(mail)
        assert.match(link, /^\/alerts\/unsubscribe\?token=[\w-]{43}$/u)
        assert.include(mail?.text, link)
        for (let opened = 0; opened < 3; opened++) assert.strictEqual((yield* site.get(link)).status, 200)
        yield* add(`${word} three`)
        assert.lengthOf(yield* after(day), 2)
        if (by === "button") {
          const { text } = yield* site.get(link)
          const [, action = ""] = /<form method="post" action="([^"]*)"/u.exec(text) ?? []
          assert.strictEqual((yield* site.post(action.replaceAll("&amp;", "&"), {})).status, 200)
        } else {
          const headers = { origin: "https://mail.example", "sec-fetch-site": "cross-site" }
          assert.strictEqual((yield* site.post(link, { "List-Unsubscribe": "One-Click" }, headers)).status, 200)
          assert.strictEqual((yield* site.post(link, { "List-Unsubscribe": "One-Click" }, headers)).status, 200)
        }
        yield* add(`${word} four`)
        assert.lengthOf(yield* after(8 * day), 2)
        assert.isEmpty(yield* sql`SELECT FROM saved_search WHERE alert IS NOT NULL AND name LIKE ${`${word}%`}`)
      }
      assert.strictEqual((yield* site.get(`/alerts/unsubscribe?token=${"A".repeat(43)}`)).status, 410)
      assert.strictEqual((yield* site.post("/alerts/unsubscribe?token=x", {})).status, 410)
    })
  )

  it.effect("none without a plan, whose news wait; none of a closed account", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { add, after, alert, first, id, word } = yield* customer("en")
      yield* alert(first, "daily")
      yield* add(`${word} two`)
      yield* sql`UPDATE account SET status = 'unpaid' WHERE id = ${id}`
      assert.isEmpty(yield* after(3 * day))
      yield* sql`UPDATE account SET status = 'active' WHERE id = ${id}`
      assert.lengthOf(yield* after(day), 1)
      yield* add(`${word} three`)
      yield* sql`UPDATE account SET closed_at = now(), password_hash = NULL WHERE id = ${id}`
      assert.lengthOf(yield* after(3 * day), 1)
    })
  )

  it.effect("servers that look at once send each mail once, and one that ends before it writes sends none", () =>
    Effect.gen(function* () {
      const clock = yield* SetClock
      const sql = yield* SqlClient.SqlClient
      const customers = yield* Effect.forEach(Array.from({ length: 5 }), () => customer("en"))
      for (const { add, alert, first, word } of customers) {
        yield* alert(first, "daily")
        yield* add(`${word} two`)
      }
      yield* clock.advance(day)
      // It has taken an account, and ends.
      yield* sql`UPDATE alert SET taken_until = ${new Date(Date.parse("2030-01-01"))} WHERE account_id = ${customers[0]?.id ?? 0}`
      yield* Effect.all(
        Array.from({ length: 4 }, () => AlertRound.round()),
        { concurrency: 4 }
      )
      const counts = Effect.forEach(customers, ({ mails }) => Effect.map(mails, (all) => all.length))
      assert.deepStrictEqual(yield* counts, [0, 1, 1, 1, 1])
      yield* sql`UPDATE alert SET taken_until = ${new Date(0)} WHERE account_id = ${customers[0]?.id ?? 0}`
      yield* Effect.all([AlertRound.round(), AlertRound.round()], { concurrency: 2 })
      assert.deepStrictEqual(yield* counts, [1, 1, 1, 1, 1])
      const late = customers[1]
      if (late === undefined) return assert.fail()
      // Both have counted, and write one after the other.
      yield* late.add(`${late.word} three`)
      yield* clock.advance(day)
      const [before] = yield* sql<{ due: Date }>`SELECT due_at AS due FROM alert WHERE account_id = ${late.id}`
      const taken = { accountId: late.id, dueAt: before?.due ?? new Date(0) }
      yield* Effect.all([AlertRound.look(taken), AlertRound.look(taken)], { concurrency: 2 })
      assert.lengthOf(yield* late.mails, 2)
    })
  )

  it.effect("an account that another server takes is left to it, without waiting", () =>
    Effect.gen(function* () {
      const { add, alert, first, id, mails, word } = yield* customer("en")
      const clock = yield* SetClock
      yield* alert(first, "daily")
      yield* add(`${word} two`)
      yield* clock.advance(day)
      const taking = yield* Access.hold((other) => other`SELECT FROM alert WHERE account_id = ${id} FOR UPDATE`)
      assert.isEmpty(yield* Access.withoutWaiting(taking, mails))
      assert.lengthOf(yield* mails, 1)
    })
  )

  it.effect("the account is locked first, by a mail and by what turns alerts on", () =>
    Effect.gen(function* () {
      const { add, alert, first, id, mails, other, word } = yield* customer("en")
      const clock = yield* SetClock
      yield* alert(first, "daily")
      yield* add(`${word} two`)
      yield* clock.advance(day)
      for (const [waiter, work] of [
        ["FOR NO KEY UPDATE", Effect.asVoid(mails)],
        ["FOR NO KEY UPDATE", alert(other, "daily")]
      ] as const) {
        const held = yield* Access.hold((sql) => sql`SELECT FROM account WHERE id = ${id} FOR NO KEY UPDATE`, waiter)
        const working = yield* Effect.forkChild(work)
        yield* held.waiting(1)
        yield* held.release
        yield* Fiber.join(working)
      }
    })
  )

  it.effect("wait while many mails wait, and none is lost", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const clock = yield* SetClock
      const { add, alert, email, first, id, mails, word } = yield* customer("en")
      yield* alert(first, "daily")
      yield* add(`${word} two`)
      yield* clock.advance(day)
      yield* sql`
        INSERT INTO mail (kind, recipient, language, account_id, created_at, due_at, expires_at)
        SELECT 'unknown', 'a@b.test', 'en', ${id}, now(), '2030-01-01', '2030-01-02' FROM generate_series(1, ${Outbox.maxAlerts})`
      assert.isEmpty(yield* mails)
      yield* sql`DELETE FROM mail WHERE kind = 'unknown'`
      assert.deepStrictEqual(subjects(yield* mails), ["Discovery: news in 1 saved search"], email)
    })
  )

  it.effect("mails are counted on the usage page, by what became of them", () =>
    Effect.gen(function* () {
      const server = yield* MailServer
      const { add, after, alert, first, view, word } = yield* customer("en")
      assert.notInclude((yield* view("/dashboard/usage")).text, "Alerts by e-mail")
      yield* alert(first, "daily")
      yield* add(`${word} two`)
      yield* after(day)
      server.reply(550)
      yield* add(`${word} three`)
      yield* after(day)
      const { text } = yield* view("/dashboard/usage")
      const [row = ""] = /<t[hd][^>]*>\s*Alerts by e-mail[\s\S]*?<\/tr>/u.exec(text) ?? []
      assert.deepStrictEqual(
        row
          .replaceAll(/<[^>]*>/gu, " ")
          .trim()
          .split(/\s{2,}/u),
        ["Alerts by e-mail", "1", "1", "0"]
      )
    })
  )

  it("the next look is at the same time of a day, and nearly a day from now", () => {
    const due = Date.parse("2026-03-10T12:00:00Z")
    for (const late of [0, 1, 59 * 60_000, hour, hour + 1, 5 * hour, day, day + 2 * hour, 30 * day + 7]) {
      const next = nextLook(due, due + late)
      assert.strictEqual((next - due) % day, 0)
      assert.isAtLeast(next - (due + late), day - hour)
      assert.isBelow(next - (due + late), 2 * day)
    }
  })
})

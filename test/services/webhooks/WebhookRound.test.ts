/** Webhooks (D114), over real HTTP servers, from the form of the page to what the server gets. */
import { assert, describe, it as plain, layer } from "@effect/vitest"
import { Clock, Duration, Effect, Fiber, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { IncomingMessage, ServerResponse } from "node:http"
import * as Live from "../../../src/cli/Live.ts"
import { ChangePage } from "../../../src/domain/search/ChangeQuery.ts"
import { Accounts } from "../../../src/services/accounts/Accounts.ts"
import { TrackedShops } from "../../../src/services/accounts/TrackedShops.ts"
import { SafeFetch } from "../../../src/services/fetch/SafeFetch.ts"
import { Mailer } from "../../../src/services/mail/Mailer.ts"
import { endpointOf } from "../../../src/services/webhooks/Webhooks.ts"
import * as WebhookRound from "../../../src/services/webhooks/WebhookRound.ts"
import * as DocumentServer from "../../support/DocumentServer.ts"
import * as Access from "../../support/Access.ts"
import { MailServer } from "../../support/MailServer.ts"
import { SetClock } from "../../support/SetClock.ts"
import { Site } from "../../support/Site.ts"
import * as SiteVisitor from "../../support/SiteVisitor.ts"
import { stampAndIndex } from "../../support/Stamps.ts"
import * as StoreRecords from "../../support/StoreRecords.ts"

const minute = 60_000
const day = 24 * 60 * minute
const page = "/dashboard/integrations/webhook"

const services = Layer.unwrap(
  Effect.map(MailServer, ({ url }) =>
    // The configuration is that of the site, which runs on this machine.
    Layer.provideMerge(Live.fetching, Site.layer({ config: { smtpUrl: Option.some(url), rateLimitPerMinute: 0 } }))
  )
).pipe(Layer.provideMerge(MailServer.layer), Layer.provideMerge(SetClock.layer("2026-03-10T12:00:00Z")))

const decode = Schema.decodeUnknownSync(
  Schema.fromJsonString(Schema.Struct({ type: Schema.Literal("changes"), timestamp: Schema.String, data: ChangePage }))
)

interface Got {
  readonly method: string
  readonly id: string
  readonly timestamp: string
  readonly signature: string
  readonly body: string
}

/** Verifies as a receiver does, with another implementation of HMAC. */
const verify = (secret: string, { body, id, signature, timestamp }: Got) =>
  Effect.promise(async () => {
    const [version, code = ""] = signature.split(",")
    const raw = Buffer.from(secret.replace("whsec_", ""), "base64")
    const key = await crypto.subtle.importKey("raw", raw, { name: "HMAC", hash: "SHA-256" }, false, ["verify"])
    const text = new TextEncoder().encode(`${id}.${timestamp}.${body}`)
    return version === "v1" && (await crypto.subtle.verify("HMAC", key, Buffer.from(code, "base64"), text))
  })

type Answer = number | ((request: IncomingMessage, response: ServerResponse) => void)

/** Keeps what it gets. Gives each of the answers once, then 204. */
const receiver = Effect.gen(function* () {
  const server = yield* DocumentServer.make()
  const got: Array<Got> = []
  const answers: Array<Answer> = []
  server.answer = (request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => void chunks.push(chunk))
    request.on("end", () => {
      const header = (name: string) => String(request.headers[`webhook-${name}`])
      got.push({
        method: request.method ?? "",
        id: header("id"),
        timestamp: header("timestamp"),
        signature: header("signature"),
        body: Buffer.concat(chunks).toString()
      })
      const answer = answers.shift() ?? 204
      if (typeof answer === "number") response.writeHead(answer).end()
      else answer(request, response)
    })
  }
  return { ...server, url: `${server.origin}/hook`, got, answers }
})

const secretIn = (text: string) => /whsec_[A-Za-z0-9+/]{43}=/u.exec(text.replaceAll("&#x2F;", "/"))?.[0] ?? ""

/** A customer who tracks a store, and has a webhook. */
const customer = Effect.fnUntraced(function* (to?: string) {
  const site = yield* Site
  const sql = yield* SqlClient.SqlClient
  const clock = yield* SetClock
  const mails = yield* MailServer
  const who = yield* site.account()
  const { id } = yield* Effect.flatMap(Accounts, (accounts) => accounts.find(who.email))
  const target = yield* receiver
  const [shop, other] = [yield* StoreRecords.addStore(), yield* StoreRecords.addStore()]
  yield* stampAndIndex
  yield* Effect.flatMap(TrackedShops, (tracked) => tracked.track(id, shop))
  yield* sql`SELECT make_change_partitions()`
  const submit = Effect.fnUntraced(function* (path: string, fields: Record<string, string>, language = "en") {
    // Sessions end sooner than the time of a test.
    const visitor = yield* SiteVisitor.signedIn(who)
    return yield* visitor.submit(path, fields, { "accept-language": language })
  })
  const textOf = (path: string) =>
    Effect.map(
      Effect.flatMap(SiteVisitor.signedIn(who), (visitor) => visitor.get(path)),
      (answer) => answer.text
    )
  /** In the order of their ids. */
  const change = Effect.fnUntraced(function* (count: number, of = shop) {
    const rows = yield* sql<{ id: string }>`
      INSERT INTO change (version, as_of, source_id, kind, shop_id)
      SELECT 1, '2026-03-10', 1, 'app_added', ${of} FROM generate_series(1, ${count}) RETURNING id::text AS id`
    return rows.map((row) => Number(row.id))
  })
  const made = yield* submit(page, { url: to ?? target.url }, "de")
  assert.strictEqual(made.status, 200)
  const secret = secretIn(made.text)
  assert.strictEqual(secret.length, 50)
  const after = (millis: number) => Effect.andThen(clock.advance(millis), WebhookRound.round())
  const mailed = Effect.andThen(
    Effect.flatMap(Mailer, ({ settled }) => settled),
    Effect.sync(() => mails.allTo(who.email))
  )
  return {
    id,
    shop,
    other,
    target,
    secret,
    submit,
    text: textOf(page),
    usage: textOf("/dashboard/usage"),
    change,
    after,
    mailed,
    answers: target.answers,
    got: target.got
  }
})

const namesOf = (got: ReadonlyArray<Got>) => got.map(({ body }) => decode(body).data.results.length)

layer(services, { excludeTestServices: true, timeout: "120 seconds" })("D114 a webhook", (it) => {
  it.effect("gets what changes of tracked stores since it was set, signed, oldest first, each once", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* Site
      const { after, change, got, other, secret, shop } = yield* customer()
      yield* after(0)
      assert.isEmpty(got)
      yield* change(30, other)
      yield* after(minute)
      assert.isEmpty(got)
      yield* change(60)
      yield* change(3, other)
      yield* after(minute)
      assert.deepStrictEqual(namesOf(got), [25, 25, 10])
      const pages = got.map(({ body }) => decode(body).data)
      assert.deepStrictEqual(
        pages.map(({ pagination }) => pagination.has_more),
        [true, true, false]
      )
      assert.isTrue(pages.every(({ results }) => results.every((result) => result.shop?.id === shop)))
      assert.strictEqual(pages[0]?.results[0]?.dashboard_url, `${baseUrl}/dashboard/shops/${shop}`)
      assert.strictEqual(new Set(got.map(({ id }) => id)).size, 3)
      for (const each of got) {
        assert.isTrue(yield* verify(secret, each))
        assert.isFalse(yield* verify(secret, { ...each, body: `${each.body} ` }))
        assert.strictEqual(each.method, "POST")
        assert.strictEqual(decode(each.body).timestamp, new Date(Number(each.timestamp) * 1_000).toISOString())
      }
      yield* after(day)
      assert.lengthOf(got, 3)
    })
  )

  it.effect("gets a message again that it has not accepted: the same, with a new time, after a minute, then two", () =>
    Effect.gen(function* () {
      const { after, answers, change, got, secret, text } = yield* customer()
      answers.push(500, 503)
      yield* change(1)
      yield* after(0)
      assert.include(yield* text, "refused with status 500")
      // What comes meanwhile is not added to what the server may have seen.
      yield* change(1)
      yield* after(59_000)
      assert.lengthOf(got, 1)
      yield* after(1_000)
      yield* after(119_000)
      assert.lengthOf(got, 2)
      yield* after(1_000)
      assert.deepStrictEqual(namesOf(got), [1, 1, 1, 1])
      assert.strictEqual(new Set(got.slice(0, 3).map(({ id, body }) => id + body)).size, 1)
      assert.strictEqual(new Set(got.map(({ id }) => id)).size, 2)
      assert.strictEqual(Number(got[2]?.timestamp) - Number(got[0]?.timestamp), 180)
      for (const each of got) assert.isTrue(yield* verify(secret, each))
      assert.include(yield* text, "accepted with status 204")
    })
  )

  it.effect("is not followed to another address, and its answer is not read", () =>
    Effect.gen(function* () {
      const elsewhere = yield* receiver
      const { after, answers, change, got, text } = yield* customer()
      answers.push((_, response) => void response.writeHead(307, { location: elsewhere.url }).end())
      yield* change(1)
      yield* after(0)
      assert.isEmpty(elsewhere.got)
      assert.include(yield* text, "refused with status 307")
      // Without an end.
      answers.push((_, response) => {
        response.writeHead(200)
        const more = () => {
          while (!response.destroyed && response.write("a".repeat(10_000)));
          response.once("drain", more)
        }
        more()
      })
      yield* after(minute)
      assert.lengthOf(got, 2)
      assert.include(yield* text, "accepted with status 200")
      yield* after(day)
      assert.lengthOf(got, 2)
    })
  )

  it.effect("that another server takes is left to it, without waiting", () =>
    Effect.gen(function* () {
      const { after, change, got, id } = yield* customer()
      yield* change(1)
      const taking = yield* Access.hold((other) => other`SELECT FROM webhook WHERE account_id = ${id} FOR UPDATE`)
      yield* Access.withoutWaiting(taking, after(0))
      assert.isEmpty(got)
      yield* after(0)
      assert.lengthOf(got, 1)
    })
  )

  it.effect("the account is locked first, by what was delivered and by a new address", () =>
    Effect.gen(function* () {
      const { after, change, id, submit } = yield* customer()
      yield* change(1)
      for (const work of [after(0), Effect.asVoid(submit(page, { url: "https://hooks.discovery.test/a" }))]) {
        const lock = "FOR NO KEY UPDATE"
        const held = yield* Access.hold((sql) => sql`SELECT FROM account WHERE id = ${id} FOR NO KEY UPDATE`, lock)
        const working = yield* Effect.forkChild(work)
        yield* held.waiting(1)
        yield* held.release
        yield* Fiber.join(working)
      }
    })
  )

  it.effect("has ten seconds to answer", () =>
    Effect.gen(function* () {
      const { answers, change, got, target, text } = yield* customer()
      const clock = yield* Clock.Clock
      answers.push(() => undefined)
      yield* change(1)
      // The ten seconds of the request are over once the server has it. Statements have limits of the same length, which stay.
      const sleep = (duration: Duration.Duration) =>
        Duration.toMillis(duration) === 10_000 ? target.asked(1) : clock.sleep(duration)
      const over: Clock.Clock = {
        currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe(),
        currentTimeMillis: clock.currentTimeMillis,
        currentTimeNanosUnsafe: () => clock.currentTimeNanosUnsafe(),
        currentTimeNanos: clock.currentTimeNanos,
        monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
        monotonicTimeNanos: clock.monotonicTimeNanos,
        sleep
      }
      const safe = yield* SafeFetch
      yield* WebhookRound.round().pipe(
        Effect.provideService(SafeFetch, {
          ...safe,
          request: (options) => Effect.provideService(safe.request(options), Clock.Clock, over)
        })
      )
      assert.lengthOf(got, 1)
      yield* target.deserted
      assert.include(yield* text, "no answer")
    })
  )

  it.effect(
    "is turned off after a day without acceptance, with a mail, and goes on where it was once it is saved",
    () =>
      Effect.gen(function* () {
        const { after, answers, change, got, mailed, submit, target, text } = yield* customer()
        answers.push(...Array.from({ length: 100 }, () => 500))
        yield* change(1)
        yield* after(0)
        const waits = [1, 2, 4, 8, 16, 32, 64, 128, 240, 240, 240, 240]
        for (const [index, wait] of waits.entries()) {
          yield* after(wait * minute - 1)
          assert.lengthOf(got, index + 1)
          yield* after(1)
        }
        yield* after(224 * minute)
        assert.lengthOf(got, 13)
        assert.isEmpty(yield* mailed)
        assert.include(yield* text, "they are sent again")
        yield* after(minute)
        assert.lengthOf(got, 14)
        const [mail, ...more] = yield* mailed
        assert.isEmpty(more)
        assert.strictEqual(mail?.subject, "Ihr Discovery-Webhook wurde ausgeschaltet")
        assert.include(mail?.text, page)
        assert.include(yield* text, "messages were not accepted for a day")
        yield* change(1)
        yield* after(3 * day)
        assert.lengthOf(got, 14)
        answers.length = 0
        const saved = yield* submit(page, { url: target.url })
        assert.strictEqual(saved.headers.get("location"), `${page}?done=saved`)
        yield* after(0)
        assert.deepStrictEqual(namesOf(got.slice(14)), [1, 1])
        assert.strictEqual(got[14]?.id, got[0]?.id)
      })
  )

  it.effect("is turned off at once, with a mail, if it answers 410", () =>
    Effect.gen(function* () {
      const { after, answers, change, got, mailed, text } = yield* customer()
      answers.push(410)
      yield* change(1)
      yield* after(0)
      assert.lengthOf(yield* mailed, 1)
      assert.include(yield* text, "answered that it is gone (410)")
      yield* after(3 * day)
      assert.lengthOf(got, 1)
    })
  )

  it.effect("leads to no address of special use, and its page does not tell why", () =>
    Effect.gen(function* () {
      const site = yield* Site
      for (const url of ["https://10.0.0.1/", "https://169.254.169.254/latest", "https://[fd00::1]/"]) {
        const { after, change, id, text } = yield* customer(url)
        yield* change(1)
        yield* after(0)
        assert.include(yield* text, "no answer")
        const line = site.logs.find((each) => each.includes(`"account_id":${id}`) && each.includes("webhook"))
        assert.include(line, "special_use_address")
      }
    })
  )

  it.effect("gets each message once from servers that deliver at the same time", () =>
    Effect.gen(function* () {
      const customers = yield* Effect.forEach(Array.from({ length: 4 }), () => customer())
      for (const { change } of customers) yield* change(60)
      yield* Effect.all(
        Array.from({ length: 3 }, () => WebhookRound.round()),
        { concurrency: 3 }
      )
      yield* WebhookRound.round()
      for (const { got } of customers) assert.deepStrictEqual(namesOf(got), [25, 25, 10])
    })
  )

  it.effect("gets a message again, with the same id, from a server that ended before it was settled", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { after, answers, change, got, id } = yield* customer()
      answers.push(500)
      yield* change(1)
      yield* after(0)
      const later = new Date(Date.parse("2030-01-01"))
      yield* sql`UPDATE webhook SET taken_until = ${later} WHERE account_id = ${id}`
      yield* after(minute)
      assert.lengthOf(got, 1)
      yield* sql`UPDATE webhook SET taken_until = ${new Date(0)} WHERE account_id = ${id}`
      yield* after(0)
      assert.lengthOf(got, 2)
      assert.strictEqual(got[0]?.id, got[1]?.id)
    })
  )

  it.effect("waits while its account has no plan, and ends with it or when it is removed", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { after, change, got, id, submit, text } = yield* customer()
      yield* sql`UPDATE account SET status = 'unpaid' WHERE id = ${id}`
      yield* change(1)
      yield* after(0)
      assert.isEmpty(got)
      assert.include(yield* text, "an account needs an active Growth or Pro subscription")
      assert.strictEqual((yield* submit(page, { url: "https://hooks.example" })).status, 403)
      yield* sql`UPDATE account SET status = 'active' WHERE id = ${id}`
      yield* after(day)
      assert.lengthOf(got, 1)
      yield* submit(`${page}/remove`, {})
      yield* change(1)
      yield* after(day)
      assert.lengthOf(got, 1)
    })
  )

  it.effect("has another secret once it is rotated, and refuses addresses that are not safe", () =>
    Effect.gen(function* () {
      const { after, change, got, secret, submit, target, text } = yield* customer()
      const rotated = secretIn((yield* submit(`${page}/secret`, {})).text)
      assert.notStrictEqual(rotated, secret)
      assert.notInclude(yield* text, "whsec_")
      for (const url of ["http://hooks.example/", "ftp://a.test", "https://a:b@a.test", "https://a.test/#a", "x"]) {
        const refused = yield* submit(page, { url })
        assert.strictEqual(refused.status, 400, url)
        assert.include(refused.text, "Enter an https address")
      }
      yield* change(1)
      yield* after(0)
      const [first] = got
      if (first === undefined) return assert.fail(target.url)
      assert.isTrue(yield* verify(rotated, first))
      assert.isFalse(yield* verify(secret, first))
    })
  )

  it.effect("is counted on the usage page", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { after, answers, change, id, usage } = yield* customer()
      assert.notInclude(yield* usage, "Deliveries to your webhook")
      answers.push(500)
      yield* change(30)
      yield* after(0)
      yield* after(minute)
      const counts = yield* sql`
        SELECT outcome, sum(count)::int AS count FROM notice_day WHERE account_id = ${id} AND kind = 'webhook'
        GROUP BY outcome ORDER BY outcome`
      assert.deepStrictEqual(counts, [
        { outcome: "refused", count: 1 },
        { outcome: "sent", count: 2 }
      ])
      assert.include(yield* usage, "Deliveries to your webhook")
    })
  )
})

describe("D114", () => {
  plain("messages are signed as the example of Standard Webhooks is", () => {
    const secret = Buffer.from("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "base64")
    const message = { id: "msg_p5jXN8AQM9LWM0D4loKWxJek", seconds: 1_614_265_330, body: '{"test": 2432232314}' }
    assert.strictEqual(WebhookRound.signatureOf(secret, message), "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
  })

  plain("only a server that runs locally sends without TLS, and to its own machine alone", () => {
    assert.isUndefined(endpointOf("http://localhost:1/a", false))
    assert.strictEqual(endpointOf(" http://localhost:1/a ", true)?.href, "http://localhost:1/a")
    assert.isUndefined(endpointOf("http://a.test/", true))
    assert.strictEqual(endpointOf("https://a.test", false)?.href, "https://a.test/")
    assert.isUndefined(endpointOf(`https://a.test/${"a".repeat(2_000)}`, false))
  })
})

/** The usage page over HTTP: what it shows, who sees it, and what is stored of a call. */
import { assert, describe, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { pairsOf } from "../../../../src/http/shared/QueryParameters.ts"
import { usagePath } from "../../../../src/http/pages/usage/UsageAddress.ts"
import { ActivityLog } from "../../../../src/services/credits/ActivityLog.ts"
import { ApiKeys } from "../../../../src/services/credentials/ApiKeys.ts"
import { CallHistory } from "../../../../src/services/credits/CallHistory.ts"
import { viewsPerMinute } from "../../../../src/services/limits/PageRateLimit.ts"
import * as RecordedCalls from "../../../support/RecordedCalls.ts"
import * as RunningQueries from "../../../support/RunningQueries.ts"
import { Site } from "../../../support/Site.ts"
import * as SiteVisitor from "../../../support/SiteVisitor.ts"

const times = (count: number) => Array.from({ length: count }, (_, index) => index)

/** A signed-in customer with a key. */
const customer = Effect.gen(function* () {
  const site = yield* Site
  const who = yield* site.account()
  const { caller, key, secret } = yield* RecordedCalls.keyOf(who.email, "nightly job")
  const visitor = yield* SiteVisitor.signedIn(who)
  return { ...who, caller, key, secret, visitor }
})

/** Calls a tool as a client does. */
const callTool = Effect.fnUntraced(function* (secret: Redacted.Redacted, name: string, args: object) {
  const { url } = yield* Site
  return yield* Effect.promise(async (signal) => {
    const response = await fetch(`${url}/mcp`, {
      method: "POST",
      signal,
      headers: {
        authorization: `Bearer ${Redacted.value(secret)}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream"
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } })
    })
    return { requestId: response.headers.get("x-request-id") ?? "", text: await response.text() }
  })
})

/** The request ids that a page shows, in its order. */
const requestIds = (text: string) => Array.from(text.matchAll(/class="request">([^<]+)</gu), ([, id = ""]) => id)

/** The text without markup and with single spaces. */
const words = (text: string) => text.replaceAll(/<[^>]*>/gu, " ").replaceAll(/\s+/gu, " ")

const olderOf = (text: string) => /href="([^"#]*)[^"]*" rel="next"/u.exec(text)?.[1]?.replaceAll("&amp;", "&")

layer(Site.layer({ config: { rateLimitPerMinute: 6 } }), { excludeTestServices: true, timeout: "10 minutes" })(
  "the usage page",
  (it) => {
    it.effect("shows what an account's agents have just called, and keeps nothing of what they asked", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { caller, secret, visitor } = yield* customer
        const ids = [
          yield* callTool(secret, "search_ads", { query: "xylophone" }),
          yield* callTool(secret, "search_ads", { query: "xylophone", no_such_thing: "xylophone" }),
          yield* callTool(secret, "get_usage", {}),
          yield* callTool(secret, "get_shop", { shop_id: 987_654_321 }),
          yield* callTool(secret, "get_usage", { xylophone: 1 }),
          yield* callTool(secret, "get_usage", {}),
          yield* callTool(secret, "get_usage", {})
        ].map(({ requestId }) => requestId)
        yield* Effect.flatMap(ActivityLog, (log) => log.write)

        const { text } = yield* visitor.get(usagePath)
        assert.deepStrictEqual(requestIds(text), ids.toReversed())
        const said = words(text)
        assert.include(said, "Growth active")
        assert.include(said, "1,999 of 2,000")
        assert.include(said, "Calls a day: 7 in all")
        assert.include(said, "Credits a day: 1 in all")
        for (const outcome of ["ok", "invalid_arguments", "not_found", "rate_limited"]) assert.include(said, outcome)
        assert.match(said, /search_ads 2 1 /u)
        assert.match(said, /nightly job …\w{4} 7 1 /u)

        const kept = yield* sql<{ readonly row: string }>`
          SELECT to_jsonb(a)::text AS row FROM activity a WHERE account_id = ${caller.accountId}
          UNION ALL SELECT to_jsonb(d)::text FROM activity_day d WHERE account_id = ${caller.accountId}`
        assert.strictEqual(kept.length, 7 + 6)
        for (const { row } of kept) assert.notMatch(row, /xylophone|987654321|no_such_thing|dsk_/u)
        for (const line of (yield* Site).logs) assert.notInclude(line, "xylophone")
      })
    )

    it.effect("helps an account that has made no call yet", () =>
      Effect.gen(function* () {
        const { visitor } = yield* customer
        const { status, text } = yield* visitor.get(usagePath)
        assert.strictEqual(status, 200)
        assert.include(words(text), "No calls yet")
        assert.include(text, 'href="/dashboard/integrations" role="button"')
      })
    )

    it.effect.each([
      { plan: "starter", status: "active", left: "0 of 0" },
      { plan: "pro", status: "unpaid", left: "10,000 of 10,000" }
    ] as const)("leads who cannot call tools to billing: %j", ({ left, plan, status }) =>
      Effect.gen(function* () {
        const site = yield* Site
        const visitor = yield* SiteVisitor.signedIn(yield* site.account({ plan, status }))
        const { text } = yield* visitor.get(usagePath)
        assert.include(text, 'href="https://billing.test/plans"')
        assert.include(words(text), left)
      })
    )

    it.effect("leads to older calls, with every filter in the address", () =>
      Effect.gen(function* () {
        const { caller, key, visitor } = yield* customer
        yield* RecordedCalls.record(
          caller,
          times(130).map((number) => ({
            tool: "search_ads",
            outcome: number % 2 === 0 ? "ok" : "search_timeout",
            durationMillis: number
          }))
        )
        const filter = `?span=period&tool=search_ads&outcome=ok&who=key-${key.id}`
        const first = yield* visitor.get(usagePath + filter)
        const second = yield* visitor.get(olderOf(first.text) ?? "")
        assert.include(olderOf(first.text), filter)
        assert.strictEqual(olderOf(second.text), undefined)
        const seen = [...requestIds(first.text), ...requestIds(second.text)]
        assert.strictEqual(new Set(seen).size, 65)
        assert.strictEqual(requestIds(first.text).length, 50)
        assert.include(first.text, `<option value="key-${key.id}" selected>`)
        assert.include(first.text, '<option value="search_ads" selected>')
        // The form also sends empty fields.
        const all = yield* visitor.get(`${usagePath}?span=&tool=&outcome=&who=&before=`)
        assert.strictEqual(requestIds(all.text).length, 50)
      })
    )

    describe("of one account", () => {
      it.effect("shows another account's key, app and cursor as those that do not exist", () =>
        Effect.gen(function* () {
          const owner = yield* customer
          const other = yield* customer
          yield* RecordedCalls.record(owner.caller, [{ tool: "search_ads" }])
          yield* RecordedCalls.record(other.caller, [{ tool: "get_shop" }])
          const history = yield* CallHistory
          const theirs = (yield* history.calls(owner.caller.accountId, {})).calls[0]?.number ?? 0
          const pairs: ReadonlyArray<readonly [string, string]> = [
            [`who=key-${owner.key.id}`, "who=key-2000000001"],
            [`who=app-${owner.key.id}`, "who=app-2000000001"],
            [`before=${theirs}`, "before=1"],
            [`who=key-${owner.key.id}&before=${theirs + 1}`, `who=key-2000000001&before=2`]
          ]
          for (const [real, none] of pairs) {
            const one = yield* other.visitor.get(`${usagePath}?${real}`)
            const another = yield* other.visitor.get(`${usagePath}?${none}`)
            assert.strictEqual(one.status, 200)
            assert.deepStrictEqual(requestIds(one.text), [])
            const numbers = [real, none].map((query) => /\d+/u.exec(query)?.[0] ?? "")
            const same = (text: string) => numbers.reduce((all, number) => all.replaceAll(number, "N"), words(text))
            assert.strictEqual(same(one.text), same(another.text))
            assert.notInclude(one.text, "search_ads")
          }
        })
      )

      it.effect("names a key that is revoked", () =>
        Effect.gen(function* () {
          const { caller, key, visitor } = yield* customer
          yield* RecordedCalls.record(caller, [{ tool: "search_ads" }])
          yield* Effect.flatMap(ApiKeys, (keys) => keys.revoke(caller.accountId, key.id))
          const { text } = yield* visitor.get(usagePath)
          assert.match(words(text), /nightly job …\w{4} ended 1 0 /u)
        })
      )
    })

    it.effect.each([
      "span=year",
      "tool=%00",
      "tool=search_ads&tool=get_shop",
      "outcome=fine",
      "who=key-0",
      "who=key-2147483648",
      "who=12",
      "before=-1",
      "before=1e9",
      "before=9999999999999999"
    ])("refuses ?%s, and names the parameter", (query) =>
      Effect.gen(function* () {
        const { visitor } = yield* customer
        const [name = ""] = query.split("=")
        const { status, text } = yield* visitor.get(`${usagePath}?${query}&span=period`)
        assert.strictEqual(status, 400)
        assert.include(text, `<code>${name}</code>: `)
        // What can be read stays.
        assert.include(text, `href="${usagePath}${name === "span" ? "" : "?span=period"}"`)
      })
    )

    it.effect.each([
      ["de-AT", "Nutzung", "Verbleibende Credits"],
      ["fr", "Utilisation", "Crédits restants"],
      ["es-MX", "Uso", "Créditos restantes"]
    ] as const)("speaks %s", ([language, heading, left]) =>
      Effect.gen(function* () {
        const { visitor } = yield* customer
        const site = yield* Site
        const cookie = Array.from(visitor.cookies, ([name, { value }]) => `${name}=${value}`).join("; ")
        const { text } = yield* site.get(usagePath, { cookie, "accept-language": language })
        assert.include(text, `<html lang="${language.slice(0, 2)}"`)
        assert.include(text, `<h1>${heading}</h1>`)
        assert.include(text, left)
      })
    )

    it.effect("escapes the names of apps", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { caller, visitor } = yield* customer
        const now = new Date()
        yield* sql`
          INSERT INTO oauth_ended_grant
            (id, account_id, client_id, client_name, approved_at, connected_at, ended_at, reason)
          VALUES (900001, ${caller.accountId}, 'https://app.test/', '<img src=x>"&', ${now}, ${now}, ${now}, 'account')`
        const credential = { kind: "access_token", id: 900_001 } as const
        yield* RecordedCalls.record(caller, [{ tool: "search_ads", credential }])
        const { text } = yield* visitor.get(usagePath)
        assert.notInclude(text, "<img src=x")
        assert.include(text, "&lt;img src=x&gt;&quot;&amp;")
      })
    )

    it.effect("needs a sign-in, and is small", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const guest = yield* site.get(`${usagePath}?tool=get_shop`)
        assert.deepStrictEqual(
          [guest.status, guest.headers.get("location")],
          [303, "/sign-in?return_to=%2Fdashboard%2Fusage%3Ftool%3Dget_shop"]
        )
        const { caller, visitor } = yield* customer
        yield* RecordedCalls.record(
          caller,
          times(60).map(() => ({ tool: "search_products", outcome: "plan_upgrade_required" }))
        )
        const { text } = yield* visitor.get(`${usagePath}?span=30days`)
        assert.isBelow(Buffer.byteLength(text), 80_000)
      })
    )

    it.effect("has the same page rate limit as the catalog, for each account", () =>
      Effect.gen(function* () {
        const [one, other] = [yield* customer, yield* customer]
        const views = yield* Effect.forEach(times(viewsPerMinute + 30), () => one.visitor.get(usagePath), {
          concurrency: 4
        })
        const refused = views.find(({ status }) => status !== 200)
        assert.strictEqual(refused?.status, 429)
        assert.strictEqual(refused?.headers.get("retry-after"), "1")
        assert.strictEqual((yield* other.visitor.get(usagePath)).status, 200)
      })
    )

    it.effect("uses only its share of the database: a long history delays no other account", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const [one, other] = [yield* customer, yield* customer]
        const locked = yield* Deferred.make<void>()
        const over = yield* Deferred.make<void>()
        // Like a history that the database reads slowly.
        const lock = sql`LOCK TABLE credit_day IN ACCESS EXCLUSIVE MODE`.pipe(
          Effect.andThen(Deferred.succeed(locked, undefined)),
          Effect.andThen(Deferred.await(over)),
          sql.withTransaction
        )
        const holding = yield* Effect.forkChild(lock)
        yield* Deferred.await(locked)
        const looking = yield* Effect.forkChild(
          Effect.forEach(times(20), () => one.visitor.get(usagePath), { concurrency: "unbounded" })
        )
        yield* RunningQueries.runs("FROM activity_day", 3)
        const answer = yield* other.visitor.get("/dashboard")
        yield* Deferred.succeed(over, undefined)
        yield* Fiber.join(holding)
        assert.strictEqual(answer.status, 200)
        const statuses = (yield* Fiber.join(looking)).map(({ status }) => status)
        assert.deepStrictEqual(new Set(statuses), new Set([200]))
      })
    )

    it("reads its address also from an absolute URL with an invalid host", () => {
      assert.deepStrictEqual(pairsOf("http://[/dashboard/usage?span=period"), [["span", "period"]])
    })
  }
)

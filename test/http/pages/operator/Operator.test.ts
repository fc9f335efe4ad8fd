/** The operators' pages: all accounts for operators, and not found for everyone else. */
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { Accounts } from "../../../../src/services/accounts/Accounts.ts"
import { ApiKeys } from "../../../../src/services/credentials/ApiKeys.ts"
import * as RecordedCalls from "../../../support/RecordedCalls.ts"
import { seen } from "../../../support/Sameness.ts"
import { Site } from "../../../support/Site.ts"
import type { Answer } from "../../../support/Site.ts"
import * as SiteVisitor from "../../../support/SiteVisitor.ts"

const list = "/dashboard/operator"

layer(Site.layer(), { excludeTestServices: true })("the operators' pages", (it) => {
  const account = Effect.fnUntraced(function* (options: Parameters<Site["Service"]["account"]>[0] = {}) {
    const site = yield* Site
    const accounts = yield* Accounts
    const who = yield* site.account(options)
    return { ...who, id: (yield* accounts.find(who.email)).id }
  })

  const operator = Effect.gen(function* () {
    const who = yield* account({ plan: "pro" })
    yield* Effect.flatMap(Accounts, (accounts) => accounts.setRole(who.email, "operator"))
    return { ...who, visitor: yield* SiteVisitor.withPasskey(who) }
  })

  /** Every address of an account, with the form that its page would send. */
  const addresses = (id: number) =>
    [
      { method: "GET", path: list },
      { method: "GET", path: `${list}?email=a&plan=growth` },
      { method: "GET", path: `${list}/accounts/${id}` },
      { method: "GET", path: `${list}/accounts/${id}/plan?to=pro` },
      { method: "GET", path: `${list}/accounts/${id}/status?to=unpaid` },
      { method: "POST", path: `${list}/accounts/${id}/plan`, form: { from: "growth", to: "pro" } },
      { method: "POST", path: `${list}/accounts/${id}/status`, form: { from: "active", to: "unpaid" } },
      { method: "POST", path: list },
      { method: "GET", path: `${list}/` },
      { method: "GET", path: `${list}/accounts` },
      { method: "GET", path: `${list}/accounts/${"1".repeat(200)}` }
    ] as ReadonlyArray<{ method: "GET" | "POST"; path: string; form?: Record<string, string> }>

  const state = (id: number) =>
    Effect.flatMap(
      SqlClient.SqlClient,
      (sql) => sql`
        SELECT a.plan, a.status, a.role, (SELECT count(*)::int FROM account_change WHERE account_id = a.id) AS changes
        FROM account a WHERE id = ${id}`
    )

  /** The answer to this visitor for an address that does not exist. */
  const nowhere = Effect.fnUntraced(function* (visitor: SiteVisitor.SiteVisitor, method: "GET" | "POST") {
    const path = "/dashboard/there/is/none"
    const answer = seen(yield* method === "GET" ? visitor.get(path) : visitor.submit(path, {}))
    assert.strictEqual(answer.status, 404)
    return answer
  })

  const areNotThere = Effect.fnUntraced(function* (visitor: SiteVisitor.SiteVisitor, id: number) {
    const before = yield* state(id)
    for (const { form, method, path } of addresses(id)) {
      const none = yield* nowhere(visitor, method)
      const answer = yield* method === "GET" ? visitor.get(path) : visitor.submit(path, form ?? {})
      assert.deepStrictEqual(seen(answer), none, `${method} ${path}`)
    }
    // Nor do errors of a form reveal that it exists.
    const none = yield* nowhere(visitor, "POST")
    const form = { from: "growth", to: "pro" }
    for (const headers of [{ "sec-fetch-site": "cross-site" }, { "content-type": "application/json" }]) {
      const path = `${list}/accounts/${id}/plan`
      assert.deepStrictEqual(seen(yield* visitor.submit(path, form, headers)), none)
      assert.deepStrictEqual(seen(yield* visitor.submit(path, { form_token: "x" }, headers)), none)
    }
    assert.deepStrictEqual(yield* state(id), before)
  })

  describe("do not exist", () => {
    it.effect("for visitors who are not signed in", () =>
      Effect.gen(function* () {
        const { id } = yield* account()
        const visitor = yield* SiteVisitor.make
        yield* visitor.get("/sign-in")
        yield* areNotThere(visitor, id)
      })
    )

    it.effect("for customers, their own account included", () =>
      Effect.gen(function* () {
        const other = yield* account()
        const who = yield* account()
        const visitor = yield* SiteVisitor.signedIn(who)
        yield* areNotThere(visitor, other.id)
        yield* areNotThere(visitor, who.id)
        const { logs } = yield* Site
        const refused = logs.filter((line) => line.includes("An operators' page was refused"))
        assert.isNotEmpty(refused.filter((line) => line.includes(`"account_id":${who.id}`)))
        assert.notInclude((yield* visitor.get("/dashboard")).text, list)
      })
    )

    it.effect("for an operator whose session has ended, from the next request on", () =>
      Effect.gen(function* () {
        const { id } = yield* account()
        const { visitor } = yield* operator
        assert.strictEqual((yield* visitor.get(list)).status, 200)
        const { value } = visitor.cookies.get("discovery") ?? { value: "" }
        yield* visitor.submit("/sign-out", {})
        visitor.cookies.set("discovery", { value, attributes: [] })
        yield* areNotThere(visitor, id)
      })
    )

    it.effect("for a former operator, from the next request on", () =>
      Effect.gen(function* () {
        const { id } = yield* account()
        const { email, visitor } = yield* operator
        const shown = yield* visitor.get(`${list}/accounts/${id}/plan?to=pro`)
        assert.strictEqual(shown.status, 200)
        yield* Effect.flatMap(Accounts, (accounts) => accounts.setRole(email, "customer"))
        yield* areNotThere(visitor, id)
        yield* Effect.flatMap(Accounts, (accounts) => accounts.setRole(email, "operator"))
        assert.strictEqual((yield* visitor.get(list)).status, 200)
      })
    )
  })

  describe("the list", () => {
    const emails = ({ text }: Answer): ReadonlyArray<string> =>
      Array.from(text.matchAll(/operator\/accounts\/\d+">([^<]*)<\/a>/gu), ([, email = ""]) => email)

    it.effect("finds accounts by a part of their address, by plan, status and role, together", () =>
      Effect.gen(function* () {
        const { email, visitor } = yield* operator
        const one = yield* account({ email: "Find.Me_1%@discovery.test", plan: "growth" })
        const two = yield* account({ email: "find.me_2%@discovery.test", plan: "pro", status: "unpaid" })
        const find = (query: string) => Effect.map(visitor.get(`${list}?${query}`), emails)
        assert.deepStrictEqual(yield* find("email=FIND.me"), [two.email, one.email])
        assert.deepStrictEqual(yield* find("email=find.me&plan=pro&status=&role="), [two.email])
        assert.deepStrictEqual(yield* find("email=find.me&status=active"), [one.email])
        assert.deepStrictEqual(yield* find("email=find.me&role=operator"), [])
        // Wildcards in the filter match only themselves.
        assert.deepStrictEqual(yield* find("email=%25%40"), [two.email, one.email])
        assert.deepStrictEqual(yield* find("email=f_nd"), [])
        assert.deepStrictEqual(yield* find("email=%27%20OR%201%3D1--"), [])
        assert.include(yield* find("role=operator"), email)
      })
    )

    it.effect("has 50 accounts a page, each account once, also while accounts are created", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { visitor } = yield* operator
        yield* sql`
          INSERT INTO account (email, plan, status, created_at)
          SELECT 'page' || n || '@many.test', 'starter', 'active', now() FROM generate_series(1, 120) n`
        const found: Array<string> = []
        let next: string | undefined = `${list}?email=%40many.test&plan=starter`
        for (let pages = 0; next !== undefined; pages++) {
          assert.isBelow(pages, 4)
          const answer: Answer = yield* visitor.get(next)
          assert.isAtMost(emails(answer).length, 50)
          found.push(...emails(answer))
          next = /<a href="([^"]*)" rel="next"/u.exec(answer.text)?.[1]?.replaceAll("&amp;", "&")
          yield* sql`
            INSERT INTO account (email, plan, status, created_at)
            VALUES (${`late${pages}@many.test`}, 'starter', 'active', now())`
        }
        assert.deepStrictEqual(
          found,
          Array.from({ length: 120 }, (_, index) => `page${120 - index}@many.test`)
        )
      })
    )

    it.effect("refuses a filter that the form does not have, and names it", () =>
      Effect.gen(function* () {
        const { visitor } = yield* operator
        for (const query of [
          "plan=gold",
          "status=x",
          "role=root",
          "before=0",
          "before=x",
          "email=a&email=b",
          "email=%00",
          `email=${"x".repeat(255)}`
        ]) {
          const { status, text } = yield* visitor.get(`${list}?${query}`)
          assert.strictEqual(status, 400, query)
          assert.include(text, `<code>${query.split("=")[0]}</code>: `)
        }
      })
    )

    it.effect("shows what was asked for as text", () =>
      Effect.gen(function* () {
        const { visitor } = yield* operator
        const { text } = yield* visitor.get(`${list}?email=${encodeURIComponent(`"><script>alert(1)</script>`)}`)
        assert.include(text, "&quot;&gt;&lt;script&gt;alert(1)")
        assert.notInclude(text, "<script>alert")
      })
    )
  })

  describe("an account", () => {
    it.effect("is shown with its figures, its keys by name and last four, and no secret", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { visitor } = yield* operator
        const customer = yield* account()
        const { key, secret } = yield* Effect.flatMap(ApiKeys, (keys) => keys.create(customer.id, "nightly <b>job</b>"))
        const theirs = yield* SiteVisitor.signedIn(customer)
        const { text } = yield* visitor.get(`${list}/accounts/${customer.id}`)
        assert.include(text, "nightly &lt;b&gt;job&lt;/b&gt;")
        assert.include(text, `dsk_…${key.lastFour}`)
        assert.include(text, "0 / 2,000")
        const [row] = yield* sql<Record<string, string>>`
          SELECT a.password_hash, encode(k.hash, 'hex') AS key, encode(k.hash, 'base64') AS key64,
            encode(s.hash, 'hex') AS session
          FROM account a JOIN api_key k ON k.account_id = a.id JOIN session s ON s.account_id = a.id
          WHERE a.id = ${customer.id}`
        const secrets = [
          ...Object.values(row ?? {}),
          Redacted.value(secret).slice(0, 20),
          theirs.cookies.get("discovery")?.value ?? "",
          customer.password
        ]
        assert.isAtLeast(secrets.length, 7)
        for (const each of secrets) {
          assert.isAbove(each.length, 10)
          assert.notInclude(text, each)
        }
      })
    )

    it.effect("is shown with its calls of thirty days, and none of another's", () =>
      Effect.gen(function* () {
        const { visitor } = yield* operator
        const [customer, other] = [yield* account(), yield* account()]
        const { caller } = yield* RecordedCalls.keyOf(customer.email, "nightly job")
        yield* RecordedCalls.record(caller, [{ tool: "get_usage" }, { tool: "list_filter_options" }])
        assert.include((yield* visitor.get(`${list}/accounts/${customer.id}`)).text, "Calls a day: 2 in all")
        assert.include((yield* visitor.get(`${list}/accounts/${other.id}`)).text, "Calls a day: 0 in all")
      })
    )

    it.effect("that does not exist is not found", () =>
      Effect.gen(function* () {
        const { visitor } = yield* operator
        const form = { from: "growth", to: "pro" }
        for (const id of ["2147483647", "0", "x", "2147483648"]) {
          const path = `${list}/accounts/${id}`
          assert.strictEqual((yield* visitor.get(path)).status, 404)
          assert.strictEqual((yield* visitor.get(`${path}/plan?to=pro`)).status, 404)
          assert.strictEqual((yield* visitor.submit(`${path}/plan`, form)).status, 404)
        }
      })
    )
  })

  describe("a change", () => {
    it.effect("D54 is confirmed, made at once, and recorded with who made it", () =>
      Effect.gen(function* () {
        const { email, visitor } = yield* operator
        const customer = yield* account()
        const path = `${list}/accounts/${customer.id}`
        const asked = yield* visitor.get(`${path}/plan?to=pro`)
        assert.include(asked.text, "Change the plan?")
        assert.include(asked.text, customer.email)
        assert.deepInclude((yield* state(customer.id))[0], { plan: "growth", changes: 0 })
        const changed = yield* visitor.submit(`${path}/plan`, { from: "growth", to: "pro" })
        assert.deepStrictEqual([changed.status, changed.headers.get("location")], [303, `${path}?done=plan`])
        yield* visitor.submit(`${path}/status`, { from: "active", to: "paused" })
        assert.deepInclude((yield* state(customer.id))[0], { plan: "pro", status: "paused", changes: 2 })
        const { text } = yield* visitor.get(`${path}?done=plan`)
        assert.include(text, "The plan is changed.")
        assert.match(text, /Plan\s*: from Growth to Pro/u)
        assert.match(text, /Subscription\s*: from active to paused/u)
        // Both changes name the operator.
        assert.strictEqual(text.split(`>${email}</td>`).length - 1, 2)
        assert.include(text, "0 / 10,000")
      })
    )

    it.effect("to the current value is none", () =>
      Effect.gen(function* () {
        const { visitor } = yield* operator
        const { id } = yield* account()
        const answer = yield* visitor.get(`${list}/accounts/${id}/plan?to=growth`)
        assert.deepStrictEqual([answer.status, answer.headers.get("location")], [303, `${list}/accounts/${id}`])
        yield* visitor.submit(`${list}/accounts/${id}/plan`, { from: "growth", to: "growth" })
        assert.deepInclude((yield* state(id))[0], { changes: 0 })
      })
    )

    it.effect("by several operators at once is made once, and those who asked for another one get a notice", () =>
      Effect.gen(function* () {
        const operators = [yield* operator, yield* operator, yield* operator]
        const { id } = yield* account()
        const answers = yield* Effect.forEach(
          [
            ["unpaid", 0],
            ["paused", 1],
            ["canceled", 2]
          ] as const,
          ([to, index]) =>
            operators[index]?.visitor.submit(`${list}/accounts/${id}/status`, { from: "active", to }) ??
            Effect.die(new Error("no operator")),
          { concurrency: "unbounded" }
        )
        assert.sameMembers(
          answers.map(({ status }) => status),
          [303, 409, 409]
        )
        assert.include(answers.find(({ status }) => status === 409)?.text, "The account has changed")
        assert.deepInclude((yield* state(id))[0], { changes: 1 })
        // As a second click: what was asked for is so.
        const plan = yield* Effect.forEach(
          operators,
          ({ visitor }) => visitor.submit(`${list}/accounts/${id}/plan`, { from: "growth", to: "pro" }),
          { concurrency: "unbounded" }
        )
        assert.sameMembers(
          plan.map(({ status }) => status),
          [303, 303, 303]
        )
        assert.deepInclude((yield* state(id))[0], { plan: "pro", changes: 2 })
      })
    )

    it.effect("of the form of another site, or without its token, is refused", () =>
      Effect.gen(function* () {
        const { visitor } = yield* operator
        const { id } = yield* account()
        const path = `${list}/accounts/${id}/plan`
        const form = { from: "growth", to: "pro" }
        const token = visitor.token()
        const answers = [
          yield* visitor.submit(path, form, { "sec-fetch-site": "cross-site" }),
          yield* visitor.submit(path, { ...form, form_token: "" }),
          yield* visitor.submit(path, { ...form, form_token: token.slice(1) })
        ]
        assert.deepStrictEqual(
          answers.map(({ status }) => status),
          [403, 403, 403]
        )
        const unreadable = [
          yield* visitor.submit(path, { form_token: token, from: "growth", to: "gold" }),
          yield* visitor.submit(path, { form_token: token, to: "pro" })
        ]
        assert.deepStrictEqual(
          unreadable.map(({ status }) => status),
          [400, 400]
        )
        assert.deepInclude((yield* state(id))[0], { plan: "growth", changes: 0 })
      })
    )

    it.effect("of a role is not possible for an operator", () =>
      Effect.gen(function* () {
        const { routes } = yield* Site
        assert.deepStrictEqual(
          routes.filter((route) => route.startsWith(`POST ${list}`)),
          [`POST ${list}/accounts/:id/plan`, `POST ${list}/accounts/:id/status`]
        )
        const { visitor } = yield* operator
        const { id } = yield* account()
        yield* visitor.submit(`${list}/accounts/${id}/plan`, { from: "growth", to: "pro", role: "operator" })
        yield* visitor.submit(`${list}/accounts/${id}/role`, { from: "customer", to: "operator" })
        assert.deepInclude((yield* state(id))[0], { plan: "pro", role: "customer" })
      })
    )
  })
})

/** Keys and apps in the dashboard, limit by limit: for their owner, another account and a forged request (S94 to S106, D50). */
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { keyEnds, overlapMillis } from "../../../../src/domain/access/KeyEnd.ts"
import type { KeyEnd } from "../../../../src/domain/access/KeyEnd.ts"
import * as ClientSetup from "../../../../src/http/pages/integrations/ClientSetup.ts"
import * as InstallLinks from "../../../../src/http/shared/InstallLinks.ts"
import { Accounts } from "../../../../src/services/accounts/Accounts.ts"
import { ApiKeys } from "../../../../src/services/credentials/ApiKeys.ts"
import { ConnectedApps } from "../../../../src/services/oauth/ConnectedApps.ts"
import { fieldsOf, headingOf, textOf, unescape } from "../../../support/Consent.ts"
import * as Integrations from "../../../support/Integrations.ts"
import { commandsOf } from "../../../support/ShellWords.ts"
import { SetClock } from "../../../support/SetClock.ts"
import { Site } from "../../../support/Site.ts"
import type { Answer } from "../../../support/Site.ts"
import * as SiteVisitor from "../../../support/SiteVisitor.ts"

const start = "2026-03-10T12:00:00Z"
const path = "/dashboard/integrations"
const none = 2_147_483_647
const secretPattern = /dsk_[0-9A-Za-z]{43}/

const replacePath = (id: number | string) => `${path}/keys/${id}/replace`
const revokePath = (id: number | string) => `${path}/keys/${id}/revoke`
const revokeAppPath = (id: number | string) => `${path}/apps/${id}/revoke`

const services = Site.layer().pipe(Layer.provideMerge(SetClock.layer(start)))

layer(services, { excludeTestServices: true })("integrations", (it) => {
  /** A signed-in person, at the beginning of the test's time. */
  const owner = Effect.fnUntraced(function* (options: Parameters<Site["Service"]["account"]>[0] = {}) {
    yield* Effect.flatMap(SetClock, (clock) => clock.set(start))
    const [site, accounts, keys, apps] = [yield* Site, yield* Accounts, yield* ApiKeys, yield* ConnectedApps]
    const who = yield* site.account(options)
    const visitor = yield* SiteVisitor.signedIn(who)
    const { id } = yield* accounts.find(who.email)
    return {
      ...visitor,
      email: who.email,
      id,
      setStatus: (status: "active" | "paused" | "unpaid" | "canceled") => accounts.setStatus(who.email, status),
      setPlan: (plan: "starter" | "growth" | "pro") => accounts.setPlan(who.email, plan),
      keys: keys.list(id),
      apps: apps.list(id),
      /** Creates a key without the pages. */
      newKey: (name: string) => keys.create(id, name),
      /** Opens the page and submits its form. */
      create: Effect.fnUntraced(function* (name: string) {
        const page = yield* visitor.get(path)
        return yield* visitor.submit(path, { ...fieldsOf(page.text, path), name })
      }),
      replace: Effect.fnUntraced(function* (keyId: number, ends: KeyEnd, name = "successor") {
        const page = yield* visitor.get(replacePath(keyId))
        return yield* visitor.submit(replacePath(keyId), {
          ...fieldsOf(page.text, replacePath(keyId)),
          name,
          ends
        })
      })
    }
  })
  type Owner = Effect.Success<ReturnType<typeof owner>>

  const secretOf = (answer: Answer): string => {
    assert.strictEqual(answer.status, 200, headingOf(answer.text))
    const [secret] = secretPattern.exec(answer.text) ?? assert.fail("no key is shown")
    return secret
  }

  /** The texts of the page's copy boxes, in order. */
  const copiesOf = ({ text }: Answer) =>
    Array.from(text.matchAll(/<pre id="[^"]*">(.*?)<\/pre>/gs), ([, copied = ""]) => unescape(copied))

  describe("creating a key", () => {
    it.effect("S99 shows it in the answer, once, and nowhere else: no address, no list, no log, no table", () =>
      Effect.gen(function* () {
        const me = yield* owner()
        const answer = yield* me.create("  Nightly <job> & more ")
        const secret = secretOf(answer)
        assert.isNull(answer.headers.get("location"))
        assert.strictEqual(answer.headers.get("cache-control"), "no-store")
        assert.include(textOf(answer.text), "The key “Nightly <job> & more” has been created.")
        assert.include(textOf(answer.text), "Copy the key now: it is shown only once.")
        assert.strictEqual(copiesOf(answer)[0], secret)
        assert.strictEqual(yield* Integrations.call(secret), 200)

        const [key] = yield* me.keys
        const { text } = yield* me.get(path)
        assert.notInclude(text, secret)
        assert.include(
          textOf(text),
          `Nightly <job> & more dsk_…${secret.slice(-4)} Created Mar 10, 2026 Last used never Replace Revoke`
        )
        assert.include(textOf(text), "1 of 10 in use")
        assert.strictEqual(key?.name, "Nightly <job> & more")
        const { logs } = yield* Site
        assert.notInclude(logs.join("\n"), secret.slice(4, 44))
        const sql = yield* SqlClient.SqlClient
        const rows = yield* sql`SELECT k::text AS row FROM api_key k WHERE id = ${key?.id ?? 0}`
        assert.notInclude(JSON.stringify(rows), secret.slice(4, 44))
      })
    )

    it.effect("a form that is sent again, one after the other or at once, makes no second key and shows none", () =>
      Effect.gen(function* () {
        const me = yield* owner()
        const page = yield* me.get(path)
        const form = { ...fieldsOf(page.text, path), name: "once" }
        const answers = yield* Effect.forEach([1, 2, 3, 4], () => me.submit(path, form), { concurrency: "unbounded" })
        answers.push(yield* me.submit(path, { ...form, name: "another" }))
        assert.deepStrictEqual(
          answers.map(({ status }) => status).toSorted((one, other) => one - other),
          [200, 409, 409, 409, 409]
        )
        for (const { status, text } of answers) {
          if (status === 200) continue
          assert.strictEqual(headingOf(text), "This key has already been created")
          assert.include(textOf(text), "and created the key “once”")
          assert.notMatch(text, secretPattern)
        }
        assert.lengthOf(yield* me.keys, 1)
        yield* Effect.forEach(yield* me.keys, ({ id }) => Effect.flatMap(ApiKeys, (keys) => keys.revoke(me.id, id)))
        assert.strictEqual((yield* me.submit(path, form)).status, 409)
        assert.deepStrictEqual(yield* me.keys, [])
        secretOf(yield* me.create("from a new form"))
      })
    )

    it.effect("an invalid name is reported at its field, with what was typed, and creates no key", () =>
      Effect.gen(function* () {
        const me = yield* owner()
        for (const name of ["", "   ", "x".repeat(61), 'a"><b>\u200B', "🦊".repeat(61)]) {
          const answer = yield* me.create(name)
          assert.strictEqual(answer.status, 400, name)
          assert.include(answer.text, "<title>Error: Integrations · Discovery</title>")
          assert.include(answer.text, `<a href="#name">Enter a name of 1 to 60 characters, all of them visible.</a>`)
          assert.match(answer.text, /aria-describedby="name-hint name-error"\s+aria-invalid="true"/)
          assert.strictEqual(unescape(/value="([^"]*)"\s+aria-describedby/.exec(answer.text)?.[1] ?? ""), name)
        }
        assert.deepStrictEqual(yield* me.keys, [])
        for (const name of ["x".repeat(60), "🦊".repeat(60)]) secretOf(yield* me.create(name))
        assert.deepStrictEqual(
          (yield* me.keys).map(({ name }) => name),
          ["x".repeat(60), "🦊".repeat(60)]
        )
      })
    )

    it.effect("a failed form can be sent again unchanged", () =>
      Effect.gen(function* () {
        const me = yield* owner()
        const failed = yield* me.create("")
        secretOf(yield* me.submit(path, { ...fieldsOf(failed.text, path), name: "now with a name" }))
      })
    )

    it.effect("forms with missing or invalid fields are refused", () =>
      Effect.gen(function* () {
        const me = yield* owner()
        const { key } = yield* me.newKey("job")
        const { attempt = "" } = fieldsOf((yield* me.get(path)).text, path)
        const forms: ReadonlyArray<readonly [string, Readonly<Record<string, string>>]> = [
          [path, {}],
          [path, { name: "x" }],
          [path, { attempt }],
          [path, { name: "x", attempt: "" }],
          [path, { name: "x", attempt: `${attempt}x` }],
          [path, { name: "x", attempt: "'; DROP TABLE api_key" }],
          [path, { name: "x".repeat(10_001), attempt }],
          [replacePath(key.id), { name: "x", attempt }],
          [replacePath(key.id), { name: "x", attempt, ends: "never" }],
          [replacePath(key.id), { attempt, ends: "now" }]
        ]
        for (const [to, form] of forms) {
          assert.strictEqual((yield* me.submit(to, form)).status, 400, JSON.stringify(form).slice(0, 80))
        }
        assert.deepStrictEqual(yield* me.keys, [key])
      })
    )
  })

  describe("the limits", () => {
    it.effect("S100 of ten: the eleventh is refused with a reason, and possible again after a revocation", () =>
      Effect.gen(function* () {
        const me = yield* owner()
        const last = yield* me.get(path)
        for (let number = 1; number <= 10; number++) yield* me.newKey(`key ${number}`)
        const refused = yield* me.submit(path, { ...fieldsOf(last.text, path), name: "eleventh" })
        assert.strictEqual(refused.status, 409)
        assert.include(textOf(refused.text), "All 10 keys are in use, which is the limit. Revoke or replace one.")
        const full = yield* me.get(path)
        assert.include(textOf(full.text), "10 of 10 in use")
        assert.include(textOf(full.text), "All 10 keys are in use, which is the limit. Revoke or replace one.")
        assert.notInclude(full.text, "Create key")

        const [first] = yield* me.keys
        yield* me.submit(revokePath(first?.id ?? 0), {})
        secretOf(yield* me.create("tenth again"))
        assert.lengthOf(yield* me.keys, 10)
      })
    )

    it.effect("of ten: only a key that ends now can be replaced, and the page offers nothing else", () =>
      Effect.gen(function* () {
        const me = yield* owner()
        for (let number = 1; number <= 10; number++) yield* me.newKey(`key ${number}`)
        const [first] = yield* me.keys
        const id = first?.id ?? 0
        const { text } = yield* me.get(replacePath(id))
        assert.include(textOf(text), "All keys are in use, so the old key has to end now.")
        const choices = Array.from(
          text.matchAll(/<input\s+type="radio"[^>]*?value="([^"]*)"([^>]*)>/g),
          ([, value = "", rest = ""]) => ({
            value,
            checked: rest.includes("checked"),
            disabled: rest.includes("disabled")
          })
        )
        assert.deepStrictEqual(choices, [
          { value: "now", checked: true, disabled: false },
          { value: "in_1_hour", checked: false, disabled: true },
          { value: "in_24_hours", checked: false, disabled: true }
        ])
        const refused = yield* me.replace(id, "in_1_hour")
        assert.strictEqual(refused.status, 409)
        assert.include(textOf(refused.text), "All 10 keys are in use")
        secretOf(yield* me.replace(id, "now"))
        assert.lengthOf(yield* me.keys, 10)
      })
    )

    it.effect("S101 of twenty an hour: the next is refused with the time of the next try, which succeeds", () =>
      Effect.gen(function* () {
        const me = yield* owner()
        const clock = yield* SetClock
        let { key } = yield* me.newKey("job")
        const keys = yield* ApiKeys
        yield* clock.advance(10 * 60_000)
        for (let number = 2; number <= 20; number++) ({ key } = yield* keys.replace(me.id, key.id, { ends: "now" }))
        const refused = yield* me.create("too soon")
        assert.strictEqual(refused.status, 429)
        assert.strictEqual(refused.headers.get("retry-after"), "3000")
        assert.include(
          textOf(refused.text),
          "20 keys were created within an hour, which is the limit. Try again in 50 minutes."
        )
        const replaced = yield* me.replace(key.id, "in_24_hours")
        assert.strictEqual(replaced.status, 429)
        assert.include(textOf(replaced.text), "Try again in 50 minutes.")
        assert.deepStrictEqual(yield* me.keys, [key])
        yield* clock.advance(50 * 60_000 - 1)
        const soon = yield* me.create("still too soon")
        assert.include(textOf(soon.text), "Try again in a minute.")
        yield* clock.advance(1)
        // The typed name and the form are still valid.
        secretOf(yield* me.submit(path, { ...fieldsOf(soon.text, path), name: "still too soon" }))
      })
    )
  })

  describe("a plan without access", () => {
    const statuses = ["paused", "unpaid", "canceled", "starter"] as const

    // S36, S96
    it.effect.each(statuses)("%s: keys are kept, listed and revoked; new ones get a prompt instead", (status) =>
      Effect.gen(function* () {
        const me = yield* owner()
        const { key, secret } = yield* me.newKey("kept")
        const form = fieldsOf((yield* me.get(path)).text, path)
        yield* status === "starter" ? me.setPlan(status) : me.setStatus(status)
        const prompt = "To create keys, an account needs an active Growth or Pro subscription."
        const page = yield* me.get(path)
        assert.include(textOf(page.text), prompt)
        assert.include(page.text, `href="https://billing.test/plans"`)
        assert.notInclude(page.text, `action="${path}"`)
        assert.include(textOf(page.text), `kept dsk_…${key.lastFour}`)
        const refused = yield* me.submit(path, { ...form, name: "new" })
        assert.strictEqual(refused.status, 403)
        assert.include(textOf(refused.text), prompt)
        const replace = yield* me.get(replacePath(key.id))
        assert.include(textOf(replace.text), prompt)
        assert.notInclude(replace.text, `action="${replacePath(key.id)}"`)
        for (const ends of keyEnds) {
          assert.strictEqual((yield* me.submit(replacePath(key.id), { ...form, name: "new", ends })).status, 403)
        }
        assert.deepStrictEqual(yield* me.keys, [key])

        yield* status === "starter" ? me.setPlan("growth") : me.setStatus("active")
        assert.strictEqual(yield* Integrations.call(Redacted.value(secret)), 200)
        secretOf(yield* me.submit(path, { ...form, name: "new" }))
        yield* me.setStatus("unpaid")
        assert.strictEqual((yield* me.submit(revokePath(key.id), {})).status, 303)
        assert.strictEqual(yield* Integrations.call(Redacted.value(secret)), 401)
      })
    )
  })

  describe("replacing a key", () => {
    it.effect.each(["in_1_hour", "in_24_hours"] as const)(
      "%s: calls with the old key are answered until that second, and from it on get HTTP 401",
      (ends) =>
        Effect.gen(function* () {
          const me = yield* owner()
          const clock = yield* SetClock
          const old = yield* me.newKey("job")
          const answer = yield* me.replace(old.key.id, ends, "job 2")
          const secret = secretOf(answer)
          const until = ends === "in_1_hour" ? "Mar 10, 2026, 1:00 PM UTC" : "Mar 11, 2026, 12:00 PM UTC"
          assert.include(textOf(answer.text).replaceAll("\u202f", " "), `The old key “job” works until ${until}.`)
          const { text } = yield* me.get(path)
          assert.include(textOf(text), "2 of 10 in use")
          assert.include(textOf(text).replaceAll("\u202f", " "), `Ends ${until} Revoke`)
          yield* clock.advance(overlapMillis[ends] - 1)
          assert.strictEqual(yield* Integrations.call(Redacted.value(old.secret)), 200)
          yield* clock.advance(1)
          assert.strictEqual(yield* Integrations.call(Redacted.value(old.secret)), 401)
          assert.strictEqual(yield* Integrations.call(secret), 200)
          assert.deepStrictEqual(
            (yield* me.keys).map(({ name }) => name),
            ["job 2"]
          )
        })
    )

    it.effect("S103, S105 now: the next call with the old key gets HTTP 401", () =>
      Effect.gen(function* () {
        const me = yield* owner()
        const old = yield* me.newKey("job")
        const answer = yield* me.replace(old.key.id, "now", "job")
        assert.include(textOf(answer.text), "The old key “job” has ended.")
        assert.strictEqual(yield* Integrations.call(Redacted.value(old.secret)), 401)
        assert.strictEqual(yield* Integrations.call(secretOf(answer)), 200)
        assert.include(textOf((yield* me.get(path)).text), "1 of 10 in use")
      })
    )

    it.effect("offers the old name and a day, and says what is wrong in place", () =>
      Effect.gen(function* () {
        const me = yield* owner()
        const { key } = yield* me.newKey("a “quoted” name")
        const page = yield* me.get(replacePath(key.id))
        assert.include(page.text, `value="a “quoted” name"`)
        assert.match(page.text, /value="in_24_hours"\s+aria-describedby="in_24_hours-hint"\s+checked/)
        const wrong = yield* me.replace(key.id, "in_1_hour", "x".repeat(61))
        assert.strictEqual(wrong.status, 400)
        assert.include(wrong.text, `href="#name"`)
        assert.match(wrong.text, /value="in_1_hour"\s+aria-describedby="in_1_hour-hint"\s+checked/)
        assert.deepStrictEqual(yield* me.keys, [key])
      })
    )

    it.effect("a repeated form creates no third key, regardless of what the first did to the old one", () =>
      Effect.gen(function* () {
        for (const ends of keyEnds) {
          const me = yield* owner()
          const { key } = yield* me.newKey("job")
          const form = fieldsOf((yield* me.get(replacePath(key.id))).text, replacePath(key.id))
          const fields = { ...form, name: "successor", ends }
          secretOf(yield* me.submit(replacePath(key.id), fields))
          const before = yield* me.keys
          const again = yield* me.submit(replacePath(key.id), fields)
          assert.strictEqual(again.status, 409, ends)
          assert.notMatch(again.text, secretPattern)
          assert.deepStrictEqual(yield* me.keys, before)
        }
      })
    )

    it.effect("a key that is being replaced is not replaced once more by a page that was opened before", () =>
      Effect.gen(function* () {
        const me = yield* owner()
        const { key } = yield* me.newKey("job")
        const stale = fieldsOf((yield* me.get(replacePath(key.id))).text, replacePath(key.id))
        secretOf(yield* me.replace(key.id, "in_1_hour"))
        const answer = yield* me.submit(replacePath(key.id), { ...stale, name: "third", ends: "in_24_hours" })
        assert.strictEqual(answer.status, 409)
        assert.include(textOf(answer.text), "This key is being replaced already")
        assert.notInclude((yield* me.get(replacePath(key.id))).text, `action="${replacePath(key.id)}"`)
        assert.notInclude((yield* me.get(path)).text, replacePath(key.id))
        assert.lengthOf(yield* me.keys, 2)
        // Its end can still be moved to now.
        assert.strictEqual((yield* me.submit(revokePath(key.id), {})).status, 303)
        assert.lengthOf(yield* me.keys, 1)
      })
    )
  })

  describe("revoking", () => {
    it.effect("S35, S104 a key: revoked at once after a confirmation; a second click finds nothing", () =>
      Effect.gen(function* () {
        const me = yield* owner()
        const { key, secret } = yield* me.newKey("job")
        const asked = yield* me.get(revokePath(key.id))
        assert.include(
          textOf(asked.text),
          `Revoke this key? Name job Key dsk_…${key.lastFour} It ends at once, everywhere`
        )
        assert.strictEqual(yield* Integrations.call(Redacted.value(secret)), 200)
        const answer = yield* me.submit(revokePath(key.id), {})
        assert.strictEqual(answer.headers.get("location"), `${path}?done=key_revoked`)
        assert.strictEqual(yield* Integrations.call(Redacted.value(secret)), 401)
        const page = yield* me.get(`${path}?done=key_revoked`)
        assert.include(page.text, `role="status">The key has been revoked. Calls with it are now refused.`)
        assert.notInclude(page.text, key.lastFour)
        const again = yield* me.submit(revokePath(key.id), {})
        assert.strictEqual(again.status, 404)
        assert.strictEqual(headingOf(again.text), "This no longer exists")
      })
    )

    it.effect("R41, R54 an app: its tokens end at once, and it needs a new consent", () =>
      Effect.gen(function* () {
        const me = yield* owner()
        const token = yield* Integrations.connect(me.id, { name: "Shop Helper" })
        const [app] = yield* me.apps
        const id = app?.id ?? 0
        const asked = yield* me.get(revokeAppPath(id))
        assert.include(textOf(asked.text), "Revoke this app? App Shop Helper Name chosen by the app")
        const answer = yield* me.submit(revokeAppPath(id), {})
        assert.strictEqual(answer.headers.get("location"), `${path}?done=app_revoked`)
        assert.strictEqual(yield* Integrations.call(token), 401)
        assert.include((yield* me.get(`${path}?done=app_revoked`)).text, `role="status">The app has been disconnected.`)
        assert.deepStrictEqual(yield* me.apps, [])
        assert.strictEqual((yield* me.submit(revokeAppPath(id), {})).status, 404)
      })
    )

    it.effect("a notice is one of the known ones, never text from the address", () =>
      Effect.gen(function* () {
        const me = yield* owner()
        for (const done of ["", "yes", "<b>pay</b>", "constructor", "key_revoked&done=x".replace("&", "%26")]) {
          const { status, text } = yield* me.get(`${path}?done=${done}`)
          assert.strictEqual(status, done === "" ? 200 : 400)
          assert.notInclude(text, `role="status"`)
          assert.notInclude(text, "<b>pay")
        }
      })
    )
  })

  describe("apps", () => {
    it.effect(
      "S94 are listed by their own names, as text, with their publishers, the day of the connection and the last use",
      () =>
        Effect.gen(function* () {
          const me = yield* owner()
          const clock = yield* SetClock
          const hostile = `</bdi><script>alert(1)</script>"onclick="x`
          yield* Integrations.connect(me.id, { name: hostile })
          yield* clock.advance(8 * 3_600_000)
          yield* me.get(path)
          yield* clock.advance(8 * 3_600_000)
          const token = yield* Integrations.connect(me.id, { name: "Claude", publisher: "claude.ai" })
          yield* Integrations.call(token)
          const sql = yield* SqlClient.SqlClient
          yield* sql`UPDATE oauth_grant SET last_used_at = '2026-03-12T08:30:00Z' WHERE account_id = ${me.id} AND client_name = 'Claude'`
          const { text } = yield* me.get(path)
          assert.notInclude(text, "<script>alert")
          assert.include(text, `<bdi>&lt;/bdi&gt;&lt;script&gt;alert(1)&lt;/script&gt;&quot;onclick=&quot;x</bdi>`)
          assert.include(
            textOf(text).replaceAll("\u202f", " "),
            `${hostile} Name chosen by the app, not verified. Connected Mar 10, 2026 Last used never Revoke ` +
              "Claude Verified publisher: claude.ai Connected Mar 11, 2026 Last used Mar 12, 2026, 8:30 AM UTC Revoke"
          )
        })
    )

    it.effect("without any, the page says how to connect one, for each client", () =>
      Effect.gen(function* () {
        const me = yield* owner()
        const { url } = yield* Site
        const answer = yield* me.get(path)
        assert.include(textOf(answer.text), "No apps connected yet.")
        assert.include(textOf(answer.text), "No keys yet.")
        assert.match(answer.text, /<details open>/)
        assert.deepStrictEqual(copiesOf(answer), [
          `${url}/mcp`,
          ...ClientSetup.signingIn(`${url}/mcp`).map(({ text }) => text)
        ])
        yield* Integrations.connect(me.id, { name: "Claude" })
        assert.notMatch((yield* me.get(path)).text, /<details open>/)
      })
    )

    it.effect("D95 each client with an install link has it, and the link leads there", () =>
      Effect.gen(function* () {
        const me = yield* owner()
        const { url } = yield* Site
        const { text } = yield* me.get(path)
        const links = Array.from(
          text.matchAll(/<a class="install" href="([^"]*)">([^<]*)</gu),
          ([, href = "", label]) => [href, label]
        )
        assert.deepStrictEqual(links, [
          ["/install/claude", "Open Claude’s connectors"],
          ["/install/cursor", "Add to Cursor"],
          ["/install/vscode", "Add to VS Code"]
        ])
        const locations = yield* Effect.forEach(links, ([href = ""]) =>
          Effect.map(me.get(href), ({ headers }) => headers.get("location"))
        )
        assert.deepStrictEqual(locations, Object.values(InstallLinks.targets(`${url}/mcp`)))
      })
    )
  })

  describe("configurations of clients", () => {
    /** The arguments of a command as a shell reads them. */
    const wordsOf = (command: string): ReadonlyArray<string> => commandsOf(command)[0]?.slice(1) ?? []

    it.effect("are in the form that clients read, with the new key", () =>
      Effect.gen(function* () {
        const me = yield* owner()
        const { url } = yield* Site
        const answer = yield* me.create("job")
        const secret = secretOf(answer)
        const authorization = `Bearer ${secret}`
        const [, claude = "", cursor = "", code = ""] = copiesOf(answer)
        assert.deepStrictEqual(wordsOf(claude), [
          "mcp",
          "add",
          "--scope",
          "user",
          "--transport",
          "http",
          "discovery",
          `${url}/mcp`,
          "--header",
          `Authorization: ${authorization}`
        ])
        assert.deepStrictEqual(JSON.parse(cursor), {
          mcpServers: { discovery: { url: `${url}/mcp`, headers: { Authorization: authorization } } }
        })
        // Its file is usually committed: it asks for the key.
        assert.notInclude(code, secret)
        assert.deepInclude(JSON.parse(code), {
          servers: {
            discovery: { type: "http", url: `${url}/mcp`, headers: { Authorization: "Bearer ${input:discovery-key}" } }
          }
        })
      })
    )

    it.effect("S84, S102, S106 the request of the curl command is answered with the plan and the credits", () =>
      Effect.gen(function* () {
        const me = yield* owner({ plan: "pro" })
        const [, , , , curl = ""] = copiesOf(yield* me.create("job"))
        const [silent, address = "", ...options] = wordsOf(curl)
        assert.strictEqual(silent, "-s")
        const valuesOf = (flag: string) => options.filter((_, index) => options[index - 1] === flag)
        assert.lengthOf(options, 6)
        const answer = yield* Effect.promise(async () => {
          const response = await fetch(address, {
            method: "POST",
            headers: valuesOf("-H").map((line): [string, string] => {
              const [name = "", value = ""] = line.split(": ")
              return [name, value]
            }),
            body: valuesOf("-d")[0] ?? ""
          })
          return { status: response.status, json: (await response.json()) as { readonly result?: unknown } }
        })
        assert.strictEqual(answer.status, 200)
        assert.nestedInclude(answer.json.result, {
          "structuredContent.plan": "pro",
          "structuredContent.credits.remaining": 10_000
        })
      })
    )
  })

  describe("access by other accounts", () => {
    /** An answer without the parts that differ between requests of the same page. */
    const shape = ({ headers, status, text }: Answer) => ({
      status,
      location: headers.get("location"),
      text: text
        .replaceAll(/value="[^"]*"/g, "")
        .replaceAll(/<code>[0-9a-f-]{36}<\/code>/g, "")
        .replaceAll(/\/(\d+)\//g, "/:id/")
    })

    it.effect("another account's keys and apps are answered as those that do not exist, by every page and form", () =>
      Effect.gen(function* () {
        const [me, other] = [yield* owner(), yield* owner()]
        const theirs = yield* other.newKey("theirs")
        const token = yield* Integrations.connect(other.id, { name: "Theirs" })
        const [app] = yield* other.apps
        const mine = yield* me.newKey("mine")
        yield* Effect.flatMap(ApiKeys, (keys) => keys.revoke(me.id, mine.key.id))
        const form = { ...fieldsOf((yield* me.get(path)).text, path), name: "x" }
        const compare = Effect.fnUntraced(function* (pathOf: (id: number) => string, ids: ReadonlyArray<number>) {
          const answers = yield* Effect.forEach(ids, (id) =>
            Effect.all([
              me.get(pathOf(id)),
              me.submit(pathOf(id), { ...form, ends: "now" }),
              me.submit(pathOf(id), { ...form, ends: "in_1_hour" })
            ])
          )
          const [missing, ...others] = answers.map((each) => each.map(shape))
          for (const { status } of missing ?? []) assert.strictEqual(status, 404, pathOf(1))
          for (const each of others) assert.deepStrictEqual(each, missing)
        })
        yield* compare(replacePath, [none, theirs.key.id, mine.key.id])
        yield* compare(revokePath, [none, theirs.key.id, mine.key.id])
        yield* compare(revokeAppPath, [none, app?.id ?? 0])
        // They are unchanged, and not in the list of this account.
        assert.strictEqual(yield* Integrations.call(Redacted.value(theirs.secret)), 200)
        assert.strictEqual(yield* Integrations.call(token), 200)
        assert.deepStrictEqual(yield* other.keys, [theirs.key])
        assert.deepStrictEqual(yield* me.keys, [])
        assert.notInclude((yield* me.get(path)).text.toLowerCase(), "theirs")
      })
    )

    it.effect("an invalid id is not found", () =>
      Effect.gen(function* () {
        const me = yield* owner()
        const { key } = yield* me.newKey("mine")
        const own = [`0${key.id}`, `+${key.id}`, `${key.id}.0`, `%20${key.id}`, `${key.id}%00`]
        const form = { ...fieldsOf((yield* me.get(path)).text, path), name: "x", ends: "now" }
        for (const id of [...own, "0", "-1", "1e3", "2147483648", "99999999999", "x", "%31%27", "1%20OR%201=1"]) {
          for (const pathOf of [replacePath, revokePath, revokeAppPath]) {
            assert.strictEqual((yield* me.get(pathOf(id))).status, 404, pathOf(id))
            assert.strictEqual((yield* me.submit(pathOf(id), form)).status, 404, pathOf(id))
          }
        }
        assert.deepStrictEqual(yield* me.keys, [key])
      })
    )

    it.effect("every form does nothing without its token, with another's, from another site, or signed out", () =>
      Effect.gen(function* () {
        const [me, other] = [yield* owner(), yield* owner()]
        const site = yield* Site
        const { key, secret } = yield* me.newKey("job")
        const token = yield* Integrations.connect(me.id, { name: "Claude" })
        const [app] = yield* me.apps
        const form = { ...fieldsOf((yield* me.get(path)).text, path), name: "forged", ends: "now" }
        yield* other.get(path)
        for (const to of [path, replacePath(key.id), revokePath(key.id), revokeAppPath(app?.id ?? 0)]) {
          const forged = [
            yield* me.submit(to, { ...form, form_token: "" }),
            yield* me.submit(to, { ...form, form_token: other.token() }),
            yield* me.submit(to, form, { "sec-fetch-site": "cross-site", origin: "https://evil.test" }),
            yield* me.submit(to, form, { "sec-fetch-site": "same-site" }),
            yield* other.submit(to, { ...form, form_token: me.token() })
          ]
          assert.deepStrictEqual(
            forged.map(({ status }) => status),
            [403, 403, 403, 403, 403],
            to
          )
          const out = yield* site.post(to, form, { "sec-fetch-site": "same-origin" })
          assert.strictEqual(out.status, 303)
          assert.strictEqual(out.headers.get("location"), `/sign-in?return_to=${encodeURIComponent(path)}&done=ended`)
        }
        for (const from of [path, replacePath(key.id), revokePath(key.id), revokeAppPath(app?.id ?? 0)]) {
          const out = yield* site.get(from)
          assert.strictEqual(out.headers.get("location"), `/sign-in?return_to=${encodeURIComponent(from)}`)
        }
        assert.deepStrictEqual(yield* me.keys, [key])
        assert.strictEqual(yield* Integrations.call(Redacted.value(secret)), 200)
        assert.strictEqual(yield* Integrations.call(token), 200)
      })
    )
  })

  describe("languages", () => {
    it.effect.each([
      {
        language: "de-AT",
        day: "10.03.2026",
        says: ["API-Schlüssel", "0 von 10 belegt", "Schlüssel erstellen", "Verbundene Apps"]
      },
      {
        language: "fr",
        day: "10 mars 2026",
        says: ["Clés d’API", "0 sur 10 utilisées", "Créer une clé", "Applications connectées"]
      },
      {
        language: "es-MX",
        day: "10 mar 2026",
        says: ["Claves de API", "0 de 10 en uso", "Crear clave", "Aplicaciones conectadas"]
      },
      { language: "pt", day: "Mar 10, 2026", says: ["API keys", "0 of 10 in use", "Create key", "Connected apps"] }
    ])("$language is spoken, days are written as there", ({ day, language, says }) =>
      Effect.gen(function* () {
        const me: Owner = yield* owner()
        const site = yield* Site
        const cookie = Array.from(me.cookies, ([name, { value }]) => `${name}=${value}`).join("; ")
        const { text } = yield* site.get(path, { cookie, "accept-language": language })
        for (const said of says) assert.include(textOf(text), said)
        yield* me.newKey("job")
        assert.include(textOf((yield* site.get(path, { cookie, "accept-language": language })).text), day)
      })
    )
  })
})

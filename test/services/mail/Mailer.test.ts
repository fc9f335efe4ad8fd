/** Mails over a real SMTP server: what they say, and what happens when the server does not take them. */
import { assert, describe, it, layer } from "@effect/vitest"
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Deferred, Effect, Exit, Fiber, Layer, Logger, Metric, Option, Redacted, Scope } from "effect"
import type { Duration } from "effect"
import { SqlClient } from "effect/sql"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import PostalMime from "postal-mime"
import { AppConfig } from "../../../src/Config.ts"
import { AccountId } from "../../../src/domain/access/Account.ts"
import { languages } from "../../../src/domain/Messages.ts"
import { AccountLinks } from "../../../src/services/accounts/AccountLinks.ts"
import { kinds, MailLanguage } from "../../../src/services/mail/Letter.ts"
import type { Kind, Linked } from "../../../src/services/mail/Letter.ts"
import { Mailer, maxChanges, maxFiles, optionsOf } from "../../../src/services/mail/Mailer.ts"
import type { Message } from "../../../src/services/mail/Mailer.ts"
import * as Outbox from "../../../src/services/mail/Outbox.ts"
import * as Metrics from "../../../src/services/metrics/Metrics.ts"
import { linkOf, MailServer } from "../../support/MailServer.ts"
import { temporaryFolder } from "../../support/PrivatePostgres.ts"
import { freePort } from "../../support/ServerProcess.ts"
import { SetClock } from "../../support/SetClock.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const baseUrl = "https://discovery.test"
const mailFrom = { name: "Discovery", address: "no-reply@discovery.test" }
const supportUrl = "https://help.discovery.test/"
const start = "2026-03-10T12:00:00Z"
const second = 1_000
const minute = 60 * second
/** Where those with a secret lead. */
const pages: Readonly<Record<Linked, string>> = {
  confirm: `${baseUrl}/sign-up/confirm`,
  reset: `${baseUrl}/reset-password/new`,
  newAddress: `${baseUrl}/dashboard/account/email/confirm`
}
/** Where the others lead. */
const places: ReadonlyArray<readonly [kinds: ReadonlyArray<Exclude<Kind, Linked>>, leadsTo: string]> = [
  [["exists", "addressTaken"], `${baseUrl}/sign-in`],
  [["passwordSet", "passwordChanged"], `${baseUrl}/reset-password`],
  [["passkey_added", "passkey_removed", "second_step_on", "second_step_off"], `${baseUrl}/dashboard/account`],
  [["codes_replaced", "code_used"], `${baseUrl}/dashboard/account`],
  [["addressChanged", "closed", "passwordReset", "passkeysReset"], supportUrl],
  [["webhookDisabled"], `${baseUrl}/dashboard/integrations/webhook`]
]

/** A mailer with its log. */
const mailer = (config: Parameters<typeof AppConfig.layerOf>[0], attemptTimeout: Duration.Input = "10 seconds") => {
  const logs: Array<string> = []
  const made = Layer.fresh(Mailer.layerWith({ attemptTimeout })).pipe(
    Layer.provide(AppConfig.layerOf({ baseUrl, mailFrom, supportUrl, ...config })),
    Layer.provideMerge(Logger.layer([Logger.map(Logger.formatJson, (line) => void logs.push(line))]))
  )
  return { logs, layer: made }
}

const overSmtp = (attemptTimeout?: Duration.Input) =>
  Effect.map(MailServer, (server) => ({
    server,
    ...mailer({ smtpUrl: Option.some(server.url) }, attemptTimeout)
  }))

const pathOf = (url: string) => new URL(url).pathname + new URL(url).search

/** A link of each purpose. */
const linkFor = Effect.fnUntraced(function* (kind: "confirm" | "newAddress", email: string) {
  const sql = yield* SqlClient.SqlClient
  const links = yield* AccountLinks
  const browser = Redacted.make("a cookie")
  const signUp = { purpose: "sign_up", email, passwordHash: "$argon2id$x", browser, returnTo: undefined } as const
  if (kind === "confirm") return Option.getOrThrow(yield* links.make(signUp)).secret
  const [account] = yield* sql<{ readonly id: number }>`
    INSERT INTO account (email, plan, status, created_at) VALUES (${`other.${email}`}, 'starter', 'active', now()) RETURNING id`
  const accountId = AccountId.make(account?.id ?? 0)
  return Option.getOrThrow(yield* links.make({ purpose: "email", email, accountId })).secret
})

/** Alerts have a test of their own (services/alerts). */
type Plain = Exclude<Kind, "alerts">
const plain = kinds.filter((kind): kind is Plain => kind !== "alerts")

const post = Effect.fnUntraced(function* (kind: Plain, to: string) {
  const sql = yield* SqlClient.SqlClient
  if (kind === "reset") {
    yield* sql`INSERT INTO account (email, plan, status, created_at) VALUES (${to}, 'starter', 'active', now())`
  }
  yield* kind === "confirm" || kind === "newAddress"
    ? Outbox.put({ kind, to, link: yield* linkFor(kind, to) })
    : Outbox.put({ kind, to })
})

const settled = Effect.flatMap(Mailer, ({ settled }) => settled)

/** Sends, and waits until it is sent or has to be tried again. */
const deliver = (kind: Plain, to: string) => Effect.andThen(post(kind, to), settled)

const Services = Layer.mergeAll(MailServer.layer, AccountLinks.layer.pipe(Layer.provide(NodeCrypto.layer))).pipe(
  Layer.provideMerge(TestDatabase.layer),
  Layer.provideMerge(SetClock.layer(start))
)

/** Nothing of another test waits. */
const fresh = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const clock = yield* SetClock
  yield* sql`DELETE FROM mail`
  yield* clock.set(start)
  return { clock, sql }
})

layer(Services, { excludeTestServices: true })("over SMTP", (it) => {
  it.effect("D86 every mail has a subject, the link as text and as HTML, and one language", () =>
    Effect.gen(function* () {
      yield* fresh
      const { layer, server } = yield* overSmtp()
      yield* Effect.gen(function* () {
        const said = new Map<string, string>()
        const letters = [
          ...Object.entries(pages).map(([kind, leadsTo]) => ({ kind, leadsTo })),
          ...places.flatMap(([kinds, leadsTo]) => kinds.map((kind) => ({ kind, leadsTo })))
        ]
        assert.sameMembers(
          letters.map(({ kind }) => kind),
          plain
        )
        for (const language of languages) {
          for (const kind of plain) {
            const leadsTo = letters.find((each) => each.kind === kind)?.leadsTo ?? ""
            const to = `${kind}.${language}@discovery.test`
            yield* deliver(kind, to).pipe(Effect.provideService(MailLanguage, language))
            const mail = yield* server.mailTo(to)
            const link = linkOf(mail)
            assert.match(link.replace(pathOf(leadsTo), ""), kind in pages ? /^\?token=[\w-]{43}$/u : /^$/u)
            assert.deepStrictEqual(mail.recipients, [to])
            assert.deepStrictEqual(mail.from, mailFrom)
            assert.deepInclude(
              mail.headers.map(({ key, value }) => `${key}: ${value}`),
              "auto-submitted: auto-generated"
            )
            assert.include(mail.html ?? "", `<html lang="${language}">`)
            const text = `${mail.subject} ${mail.text}`.replace(link, "")
            assert.notMatch(text, /undefined|\{/u)
            for (const [other, words] of said) assert.notStrictEqual(text, words, `${to} and ${other}`)
            said.set(to, text)
          }
        }
      }).pipe(Effect.provide(layer))
    })
  )

  it.effect(
    "D87 a mail about a password says what still signs in, and where it is removed; one about a change, who helps",
    () =>
      Effect.gen(function* () {
        yield* fresh
        const { layer, server } = yield* overSmtp()
        for (const kind of ["passwordSet", "passwordChanged", "passwordReset", "passkey_added"] as const) {
          const to = `says.${kind}@discovery.test`
          yield* deliver(kind, to).pipe(Effect.provide(layer))
          const { html = "", text = "" } = yield* server.mailTo(to)
          const said = kind === "passkey_added" ? [supportUrl] : ["Passkeys, API keys", `${baseUrl}/dashboard/account`]
          for (const part of said) {
            assert.include(text, part)
            assert.include(html, part)
          }
        }
      })
  )

  it.effect("changes of one account are told 20 times in a row, and those of others go on", () =>
    Effect.gen(function* () {
      yield* fresh
      const { layer, logs, server } = yield* overSmtp()
      const [to, other] = ["again@discovery.test", "other@discovery.test"]
      yield* Effect.gen(function* () {
        for (let sent = 0; sent <= maxChanges.limit; sent++) yield* deliver("codes_replaced", to)
        assert.lengthOf(server.allTo(to), maxChanges.limit)
        assert.include(logs.join(), "too many changes of one account")
        assert.notInclude(logs.join(), to)
        yield* deliver("codes_replaced", other)
        yield* deliver("passwordChanged", to)
        assert.lengthOf(server.allTo(other), 1)
        assert.lengthOf(server.allTo(to), maxChanges.limit + 1)
      }).pipe(Effect.provide(layer))
    })
  )

  it.effect("an address is one address, whatever characters it has", () =>
    Effect.gen(function* () {
      yield* fresh
      const { layer, server } = yield* overSmtp()
      const to = "o'neill+{a}/b=c@discovery.test"
      yield* deliver("exists", to).pipe(Effect.provide(layer))
      assert.deepStrictEqual((yield* server.mailTo(to)).recipients, [to])
    })
  )

  it.effect("a server that says later gets the mail later, once, with a link that works", () =>
    Effect.gen(function* () {
      const { clock, sql } = yield* fresh
      const links = yield* AccountLinks
      const { layer, logs, server } = yield* overSmtp()
      const to = "later@discovery.test"
      server.reply(451, 421, 535)
      yield* Effect.gen(function* () {
        const before = server.attempts()
        yield* deliver("confirm", to)
        for (const [tried, seconds] of [5, 15, 45].entries()) {
          assert.strictEqual(server.attempts() - before, tried + 1)
          yield* clock.advance(seconds * second - 1)
          yield* settled
          assert.strictEqual(server.attempts() - before, tried + 1, "not before its time")
          yield* clock.advance(1)
          yield* settled
        }
        assert.lengthOf(server.allTo(to), 1)
        yield* clock.advance(60 * minute)
        yield* settled
      }).pipe(Effect.provide(layer))
      assert.lengthOf(server.allTo(to), 1)
      assert.deepStrictEqual(
        logs.map((line) => /(?<=could not be sent yet.*)451|421|535/u.exec(line)?.[0]),
        ["451", "421", "535"]
      )
      const secret = new URL(baseUrl + linkOf(yield* server.mailTo(to))).searchParams.get("token") ?? ""
      assert.strictEqual((yield* links.read("sign_up", Redacted.make(secret))).email, to)
      assert.isEmpty(yield* sql`SELECT FROM mail`)
    })
  )

  it.effect.each([
    ["exists", 6, 31],
    ["passwordChanged", 54, 24 * 60 + 31]
  ] as const)("a server that says later forever is asked a bounded number of times: %s", ([kind, attempts, minutes]) =>
    Effect.gen(function* () {
      const { clock, sql } = yield* fresh
      const { layer, logs, server } = yield* overSmtp()
      yield* Effect.gen(function* () {
        const before = server.attempts()
        server.reply(...Array.from({ length: attempts }, () => 451))
        yield* deliver(kind, "never@discovery.test")
        for (let passed = 0; passed < minutes; passed += 5) {
          yield* clock.advance(5 * minute)
          yield* settled
        }
        assert.isEmpty(server.allTo("never@discovery.test"))
        assert.isAtMost(server.attempts() - before, attempts)
        assert.isAtLeast(server.attempts() - before, attempts / 2)
        assert.isEmpty(yield* sql`SELECT FROM mail`)
        assert.match(logs.at(-1) ?? "", /"A mail could not be sent".*451|EXPIRED/u)
        assert.notInclude(logs.join(), "never@")
      }).pipe(Effect.provide(layer), Effect.ensuring(Effect.sync(server.forget)))
    })
  )

  it.effect("a mail that no server was there for in its time is not sent late", () =>
    Effect.gen(function* () {
      const { clock, sql } = yield* fresh
      const { layer, logs, server } = yield* overSmtp()
      yield* post("reset", "slept@discovery.test")
      yield* clock.advance(31 * minute)
      yield* settled.pipe(Effect.provide(layer))
      assert.isEmpty(server.allTo("slept@discovery.test"))
      assert.include(logs.join(), "EXPIRED")
      assert.isEmpty(yield* sql`SELECT FROM mail`)
    })
  )

  it.effect("D86 a server that refuses is asked once; the log has neither the address nor the link", () =>
    Effect.gen(function* () {
      yield* fresh
      const { layer, logs, server } = yield* overSmtp()
      const before = server.attempts()
      server.reply(550)
      yield* deliver("confirm", "unknown.person@discovery.test").pipe(Effect.provide(layer))
      assert.strictEqual(server.attempts() - before, 1)
      assert.lengthOf(logs, 1)
      assert.include(logs[0] ?? "", "550")
      assert.notMatch(logs.join(), /unknown\.person|token/u)
    })
  )

  it.effect("a server that stops answering delays the others no longer than an attempt may take", () =>
    Effect.gen(function* () {
      yield* fresh
      const { layer, logs, server } = yield* overSmtp("3 seconds")
      server.reply("silent")
      yield* Effect.gen(function* () {
        yield* deliver("exists", "slow@discovery.test")
        assert.include(logs.join(), "ETIMEDOUT")
        yield* deliver("exists", "next@discovery.test")
        assert.lengthOf(server.allTo("next@discovery.test"), 1)
      }).pipe(Effect.provide(layer))
    })
  )

  it.effect(
    "D86 more mails than may wait are refused before anybody is asked what for; changes have room beside them",
    () =>
      Effect.gen(function* () {
        const { sql } = yield* fresh
        const { layer, logs } = yield* overSmtp()
        const fill = (to: number) => sql`
        INSERT INTO mail (kind, recipient, language, created_at, due_at, expires_at)
        SELECT 'exists', 'waiting' || n, 'en', now(), 'infinity', 'infinity'
        FROM generate_series((SELECT count(*) FROM mail) + 1, ${to}) n`
        yield* Effect.gen(function* () {
          const there = Effect.map(
            sql`SELECT FROM mail WHERE recipient = 'told@discovery.test'`,
            ({ length }) => length
          )
          yield* fill(Outbox.maxAskedFor - 1)
          yield* Outbox.ready
          yield* fill(Outbox.maxAskedFor)
          assert.strictEqual((yield* Effect.flip(Outbox.ready))._tag, "ServiceUnavailable")
          yield* Outbox.put({ kind: "passwordChanged", to: "told@discovery.test" })
          assert.strictEqual(yield* there, 1)
          yield* fill(Outbox.maxWaiting)
          yield* Outbox.put({ kind: "passwordChanged", to: "told@discovery.test" })
          assert.strictEqual(yield* there, 1)
          assert.include(logs.join(), "too many wait")
          assert.strictEqual(yield* Metrics.mails.value({ outcome: "too_many" }), 1)
        }).pipe(Effect.provide(layer), Effect.provideService(Metric.MetricRegistry, new Map()))
      })
  )

  it.effect("one account's mails about changes leave room for those of others, while none can be sent", () =>
    Effect.gen(function* () {
      const { sql } = yield* fresh
      const [to, other] = ["changing@discovery.test", "unchanged@discovery.test"]
      const waiting = (address: string) =>
        Effect.map(sql`SELECT kind FROM mail WHERE recipient = ${address} ORDER BY id`, (rows) => rows.length)
      for (let sent = 0; sent <= Outbox.maxSame; sent++) yield* Outbox.put({ kind: "passwordChanged", to })
      assert.strictEqual(yield* waiting(to), Outbox.maxSame)
      yield* Outbox.put({ kind: "passkey_added", to })
      assert.strictEqual(yield* waiting(to), Outbox.maxSame + 1, "what is new is told")
      yield* Outbox.put({ kind: "passwordChanged", to: other })
      assert.strictEqual(yield* waiting(other), 1)
      yield* sql`DELETE FROM mail WHERE id = (SELECT min(id) FROM mail WHERE recipient = ${to})`
      yield* Outbox.put({ kind: "passwordChanged", to })
      assert.strictEqual(yield* waiting(to), Outbox.maxSame + 1)
    })
  )

  it.effect("what became of each mail is counted", () =>
    Effect.gen(function* () {
      const { clock } = yield* fresh
      const { layer, server } = yield* overSmtp()
      yield* Effect.gen(function* () {
        server.reply(550)
        yield* deliver("exists", "refused@discovery.test")
        server.reply(451)
        yield* deliver("exists", "postponed@discovery.test")
        yield* clock.advance(31 * minute)
        yield* settled
        for (let sent = 0; sent < 9; sent++) yield* post("exists", `counted${sent}@discovery.test`)
        yield* settled
        for (const [outcome, count] of [
          ["refused", 1],
          ["postponed", 1],
          ["failed", 1],
          ["sent", 9]
        ] as const) {
          assert.strictEqual(yield* Metrics.mails.value({ outcome }), count, outcome)
        }
      }).pipe(Effect.provide(layer))
    }).pipe(Effect.provideService(Metric.MetricRegistry, new Map()))
  )
})

layer(Services, { excludeTestServices: true })("mails in the database", (it) => {
  it.effect("have no secret: that of the link is made when its mail is sent, and is the only one that works", () =>
    Effect.gen(function* () {
      const { sql } = yield* fresh
      const links = yield* AccountLinks
      const { layer, server } = yield* overSmtp()
      const to = "secret@discovery.test"
      const link = yield* linkFor("confirm", to)
      yield* Outbox.put({ kind: "confirm", to, link })
      const rows = yield* sql<{ readonly row: string }>`SELECT to_jsonb(m)::text AS row FROM mail m`
      assert.lengthOf(rows, 1)
      assert.notInclude(JSON.stringify(rows), Redacted.value(link))
      yield* settled.pipe(Effect.provide(layer))
      const sent = new URL(baseUrl + linkOf(yield* server.mailTo(to))).searchParams.get("token") ?? ""
      assert.strictEqual((yield* Effect.flip(links.read("sign_up", link)))._tag, "LinkOver")
      assert.strictEqual((yield* links.read("sign_up", Redacted.make(sent))).email, to)
      assert.isEmpty(yield* sql`SELECT FROM mail`)
    })
  )

  it.effect("end with their link, and are never sent without what they tell", () =>
    Effect.gen(function* () {
      const { sql } = yield* fresh
      const { layer, server } = yield* overSmtp()
      yield* post("newAddress", "ended@discovery.test")
      yield* sql`DELETE FROM account_link WHERE email = 'ended@discovery.test'`
      yield* Outbox.put({ kind: "closed", to: "undone@discovery.test" }).pipe(
        Effect.andThen(Effect.fail("undone")),
        sql.withTransaction,
        Effect.flip
      )
      // Its link is that of another address now.
      const links = yield* AccountLinks
      const [account] = yield* sql<{ readonly id: number }>`
        INSERT INTO account (email, plan, status, created_at) VALUES ('moves@discovery.test', 'starter', 'active', now()) RETURNING id`
      const accountId = AccountId.make(account?.id ?? 0)
      for (const email of ["former@discovery.test", "latter@discovery.test"]) {
        const { secret } = Option.getOrThrow(yield* links.make({ purpose: "email", email, accountId }))
        yield* Outbox.put({ kind: "newAddress", to: email, link: secret })
      }
      // Nobody has this address.
      yield* Outbox.put({ kind: "reset", to: "nobody@discovery.test" })
      yield* settled.pipe(Effect.provide(layer))
      assert.lengthOf(server.allTo("latter@discovery.test"), 1)
      for (const who of ["ended", "undone", "nobody", "former"])
        assert.isEmpty(server.allTo(`${who}@discovery.test`), who)
      assert.isEmpty(yield* sql`SELECT FROM mail`)
    })
  )

  it.effect("are sent by one server each, when several look at once", () =>
    Effect.gen(function* () {
      yield* fresh
      const { layer: first, server } = yield* overSmtp()
      const { layer: other } = yield* overSmtp()
      const to = Array.from({ length: 40 }, (_, index) => `one${index}@discovery.test`)
      for (const each of to) yield* post("exists", each)
      yield* Effect.all([settled.pipe(Effect.provide(first)), settled.pipe(Effect.provide(other))], {
        concurrency: "unbounded"
      })
      for (const each of to) assert.lengthOf(server.allTo(each), 1, each)
    })
  )

  it.effect("that a server was sending when it was killed are sent by another, two minutes later", () =>
    Effect.gen(function* () {
      const { clock } = yield* fresh
      const { layer, server } = yield* overSmtp()
      const to = "killed@discovery.test"
      yield* post("confirm", to)
      assert.isTrue(Option.isSome(yield* Outbox.take))
      yield* Effect.gen(function* () {
        yield* clock.advance(2 * minute - 1)
        yield* settled
        assert.isEmpty(server.allTo(to))
        yield* clock.advance(1)
        yield* settled
        assert.lengthOf(server.allTo(to), 1)
      }).pipe(Effect.provide(layer))
    })
  )

  it.effect("that are being sent when the server stops are waited for", () =>
    Effect.gen(function* () {
      const { sql } = yield* fresh
      const [began, goOn] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const scope = yield* Scope.make()
      yield* post("exists", "stopping@discovery.test")
      const deliver = () => Effect.andThen(Deferred.succeed(began, undefined), Deferred.await(goOn))
      yield* Layer.buildWithScope(
        Layer.fresh(Mailer.layerOver(deliver, { attemptTimeout: "10 seconds", maxAtOnce: 4 })),
        scope
      )
      yield* Deferred.await(began)
      const stopping = yield* Effect.forkChild(Scope.close(scope, Exit.void))
      yield* Effect.yieldNow
      yield* Deferred.succeed(goOn, undefined)
      yield* Fiber.join(stopping)
      assert.isEmpty(yield* sql`SELECT FROM mail`)
    })
  )

  it.effect("are sent although one of them is a defect, which is tried again and logged", () =>
    Effect.gen(function* () {
      const { clock, sql } = yield* fresh
      const sent: Array<string> = []
      const logs: Array<string> = []
      const deliver = ({ to }: Message) =>
        to.startsWith("broken") ? Effect.die(new Error("it has no text")) : Effect.sync(() => void sent.push(to))
      const mails = Layer.fresh(Mailer.layerOver(deliver, { attemptTimeout: "10 seconds", maxAtOnce: 1 })).pipe(
        Layer.provideMerge(Logger.layer([Logger.map(Logger.formatJson, (line) => void logs.push(line))]))
      )
      yield* post("exists", "broken@discovery.test")
      yield* post("exists", "whole@discovery.test")
      yield* Effect.gen(function* () {
        yield* settled
        assert.deepStrictEqual(sent, ["whole@discovery.test"])
        assert.include(logs.join(), "it has no text")
        assert.lengthOf(yield* sql`SELECT FROM mail`, 1)
        yield* clock.advance(31 * minute)
        yield* settled
        assert.isEmpty(yield* sql`SELECT FROM mail`)
      }).pipe(Effect.provide(mails))
    })
  )

  it.effect("of a kind or in a language that this version does not know are left to a newer one", () =>
    Effect.gen(function* () {
      const { sql } = yield* fresh
      const { layer, logs } = yield* overSmtp()
      yield* sql`
        INSERT INTO mail (kind, recipient, language, created_at, due_at, expires_at)
        VALUES ('of tomorrow', 'new@discovery.test', 'en', ${new Date(start)}, ${new Date(start)}, 'infinity'),
          ('exists', 'new@discovery.test', 'it', ${new Date(start)}, ${new Date(start)}, 'infinity')`
      yield* settled.pipe(Effect.provide(layer))
      assert.deepStrictEqual(logs, [])
      assert.lengthOf(yield* sql`SELECT FROM mail`, 2)
    })
  )
})

layer(Services, { excludeTestServices: true })("a mail server", (it) => {
  it.effect("that is not there is tried again, and the log says why it failed", () =>
    Effect.gen(function* () {
      const { sql } = yield* fresh
      const port = yield* freePort
      const { layer, logs } = mailer({ smtpUrl: Option.some(Redacted.make(`smtp://127.0.0.1:${port}`)) })
      yield* deliver("exists", "nobody@discovery.test").pipe(Effect.provide(layer))
      assert.lengthOf(logs, 1)
      assert.include(logs[0] ?? "", "ESOCKET")
      assert.lengthOf(yield* sql`SELECT FROM mail`, 1)
    })
  )
})

describe("the address of a mail server", () => {
  it("D86 on another machine gets mails with TLS only", () => {
    assert.deepInclude(optionsOf("smtp://mail.example.com"), { port: 587, secure: false, requireTLS: true })
    assert.deepInclude(optionsOf("smtp://mail.example.com:25"), { port: 25, requireTLS: true })
    assert.deepInclude(optionsOf("smtp://localhost:2525"), { port: 2525, requireTLS: false })
    assert.deepInclude(optionsOf("smtp://[::1]:2525"), { host: "::1", requireTLS: false })
    assert.deepInclude(optionsOf("smtps://ada%40example.com:p%3Aw@mail.example.com"), {
      host: "mail.example.com",
      port: 465,
      secure: true,
      auth: { user: "ada@example.com", pass: "p:w" }
    })
    assert.notProperty(optionsOf("smtp://localhost"), "auth")
  })
})

layer(Services, { excludeTestServices: true })("without SMTP_URL", (it) => {
  it.effect("D86 mails are files that only their owner reads, the log says where, and the oldest go", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      const folder = path.join(dataDir, "mail")
      const { layer, logs } = mailer({ dataDir })
      yield* Effect.promise(async () => {
        await fs.mkdir(folder, { recursive: true })
        for (let old = 0; old < maxFiles; old++) await fs.writeFile(path.join(folder, `2001-${1000 + old}.eml`), "")
      })
      yield* fresh
      yield* deliver("confirm", "ada@discovery.test").pipe(
        Effect.provide(layer),
        Effect.provideService(MailLanguage, "fr")
      )
      const files = (yield* Effect.promise(() => fs.readdir(folder))).toSorted()
      assert.lengthOf(files, maxFiles)
      assert.notInclude(files, "2001-1000.eml")
      const file = path.join(folder, files.at(-1) ?? "")
      assert.include(logs[0] ?? "", file)
      assert.notInclude(logs.join(), "token")
      const { mode } = yield* Effect.promise(() => fs.stat(file))
      assert.strictEqual(mode & 0o777, 0o600)
      const mail = yield* Effect.promise(async () => PostalMime.parse(await fs.readFile(file)))
      assert.strictEqual(mail.to?.[0]?.address, "ada@discovery.test")
      assert.include(mail.subject ?? "", "Confirmez")
      assert.include(linkOf(mail), "/sign-up/confirm?token=")
    })
  )
})

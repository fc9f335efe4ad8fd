/** Mails over real mail servers with TLS and a login: links are secrets, and so is the password of `SMTP_URL`. */
import { assert, layer } from "@effect/vitest"
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Effect, Layer, Logger, Option, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as tls from "node:tls"
import { AppConfig } from "../../../src/Config.ts"
import { AccountLinks } from "../../../src/services/accounts/AccountLinks.ts"
import { Mailer } from "../../../src/services/mail/Mailer.ts"
import * as Outbox from "../../../src/services/mail/Outbox.ts"
import * as Certificate from "../../support/Certificate.ts"
import { listen } from "../../support/MailServer.ts"
import type { MailServer, Said } from "../../support/MailServer.ts"
import { SetClock } from "../../support/SetClock.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const start = "2026-03-10T12:00:00Z"
const to = "ada@discovery.test"
const password = "p:w@/ä"
const login = () => ({ user: "mailer@discovery.test", password })

const Services = AccountLinks.layer.pipe(
  Layer.provide(NodeCrypto.layer),
  Layer.provideMerge(TestDatabase.layer),
  Layer.provideMerge(SetClock.layer(start))
)

/** As the machine of an operator trusts the authorities of its system: until the scope is closed, also this certificate. */
const trust = ({ cert }: { readonly cert: string }) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const before = tls.getCACertificates("default")
      tls.setDefaultCACertificates([...before, cert])
      return before
    }),
    (before) => Effect.sync(() => tls.setDefaultCACertificates(before))
  )

/** A mail to a server: tried now, and again five seconds later, and so on. */
const mailTo = Effect.fnUntraced(function* (server: MailServer["Service"], url = server.url) {
  const sql = yield* SqlClient.SqlClient
  const clock = yield* SetClock
  yield* clock.set(start)
  yield* sql`DELETE FROM mail`
  const logs: Array<string> = []
  const services = yield* Layer.build(
    Layer.fresh(Mailer.layerWith({ attemptTimeout: "60 seconds" })).pipe(
      Layer.provide(
        AppConfig.layerOf({
          baseUrl: "https://discovery.test",
          mailFrom: { name: "Discovery", address: "no-reply@discovery.test" },
          supportUrl: "https://help.discovery.test/",
          smtpUrl: Option.some(url)
        })
      ),
      Layer.provideMerge(Logger.layer([Logger.map(Logger.formatJson, (line) => void logs.push(line))]))
    )
  )
  yield* Outbox.put({ kind: "exists", to })
  const settled = Effect.flatMap(Mailer, ({ settled }) => settled).pipe(Effect.provide(services))
  yield* settled
  return {
    logs,
    again: (seconds: number) => Effect.andThen(clock.advance(seconds * 1_000), settled),
    waiting: Effect.map(sql`SELECT FROM mail`, ({ length }) => length)
  }
})

const all: ReadonlyArray<Said["what"]> = ["login", "sender", "recipient"]
const withTls = all.map((what): Said => ({ what, isSecret: true }))
const inPlainText = all.map((what): Said => ({ what, isSecret: false }))

/** The code of a line of the log about a mail that is tried again. */
const postponed = (line: string) => /"A mail could not be sent yet".*"code":"(\w+)"/u.exec(line)?.[1]

layer(Services, { excludeTestServices: true })("a mail server with TLS and a login", (it) => {
  it.effect("D86 takes mails over smtps with the login of SMTP_URL", () =>
    Effect.gen(function* () {
      const certificate = Certificate.make("127.0.0.1")
      yield* trust(certificate)
      const server = yield* listen({ certificate: { ...certificate, by: "smtps" }, login: login() })
      const { logs, waiting } = yield* mailTo(server)
      assert.deepStrictEqual(server.said, withTls)
      assert.lengthOf(server.allTo(to), 1)
      assert.strictEqual(yield* waiting, 0)
      assert.deepStrictEqual(logs, [])
    })
  )

  it.effect("D86 takes mails by STARTTLS on another machine, and learns nothing before it", () =>
    Effect.gen(function* () {
      const certificate = Certificate.make("0.0.0.0")
      yield* trust(certificate)
      const server = yield* listen({ certificate: { ...certificate, by: "STARTTLS" }, host: "0.0.0.0", login: login() })
      const { logs } = yield* mailTo(server)
      assert.deepStrictEqual(server.said, withTls)
      assert.lengthOf(server.allTo(to), 1)
      assert.deepStrictEqual(logs, [])
    })
  )

  it.effect("that refuses the password with 535 is tried again, and gets the mail once the password is right", () =>
    Effect.gen(function* () {
      const certificate = Certificate.make("127.0.0.1")
      yield* trust(certificate)
      const account = { ...login(), password: "another one" }
      const server = yield* listen({ certificate: { ...certificate, by: "smtps" }, login: account })
      const url = new URL(Redacted.value(server.url))
      url.password = encodeURIComponent(password)
      const { again, logs, waiting } = yield* mailTo(server, Redacted.make(url.href))
      assert.strictEqual(yield* waiting, 1)
      yield* again(4)
      assert.lengthOf(server.said, 1, "not before its time")
      yield* again(1)
      assert.deepStrictEqual(
        server.said.map(({ what }) => what),
        ["login", "login"]
      )
      account.password = password
      yield* again(15)
      assert.lengthOf(server.allTo(to), 1)
      assert.strictEqual(yield* waiting, 0)
      assert.deepStrictEqual(logs.map(postponed), ["535", "535"])
      assert.notMatch(logs.join(), /p:w@|another one|mailer@|ada@/u)
    })
  )

  it.effect.each([
    { which: "that is not trusted", name: "127.0.0.1", isTrusted: false, by: "smtps" },
    { which: "of another host", name: "mail.example.com", isTrusted: true, by: "smtps" },
    { which: "that is not trusted", name: "127.0.0.1", isTrusted: false, by: "STARTTLS" },
    { which: "of another host", name: "mail.example.com", isTrusted: true, by: "STARTTLS" }
  ] as const)(
    "D86 with a certificate $which gets nothing by $by, and the mail once the certificate is right",
    ({ by, isTrusted, name }) =>
      Effect.gen(function* () {
        const certificate = Certificate.make(name)
        if (isTrusted) yield* trust(certificate)
        const server = yield* listen({ certificate: { ...certificate, by }, login: login() })
        const { again, logs, waiting } = yield* mailTo(server)
        yield* again(5)
        assert.deepStrictEqual(server.said, [])
        assert.strictEqual(yield* waiting, 1)
        assert.lengthOf(logs, 2)
        for (const line of logs) assert.match(postponed(line) ?? "", /^E(?:SOCKET|TLS)$/u)
        if (isTrusted) return
        yield* trust(certificate)
        yield* again(15)
        assert.deepStrictEqual(server.said, withTls)
        assert.lengthOf(server.allTo(to), 1)
      })
  )

  it.effect("D86 without STARTTLS on another machine gets nothing, and the mail is tried again", () =>
    Effect.gen(function* () {
      const server = yield* listen({ host: "0.0.0.0", login: login() })
      const { again, logs, waiting } = yield* mailTo(server)
      yield* again(5)
      assert.deepStrictEqual(server.said, [])
      assert.lengthOf(server.mails, 0)
      assert.strictEqual(yield* waiting, 1)
      assert.deepStrictEqual(logs.map(postponed), ["ETLS", "ETLS"])
    })
  )

  it.effect("D86 that refuses the connection with 554 gets the mail once it takes connections", () =>
    Effect.gen(function* () {
      const closed: { code: number | undefined } = { code: 554 }
      const server = yield* listen({ closed })
      const { again, logs, waiting } = yield* mailTo(server)
      assert.strictEqual(yield* waiting, 1)
      closed.code = undefined
      yield* again(5)
      assert.lengthOf(server.allTo(to), 1)
      assert.strictEqual(yield* waiting, 0)
      assert.deepStrictEqual(logs.map(postponed), ["554"])
    })
  )

  it.effect("D86 without STARTTLS on this machine gets the mail in plain text", () =>
    Effect.gen(function* () {
      const server = yield* listen({ host: "127.0.0.1", login: login() })
      yield* mailTo(server)
      assert.deepStrictEqual(server.said, inPlainText)
      assert.lengthOf(server.allTo(to), 1)
    })
  )
})

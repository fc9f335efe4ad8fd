/** Mails over a real SMTP server: what they say, and what happens when the server does not take them. */
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer, Logger, Metric, Option, Redacted } from "effect"
import type { Duration } from "effect"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import PostalMime from "postal-mime"
import { AppConfig } from "../../../src/Config.ts"
import { languages } from "../../../src/domain/Messages.ts"
import { MailLanguage } from "../../../src/services/mail/Letter.ts"
import type { Kind, Letter } from "../../../src/services/mail/Letter.ts"
import { Mailer, maxChanges, maxFiles, maxRetries, optionsOf } from "../../../src/services/mail/Mailer.ts"
import * as Metrics from "../../../src/services/metrics/Metrics.ts"
import { linkOf, MailServer } from "../../support/MailServer.ts"
import { temporaryFolder } from "../../support/PrivatePostgres.ts"
import { freePort } from "../../support/ServerProcess.ts"

const baseUrl = "https://discovery.test"
const mailFrom = { name: "Discovery", address: "no-reply@discovery.test" }
const maxPending = 20
const supportUrl = "https://help.discovery.test/"
const link = `${baseUrl}/sign-up/confirm?token=${"s".repeat(43)}`
const linked = ["confirm", "reset", "newAddress"] as const
/** Where the others lead. */
const places: ReadonlyArray<readonly [kinds: ReadonlyArray<Exclude<Kind, (typeof linked)[number]>>, leadsTo: string]> =
  [
    [["exists", "addressTaken"], `${baseUrl}/sign-in`],
    [["passwordSet", "passwordChanged"], `${baseUrl}/reset-password`],
    [["passkey_added", "passkey_removed", "second_step_on", "second_step_off"], `${baseUrl}/dashboard/account`],
    [["codes_replaced", "code_used"], `${baseUrl}/dashboard/account`],
    [["addressChanged", "closed"], supportUrl]
  ]

const letter = (to: string): Letter => ({ kind: "confirm", to, link })

/** A mailer that tries again soon; its log is in the result. */
const mailer = (config: Parameters<typeof AppConfig.layerOf>[0], attemptTimeout: Duration.Input = "10 seconds") => {
  const logs: Array<string> = []
  const made = Mailer.layerWith({ firstRetry: "1 millis", attemptTimeout, maxPending }).pipe(
    Layer.provide(AppConfig.layerOf({ baseUrl, mailFrom, supportUrl, ...config })),
    Layer.provideMerge(Logger.layer([Logger.map(Logger.formatJson, (line) => void logs.push(line))]))
  )
  return { logs, layer: made }
}

const pathOf = (url: string) => new URL(url).pathname + new URL(url).search

/** Sends, and waits until all is sent or given up. */
const deliver = (...letters: ReadonlyArray<Letter>) =>
  Effect.gen(function* () {
    const mailer = yield* Mailer
    for (const each of letters) yield* mailer.send(each)
    yield* mailer.settled
  })

layer(MailServer.layer, { excludeTestServices: true })("over SMTP", (it) => {
  it.effect("D86 every mail has a subject, the link as text and as HTML, and one language", () =>
    Effect.gen(function* () {
      const server = yield* MailServer
      const { layer } = mailer({ smtpUrl: Option.some(server.url) })
      const said = new Map<string, string>()
      const letters: ReadonlyArray<Letter & { readonly leadsTo: string }> = [
        ...linked.map((kind) => ({ kind, link, leadsTo: link, to: kind })),
        ...places.flatMap(([kinds, leadsTo]) => kinds.map((kind) => ({ kind, leadsTo, to: kind })))
      ]
      for (const language of languages) {
        for (const each of letters) {
          const to = `${each.kind}.${language}@discovery.test`
          yield* deliver({ ...each, to }).pipe(Effect.provide(layer), Effect.provideService(MailLanguage, language))
          const mail = yield* server.mailTo(to)
          assert.strictEqual(pathOf(each.leadsTo), linkOf(mail))
          assert.deepStrictEqual(mail.recipients, [to])
          assert.deepStrictEqual(mail.from, mailFrom)
          assert.deepInclude(
            mail.headers.map(({ key, value }) => `${key}: ${value}`),
            "auto-submitted: auto-generated"
          )
          assert.include(mail.html ?? "", `<html lang="${language}">`)
          const text = `${mail.subject} ${mail.text}`
          assert.notMatch(text, /undefined|\{/u)
          for (const [other, words] of said) assert.notStrictEqual(text, words, `${to} and ${other}`)
          said.set(to, text)
        }
      }
    })
  )

  it.effect(
    "D87 a mail about a password says what still signs in, and where it is removed; one about a change, who helps",
    () =>
      Effect.gen(function* () {
        const server = yield* MailServer
        const { layer } = mailer({ smtpUrl: Option.some(server.url) })
        for (const kind of ["passwordSet", "passwordChanged", "passkey_added"] as const) {
          const to = `${kind}@discovery.test`
          yield* deliver({ kind, to }).pipe(Effect.provide(layer))
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
      const server = yield* MailServer
      const { layer, logs } = mailer({ smtpUrl: Option.some(server.url) })
      const [to, other] = ["again@discovery.test", "other@discovery.test"]
      yield* Effect.gen(function* () {
        for (let sent = 0; sent <= maxChanges.limit; sent++) yield* deliver({ kind: "codes_replaced", to })
        assert.lengthOf(server.allTo(to), maxChanges.limit)
        assert.include(logs.join(), "too many changes of one account")
        assert.notInclude(logs.join(), to)
        yield* deliver({ kind: "codes_replaced", to: other }, { kind: "passwordChanged", to })
        assert.lengthOf(server.allTo(other), 1)
        assert.lengthOf(server.allTo(to), maxChanges.limit + 1)
      }).pipe(Effect.provide(layer))
    })
  )

  it.effect("an address is one address, whatever characters it has", () =>
    Effect.gen(function* () {
      const server = yield* MailServer
      const { layer } = mailer({ smtpUrl: Option.some(server.url) })
      const to = "o'neill+{a}/b=c@discovery.test"
      yield* deliver(letter(to)).pipe(Effect.provide(layer))
      assert.deepStrictEqual((yield* server.mailTo(to)).recipients, [to])
    })
  )

  it.effect("a server that says later gets the mail later, once", () =>
    Effect.gen(function* () {
      const server = yield* MailServer
      const { layer, logs } = mailer({ smtpUrl: Option.some(server.url) })
      server.reply(451, 421, 450)
      yield* deliver(letter("later@discovery.test")).pipe(Effect.provide(layer))
      assert.lengthOf(server.allTo("later@discovery.test"), 1)
      assert.deepStrictEqual(logs, [])
    })
  )

  it.effect("a server that says later forever is asked a bounded number of times, and the log says so", () =>
    Effect.gen(function* () {
      const server = yield* MailServer
      const { layer, logs } = mailer({ smtpUrl: Option.some(server.url) })
      const before = server.attempts()
      server.reply(...Array.from({ length: maxRetries + 1 }, () => 451))
      yield* deliver(letter("never@discovery.test")).pipe(Effect.provide(layer))
      assert.strictEqual(server.attempts() - before, maxRetries + 1)
      assert.lengthOf(logs, 1)
      assert.include(logs[0] ?? "", "A mail could not be sent")
      assert.include(logs[0] ?? "", "451")
    })
  )

  it.effect("D86 a server that refuses is asked once; the log has neither the address nor the link", () =>
    Effect.gen(function* () {
      const server = yield* MailServer
      const { layer, logs } = mailer({ smtpUrl: Option.some(server.url) })
      const before = server.attempts()
      server.reply(550)
      yield* deliver(letter("unknown.person@discovery.test")).pipe(Effect.provide(layer))
      assert.strictEqual(server.attempts() - before, 1)
      assert.lengthOf(logs, 1)
      assert.include(logs[0] ?? "", "550")
      assert.notMatch(logs.join(), /unknown\.person|sss/u)
    })
  )

  it.effect("a server that stops answering delays the others no longer than an attempt may take", () =>
    Effect.gen(function* () {
      const server = yield* MailServer
      const { layer, logs } = mailer({ smtpUrl: Option.some(server.url) })
      server.reply("silent")
      const slow = mailer({ smtpUrl: Option.some(server.url) }, "3 seconds")
      yield* deliver(letter("slow@discovery.test")).pipe(Effect.provide(slow.layer))
      // An attempt that took too long may have been taken after all.
      assert.isNotEmpty(server.allTo("slow@discovery.test"))
      yield* deliver(letter("next@discovery.test")).pipe(Effect.provide(layer))
      assert.lengthOf(server.allTo("next@discovery.test"), 1)
      assert.deepStrictEqual(logs, [])
    })
  )

  it.effect("D86 more mails than may wait are refused before anybody is asked what for", () =>
    Effect.gen(function* () {
      const server = yield* MailServer
      const { layer, logs } = mailer({ smtpUrl: Option.some(server.url) })
      yield* Effect.gen(function* () {
        const mails = yield* Mailer
        yield* mails.ready
        for (let sent = 0; sent < maxPending; sent++) yield* mails.send(letter(`many${sent}@discovery.test`))
        assert.strictEqual((yield* Effect.flip(mails.ready))._tag, "ServiceUnavailable")
        yield* mails.send(letter("one.too.many@discovery.test"))
        assert.include(logs.join(), "too many wait")
        yield* mails.settled
        yield* mails.ready
        assert.lengthOf(server.allTo("one.too.many@discovery.test"), 0)
        assert.lengthOf(server.allTo(`many${maxPending - 1}@discovery.test`), 1)
      }).pipe(Effect.provide(layer))
    })
  )

  it.effect("what became of each mail is counted, and how many wait is known", () =>
    Effect.gen(function* () {
      const server = yield* MailServer
      const { layer } = mailer({ smtpUrl: Option.some(server.url) })
      yield* Effect.gen(function* () {
        const waiting = Metrics.queueLength.value({ queue: "mails" })
        const mails = yield* Mailer
        server.reply(550)
        yield* deliver(letter("refused@discovery.test"))
        server.reply(535)
        yield* deliver(letter("wrong.password@discovery.test"))
        server.reply(...Array.from({ length: maxRetries + 1 }, () => 451))
        yield* deliver(letter("failed@discovery.test"))
        for (let sent = 0; sent <= maxPending; sent++) yield* mails.send(letter(`counted${sent}@discovery.test`))
        assert.strictEqual(yield* waiting, maxPending)
        yield* mails.settled
        assert.strictEqual(yield* waiting, 0)
        for (const [outcome, count] of [
          ["refused", 1],
          ["failed", 2],
          ["too_many", 1],
          ["sent", maxPending]
        ] as const) {
          assert.strictEqual(yield* Metrics.mails.value({ outcome }), count, outcome)
        }
      }).pipe(Effect.provide(layer))
    }).pipe(Effect.provideService(Metric.MetricRegistry, new Map()))
  )
})

describe("a mail server", () => {
  it.live("that is not there is tried again, and the log says why it failed", () =>
    Effect.gen(function* () {
      const port = yield* freePort
      const { layer, logs } = mailer({ smtpUrl: Option.some(Redacted.make(`smtp://127.0.0.1:${port}`)) })
      yield* deliver(letter("nobody@discovery.test")).pipe(Effect.provide(layer))
      assert.lengthOf(logs, 1)
      assert.include(logs[0] ?? "", "ESOCKET")
    })
  )

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

describe("without SMTP_URL", () => {
  it.live("D86 mails are files that only their owner reads, the log says where, and the oldest go", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      const folder = path.join(dataDir, "mail")
      const { layer, logs } = mailer({ dataDir })
      yield* Effect.promise(async () => {
        await fs.mkdir(folder, { recursive: true })
        for (let old = 0; old < maxFiles; old++) await fs.writeFile(path.join(folder, `2001-${1000 + old}.eml`), "")
      })
      yield* deliver(letter("ada@discovery.test")).pipe(
        Effect.provide(layer),
        Effect.provideService(MailLanguage, "fr")
      )
      const files = (yield* Effect.promise(() => fs.readdir(folder))).toSorted()
      assert.lengthOf(files, maxFiles)
      assert.notInclude(files, "2001-1000.eml")
      const file = path.join(folder, files.at(-1) ?? "")
      assert.include(logs[0] ?? "", folder)
      assert.include(logs[1] ?? "", file)
      assert.notInclude(logs.join(), "sss")
      const { mode } = yield* Effect.promise(() => fs.stat(file))
      assert.strictEqual(mode & 0o777, 0o600)
      const mail = yield* Effect.promise(async () => PostalMime.parse(await fs.readFile(file)))
      assert.strictEqual(mail.to?.[0]?.address, "ada@discovery.test")
      assert.include(mail.subject ?? "", "Confirmez")
      assert.strictEqual(linkOf(mail), pathOf(link))
    })
  )
})

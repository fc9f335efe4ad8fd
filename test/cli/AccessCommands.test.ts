import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, layer } from "@effect/vitest"
import { Console, Effect, Layer, Redacted, Stdio, Stream } from "effect"
import { Command } from "effect/cli"
import { SqlClient } from "effect/sql"
import { AppConfig } from "../../src/Config.ts"
import { accountCommand } from "../../src/cli/AccountCommand.ts"
import { appCommand } from "../../src/cli/AppCommand.ts"
import { creditsCommand } from "../../src/cli/CreditsCommand.ts"
import { keyCommand } from "../../src/cli/KeyCommand.ts"
import { trackCommand } from "../../src/cli/TrackCommand.ts"
import { AccountLinks } from "../../src/services/accounts/AccountLinks.ts"
import { CredentialResolver } from "../../src/services/credentials/CredentialResolver.ts"
import { Passwords } from "../../src/services/sessions/Passwords.ts"
import { Grants } from "../../src/services/oauth/Grants.ts"
import { ServerKey } from "../../src/services/oauth/ServerKey.ts"
import { TrackedShops } from "../../src/services/accounts/TrackedShops.ts"
import * as Access from "../support/Access.ts"
import * as OAuth from "../support/OAuth.ts"
import { SetClock } from "../support/SetClock.ts"
import { TestDatabase } from "../support/TestDatabase.ts"

const root = Command.make("discovery").pipe(
  Command.withSubcommands([accountCommand, keyCommand, appCommand, trackCommand, creditsCommand])
)
const execute = Command.runWith(root, { version: "0" })

/** Runs a command line; `stdin` is what is piped into it. Returns what it prints, and whether it ended well. */
const run = Effect.fnUntraced(function* (line: ReadonlyArray<string>, stdin = "") {
  const live = yield* Console.Console
  const printed: Array<string> = []
  const keep = (...parts: ReadonlyArray<unknown>) => void printed.push(parts.join(" "))
  const console: Console.Console = Object.setPrototypeOf({ log: keep, error: keep }, live)
  const ended = yield* execute(line).pipe(
    Effect.provideService(Console.Console, console),
    Effect.provide(
      Layer.provideMerge(Stdio.layerTest({ stdin: Stream.make(new TextEncoder().encode(stdin)) }), NodeServices.layer)
    ),
    Effect.exit
  )
  return { ended: ended._tag, text: printed.join("\n") }
})

const Services = Layer.merge(TrackedShops.layer, AccountLinks.layer).pipe(
  Layer.provideMerge(Layer.mergeAll(Access.layer, OAuth.layer, NodeCrypto.layer)),
  Layer.provideMerge(AppConfig.layerOf({ baseUrl: "https://discovery.test" })),
  Layer.provideMerge(TestDatabase.layer),
  Layer.provideMerge(SetClock.layer("2026-03-10T12:00:00Z"))
)

layer(Services, { excludeTestServices: true })("the operator's command line", (it) => {
  const passwordWorks = Effect.fnUntraced(function* (email: string, password: string) {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql<{ readonly hash: string }>`SELECT password_hash AS hash FROM account WHERE email = ${email}`
    const passwords = yield* Passwords
    return yield* passwords.verify(Redacted.make(password), rows[0]?.hash ?? "")
  })

  describe("account", () => {
    it.effect("D8 create and reset-password print a link with which the owner alone sets the password, once", () =>
      Effect.gen(function* () {
        const { ended, text } = yield* run(["account", "create", "ada@example.com", "--plan", "growth"])
        assert.strictEqual(ended, "Success")
        assert.match(
          text,
          /^ +\d+ {2}ada@example\.com {2}growth {2}active {2}0\/20 credits used until 2026-04-10\nlink {2}\S+ /
        )
        const links = yield* AccountLinks
        const linkIn = (printed: string) => {
          const [, place = "", token = ""] = /^link {2}(\S+)\?token=(\S+) /mu.exec(printed) ?? []
          assert.strictEqual(place, "https://discovery.test/reset-password/new")
          return links.read("reset", Redacted.make(token))
        }
        assert.strictEqual((yield* linkIn(text)).email, "ada@example.com")
        const again = yield* run(["account", "reset-password", "ADA@example.com"])
        assert.strictEqual((yield* linkIn(again.text)).email, "ada@example.com")
        assert.include(again.text, "mail  ada@example.com is told")
        assert.strictEqual((yield* Effect.flip(linkIn(text)))._tag, "LinkOver", "a newer one ends it")
      })
    )

    it.effect("takes a password from standard input, and does not print it", () =>
      Effect.gen(function* () {
        const line = ["account", "create", "bob@example.com", "--password", "stdin"]
        const { ended, text } = yield* run(line, "nine green whales\n")
        assert.strictEqual(ended, "Success")
        assert.notInclude(text, "whales")
        assert.isTrue(yield* passwordWorks("bob@example.com", "nine green whales"))
        yield* run(["account", "reset-password", "bob@example.com", "--password", "stdin"], "eleven pink snails")
        assert.isTrue(yield* passwordWorks("bob@example.com", "eleven pink snails"))
      })
    )

    it.effect("D83 reset-passkeys lets an owner in by the password again, and is kept as a change", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* run(["account", "create", "kim@example.com"])
        yield* sql`UPDATE account SET second_step = true WHERE email = 'kim@example.com'`
        const { ended, text } = yield* run(["account", "reset-passkeys", "KIM@example.com"])
        assert.notInclude(text, "code")
        assert.strictEqual(ended, "Success")
        assert.include(text, "kim@example.com")
        const rows = yield* sql`
          SELECT a.second_step, c.what, c.actor_id FROM account a JOIN account_change c ON c.account_id = a.id
          WHERE a.email = 'kim@example.com'`
        assert.deepStrictEqual(rows, [{ second_step: false, what: "passkeys", actor_id: null }])
        assert.include(text, "mail  kim@example.com is told")
        const mails = yield* sql`SELECT kind, language, link FROM mail WHERE recipient = 'kim@example.com'`
        assert.deepStrictEqual(mails, [{ kind: "passkeysReset", language: "en", link: null }])
        assert.strictEqual((yield* run(["account", "reset-passkeys", "nobody@example.com"])).ended, "Failure")
      })
    )

    it.effect("changes plan, status and credits, and lists them", () =>
      Effect.gen(function* () {
        yield* run(["account", "create", "cyd@example.com", "--plan", "growth", "--began-on", "2026-01-31"])
        yield* run(["account", "set-plan", "cyd@example.com", "pro"])
        yield* run(["account", "set-status", "cyd@example.com", "unpaid"])
        yield* run(["account", "grant", "cyd@example.com", "5", "--note", "for the outage"])
        const { text } = yield* run(["account", "list"])
        assert.match(text, /cyd@example\.com {2}pro {2}unpaid {2}0\/105 credits used until 2026-03-31/)
      })
    )

    it.effect("set-role gives and takes the role of operator, and list shows it", () =>
      Effect.gen(function* () {
        yield* run(["account", "create", "ivy@example.com", "--plan", "growth"])
        const line = /ivy@example\.com {2}growth {2}active {2}0\/20 credits used until 2026-04-10(.*)/
        const listed = Effect.map(run(["account", "list"]), ({ text }) => line.exec(text)?.[1])
        assert.strictEqual(yield* listed, "")
        const made = yield* run(["account", "set-role", "IVY@example.com", "operator"])
        assert.deepStrictEqual([made.ended, line.exec(made.text)?.[1]], ["Success", "  operator"])
        assert.strictEqual(yield* listed, "  operator")
        yield* run(["account", "set-role", "ivy@example.com", "customer"])
        assert.strictEqual(yield* listed, "")
      })
    )

    it.effect("D84 set-role, enroll and reset-passkeys print a code for an operator's first passkey", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* run(["account", "create", "liz@example.com"])
        assert.strictEqual((yield* run(["account", "enroll", "liz@example.com"])).ended, "Failure")
        const lines = [
          ["set-role", "liz@example.com", "operator"],
          ["enroll", "liz@example.com"],
          ["reset-passkeys", "liz@example.com"]
        ]
        const codes = yield* Effect.forEach(lines, (line) =>
          Effect.map(run(["account", ...line]), ({ text }) => /^code {2}((?:\w{4}-){5}\w{4}) /mu.exec(text)?.[1])
        )
        assert.lengthOf(new Set(codes.filter((code) => code !== undefined)), 3)
        yield* sql`INSERT INTO passkey (account_id, credential_id, public_key, sign_count, name, created_at)
          SELECT id, 'x', 'x', 0, 'x', now() FROM account WHERE email = 'liz@example.com'`
        assert.include((yield* run(["account", "set-role", "liz@example.com", "operator"])).text, "passkeys  1 ")
      })
    )

    it.effect("says what is wrong, and fails", () =>
      Effect.gen(function* () {
        yield* run(["account", "create", "dan@example.com"])
        const cases: ReadonlyArray<readonly [ReadonlyArray<string>, string]> = [
          [["account", "create", "DAN@example.com"], "already has an account"],
          [["account", "create", "nobody"], "not an e-mail address"],
          [["account", "set-plan", "nobody@example.com", "pro"], "There is no account"],
          [["account", "set-plan", "dan@example.com", "gold"], "gold"],
          [["account", "set-role", "dan@example.com", "root"], "root"],
          [["account", "set-role", "nobody@example.com", "operator"], "There is no account"],
          [["account", "grant", "dan@example.com", "5"], "Set a paid plan first"],
          [["account", "grant", "dan@example.com", "many"], "many"],
          [["account", "reset-password", "dan@example.com", "--password", "stdin"], "at least 12"]
        ]
        for (const [line, message] of cases) {
          const { ended, text } = yield* run(line)
          assert.strictEqual(ended, "Failure", line.join(" "))
          assert.include(text, message)
        }
      })
    )
  })

  describe("key", () => {
    it.effect("create prints a key that works, list masks it, revoke ends it", () =>
      Effect.gen(function* () {
        const resolver = yield* CredentialResolver
        yield* run(["account", "create", "eve@example.com", "--plan", "growth"])
        const made = yield* run(["key", "create", "eve@example.com", "nightly job"])
        const secret = /dsk_[0-9A-Za-z]{43}/.exec(made.text)?.[0] ?? ""
        yield* resolver.resolve(Redacted.make(secret))

        const { text } = yield* run(["key", "list", "eve@example.com"])
        assert.include(text, `dsk_…${secret.slice(-4)}  nightly job  made 2026-03-10T12:00:00.000Z  last used never`)
        assert.notInclude(text, secret)

        const id = /(\d+)/.exec(text)?.[1] ?? ""
        assert.strictEqual((yield* run(["key", "revoke", "eve@example.com", id])).ended, "Success")
        assert.strictEqual((yield* Effect.flip(resolver.resolve(Redacted.make(secret))))._tag, "CredentialRejected")
        const again = yield* run(["key", "revoke", "eve@example.com", id])
        assert.strictEqual(again.ended, "Failure")
        assert.include(again.text, `no active key ${id}`)
      })
    )

    it.effect("replace prints a key that works, list shows when the old one ends", () =>
      Effect.gen(function* () {
        const resolver = yield* CredentialResolver
        yield* run(["account", "create", "gus@example.com", "--plan", "growth"])
        const made = yield* run(["key", "create", "gus@example.com", "nightly job"])
        const id = /(\d+)/.exec(made.text)?.[1] ?? ""
        const { text } = yield* run(["key", "replace", "gus@example.com", id, "--ends", "in_24_hours"])
        const secret = /dsk_[0-9A-Za-z]{43}/.exec(text)?.[0] ?? ""
        yield* resolver.resolve(Redacted.make(secret))
        assert.include(text, `Key ${id} works until 2026-03-11T12:00:00.000Z; then calls with it get HTTP 401.`)
        const listed = yield* run(["key", "list", "gus@example.com"])
        assert.match(
          listed.text,
          /nightly job {2}made \S+ {2}last used never {2}ends 2026-03-11T12:00:00\.000Z\n.*nightly job .* never$/
        )
        const twice = yield* run(["key", "replace", "gus@example.com", id, "--ends", "now"])
        assert.strictEqual(twice.ended, "Failure")
        assert.include(twice.text, `Key ${id} has already been replaced`)
        const next = /(\d+)/.exec(text)?.[1] ?? ""
        const now = yield* run(["key", "replace", "gus@example.com", next, "--ends", "now", "--name", "hourly job"])
        assert.include(now.text, "hourly job")
        assert.include(now.text, `Key ${next} has ended; calls with it get HTTP 401 from now on.`)
        const again = yield* run(["key", "replace", "gus@example.com", next, "--ends", "now"])
        assert.strictEqual(again.ended, "Failure")
        assert.include(again.text, `no active key ${next}`)
      })
    )

    it.effect("says which plan or status is missing and where to fix it", () =>
      Effect.gen(function* () {
        yield* run(["account", "create", "fay@example.com", "--plan", "growth", "--status", "paused"])
        const { ended, text } = yield* run(["key", "create", "fay@example.com", "job"])
        assert.strictEqual(ended, "Failure")
        assert.include(text, "the account's subscription is paused")
        assert.include(text, "https://discovery.test/billing")
      })
    )
  })

  describe("app", () => {
    it.effect("list shows name, publisher, connection and last use; revoke ends it at once", () =>
      Effect.gen(function* () {
        const { caller, email } = yield* Access.subscriber()
        const { tokens } = yield* OAuth.connected(caller.accountId)
        const resolver = yield* CredentialResolver
        const { id } = (yield* resolver.resolve(tokens.accessToken)).credential
        const listed = yield* run(["app", "list", email])
        assert.strictEqual(
          listed.text,
          `${String(id).padStart(5)}  A test's app  by itself  connected 2026-03-10T12:00:00.000Z  last used never`
        )
        const revoked = yield* run(["app", "revoke", email, String(id)])
        assert.strictEqual(revoked.ended, "Success")
        assert.strictEqual((yield* Effect.flip(resolver.resolve(tokens.accessToken)))._tag, "CredentialRejected")
        const again = yield* run(["app", "revoke", email, String(id)])
        assert.strictEqual(again.ended, "Failure")
        assert.include(again.text, `no connected app ${id}`)
        assert.strictEqual((yield* run(["app", "list", email])).text, "")
      })
    )

    it.effect("rotate-key makes a new key, and connected apps stay connected", () =>
      Effect.gen(function* () {
        const { caller } = yield* Access.subscriber()
        const { client, tokens } = yield* OAuth.connected(caller.accountId)
        const keys = yield* ServerKey
        const before = yield* keys.current
        const rotated = yield* run(["app", "rotate-key"])
        assert.strictEqual(rotated.ended, "Success", rotated.text)
        const grants = yield* Grants
        const refreshed = yield* grants.refresh(OAuth.refreshOf(client, tokens.refreshToken))
        assert.isAbove((yield* keys.current).id, before.id)
        yield* Effect.flatMap(CredentialResolver, (resolver) => resolver.resolve(refreshed.accessToken))
      })
    )
  })

  describe("track", () => {
    it.effect("add, list and remove, by domain", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`INSERT INTO shop (id, domain, domain_extension, name, country)
          VALUES (1, 'b.com', '.com', 'B', 'US'), (2, 'a.com', '.com', 'A', 'US')`
        yield* run(["account", "create", "gus@example.com"])
        assert.match((yield* run(["track", "add", "gus@example.com", "www.B.com"])).text, /^ +1 {2}tracked {2}b\.com$/)
        assert.match((yield* run(["track", "add", "gus@example.com", "a.com", "--own"])).text, /^ +2 {2}own {6}a\.com$/)
        assert.match(
          (yield* run(["track", "list", "gus@example.com"])).text,
          /own {6}a\.com\n +1 {2}tracked {2}b\.com$/
        )
        assert.strictEqual((yield* run(["track", "remove", "gus@example.com", "b.com"])).ended, "Success")
        assert.notInclude((yield* run(["track", "list", "gus@example.com"])).text, "b.com")
      })
    )

    it.effect("says what is wrong, and fails", () =>
      Effect.gen(function* () {
        yield* run(["account", "create", "hal@example.com"])
        const cases: ReadonlyArray<readonly [ReadonlyArray<string>, string]> = [
          [["track", "add", "nobody@example.com", "a.com"], "There is no account"],
          [["track", "add", "hal@example.com", "unknown.com"], "no store with the domain unknown.com"],
          [["track", "remove", "hal@example.com", "unknown.com"], "neither tracks nor owns unknown.com"]
        ]
        for (const [line, message] of cases) {
          const { ended, text } = yield* run(line)
          assert.strictEqual(ended, "Failure", line.join(" "))
          assert.include(text, message)
        }
      })
    )
  })

  describe("credits verify", () => {
    it.effect("fails and prints the balances that differ from the ledger", () =>
      Effect.gen(function* () {
        const { caller } = yield* Access.subscriber()
        const good = yield* run(["credits", "verify"])
        assert.strictEqual(good.ended, "Success")
        assert.match(good.text, /^All \d+ balances match the ledger\.$/)

        const sql = yield* SqlClient.SqlClient
        yield* sql`UPDATE credit_period SET used = 3 WHERE account_id = ${caller.accountId}`
        const bad = yield* run(["credits", "verify"])
        assert.strictEqual(bad.ended, "Failure")
        assert.include(
          bad.text,
          `account ${caller.accountId}, period from 2026-03-10: balance 3 of 20 used, ledger 0 of 20`
        )
        assert.match(bad.text, /1 of \d+ balances do not match the ledger/)
      })
    )
  })
})

/**
 * The order in which transactions lock rows, for those that lock several: two that lock them in other orders would wait for each
 * other. That a transaction waits at all is tested beside its service.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { SignInAttempts } from "../../../src/services/limits/SignInAttempts.ts"
import type { AnyAttempt } from "../../../src/services/limits/SignInAttempts.ts"
import * as Access from "../../support/Access.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const Services = SignInAttempts.layer.pipe(Layer.provideMerge(TestDatabase.layer))

layer(Services, { excludeTestServices: true })("the order of locks", (it) => {
  /** The subjects of the counts that an effect locks, in order, in each of its transactions. */
  const lockedBy = Effect.fnUntraced(function* <E, R>(
    effect: Effect.Effect<unknown, E, R>,
    subjects: ReadonlyArray<string>
  ) {
    const sql = yield* SqlClient.SqlClient
    yield* sql`TRUNCATE locked`
    yield* effect
    const rows = yield* sql<{ key: string; transaction: string }>`
      SELECT encode(key, 'hex') AS key, transaction::text FROM locked ORDER BY n`
    const known = yield* sql<{ key: string; subject: string }>`
      SELECT encode(sha256(convert_to(lower(s), 'UTF8')), 'hex') AS key, s AS subject FROM unnest(${subjects}::text[]) s`
    const subjectOf = new Map(known.map(({ key, subject }) => [key, subject]))
    return Array.from(Map.groupBy(rows, ({ transaction }) => transaction).values(), (own) =>
      own.map(({ key }) => subjectOf.get(key) ?? "another")
    )
  })

  it.effect(
    "R56 attempts lock their counts from the widest network to the account, and give them back in the same order",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const attempts = yield* SignInAttempts
        yield* sql`CREATE TABLE locked (n integer GENERATED ALWAYS AS IDENTITY, key bytea, transaction xid8 DEFAULT pg_current_xact_id())`
        yield* sql`
        CREATE FUNCTION note_lock() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN INSERT INTO locked (key) VALUES (NEW.key); RETURN NEW; END'`
        yield* sql`
        CREATE TRIGGER noted BEFORE INSERT OR UPDATE ON sign_in_attempt FOR EACH ROW EXECUTE FUNCTION note_lock()`
        const [address, site, email] = ["2001:db8:1:2", "2001:db8:1::/48", "owner@discovery.test"]
        const networks = [`network ${site}`, `network ${address}`]
        const right = [`right network ${site}`, `right network ${address}`]
        const owner = `right owner ${email}`
        const cases: ReadonlyArray<readonly [attempt: AnyAttempt, subjects: ReadonlyArray<string>]> = [
          [{ address }, [...networks, ...right]],
          [
            { address, email },
            [
              ...networks,
              `network ${site} account ${email}`,
              `network ${address} account ${email}`,
              `account ${email}`,
              ...right,
              `right account ${email}`
            ]
          ],
          [{ address, email, knownBrowser: "browser 7" }, [`browser 7 account ${email}`, owner]],
          [{ email, sessionId: 7 }, [`session 7 account ${email}`, owner]],
          [{ email, link: "reset" }, [`reset link account ${email}`, owner]]
        ]
        for (const [attempt, subjects] of cases) {
          // INSERT and the UPDATE that it becomes both note the row.
          const taken = yield* lockedBy(attempts.take(attempt), subjects)
          assert.deepStrictEqual(
            taken.map((own) => Array.from(new Set(own))),
            [subjects]
          )
          assert.deepStrictEqual(yield* lockedBy(attempts.settle(attempt, "not_verified"), subjects), [subjects])
          yield* attempts.take(attempt)
          const wrong = subjects.filter((subject) => !subject.startsWith("right "))
          const other = subjects.filter((subject) => subject.startsWith("right "))
          assert.deepStrictEqual(yield* lockedBy(attempts.settle(attempt, "right"), subjects), [wrong])
          yield* attempts.take(attempt)
          assert.deepStrictEqual(yield* lockedBy(attempts.settle(attempt, "wrong"), subjects), [other])
        }
        const mail = { mailTo: email, purpose: "reset" as const, address }
        const subjects = [`mail from network ${site}`, `mail from network ${address}`, `reset mail to ${email}`]
        assert.deepStrictEqual(yield* lockedBy(attempts.takeMail(mail), subjects), [subjects])
        assert.deepStrictEqual(yield* lockedBy(attempts.giveBackMail(mail), subjects), [subjects])
      })
  )

  it.effect("D33 the counts of a batch are locked in the order of their keys", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const use = (key: string, n: number) => ({ n, key, used: 0, wanted: 1, burst: 10, window_ms: 60_000 })
      const count = (...keys: ReadonlyArray<string>) =>
        sql`SELECT n FROM count_rates(${JSON.stringify(keys.map(use))}::jsonb, NULL)`
      const keys = yield* sql<{ key: string }>`
        SELECT key FROM unnest('{one,two,three}'::text[]) key ORDER BY sha256(convert_to(key, 'UTF8'))`
      const [first = "", second = "", last = ""] = keys.map(({ key }) => key)
      yield* count(first, second, last)
      const isFree = (key: string) =>
        sql`SELECT FROM rate_bucket WHERE key = sha256(convert_to(${key}::text, 'UTF8')) FOR UPDATE SKIP LOCKED`.pipe(
          Effect.map((rows) => rows.length === 1)
        )
      const held = yield* Access.hold(
        (other) => other`SELECT FROM rate_bucket WHERE key = sha256(convert_to(${first}::text, 'UTF8')) FOR UPDATE`,
        "count_rates"
      )
      const counting = yield* Effect.forkChild(count(last, second, first))
      yield* held.waiting(1)
      assert.deepStrictEqual([yield* isFree(second), yield* isFree(last)], [true, true])
      yield* held.release
      yield* Fiber.join(counting)
    })
  )
})

import { assert, describe, layer } from "@effect/vitest"
import { Clock, Effect, Exit, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import { Accounts } from "../../../src/services/accounts/Accounts.ts"
import { CreditLedger } from "../../../src/services/credits/CreditLedger.ts"
import type { Charge } from "../../../src/domain/access/Charge.ts"
import * as LedgerStatements from "../../../src/services/credits/LedgerStatements.ts"
import { UnansweredCharges } from "../../../src/services/credits/UnansweredCharges.ts"
import * as Access from "../../support/Access.ts"
import { SetClock } from "../../support/SetClock.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const start = "2026-03-10T12:00:00Z"

const Services = Access.layerUnhashed.pipe(
  Layer.provideMerge(TestDatabase.layer),
  Layer.provideMerge(SetClock.layer(start))
)

const unbounded = { concurrency: "unbounded" } as const
const times = (count: number) => Array.from({ length: count }, (_, index) => index)

layer(Services, { excludeTestServices: true })("CreditLedger", (it) => {
  const fresh = Effect.fnUntraced(function* (options: Parameters<typeof Access.subscriber>[0] = {}) {
    const clock = yield* SetClock
    yield* clock.set(start)
    return { ...(yield* Access.subscriber(options)), ledger: yield* CreditLedger, clock }
  })

  describe("charge", () => {
    it.effect(
      "takes the cost, returns the remaining credits, and writes an entry with the tool and the credential",
      () =>
        Effect.gen(function* () {
          const { caller, ledger } = yield* fresh()
          assert.deepStrictEqual(yield* ledger.charge(Access.chargeOf(caller)), { cost: 1, remaining: 19 })
          assert.deepStrictEqual(
            yield* ledger.charge(Access.chargeOf(caller, { cost: 3, tool: "search_products", requestId: "the call" })),
            { cost: 3, remaining: 16 }
          )
          const { balance, fold } = yield* Access.books(caller.accountId)
          assert.deepStrictEqual(balance, { allowance: 20, used: 4 })
          assert.deepStrictEqual(fold, balance)
          const sql = yield* SqlClient.SqlClient
          const [entry] = yield* sql`
          SELECT kind, reason, amount, tool, credential_kind, credential_id, created_at FROM credit_entry
          WHERE request_id = 'the call'`
          assert.deepStrictEqual(entry, {
            kind: "charge",
            reason: "call",
            amount: -3,
            tool: "search_products",
            credential_kind: "api_key",
            credential_id: caller.credential.id,
            created_at: new Date(start)
          })
        })
    )

    it.effect("D13 never goes past the allowance, however many calls run at once", () =>
      Effect.gen(function* () {
        const { caller, ledger } = yield* fresh()
        const exits = yield* Effect.forEach(
          times(64),
          () => Effect.exit(ledger.charge(Access.chargeOf(caller))),
          unbounded
        )
        assert.strictEqual(exits.filter(Exit.isSuccess).length, 20)
        const { balance, fold } = yield* Access.books(caller.accountId)
        assert.deepStrictEqual(balance, { allowance: 20, used: 20 })
        assert.deepStrictEqual(fold, balance)
      })
    )

    it.effect(
      "is one statement with all that arrive at once, and with all that arrive while another is under way",
      () =>
        Effect.gen(function* () {
          const { caller, ledger } = yield* fresh()
          const sql = yield* SqlClient.SqlClient
          const charge = Effect.suspend(() => ledger.charge(Access.chargeOf(caller)))
          const lock = yield* Access.holdPeriods(caller.accountId)
          const first = yield* Effect.forkScoped(Effect.forEach(times(4), () => charge, unbounded))
          yield* lock.waiting(1)
          const second = yield* Effect.forkScoped(charge)
          yield* lock.waiting(1)
          const third = yield* Effect.forkScoped(charge)
          yield* lock.waiting(1)
          yield* lock.release
          yield* Fiber.join(first)
          yield* Fiber.joinAll([second, third])
          const transactions = yield* sql<{ readonly charges: number }>`
          SELECT count(*)::integer AS charges FROM credit_entry
          WHERE account_id = ${caller.accountId} AND kind = 'charge' GROUP BY xmin::text ORDER BY min(id)`
          assert.deepStrictEqual(
            transactions.map(({ charges }) => charges),
            [4, 2]
          )
        })
    )

    it.effect("waits for the statement of others, but not for one that is slow, unless it is of the same account", () =>
      Effect.gen(function* () {
        const { caller, clock, ledger } = yield* fresh()
        const other = yield* fresh()
        const lock = yield* Access.holdPeriods(caller.accountId)
        const held = yield* Effect.forkScoped(ledger.charge(Access.chargeOf(caller)))
        yield* lock.waiting(1)
        const behind = yield* Effect.forkScoped(ledger.charge(Access.chargeOf(other.caller)), {
          startImmediately: true
        })
        yield* clock.advance(51)
        const same = yield* Effect.forkScoped(ledger.charge(Access.chargeOf(caller)), { startImmediately: true })
        assert.strictEqual((yield* ledger.charge(Access.chargeOf(other.caller))).remaining, 19)
        yield* lock.waiting(1)
        for (const fiber of [held, behind, same]) assert.isUndefined(fiber.pollUnsafe())
        yield* lock.release
        const charged = yield* Fiber.joinAll([held, same, behind])
        assert.deepStrictEqual(
          charged.map(({ remaining }) => remaining),
          [19, 18, 18]
        )
      })
    )

    it.effect("is not part of a transaction that its caller happens to be in", () =>
      Effect.gen(function* () {
        const { caller, ledger } = yield* fresh()
        const sql = yield* SqlClient.SqlClient
        yield* ledger
          .charge(Access.chargeOf(caller))
          .pipe(Effect.andThen(Effect.fail("rolled back" as const)), sql.withTransaction, Effect.ignore)
        assert.deepStrictEqual((yield* Access.books(caller.accountId)).balance, { allowance: 20, used: 1 })
      })
    )

    it.effect("D15 that does not fit takes nothing, and says when the credits renew", () =>
      Effect.gen(function* () {
        const { caller, clock, ledger } = yield* fresh({ beganOn: "2026-01-31" })
        yield* ledger.charge(Access.chargeOf(caller, { cost: 19 }))
        yield* clock.set("2026-03-30T23:00:00Z")
        const tooMuch = yield* Effect.flip(ledger.charge(Access.chargeOf(caller, { cost: 2 })))
        assert.deepInclude(tooMuch, {
          _tag: "InsufficientCredits",
          message: "The call costs 2 credits, but the account has only 1 credit left in this period.",
          hint: "The credits renew on 2026-03-31 at 00:00 UTC; for more before then, change the plan at https://discovery.test/billing. Nothing was charged.",
          retryAfterSeconds: 3600,
          upgradeUrl: "https://discovery.test/billing"
        })
        yield* ledger.charge(Access.chargeOf(caller))
        const none = yield* Effect.flip(ledger.charge(Access.chargeOf(caller)))
        assert.strictEqual(none.message, "The call costs 1 credit, but the account has no credits left in this period.")
        assert.deepStrictEqual((yield* Access.books(caller.accountId)).balance, { allowance: 20, used: 20 })
      })
    )

    it.effect("goes to the period that has begun since the caller was resolved", () =>
      Effect.gen(function* () {
        const { caller, clock, ledger } = yield* fresh({ beganOn: "2026-01-11" })
        yield* ledger.charge(Access.chargeOf(caller, { cost: 20 }))
        yield* clock.set("2026-03-11T00:00:00Z")
        const charged = yield* Effect.forEach(times(3), () => ledger.charge(Access.chargeOf(caller)), unbounded)
        assert.deepStrictEqual(
          charged.map(({ remaining }) => remaining).sort((a, b) => a - b),
          [17, 18, 19]
        )
        const { balance, fold } = yield* Access.books(caller.accountId)
        assert.deepStrictEqual(balance, { allowance: 20, used: 3 })
        assert.deepStrictEqual(fold, balance)
      })
    )

    it.effect(
      "of accounts whose period has begun beside others answers each with its own, and keeps what it answers",
      () =>
        Effect.gen(function* () {
          const subscribers = yield* Effect.forEach(times(12), (number) =>
            fresh({ beganOn: number < 6 ? "2026-01-20" : "2026-01-11" })
          )
          const ledger = yield* CreditLedger
          yield* (yield* SetClock).set("2026-03-11T00:00:00Z")
          yield* Effect.forEach(subscribers.slice(0, 6), ({ caller }) => ledger.charge(Access.chargeOf(caller)))
          const charged = yield* Effect.forEach(
            subscribers,
            ({ caller }, number) => ledger.charge(Access.chargeOf(caller, { cost: number + 1 })),
            unbounded
          )
          assert.deepStrictEqual(
            charged,
            times(12).map((number) => ({ cost: number + 1, remaining: 19 - number - (number < 6 ? 1 : 0) }))
          )
        })
    )

    it.effect("of many accounts at once takes from each its own", () =>
      Effect.gen(function* () {
        const subscribers = yield* Effect.forEach(times(12), () => fresh())
        const ledger = yield* CreditLedger
        yield* Effect.forEach(
          times(6).flatMap(() => subscribers),
          ({ caller }) => ledger.charge(Access.chargeOf(caller)),
          { ...unbounded, discard: true }
        )
        for (const { caller } of subscribers) {
          const { balance, fold } = yield* Access.books(caller.accountId)
          assert.deepStrictEqual(balance, { allowance: 20, used: 6 })
          assert.deepStrictEqual(fold, balance)
        }
      })
    )
  })

  describe("a request id", () => {
    it.effect("is charged once, however often and however concurrently it is sent", () =>
      Effect.gen(function* () {
        const { caller, ledger } = yield* fresh()
        const charge = Access.chargeOf(caller, { cost: 2 })
        const answers = yield* Effect.forEach(times(8), () => ledger.charge(charge), unbounded)
        answers.push(yield* ledger.charge(charge))
        assert.deepStrictEqual(new Set(answers.map(({ cost, remaining }) => `${cost} ${remaining}`)), new Set(["2 18"]))
        assert.deepStrictEqual((yield* Access.books(caller.accountId)).balance, { allowance: 20, used: 2 })
      })
    )
  })

  describe("an idempotency key", () => {
    const idempotency = { key: "my call", fingerprint: "a".repeat(64) }

    it.effect("D16 is new, then a repeat that costs nothing, for 24 hours", () =>
      Effect.gen(function* () {
        const { caller, clock, ledger } = yield* fresh()
        const charge = () => ledger.charge(Access.chargeOf(caller, { idempotency }))
        assert.strictEqual(yield* ledger.lookup(caller, idempotency), "new")
        assert.deepStrictEqual(yield* charge(), { cost: 1, remaining: 19 })
        assert.strictEqual(yield* ledger.lookup(caller, idempotency), "repeat")
        assert.deepStrictEqual(yield* charge(), { cost: 0, remaining: 19 })
        yield* clock.advance(24 * 3_600_000 - 1)
        assert.deepStrictEqual(yield* charge(), { cost: 0, remaining: 19 })
        yield* clock.advance(1)
        assert.strictEqual(yield* ledger.lookup(caller, idempotency), "new")
        assert.deepStrictEqual(yield* charge(), { cost: 1, remaining: 18 })
        assert.deepStrictEqual(yield* charge(), { cost: 0, remaining: 18 })
      })
    )

    it.effect("is forgotten once it no longer counts, however many there are", () =>
      Effect.gen(function* () {
        const { caller, clock, ledger } = yield* fresh()
        const sql = yield* SqlClient.SqlClient
        yield* ledger.charge(Access.chargeOf(caller, { idempotency }))
        yield* clock.advance(1)
        yield* ledger.charge(Access.chargeOf(caller, { idempotency: { ...idempotency, key: "later" } }))
        yield* sql`
          INSERT INTO idempotency_key (account_id, key, fingerprint, request_id, created_at)
          SELECT ${caller.accountId}, 'old ' || i, 'x', 'x', '2020-01-01' FROM generate_series(1, 12000) i`
        yield* clock.advance(24 * 3_600_000 - 1)
        yield* LedgerStatements.forgetOldKeys(yield* Clock.currentTimeMillis)
        assert.deepStrictEqual(yield* sql`SELECT key FROM idempotency_key WHERE account_id = ${caller.accountId}`, [
          { key: "later" }
        ])
      })
    )

    it.effect("sent 32 times at once is charged once", () =>
      Effect.gen(function* () {
        const { caller, ledger } = yield* fresh()
        const answers = yield* Effect.forEach(
          times(32),
          () => ledger.charge(Access.chargeOf(caller, { idempotency })),
          unbounded
        )
        assert.deepStrictEqual(
          answers.map(({ cost }) => cost).sort((a, b) => b - a),
          [1, ...times(31).map(() => 0)]
        )
        const { balance, entries } = yield* Access.books(caller.accountId)
        assert.deepStrictEqual(balance, { allowance: 20, used: 1 })
        assert.strictEqual(entries.filter(({ kind }) => kind === "charge").length, 1)
      })
    )

    it.effect("with other arguments is invalid and takes nothing, also within one batch", () =>
      Effect.gen(function* () {
        const { caller, ledger } = yield* fresh()
        const other = { ...idempotency, fingerprint: "b".repeat(64) }
        const [first, second] = yield* Effect.forEach(
          [idempotency, other],
          (key) => Effect.exit(ledger.charge(Access.chargeOf(caller, { idempotency: key }))),
          unbounded
        )
        assert.isTrue(first !== undefined && Exit.isSuccess(first))
        assert.isTrue(second !== undefined && Exit.isFailure(second))
        const looked = yield* Effect.flip(ledger.lookup(caller, other))
        const charged = yield* Effect.flip(ledger.charge(Access.chargeOf(caller, { idempotency: other })))
        for (const error of [looked, charged]) {
          assert.deepInclude(error, {
            _tag: "InvalidArguments",
            issues: [
              {
                path: "_meta.discovery/idempotency-key",
                code: "used_idempotency_key",
                params: {}
              }
            ]
          })
          assert.include("hint" in error ? error.hint : "", "Send a new idempotency key")
        }
        assert.deepStrictEqual((yield* Access.books(caller.accountId)).balance, { allowance: 20, used: 1 })
      })
    )

    it.effect("of another account is another key", () =>
      Effect.gen(function* () {
        const one = yield* fresh()
        const other = yield* fresh()
        yield* one.ledger.charge(Access.chargeOf(one.caller, { idempotency }))
        assert.strictEqual(yield* one.ledger.lookup(other.caller, idempotency), "new")
        const charged = yield* one.ledger.charge(Access.chargeOf(other.caller, { idempotency }))
        assert.deepStrictEqual(charged, { cost: 1, remaining: 19 })
      })
    )

    it.effect("of a charge that did not fit stays new", () =>
      Effect.gen(function* () {
        const { caller, email, ledger } = yield* fresh()
        yield* ledger.charge(Access.chargeOf(caller, { cost: 20 }))
        const errors = yield* Effect.forEach(
          times(2),
          () => Effect.flip(ledger.charge(Access.chargeOf(caller, { idempotency }))),
          unbounded
        )
        assert.deepStrictEqual(
          errors.map(({ _tag }) => _tag),
          ["InsufficientCredits", "InsufficientCredits"]
        )
        assert.strictEqual(yield* ledger.lookup(caller, idempotency), "new")
        yield* Effect.flatMap(Accounts, (accounts) => accounts.grant(email, 5))
        assert.deepStrictEqual(yield* ledger.charge(Access.chargeOf(caller, { idempotency })), {
          cost: 1,
          remaining: 4
        })
      })
    )

    it.effect("that the database cannot keep is refused by itself and spoils no other charge", () =>
      Effect.gen(function* () {
        const { caller, ledger } = yield* fresh()
        const keys = ["a\u0000b", "", "x".repeat(129), "\ud800"]
        const [good, ...bad] = yield* Effect.forEach(
          ["good", ...keys],
          (key) => Effect.result(ledger.charge(Access.chargeOf(caller, { idempotency: { ...idempotency, key } }))),
          unbounded
        )
        assert.deepInclude(good, { _tag: "Success" })
        for (const result of bad) {
          assert.strictEqual(result._tag === "Failure" ? result.failure._tag : "charged", "InvalidArguments")
        }
        for (const key of keys) {
          const error = yield* Effect.flip(ledger.lookup(caller, { ...idempotency, key }))
          assert.strictEqual(error._tag, "InvalidArguments")
        }
      })
    )
  })

  describe("a charge without an answer", () => {
    const unanswered = Effect.fnUntraced(function* (charge: ReturnType<typeof Access.chargeOf>) {
      const charges = yield* UnansweredCharges
      const { caller, idempotency, requestId } = charge
      yield* charges.add([
        { accountId: caller.accountId, requestId, ...(idempotency === undefined ? {} : { key: idempotency.key }) }
      ])
      yield* charges.settled
    })

    it.effect("D13 is refunded once, into the period that it was taken from", () =>
      Effect.gen(function* () {
        const { caller, clock, ledger } = yield* fresh({ beganOn: "2026-01-11" })
        const charge = Access.chargeOf(caller, { cost: 4 })
        yield* ledger.charge(charge)
        yield* clock.set("2026-03-12T00:00:00Z")
        yield* unanswered(charge)
        yield* unanswered(charge)
        const sql = yield* SqlClient.SqlClient
        assert.deepStrictEqual(
          yield* sql`
            SELECT kind, reason, amount, period_start::text AS period FROM credit_entry
            WHERE request_id = ${charge.requestId} ORDER BY id`,
          [
            { kind: "charge", reason: "call", amount: -4, period: "2026-02-11" },
            { kind: "refund", reason: "unanswered", amount: 4, period: "2026-02-11" }
          ]
        )
        const { balance, fold } = yield* Access.books(caller.accountId)
        assert.deepStrictEqual(balance, { allowance: 20, used: 0 })
        assert.deepStrictEqual(fold, balance)
      })
    )

    it.effect("and not yet taken is barred: the statement that is still on its way takes nothing", () =>
      Effect.gen(function* () {
        const { caller, ledger } = yield* fresh()
        const charge = Access.chargeOf(caller)
        yield* unanswered(charge)
        assert.strictEqual((yield* Effect.flip(ledger.charge(charge)))._tag, "ServiceUnavailable")
        const { balance, fold } = yield* Access.books(caller.accountId)
        assert.deepStrictEqual(balance, { allowance: 20, used: 0 })
        assert.deepStrictEqual(fold, balance)
      })
    )

    it.effect("and still on its way has taken nothing when it comes after its bar in one batch with others", () =>
      Effect.gen(function* () {
        const { caller, ledger } = yield* fresh()
        const barred = Access.chargeOf(caller, { cost: 2 })
        yield* unanswered(barred)
        const [late, other] = yield* Effect.forEach(
          [barred, Access.chargeOf(caller)],
          (charge) => Effect.result(ledger.charge(charge)),
          unbounded
        )
        assert.strictEqual(late?._tag, "Failure")
        assert.strictEqual(other?._tag, "Success")
        assert.deepStrictEqual((yield* Access.books(caller.accountId)).balance, { allowance: 20, used: 1 })
      })
    )

    /** Statements as another server sends them. */
    const refund = Effect.fnUntraced(function* (...charges: ReadonlyArray<Charge>) {
      const requests = charges.map(({ caller, idempotency, requestId }) => ({
        accountId: caller.accountId,
        requestId,
        ...(idempotency === undefined ? {} : { key: idempotency.key })
      }))
      return yield* LedgerStatements.refundUnanswered(requests)
    })
    const take = Effect.fnUntraced(function* (...charges: ReadonlyArray<Charge>) {
      const decisions = yield* LedgerStatements.charge(charges)
      return decisions.map(({ outcome }) => outcome)
    })

    /** Sent by another server, which has not committed. */
    const held = <A, E extends SqlError.SqlError>(sent: Effect.Effect<A, E, SqlClient.SqlClient>, waiter: string) =>
      Access.hold((sql) => Effect.provideService(sent, SqlClient.SqlClient, sql), waiter)

    it.effect("is refunded at once when it is taken while its refund is asked for", () =>
      Effect.gen(function* () {
        const { caller } = yield* fresh()
        const charge = Access.chargeOf(caller)
        const late = yield* held(take(charge), "refund_unanswered")
        assert.deepStrictEqual(yield* Access.afterWaiting(late, refund(charge)), [
          { requestId: charge.requestId, refunded: true }
        ])
        assert.strictEqual((yield* Access.books(caller.accountId)).balance.used, 0)
      })
    )

    it.effect("that comes late waits for its bar, and takes nothing; others of its batch are charged", () =>
      Effect.gen(function* () {
        const { caller } = yield* fresh()
        const [late, other] = [Access.chargeOf(caller), Access.chargeOf(caller)]
        const bar = yield* held(refund(late), "charge_credits")
        assert.deepStrictEqual(yield* Access.afterWaiting(bar, take(late, other)), ["barred", "charged"])
        assert.strictEqual((yield* Access.books(caller.accountId)).balance.used, 1)
      })
    )

    it.effect("stays when its idempotency key is answered again while its refund is asked for", () =>
      Effect.gen(function* () {
        const { caller } = yield* fresh()
        const idempotency = { key: "late", fingerprint: "same" }
        const [first, again] = [Access.chargeOf(caller, { idempotency }), Access.chargeOf(caller, { idempotency })]
        assert.deepStrictEqual(yield* take(first), ["charged"])
        const repeat = yield* held(take(again), "refund_unanswered")
        assert.deepStrictEqual(yield* Access.afterWaiting(repeat, refund(first)), [
          { requestId: first.requestId, refunded: false }
        ])
        assert.strictEqual((yield* Access.books(caller.accountId)).balance.used, 1)
      })
    )

    it.effect("D13 and charges lock the periods of their accounts in one order, whatever theirs is", () =>
      Effect.gen(function* () {
        const callers = [(yield* fresh()).caller, (yield* fresh()).caller]
        const [first = assert.fail(), last = assert.fail()] = callers.toSorted((a, b) => a.accountId - b.accountId)
        const sql = yield* SqlClient.SqlClient
        for (const [text, send] of Object.entries({ charge_credits: take, refund_unanswered: refund })) {
          const held = yield* Access.hold(
            (other) => other`SELECT FROM credit_period WHERE account_id = ${first.accountId} FOR UPDATE`,
            text
          )
          const sent = yield* Effect.forkChild(send(Access.chargeOf(last), Access.chargeOf(first)))
          yield* held.waiting(1)
          // It has not locked the other one: a batch in the other order would wait for it in a circle.
          assert.lengthOf(
            yield* sql`SELECT FROM credit_period WHERE account_id = ${last.accountId} FOR UPDATE NOWAIT`,
            1
          )
          yield* held.release
          assert.lengthOf(yield* Fiber.join(sent), 2)
        }
      })
    )

    it.effect("stays when it was answered again within its own batch", () =>
      Effect.gen(function* () {
        const { caller, ledger } = yield* fresh()
        const idempotency = { key: "twice", fingerprint: "e".repeat(64) }
        const [lost, repeat] = [Access.chargeOf(caller, { idempotency }), Access.chargeOf(caller, { idempotency })]
        yield* Effect.forEach([lost, repeat], (charge) => ledger.charge(charge), unbounded)
        yield* unanswered(lost)
        assert.deepStrictEqual((yield* Access.books(caller.accountId)).balance, { allowance: 20, used: 1 })
      })
    )

    it.effect("frees its idempotency key: the repeat is charged", () =>
      Effect.gen(function* () {
        const { caller, ledger } = yield* fresh()
        const idempotency = { key: "lost", fingerprint: "c".repeat(64) }
        const lost = Access.chargeOf(caller, { idempotency })
        yield* ledger.charge(lost)
        yield* unanswered(lost)
        assert.deepStrictEqual(yield* ledger.charge(Access.chargeOf(caller, { idempotency })), {
          cost: 1,
          remaining: 19
        })
      })
    )

    it.effect("stays when its idempotency key has been answered again: that answer was paid with it", () =>
      Effect.gen(function* () {
        const { caller, ledger } = yield* fresh()
        const idempotency = { key: "repeated", fingerprint: "d".repeat(64) }
        const lost = Access.chargeOf(caller, { idempotency })
        yield* ledger.charge(lost)
        assert.deepStrictEqual(yield* ledger.charge(Access.chargeOf(caller, { idempotency })), {
          cost: 0,
          remaining: 19
        })
        yield* unanswered(lost)
        assert.deepStrictEqual((yield* Access.books(caller.accountId)).balance, { allowance: 20, used: 1 })
      })
    )
  })

  describe("the ledger", () => {
    it.effect("D14 is append-only", () =>
      Effect.gen(function* () {
        const { caller } = yield* fresh()
        const sql = yield* SqlClient.SqlClient
        const attempts = [
          sql`UPDATE credit_entry SET amount = 1000 WHERE account_id = ${caller.accountId}`,
          sql`DELETE FROM credit_entry WHERE account_id = ${caller.accountId}`,
          sql`TRUNCATE credit_entry`
        ]
        for (const attempt of attempts) {
          const error = yield* Effect.flip(attempt)
          assert.include(String(error.reason.cause), "append-only")
        }
      })
    )

    it.effect("stands behind every statement: not past the allowance, not below zero", () =>
      Effect.gen(function* () {
        const { caller } = yield* fresh()
        const sql = yield* SqlClient.SqlClient
        for (const used of [21, -1]) {
          const error = yield* Effect.flip(
            sql`UPDATE credit_period SET used = ${used} WHERE account_id = ${caller.accountId}`
          )
          assert.strictEqual(error.reason._tag, "ConstraintError")
        }
      })
    )

    it.effect("D14 is checked: a balance that it does not say is found, and no other", () =>
      Effect.gen(function* () {
        const { caller, ledger } = yield* fresh()
        yield* ledger.charge(Access.chargeOf(caller, { cost: 5 }))
        assert.deepStrictEqual(yield* Access.disagreements, [])
        const sql = yield* SqlClient.SqlClient
        yield* sql`UPDATE credit_period SET used = 3 WHERE account_id = ${caller.accountId}`
        assert.deepStrictEqual(yield* Access.disagreements, [
          {
            accountId: caller.accountId,
            periodStart: "2026-03-10",
            balanceAllowance: 20,
            balanceUsed: 3,
            ledgerAllowance: 20,
            ledgerUsed: 5
          }
        ])
        yield* sql`UPDATE credit_period SET used = 5, allowance = 21 WHERE account_id = ${caller.accountId}`
        assert.strictEqual((yield* Access.disagreements).length, 1)
        yield* sql`UPDATE credit_period SET allowance = 20 WHERE account_id = ${caller.accountId}`
        yield* sql`
          INSERT INTO credit_period (account_id, period_start, period_end, allowance)
          VALUES (${caller.accountId}, '2020-01-01', '2020-02-01', 7)`
        assert.deepInclude((yield* Access.disagreements)[0], { periodStart: "2020-01-01", ledgerAllowance: null })
        yield* sql`DELETE FROM credit_period WHERE period_start = '2020-01-01'`
        assert.deepStrictEqual(yield* Access.disagreements, [])
        // As after a restore that lost rows, which the constraints of a running database prevent.
        yield* sql`SET LOCAL session_replication_role = replica`.pipe(
          Effect.andThen(sql`DELETE FROM credit_period WHERE account_id = ${caller.accountId}`),
          sql.withTransaction
        )
        assert.deepStrictEqual(yield* Access.disagreements, [
          {
            accountId: caller.accountId,
            periodStart: "2026-03-10",
            balanceAllowance: null,
            balanceUsed: null,
            ledgerAllowance: 20,
            ledgerUsed: 5
          }
        ])
      })
    )
  })
})

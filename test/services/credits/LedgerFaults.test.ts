/** What the ledger guarantees when things break: never past the allowance, never a charge for an error. */
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Exit, Fiber, Latch, Layer, Schedule, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import type { Caller } from "../../../src/domain/access/Account.ts"
import { Accounts } from "../../../src/services/accounts/Accounts.ts"
import { CreditLedger } from "../../../src/services/credits/CreditLedger.ts"
import { UnansweredCharges } from "../../../src/services/credits/UnansweredCharges.ts"
import * as Database from "../../../src/services/database/Database.ts"
import { EmbeddedPostgres } from "../../../src/services/database/EmbeddedPostgres.ts"
import type { EmbeddedConnection } from "../../../src/services/database/EmbeddedPostgres.ts"
import * as Access from "../../support/Access.ts"
import * as LossyConnection from "../../support/LossyConnection.ts"
import * as PrivatePostgres from "../../support/PrivatePostgres.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const Services = Access.layerUnhashed.pipe(Layer.provideMerge(PrivatePostgres.layer))

const workerFile = fileURLToPath(new URL("../../support/ChargeWorker.ts", import.meta.url))

const unbounded = { concurrency: "unbounded" } as const
const times = (count: number) => Array.from({ length: count }, (_, index) => index)

/** A ledger with a pool of its own, as in a server process of its own. */
const replica = Effect.fnUntraced(function* (connection: EmbeddedConnection) {
  const scope = yield* Scope.Scope
  const context = yield* Layer.buildWithScope(
    Layer.fresh(Access.layerUnhashed.pipe(Layer.provide(Database.layer({ source: connection, maxConnections: 5 })))),
    scope
  )
  return yield* Effect.all({ ledger: CreditLedger, unanswered: UnansweredCharges }).pipe(Effect.provide(context))
})

/** A caller with so many credits left of an allowance that is partly used or was added to. */
const callerWith = Effect.fnUntraced(function* (left: number) {
  const { caller, email } = yield* Access.subscriber()
  const spare = caller.credits.allowance - left
  const ledger = yield* CreditLedger
  if (spare > 0) yield* ledger.charge(Access.chargeOf(caller, { cost: spare }))
  if (spare < 0) yield* Effect.flatMap(Accounts, (accounts) => accounts.grant(email, -spare))
  return { caller, used: Math.max(0, spare), allowance: Math.max(caller.credits.allowance, left) }
})

/** The request ids that the ledger has charged and not refunded. */
const charged = Effect.fnUntraced(function* (accountId: number) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly id: string }>`
    SELECT request_id AS id FROM credit_entry WHERE account_id = ${accountId} AND kind IN ('charge', 'refund')
    GROUP BY 1 HAVING sum(amount) <> 0`
  return new Set(rows.map(({ id }) => id))
})

layer(Services, { excludeTestServices: true })("the ledger under faults", (it) => {
  const connection = Effect.map(TestDatabase, (database) => database.connection)

  it.effect("two servers, 64 calls at once, 10 credits left: exactly 10 succeed, and the ledger says so", () =>
    Effect.gen(function* () {
      const { allowance, caller } = yield* callerWith(10)
      const replicas = [yield* replica(yield* connection), yield* replica(yield* connection)]
      const answers = yield* Effect.forEach(
        times(64),
        (call) => {
          const charge = Access.chargeOf(caller)
          const ledger = replicas[call % 2]?.ledger
          return ledger === undefined
            ? Effect.die(call)
            : Effect.result(ledger.charge(charge)).pipe(Effect.map((result) => ({ charge, result })))
        },
        unbounded
      )
      const succeeded = answers.filter(({ result }) => result._tag === "Success")
      assert.strictEqual(succeeded.length, 10)
      for (const { result } of answers) {
        if (result._tag === "Failure") assert.strictEqual(result.failure._tag, "InsufficientCredits")
      }
      const paid = yield* charged(caller.accountId)
      assert.strictEqual(paid.size, 11)
      for (const { charge } of succeeded) assert.isTrue(paid.has(charge.requestId))
      const { balance, fold } = yield* Access.books(caller.accountId)
      assert.deepStrictEqual(balance, { allowance, used: allowance })
      assert.deepStrictEqual(fold, balance)
    })
  )

  it.effect("batches of two servers that wait for each other: the second decides on what the first has left", () =>
    Effect.gen(function* () {
      const { allowance, caller } = yield* callerWith(10)
      const replicas = [yield* replica(yield* connection), yield* replica(yield* connection)]
      const lock = yield* Access.holdPeriods(caller.accountId)
      const calls = yield* Effect.forEach(
        replicas,
        ({ ledger }) =>
          Effect.forEach(times(8), () => Effect.result(ledger.charge(Access.chargeOf(caller))), unbounded),
        unbounded
      ).pipe(Effect.forkScoped)
      yield* lock.waiting(2)
      yield* lock.release
      const answers = (yield* Fiber.join(calls)).flat()
      const outcomes = answers.map((result) => (result._tag === "Success" ? "charged" : result.failure._tag)).toSorted()
      assert.deepStrictEqual(outcomes, [
        ...times(6).map(() => "InsufficientCredits"),
        ...times(10).map(() => "charged")
      ])
      assert.deepStrictEqual((yield* Access.books(caller.accountId)).balance, { allowance, used: allowance })
    })
  )

  const faults = {
    restarted: Effect.flatMap(EmbeddedPostgres, ({ start, stop }) => Effect.andThen(stop, start)),
    killed: Effect.flatMap(EmbeddedPostgres, ({ kill, start }) => Effect.andThen(kill, start))
  }

  for (const [name, fault] of Object.entries(faults)) {
    for (const left of [10, 1_000_000]) {
      it.effect(
        `PostgreSQL is ${name} under 64 calls at once, ${left} credits left: what was answered is what is charged`,
        () =>
          Effect.gen(function* () {
            const { allowance, caller, used } = yield* callerWith(left)
            const replicas = [yield* replica(yield* connection), yield* replica(yield* connection)]
            const begun = Latch.makeUnsafe(false)
            const fate = { over: false }
            const call = (ledger: CreditLedger["Service"]) =>
              Effect.suspend(() => {
                const charge = Access.chargeOf(caller)
                return Effect.map(Effect.result(ledger.charge(charge)), (result) => ({ charge, result }))
              })
            const calls = yield* Effect.forEach(
              replicas.flatMap(({ ledger }) => times(32).map(() => ledger)),
              Effect.fnUntraced(function* (ledger) {
                const answers = [yield* call(ledger)]
                yield* begun.open
                while (!fate.over) answers.push(yield* call(ledger))
                answers.push(yield* call(ledger))
                return answers
              }),
              unbounded
            ).pipe(Effect.forkScoped)
            yield* begun.await
            yield* fault
            fate.over = true
            const answers = (yield* Fiber.join(calls)).flat()
            for (const { unanswered } of replicas) yield* unanswered.settled
            // The pool of this test learns of the fault by a failing query.
            const paid = yield* Effect.retry(charged(caller.accountId), Schedule.recurs(20))
            for (const { charge, result } of answers) {
              assert.strictEqual(
                paid.has(charge.requestId),
                result._tag === "Success",
                `${charge.requestId} ${result._tag}`
              )
            }
            const succeeded = answers.filter(({ result }) => result._tag === "Success").length
            assert.isAtMost(succeeded, left)
            const { balance, fold } = yield* Access.books(caller.accountId)
            assert.deepStrictEqual(balance, { allowance, used: used + succeeded })
            assert.deepStrictEqual(fold, balance)
          })
      )
    }
  }

  /** A server process of its own that charges for the caller when it is told; `answers` are its lines as they come. */
  const worker = Effect.fnUntraced(function* (name: string, caller: Caller, connection: EmbeddedConnection) {
    const task = JSON.stringify({ connection, caller, calls: 32, name })
    const child = yield* Effect.acquireRelease(
      Effect.sync(() => spawn(process.execPath, [workerFile, task], { stdio: ["pipe", "pipe", "inherit"] })),
      (child) => Effect.sync(() => child.kill("SIGKILL"))
    )
    const answers: Array<{ readonly requestId: string; readonly outcome: string }> = []
    const ready = Latch.makeUnsafe(false)
    const answered = Latch.makeUnsafe(false)
    const ended = Latch.makeUnsafe(false)
    createInterface(child.stdout).on("line", (line) => {
      if (line === '"ready"') ready.openUnsafe()
      // Its log is on the same stream.
      else if (line.startsWith("{")) {
        answers.push(JSON.parse(line))
        answered.openUnsafe()
      }
    })
    child.on("close", () => ended.openUnsafe())
    // It may be killed before it has read what it was told.
    child.stdin.on("error", () => {})
    return {
      answers,
      ready: ready.await,
      go: Effect.sync(() => child.stdin.write("go\n")),
      answered: answered.await,
      ended: ended.await,
      kill: Effect.sync(() => child.kill("SIGKILL"))
    }
  })

  const successes = (answers: ReadonlyArray<{ readonly outcome: string }>) =>
    answers.filter(({ outcome }) => outcome === "charged").length

  for (const moment of ["at the start", "between its charges and their answers", "at its first answer"] as const) {
    it.effect(
      `one of two server processes is killed ${moment}, 64 calls at once, 10 credits left: never past the allowance, never a charge for an error`,
      () =>
        Effect.gen(function* () {
          const { allowance, caller } = yield* callerWith(10)
          const direct = yield* connection
          const relay = yield* LossyConnection.make(direct)
          const killed = yield* worker(`killed ${moment}`, caller, relay.connection)
          const survivor = yield* worker(`surviving ${moment}`, caller, direct)
          yield* Effect.all([killed.ready, survivor.ready])

          if (moment === "between its charges and their answers") {
            yield* relay.hold("charge_credits")
            yield* killed.go
            yield* relay.held
            yield* killed.kill
            yield* survivor.go
          } else {
            yield* killed.go
            yield* survivor.go
            if (moment === "at its first answer") yield* killed.answered
            yield* killed.kill
          }
          yield* Effect.all([killed.ended, survivor.ended])

          assert.strictEqual(survivor.answers.length, 32)
          const paid = yield* charged(caller.accountId)
          for (const { outcome, requestId } of [...survivor.answers, ...killed.answers]) {
            assert.strictEqual(paid.has(requestId), outcome === "charged", `${requestId} ${outcome}`)
          }
          const { balance, fold } = yield* Access.books(caller.accountId)
          assert.deepStrictEqual(fold, balance)
          assert.deepStrictEqual(balance, { allowance, used: allowance })
          // What the killed one took without an answer: at most the batch that was under way.
          const lost = 10 - successes(survivor.answers) - successes(killed.answers)
          assert.strictEqual(lost, moment === "between its charges and their answers" ? 10 : Math.max(0, lost))
        })
    )
  }

  describe("an answer of the database that is lost", () => {
    const lossy = Effect.gen(function* () {
      const relay = yield* LossyConnection.make(yield* connection)
      return { relay, ...(yield* replica(relay.connection)) }
    })

    it.effect("is asked for again: the call is charged once and succeeds", () =>
      Effect.gen(function* () {
        const { caller } = yield* callerWith(20)
        const { ledger, relay } = yield* lossy
        yield* ledger.charge(Access.chargeOf(caller))
        yield* relay.lose(1)
        const answers = yield* Effect.forEach(times(5), () => ledger.charge(Access.chargeOf(caller)), unbounded)
        assert.deepStrictEqual(
          answers.map(({ cost }) => cost),
          [1, 1, 1, 1, 1]
        )
        const { balance, fold } = yield* Access.books(caller.accountId)
        assert.deepStrictEqual(balance, { allowance: 20, used: 6 })
        assert.deepStrictEqual(fold, balance)
      })
    )

    it.effect("again and again ends the calls with service_unavailable, and gives back what they had taken", () =>
      Effect.gen(function* () {
        const { caller } = yield* callerWith(20)
        const { ledger, relay, unanswered } = yield* lossy
        yield* ledger.charge(Access.chargeOf(caller))
        yield* relay.lose(1_000)
        const errors = yield* Effect.forEach(
          times(5),
          () => Effect.flip(ledger.charge(Access.chargeOf(caller))),
          unbounded
        )
        assert.deepStrictEqual(new Set(errors.map(({ _tag }) => _tag)), new Set(["ServiceUnavailable"]))
        assert.strictEqual((yield* Access.books(caller.accountId)).balance.used, 6)
        yield* relay.lose(0)
        yield* unanswered.settled
        const { balance, fold } = yield* Access.books(caller.accountId)
        assert.deepStrictEqual(balance, { allowance: 20, used: 1 })
        assert.deepStrictEqual(fold, balance)
      })
    )
  })

  describe("a client that leaves", () => {
    const held = Effect.gen(function* () {
      const relay = yield* LossyConnection.make(yield* connection)
      const { ledger, unanswered } = yield* replica(relay.connection)
      const { caller } = yield* callerWith(20)
      yield* ledger.charge(Access.chargeOf(caller))
      yield* relay.hold("request-")
      return { relay, ledger, unanswered, caller }
    })

    it.effect("while it is charged has not paid, and affects no other charge", () =>
      Effect.gen(function* () {
        const { caller, ledger, relay, unanswered } = yield* held
        const leaving = Access.chargeOf(caller)
        const staying = times(3).map(() => Access.chargeOf(caller))
        const left = yield* Effect.forkScoped(ledger.charge(leaving))
        const stayed = yield* Effect.forkScoped(Effect.forEach(staying, (charge) => ledger.charge(charge), unbounded))
        yield* relay.held
        yield* Fiber.interrupt(left)
        yield* relay.release
        assert.deepStrictEqual(
          (yield* Fiber.join(stayed)).map(({ cost }) => cost),
          [1, 1, 1]
        )
        yield* unanswered.settled
        const paid = yield* charged(caller.accountId)
        assert.isFalse(paid.has(leaving.requestId))
        for (const { requestId } of staying) assert.isTrue(paid.has(requestId))
        const { balance, fold } = yield* Access.books(caller.accountId)
        assert.deepStrictEqual(balance, { allowance: 20, used: 4 })
        assert.deepStrictEqual(fold, balance)
      })
    )

    it.effect("before it is charged leaves no trace in the ledger", () =>
      Effect.gen(function* () {
        const { caller, ledger, relay, unanswered } = yield* held
        const first = yield* Effect.forkScoped(ledger.charge(Access.chargeOf(caller)))
        yield* relay.held
        const leaving = Access.chargeOf(caller)
        const left = yield* Effect.forkScoped(ledger.charge(leaving))
        yield* Effect.yieldNow
        yield* Fiber.interrupt(left)
        yield* relay.release
        assert.isTrue(Exit.isSuccess(yield* Fiber.await(first)))
        yield* ledger.charge(Access.chargeOf(caller))
        yield* unanswered.settled
        const { balance, entries } = yield* Access.books(caller.accountId)
        assert.deepStrictEqual(balance, { allowance: 20, used: 3 })
        assert.isFalse(entries.some(({ requestId }) => requestId === leaving.requestId))
      })
    )
  })
})

/** Which requests are one batch, and what becomes of them. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Fiber, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlConnection } from "effect/sql"
import { batched } from "../../../src/services/database/BatchedRequests.ts"
import type { Entry } from "../../../src/services/database/BatchedRequests.ts"

const sql = { transactionService: SqlClient.TransactionConnection(0) }

type Entries = ReadonlyArray<Entry<number, number, string>>

/** Answers each request with its double. */
const double = (entries: Entries): void => {
  for (const { completeUnsafe, request } of entries) completeUnsafe(Exit.succeed(request * 2))
}

/** Batches that wait until the test lets them go, in the order in which they began. */
const held = (limits: { readonly maxInFlight: number; readonly maxSize: number }) => {
  const began: Array<{ readonly requests: ReadonlyArray<number>; readonly go: Deferred.Deferred<void> }> = []
  const ask = batched<number, number, string>({
    sql,
    ...limits,
    run: Effect.fnUntraced(function* (entries) {
      const go = Deferred.makeUnsafe<void>()
      began.push({ requests: entries.map(({ request }) => request), go })
      yield* Deferred.await(go)
      double(entries)
    })
  })
  const fork = (requests: ReadonlyArray<number>) =>
    Effect.forEach(requests, (request) => Effect.forkChild(ask(request), { startImmediately: true }))
  /** After all that can run has run. */
  const batches = Effect.map(Effect.repeat(Effect.yieldNow, { times: 10 }), () => began.map(({ requests }) => requests))
  const letGo = (batch: number) =>
    Effect.andThen(
      Effect.suspend(() => Effect.forEach(began.slice(batch, batch + 1), ({ go }) => Deferred.succeed(go, undefined))),
      batches
    )
  return { ask, fork, batches, letGo }
}

describe("batched", () => {
  it.effect("has those that come together in one batch, and those that come meanwhile in the next", () =>
    Effect.gen(function* () {
      const { batches, fork, letGo } = held({ maxInFlight: 1, maxSize: 100 })
      const first = yield* fork([1, 2, 3])
      assert.deepStrictEqual(yield* batches, [[1, 2, 3]])
      const second = [...(yield* fork([4])), ...(yield* fork([5, 6]))]
      assert.deepStrictEqual(yield* batches, [[1, 2, 3]])
      assert.deepStrictEqual(yield* letGo(0), [
        [1, 2, 3],
        [4, 5, 6]
      ])
      yield* letGo(1)
      assert.deepStrictEqual(yield* Fiber.joinAll([...first, ...second]), [2, 4, 6, 8, 10, 12])
    })
  )

  it.effect("has at most so many batches at once, and so many requests in each", () =>
    Effect.gen(function* () {
      const { batches, fork, letGo } = held({ maxInFlight: 2, maxSize: 2 })
      const fibers = [...(yield* fork([1, 2, 3]))]
      assert.deepStrictEqual(yield* batches, [[1, 2]])
      fibers.push(...(yield* fork([4])))
      assert.deepStrictEqual(yield* batches, [[1, 2], [4]])
      fibers.push(...(yield* fork([5])))
      assert.deepStrictEqual(yield* batches, [[1, 2], [4]])
      assert.deepStrictEqual(yield* letGo(0), [[1, 2], [4], [3]])
      assert.deepStrictEqual(yield* letGo(1), [[1, 2], [4], [3], [5]])
      yield* Effect.andThen(letGo(2), letGo(3))
      assert.deepStrictEqual(yield* Fiber.joinAll(fibers), [2, 4, 6, 8, 10])
    })
  )

  it.effect("leaves out a caller that is gone, and goes on for the others when one leaves", () =>
    Effect.gen(function* () {
      const { batches, fork, letGo } = held({ maxInFlight: 1, maxSize: 100 })
      const leaving = yield* fork([1])
      const staying = yield* fork([2])
      yield* batches
      const gone = yield* fork([3])
      const waiting = yield* fork([4])
      yield* Fiber.interruptAll([...leaving, ...gone])
      assert.deepStrictEqual(yield* letGo(0), [[1, 2], [4]])
      yield* letGo(1)
      assert.deepStrictEqual(yield* Fiber.joinAll([...staying, ...waiting]), [4, 8])
    })
  )

  it.effect("leaves out a caller that is gone when its part of a batch begins", () =>
    Effect.gen(function* () {
      const { batches, fork, letGo } = held({ maxInFlight: 1, maxSize: 1 })
      const staying = yield* fork([1])
      const leaving = yield* fork([2])
      const last = yield* fork([3])
      assert.deepStrictEqual(yield* batches, [[1]])
      yield* Fiber.interruptAll(leaving)
      assert.deepStrictEqual(yield* letGo(0), [[1], [3]])
      yield* letGo(1)
      assert.deepStrictEqual(yield* Fiber.joinAll([...staying, ...last]), [2, 6])
    })
  )

  it.effect("answers every request, also after a defect or when the batch forgets one", () =>
    Effect.gen(function* () {
      const ask = batched<number, number, string>({
        sql,
        maxInFlight: 1,
        maxSize: 100,
        run: (entries) =>
          Effect.sync(() => {
            if (entries.some(({ request }) => request === 0)) throw new Error("broken")
            double(entries.filter(({ request }) => request > 1))
          })
      })
      const all = (requests: ReadonlyArray<number>) =>
        Effect.forEach(requests, (request) => Effect.exit(ask(request)), { concurrency: "unbounded" })
      assert.isTrue((yield* all([0, 2])).every(Exit.hasDies))
      const [answered, ...forgotten] = yield* all([2, 1])
      assert.isTrue(forgotten.every(Exit.hasDies))
      assert.deepStrictEqual(answered, Exit.succeed(4))
    })
  )

  it.effect("does not run in the transaction of a caller", () =>
    Effect.gen(function* () {
      const seen: Array<boolean> = []
      const ask = batched<number, number, string>({
        sql,
        maxInFlight: 1,
        maxSize: 100,
        run: (entries) =>
          Effect.contextWith((context: Context.Context<never>) =>
            Effect.sync(() => {
              seen.push(Option.isSome(Context.getOption(context, sql.transactionService)))
              double(entries)
            })
          )
      })
      // Nothing uses it.
      const connection = {} as SqlConnection.Connection
      yield* Effect.provideService(ask(1), sql.transactionService, [connection, 0])
      assert.deepStrictEqual(seen, [false])
    })
  )
})

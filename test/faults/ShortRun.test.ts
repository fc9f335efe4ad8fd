import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Books from "../../bench/faults/Books.ts"
import { failoverSeconds, faults } from "../../bench/faults/Faults.ts"
import * as Run from "../../bench/faults/Run.ts"
import { call } from "../support/FaultSamples.ts"

/** The short form of `npm run bench:faults`. */
const struck = ["server killed", "clients cut", "database cut", "standby frozen", "primary killed"]

describe("two servers on a primary with a standby", () => {
  it.live("keep every credit, connection, session and import through faults", () =>
    Effect.gen(function* () {
      const outcome = yield* Run.run({
        seed: "short",
        rounds: 1,
        faults: faults.filter(({ name }) => struck.includes(name)),
        scripts: 4,
        apps: 2,
        people: 1,
        products: 1_000,
        refreshEveryMillis: 2_000
      })
      assert.deepStrictEqual(outcome.incidents, [])
      assert.lengthOf(outcome.struck, struck.length)
      assert.deepStrictEqual(
        outcome.struck.map(({ effects, fault }) => [fault.name, effects.failed]),
        outcome.struck.map(({ fault }) => [fault.name, 0])
      )
      // A machine that is busy with other programs makes each step of a failover slower. Only the time in which nothing waited for a
      // core is that of the failover.
      for (const { effects, fault } of outcome.struck.filter(({ fault }) => fault.goal === "failover")) {
        const what = `${fault.name}: none for ${effects.silentSeconds} s in all`
        assert.isAtMost(effects.silentSecondsWithCores, failoverSeconds, what)
      }
      // All of it took place.
      for (const what of ["answer: ok", "refresh: done", "sign-in: done", "page: done", "import: done"]) {
        assert.isAbove(outcome.counts.get(what) ?? 0, 0, what)
      }
    })
  )
})

describe("the comparison with the ledger", () => {
  const entry = { account: 1, request: "r", net: 1, refunds: 0 }
  const key = { account: 1, key: "k", request: "r" }

  it("accepts one charge for each result", () => {
    assert.deepStrictEqual(Books.agreement([call({})], [entry], [key]).disagreements, [])
  })
  const wrong = [
    ["a result without a charge", [call({})], [], []],
    ["a result whose charge was refunded", [call({})], [{ ...entry, net: 0, refunds: 1 }], [key]],
    ["a second charge under the same key", [call({})], [entry, { ...entry, request: "s" }], [key]],
    ["a charge of two credits", [call({})], [{ ...entry, net: 2 }], [key]],
    ["a result without a key that is not charged", [call({ key: undefined })], [], []],
    ["a second charge of a call without a key", [call({ key: undefined })], [entry, { ...entry, request: "s" }], []]
  ] as const
  it.each(wrong)("notices %s", (_, calls, entries, keys) => {
    assert.lengthOf(Books.agreement(calls, entries, keys).disagreements, 1)
  })
  it("counts what a client without a key lost", () => {
    const books = Books.agreement([call({ key: undefined, answers: [], outcome: "unanswered" })], [entry], [])
    assert.deepStrictEqual([books.lost, books.withoutResult, books.disagreements.length], [1, 1, 0])
  })
})

/** When servers on one database refuse requests at all: hardly before the limit, whatever they and their callers do. */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Exit, Fiber, Layer, Schema } from "effect"
import * as LeakyBucket from "../../../src/services/limits/LeakyBucket.ts"
import { leaseMillis, leaseTimes, maxUnreported } from "../../../src/services/limits/RateBuckets.ts"
import { SharedRates } from "../../../src/services/limits/SharedRates.ts"
import * as Metrics from "../../../src/services/metrics/Metrics.ts"
import { SetClock } from "../../support/SetClock.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const windowMillis = 60_000
/** Where a fraction meets the edge, either is right. */
const rounding = 1e-3

const server = Effect.map(Layer.build(Layer.fresh(SharedRates.layer)), Context.get(SharedRates))

const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

const mostServers = 3
const AnyLimit = Schema.Literals([40, 100, 300, 1200, 1200])
const Step = Schema.Struct({
  server: between(0, mostServers - 1),
  account: Schema.Literals([0, 0, 0, 1, 2]),
  millis: Schema.Literals([0, 0, 50, 499, 999, 1_100, 1_100, 60_000]),
  requests: Schema.Literals([1, 20, 60, 150, 1300]),
  concurrency: Schema.Literals([1, 8, 150]),
  /** Requests whose callers leave, at once or while a statement is under way. */
  abandoned: Schema.Literals([0, 0, 1, 3]),
  isUnderWay: Schema.Boolean,
  /** Whether servers get no turn to report before the clock advances. */
  isLate: Schema.Boolean,
  reports: Schema.Boolean
})

/** An account as an oracle counts it: every request at the time at which it is admitted. */
interface Account {
  readonly limit: LeakyBucket.Limit
  /** Without requests that were abandoned, and with them. */
  least: number
  most: number
}

const isAdmitted = ({ retryAfterSeconds }: LeakyBucket.Level) => retryAfterSeconds === 0

type Rates = SharedRates["Service"]

let keys = 0

const Services = TestDatabase.layer.pipe(Layer.provideMerge(SetClock.layer("2026-03-10T12:00:00Z")))

layer(Services, { excludeTestServices: true })("SharedRates", (it) => {
  const statements = Metrics.databaseOperations.value({})

  it.effect.prop(
    "D33 refuse nothing below the limit but for a hundredth and what other servers lease, and admit hardly more",
    [
      between(1, mostServers),
      Schema.Tuple([AnyLimit, AnyLimit, AnyLimit]),
      Schema.Array(Step).check(Schema.isMinLength(8), Schema.isMaxLength(16))
    ],
    ([count, limits, steps]) =>
      Effect.gen(function* () {
        const all = yield* Effect.forEach(Array.from({ length: count }), () => server)
        const accounts = limits.map((limit): Account => {
          const key = `test ${++keys}`
          return { limit: { key, allowance: { limit, windowMillis } }, least: 0, most: 0 }
        })
        let sinceReport = 0

        const reportAll = Effect.forEach([...all, ...all], ({ report }) => report, { discard: true })
        const advance = Effect.fnUntraced(function* (millis: number, isLate: boolean) {
          const wasLate = sinceReport > leaseMillis
          if (wasLate || (!isLate && sinceReport + millis > leaseMillis)) {
            yield* reportAll
            sinceReport = 0
          }
          sinceReport += millis
          yield* Effect.repeat(statements, { until: (count) => count === 0 })
          yield* Effect.flatMap(SetClock, (clock) => clock.advance(millis))
          for (const account of accounts) {
            account.least = LeakyBucket.drained(account.limit.allowance, account.least, millis)
            account.most = LeakyBucket.drained(account.limit.allowance, account.most, millis)
            // What leases lose until a report that is late.
            const { limit } = account.limit.allowance
            const lapsed = ((sinceReport - leaseMillis) * limit) / windowMillis + 1
            if (lapsed >= 1)
              account.most += count * Math.min(lapsed, leaseTimes * maxUnreported(account.limit.allowance))
          }
        })

        const ask = Effect.fnUntraced(function* (
          rates: Rates,
          account: Account,
          requests: number,
          concurrency: number
        ) {
          const { limit } = account
          const levels = yield* Effect.forEach(Array.from({ length: requests }), () => rates.take([limit]), {
            concurrency
          })
          const admitted = levels.filter(isAdmitted).length
          account.least += admitted
          account.most += admitted
          const ahead = maxUnreported(limit.allowance)
          const drains = ahead === 0 ? 0 : (limit.allowance.limit * leaseMillis) / windowMillis
          assert.isAtMost(account.least, limit.allowance.limit + count * ahead + drains + rounding)
          // Requests count from their reports on, and those leased elsewhere before they are made.
          const tooMany = ahead + (count - 1) * leaseTimes * ahead
          if (admitted < requests) assert.isAbove(account.most + 1 + tooMany, limit.allowance.limit - rounding)
        })

        for (const step of steps) {
          const one = all[step.server % count]
          const account = accounts[step.account]
          assert.isDefined(one)
          assert.isDefined(account)
          yield* advance(step.millis, step.isLate)
          const leaving = yield* Effect.forEach(Array.from({ length: step.abandoned }), () =>
            Effect.forkChild(one.take([account.limit]), { startImmediately: true })
          )
          const isAnswered = () => leaving.every((fiber) => fiber.pollUnsafe() !== undefined)
          if (step.isUnderWay) yield* Effect.repeat(statements, { until: (count) => count > 0 || isAnswered() })
          yield* Fiber.interruptAll(leaving)
          for (const fiber of leaving) {
            const exit = yield* Fiber.await(fiber)
            if (Exit.isSuccess(exit) && isAdmitted(exit.value)) account.least += 1
            // One that leaves just when it is answered counts, too.
            if (Exit.isSuccess(exit) ? isAdmitted(exit.value) : step.isUnderWay) account.most += 1
          }
          yield* ask(one, account, step.requests, step.concurrency)
          if (step.reports) yield* one.report
        }
      }).pipe(Effect.scoped),
    { arbitrary: { runs: 60 } }
  )
})

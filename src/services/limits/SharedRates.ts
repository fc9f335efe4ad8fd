/**
 * Rate limits that all servers count together, in leaky buckets in the database.
 *
 * A request is admitted at once and reported later, with those of all other keys, as long as this server has not more
 * than a hundredth of the limit to report and the bucket was not nearly full at its last report. Otherwise it waits for the
 * database, which admits what still fits. What is known to be refused is refused without asking. For a key with many requests
 * a report also leases some in advance; those that are not used are given back, less what drains after a second.
 *
 * So N servers admit within any time T at most `limit * (1 + (T + 1 second) / window) + N * floor(limit / 100)`: once the
 * bucket is nearly full, a server adds what it has not reported, then knows, and asks. Every request is counted, so in the
 * long run they admit what one does. Limits below 100 are exact. A request counts from its report on, half a second later,
 * and one that is leased from its lease on: a request is refused at most a hundredth of the limit too early, and five more
 * for each other server that leases. A killed server forgets what it has not reported.
 */
import { Clock, Context, Effect, Exit, Latch, Layer, Schema, Semaphore } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import type { ServiceUnavailable } from "../../domain/ToolError.ts"
import * as BackgroundJob from "../BackgroundJob.ts"
import { available } from "../database/Availability.ts"
import { GivenTime, timeIn } from "../database/DatabaseClock.ts"
import { deleteUnlocked, inBatches, rowsOf } from "../database/Rows.ts"
import * as Metrics from "../metrics/Metrics.ts"
import type * as LeakyBucket from "./LeakyBucket.ts"
import { levelOf, RateBuckets, reportMillis, waitSeconds } from "./RateBuckets.ts"
import type { Bucket } from "./RateBuckets.ts"

/** Requests that wait, and buckets with something to report, of one statement. */
const maxBatch = 2_000
/** A request waits for the report that is under way and for the next. */
const reportDeadline = "4 seconds"
const retryAfterFailure = "1 second"

/** Buckets that are empty again are deleted in the background. */
const forgetEvery = "1 minute"
const batch = 1_000
const maxBatches = 100

interface Asking {
  readonly buckets: ReadonlyArray<Bucket>
  hasLeft: boolean
  readonly answer: (answer: Effect.Effect<LeakyBucket.Level, ServiceUnavailable>) => void
}

const Counted = Schema.Struct({ n: Schema.Int, granted: Schema.Int, used: Schema.Finite })
const decodeCounted = rowsOf(Counted)

export class SharedRates extends Context.Service<
  SharedRates,
  {
    /**
     * Counts a request for all limits at once. If any limit refuses it, it counts for none. Returns the level of the first
     * limit. Keys begin with the name of what is limited; the database stores their hashes. For a form that anyone may send:
     * `take(LeakyBucket.networks(address, "sign_up", { limit: 10, windowMillis: 3_600_000 }))`.
     */
    take(limits: ReadonlyArray<LeakyBucket.Limit>): Effect.Effect<LeakyBucket.Level, ServiceUnavailable>
    /** Reports what was admitted, gives leases back, and answers requests that wait. Runs when the server stops. */
    readonly report: Effect.Effect<void, ServiceUnavailable>
    /** Deletes buckets that are empty again. Runs in the background. */
    readonly forget: Effect.Effect<void, SqlError.SqlError>
  }
>()("discovery/limits/SharedRates") {
  static readonly layer = Layer.effect(
    SharedRates,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const givenTime = yield* GivenTime
      const clock = yield* Clock.Clock
      const asking = new Set<Asking>()
      const some = Latch.makeUnsafe(false)
      const urgent = Latch.makeUnsafe(false)
      let isStopping = false
      const buckets = new RateBuckets((isBusy) => {
        some.openUnsafe()
        if (isBusy) urgent.openUnsafe()
      })

      const usedOf = ([first]: ReadonlyArray<Bucket>, now: number) => (first === undefined ? 0 : levelOf(first, now))

      const admit = (of: ReadonlyArray<Bucket>, now: number) => {
        for (const bucket of of) buckets.addUnreported(bucket, 1)
        return Effect.succeed({ used: usedOf(of, now), retryAfterSeconds: 0 })
      }

      const ask = (of: ReadonlyArray<Bucket>) =>
        Effect.callback<LeakyBucket.Level, ServiceUnavailable>((resume) => {
          const request = { buckets: of, hasLeft: false, answer: resume }
          asking.add(request)
          some.openUnsafe()
          urgent.openUnsafe()
          return Effect.sync(() => {
            asking.delete(request)
            request.hasLeft = true
          })
        }).pipe(Metrics.queueLength.during({ queue: "rate_limits" }))

      const take = (limits: ReadonlyArray<LeakyBucket.Limit>) =>
        Effect.clockWith((clock): Effect.Effect<LeakyBucket.Level, ServiceUnavailable> => {
          const now = clock.currentTimeMillisUnsafe()
          const of = limits.map((limit) => buckets.of(limit))
          for (const bucket of of) buckets.expire(bucket, now)
          // An open bucket is not full.
          const waits = of.map((bucket) => (bucket.isOpen || buckets.hasRoom(bucket) ? 0 : waitSeconds(bucket, now)))
          const retryAfterSeconds = Math.max(0, ...waits)
          if (retryAfterSeconds > 0) return Effect.succeed({ used: usedOf(of, now), retryAfterSeconds })
          return of.every((bucket) => buckets.hasRoom(bucket)) ? admit(of, now) : ask(of)
        })

      /** Answers last: a request that gets one goes on at once, and may take again. */
      const answerAll = (asked: ReadonlyArray<Asking>, granted: Map<Bucket, number>, now: number) => {
        const answers = asked
          .filter(({ hasLeft }) => !hasLeft)
          .map(({ answer, buckets: of }) => {
            const full = of.filter((bucket) => (granted.get(bucket) ?? 0) === 0)
            const wait = full.map((bucket) => waitSeconds(bucket, now))
            if (full.length === 0) for (const bucket of of) granted.set(bucket, (granted.get(bucket) ?? 0) - 1)
            const level = {
              used: usedOf(of, now),
              retryAfterSeconds: full.length === 0 ? 0 : Math.max(1, ...wait)
            }
            return () => answer(Effect.succeed(level))
          })
        // Leased; or another limit refused the request, or it was not waited for.
        for (const [bucket, left] of granted) buckets.lease(bucket, left)
        for (const answer of answers) answer()
        for (const request of Array.from(asking)) {
          // A statement may take longer than a lease lasts.
          for (const bucket of request.buckets) buckets.expire(bucket, clock.currentTimeMillisUnsafe())
          if (!request.buckets.every((bucket) => buckets.hasRoom(bucket))) continue
          asking.delete(request)
          request.answer(admit(request.buckets, now))
        }
      }

      const reportOnce = Effect.fnUntraced(function* (isWhole: boolean) {
        const now = yield* Clock.currentTimeMillis
        const asked = Array.from(asking).slice(0, maxBatch)
        for (const each of asked) asking.delete(each)
        const wanted = new Map<Bucket, number>()
        for (const bucket of asked.flatMap((each) => each.buckets)) wanted.set(bucket, (wanted.get(bucket) ?? 0) + 1)
        const due = Array.from(new Set([...wanted.keys(), ...buckets.due(now, isWhole, maxBatch)]))
        if (due.length === 0) return
        const uses = due.map((bucket, n) => {
          const { limit, windowMillis } = bucket.allowance
          const use = buckets.beginReport(bucket, wanted.get(bucket) ?? 0, now, !isStopping)
          return { n, key: bucket.key, ...use, burst: limit, window_ms: windowMillis }
        })
        const moment = yield* givenTime
        yield* sql`SELECT n, granted, used FROM count_rates(${JSON.stringify(uses)}::jsonb, ${moment}::timestamptz)`.pipe(
          decodeCounted,
          available({ retries: 0, deadline: reportDeadline }),
          Effect.onExit((exit) =>
            Effect.sync(() => {
              if (Exit.isFailure(exit)) {
                for (const bucket of due) buckets.failReport(bucket)
                const all = [...asked, ...asking]
                asking.clear()
                for (const { answer } of all) answer(Effect.failCause(exit.cause))
                return
              }
              const granted = new Map<Bucket, number>()
              for (const row of exit.value) {
                const bucket = due[row.n]
                if (bucket === undefined) continue
                buckets.endReport(bucket, row.used, now)
                granted.set(bucket, row.granted)
              }
              answerAll(asked, granted, now)
            })
          )
        )
      })

      /** One statement at a time. Requests that begin to wait meanwhile are part of the next one. */
      const inTurn = Semaphore.makeUnsafe(1).withPermits(1)
      const reportOf = (isWhole: boolean) =>
        inTurn(
          Effect.suspend(() => {
            some.closeUnsafe()
            urgent.closeUnsafe()
            return reportOnce(isWhole)
          }).pipe(
            Effect.ensuring(
              Effect.sync(() => {
                if (asking.size + buckets.unreportedBuckets > 0) some.openUnsafe()
                if (asking.size > 0 || buckets.isCrowded) urgent.openUnsafe()
              })
            )
          )
        )
      const report = reportOf(true)

      const forget = Effect.gen(function* () {
        const now = yield* timeIn(sql)
        const deleteBuckets = deleteUnlocked(sql, "rate_bucket", "key")
        yield* deleteBuckets(sql`empties_at <= ${now} LIMIT ${batch}`).pipe(inBatches(batch, maxBatches))
      }).pipe(Effect.withSpan("SharedRates.forget"))

      // What was admitted just before the stop.
      yield* Effect.addFinalizer(() => {
        isStopping = true
        return Effect.timeoutOption(Effect.ignore(report), "2 seconds")
      })
      yield* some.await.pipe(
        Effect.andThen(Effect.timeoutOption(urgent.await, reportMillis)),
        Effect.andThen(reportOf(false)),
        Effect.catchCause((cause) =>
          Effect.andThen(
            Effect.logWarning("Requests could not be counted against rate limits", cause),
            Effect.sleep(retryAfterFailure)
          )
        ),
        Effect.forever,
        Effect.forkScoped
      )
      yield* forget.pipe(BackgroundJob.repeat(forgetEvery, "Rate limits that are not in use could not be deleted"))
      return SharedRates.of({ take, report, forget })
    })
  )
}

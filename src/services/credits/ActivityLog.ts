/**
 * The activity log (D53): a line for each call, collected in memory during calls and written in the background.
 *
 * No call waits for it or fails because of it. Lines wait in memory while the database cannot be reached, up to a limit; a
 * killed server loses about a second of them. Credits are counted by the ledger, not by this log.
 */
import { Clock, Context, Effect, Layer, Schedule, Schema, Semaphore } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import { randomUUID } from "node:crypto"
import type { Activity } from "../../domain/access/Activity.ts"
import { maxInteger } from "../../domain/Scalars.ts"
import * as LeakyBucket from "../limits/LeakyBucket.ts"
import { rowOf } from "../database/Rows.ts"
import * as Metrics from "../metrics/Metrics.ts"

/** About 15 MB: half a minute of calls at the highest rate of one process. */
export const maxWaiting = 50_000
const maxBatch = 1_000
const writeEvery = "1 second"
/**
 * How many of an account's refused calls with the same code are kept in a window. They cost nothing, so credits do not limit
 * them, and more of them add no information.
 */
export const refusals = { limit: 60, windowMillis: 600_000 }
const maxRefusals = 50_000
const attempt = "5 seconds"
/** For all remaining lines, when the server stops. */
const lastAttempts = "5 seconds"
const pauses = Schedule.min([Schedule.exponential("200 millis"), Schedule.spaced("5 seconds")])

interface Batch {
  readonly number: number
  readonly entries: ReadonlyArray<Activity>
}

const decodeWritten = rowOf(Schema.Struct({ written: Schema.Boolean }))

export class ActivityLog extends Context.Service<
  ActivityLog,
  {
    /**
     * Adds a call to the queue; when it is full, the call is counted as dropped. Of an account's refused calls with the same
     * code, only {@link refusals} are kept.
     */
    readonly record: (call: Activity) => void
    /** Writes the queue; lines that cannot be written stay in it. */
    readonly write: Effect.Effect<void, SqlError.SqlError>
  }
>()("discovery/credits/ActivityLog") {
  static readonly layer = Layer.effect(
    ActivityLog,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      // Identifies this process, so that a batch that is sent again after a lost answer is written once.
      const writer = randomUUID()
      let waiting: Array<Activity> = []
      /** The batch that is being sent; it is sent again unchanged until the database confirms it. */
      let underWay: Batch | undefined
      let lastNumber = 0
      let dropped = 0
      const refused = LeakyBucket.make(maxRefusals)

      const isOneOfTooMany = ({ accountId, atMillis, credits, outcome }: Activity): boolean =>
        outcome !== "ok" &&
        credits === 0 &&
        refused.take([{ key: `${accountId} ${outcome}`, allowance: refusals }], atMillis).retryAfterSeconds > 0

      const remembered = () => waiting.length + (underWay?.entries.length ?? 0)

      const record = (call: Activity) => {
        if (isOneOfTooMany(call)) return
        if (remembered() < maxWaiting) waiting.push(call)
        else dropped += 1
      }

      const next = (): Batch | undefined => {
        if (underWay === undefined && waiting.length > 0) {
          underWay = { number: ++lastNumber, entries: waiting.slice(0, maxBatch) }
          waiting = waiting.slice(maxBatch)
        }
        return underWay
      }

      const send = Effect.fnUntraced(function* (batch: Batch) {
        const now = new Date(yield* Clock.currentTimeMillis)
        yield* sql`
          SELECT record_activity(${writer}::uuid, ${batch.number}::bigint, ${JSON.stringify(batch.entries.map(toRow))}::jsonb,
            ${now}) AS written`.pipe(decodeWritten)
      })

      const drop = (count: number, why: string, cause?: unknown) =>
        Effect.andThen(
          Metrics.activityDropped.add({}, count),
          Effect.logWarning(
            `${count} calls are missing in the activity log: ${why}`,
            ...(cause === undefined ? [] : [cause])
          )
        )

      // One at a time: the database remembers only the newest batch of each writer.
      const turns = Semaphore.makeUnsafe(1)
      const write = Effect.gen(function* () {
        for (let batch = next(); batch !== undefined; batch = next()) {
          const size = batch.entries.length
          yield* send(batch).pipe(
            // A line that violates a constraint must not block those after it.
            Effect.catchIf(isUnfit, (error) => drop(size, "they violate a constraint", error))
          )
          underWay = undefined
        }
      }).pipe(Semaphore.withPermit(turns), Effect.withSpan("ActivityLog.write"))

      const reportDropped = Effect.suspend(() => {
        const missed = dropped
        dropped = 0
        return missed === 0 ? Effect.void : drop(missed, "the queue in memory was full")
      })

      const writeInTime = write.pipe(Effect.timeout(attempt))
      const insistently = writeInTime.pipe(
        Effect.tapError((error) => Effect.logWarning("The activity log could not be written yet", error)),
        Effect.ensuring(reportDropped),
        Effect.retry(pauses)
      )

      yield* Effect.addFinalizer(() =>
        writeInTime.pipe(
          Effect.retry(pauses),
          Effect.timeout(lastAttempts),
          Effect.interruptible,
          Effect.ignore,
          Effect.andThen(reportDropped),
          Effect.andThen(
            Effect.suspend(() => (remembered() === 0 ? Effect.void : drop(remembered(), "the server has stopped")))
          )
        )
      )
      yield* Metrics.queueLength.follow({ queue: "activity_log" }, remembered)
      yield* insistently.pipe(Effect.schedule(Schedule.spaced(writeEvery)), Effect.forkScoped)
      return ActivityLog.of({ record, write })
    })
  )
}

/** Within the range of the column; negative when the clock was set back. */
const durationOf = (millis: number): number => Math.min(maxInteger, Math.max(0, Math.round(millis)))

const toRow = (call: Activity) => ({
  account_id: call.accountId,
  at: new Date(call.atMillis).toISOString(),
  tool: call.tool,
  credential_kind: call.credential.kind,
  credential_id: call.credential.id,
  outcome: call.outcome,
  credits: call.credits,
  duration_ms: durationOf(call.durationMillis),
  request_id: call.requestId
})

const isUnfit = (error: unknown): error is SqlError.SqlError =>
  SqlError.isSqlError(error) && error.reason._tag === "ConstraintError"

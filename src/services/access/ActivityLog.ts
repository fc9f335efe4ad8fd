/**
 * The activity log: what each account's calls were, kept in memory on the path of a call and written in the background.
 *
 * Nothing waits for it and nothing fails by it. A database that is away loses no line as long as the memory here has room;
 * what a killed server had not written, about a second, is lost. Credits are the ledger's to say.
 */
import { Clock, Context, Effect, Layer, Metric, Schedule, Schema, Semaphore } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import { randomUUID } from "node:crypto"
import type { Activity } from "../../domain/access/Activity.ts"
import * as LeakyBucket from "../limits/LeakyBucket.ts"
import { rowOf } from "../database/Rows.ts"

/** Some 15 MB: half a minute of the most that one process can answer. */
export const maxWaiting = 50_000
const maxBatch = 1_000
const writeEvery = "1 second"
/**
 * Of an account's calls that fail with the same code, those that are kept: so many at once, and as many in each window on
 * the long run. They cost the account nothing, so that its credits do not bound how many there are, and all say the same.
 */
export const refusals = { limit: 60, windowMillis: 600_000 }
/** An account that is forgotten has had no such refusal for longer than most. */
const maxRefusals = 50_000
const attempt = "5 seconds"
/** Of all that is left when the server stops. */
const lastAttempts = "5 seconds"
const pauses = Schedule.min([Schedule.exponential("200 millis"), Schedule.spaced("5 seconds")])

/** Told to whatever collects metrics. */
export const metrics = {
  dropped: Metric.counter("discovery_activity_dropped", {
    description: "Calls that are missing in the activity log",
    incremental: true
  }),
  waiting: Metric.gauge("discovery_activity_waiting", { description: "Calls that are still to be written to the log" })
} as const

interface Batch {
  readonly number: number
  readonly entries: ReadonlyArray<Activity>
}

const decodeWritten = rowOf(Schema.Struct({ written: Schema.Boolean }))

export class ActivityLog extends Context.Service<
  ActivityLog,
  {
    /**
     * Remembers a call, at once and for good; one too many is counted and forgotten. Of an account's calls that are refused
     * with the same code, {@link refusals} says how many are kept.
     */
    readonly record: (call: Activity) => void
    /** Writes what is remembered; what cannot be written stays. */
    readonly write: Effect.Effect<void, SqlError.SqlError>
  }
>()("discovery/access/ActivityLog") {
  static readonly layer = Layer.effect(
    ActivityLog,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      // Of this process and its batches, so that one that is sent again, because its answer was lost, is written once.
      const writer = randomUUID()
      let waiting: Array<Activity> = []
      /** What has been sent, and is sent again unchanged until the database says that it has it. */
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
        const rows = yield* sql`
          SELECT record_activity(${writer}::uuid, ${batch.number}::bigint, ${JSON.stringify(batch.entries.map(toRow))}::jsonb,
            ${now}) AS written`
        yield* decodeWritten(rows)
      })

      const drop = (count: number, why: string, cause?: unknown) =>
        Effect.andThen(
          Metric.update(metrics.dropped, count),
          Effect.logWarning(
            `${count} calls are missing in the activity log: ${why}`,
            ...(cause === undefined ? [] : [cause])
          )
        )

      // One at a time: the batch that is under way is the newest of this writer.
      const turns = Semaphore.makeUnsafe(1)
      const write = Effect.gen(function* () {
        for (let batch = next(); batch !== undefined; batch = next()) {
          const size = batch.entries.length
          yield* send(batch).pipe(
            // A line that no database will ever take must not hold up all that come after it.
            Effect.catchIf(isUnfit, (error) => drop(size, "they are not fit to be written", error))
          )
          underWay = undefined
        }
      }).pipe(Semaphore.withPermit(turns), Effect.withSpan("ActivityLog.write"))

      const tell = Effect.suspend(() => {
        const missed = dropped
        dropped = 0
        return Effect.andThen(
          Metric.update(metrics.waiting, remembered()),
          missed === 0 ? Effect.void : drop(missed, "more were waiting than are kept in memory")
        )
      })

      const writeInTime = write.pipe(Effect.timeout(attempt))
      const insistently = writeInTime.pipe(
        Effect.tapError((error) => Effect.logWarning("The activity log could not be written yet", error)),
        Effect.ensuring(tell),
        Effect.retry(pauses)
      )

      yield* Effect.addFinalizer(() =>
        writeInTime.pipe(
          Effect.retry(pauses),
          Effect.timeout(lastAttempts),
          Effect.interruptible,
          Effect.ignore,
          Effect.andThen(tell),
          Effect.andThen(
            Effect.suspend(() => (remembered() === 0 ? Effect.void : drop(remembered(), "the server has stopped")))
          )
        )
      )
      yield* insistently.pipe(Effect.schedule(Schedule.spaced(writeEvery)), Effect.forkScoped)
      return ActivityLog.of({ record, write })
    })
  )
}

/** The longest that the table takes, in milliseconds; a call of which the clock was set back took none. */
const durationOf = (millis: number): number => Math.min(2_147_483_647, Math.max(0, Math.round(millis)))

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

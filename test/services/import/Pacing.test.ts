/** An import leaves room while calls are answered, never for long, and does not depend on knowing it. */
import { assert, layer } from "@effect/vitest"
import { Duration, Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { randomUUID } from "node:crypto"
import * as Pacing from "../../../src/services/import/Pacing.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const seconds = 1_000
const paused = seconds * Pacing.pauseShare

/** How long it pauses after a second of work. */
const pause = Effect.fnUntraced(function* ({ pauseAfter }: Pacing.Pacing) {
  const pausing = yield* Effect.forkChild(Effect.timed(pauseAfter(seconds)), { startImmediately: true })
  yield* TestClock.adjust("1 hour")
  const [took] = yield* Fiber.join(pausing)
  return Duration.toMillis(took)
})

/** What the activity log of a server does in each second with calls. */
const writes = (writer: string, batch: number) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`SELECT record_activity(${writer}::uuid, ${batch}::bigint, '[]'::jsonb, statement_timestamp())`
  )

layer(Layer.fresh(TestDatabase.layer))("an import beside servers", (it) => {
  it.effect("D108 pauses after each batch while a server writes calls, whichever it is, and no longer", () =>
    Effect.gen(function* () {
      const pacing = Pacing.make(yield* SqlClient.SqlClient)
      const [first, second] = [randomUUID(), randomUUID()]
      yield* writes(first, 41)
      assert.strictEqual(yield* pause(pacing), 0)
      yield* pacing.look
      assert.strictEqual(yield* pause(pacing), 0, "calls of before it began")
      yield* writes(first, 42)
      yield* pacing.look
      assert.strictEqual(yield* pause(pacing), paused)
      assert.strictEqual(yield* pause(pacing), paused)
      yield* pacing.look
      assert.strictEqual(yield* pause(pacing), 0, "the server answers no more, or has died")
      yield* writes(second, 1)
      yield* pacing.look
      assert.strictEqual(yield* pause(pacing), paused)
    })
  )

  it.effect("D108 does not pause while it cannot know, and fails nothing", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const pacing = Pacing.make(sql)
      const writer = randomUUID()
      yield* pacing.look
      yield* writes(writer, 1)
      yield* pacing.look
      assert.strictEqual(yield* pause(pacing), paused)
      yield* sql`ALTER TABLE activity_writer RENAME TO unreadable`
      yield* pacing.look
      assert.strictEqual(yield* pause(pacing), 0)
      yield* sql`ALTER TABLE unreadable RENAME TO activity_writer`
      yield* pacing.look
      yield* writes(writer, 2)
      yield* pacing.look
      assert.strictEqual(yield* pause(pacing), paused)
    })
  )
})

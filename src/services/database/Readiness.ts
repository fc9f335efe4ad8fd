/** Whether the database answers. */
import { Clock, Context, Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import type { ServiceUnavailable } from "../../domain/ToolError.ts"
import * as Metrics from "../metrics/Metrics.ts"
import * as Availability from "./Availability.ts"

const deadline = "2 seconds"

interface Probe {
  /** Ends when its connection is released. */
  readonly asked: Fiber.Fiber<void, SqlError.SqlError>
  /** Ends at the deadline at the latest. */
  readonly answer: Fiber.Fiber<void, ServiceUnavailable>
}

export class Readiness extends Context.Service<
  Readiness,
  {
    /** Answers within two seconds. Concurrent checks share one probe. */
    readonly check: Effect.Effect<void, ServiceUnavailable>
  }
>()("discovery/database/Readiness") {
  /** A probe that hangs is interrupted without waiting: the driver takes seconds to cancel a query. */
  static readonly layerOf = (ask: Effect.Effect<void, SqlError.SqlError>) =>
    Layer.effect(
      Readiness,
      Effect.gen(function* () {
        const scope = yield* Effect.scope
        let last: Probe | undefined

        // Forked into the layer's scope: a client that leaves must not end the probe of others.
        const start = Effect.gen(function* () {
          const asked = yield* Effect.forkIn(ask, scope)
          const answer = yield* Fiber.join(asked).pipe(
            Availability.available({ retries: 0, deadline }),
            Effect.ensuring(Effect.sync(() => asked.interruptUnsafe())),
            Effect.forkIn(scope)
          )
          last = { asked, answer }
          return last
        })

        return {
          check: Effect.suspend(() =>
            last !== undefined && last.asked.pollUnsafe() === undefined ? Effect.succeed(last) : start
          ).pipe(Effect.flatMap(({ answer }) => Fiber.join(answer)))
        }
      })
    )

  static readonly layer = Layer.unwrap(
    Effect.map(SqlClient.SqlClient, (sql) => Readiness.layerOf(Effect.scoped(ask(sql))))
  )
}

/** The wait for a connection is measured apart: a long one means that the pool is exhausted, not that the database is slow. */
const ask = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const clock = yield* Clock.Clock
  const began = clock.monotonicTimeNanosUnsafe()
  const connection = yield* sql.reserve.pipe(
    Effect.onExit(() => Metrics.databaseAcquire.observe({}, Number(clock.monotonicTimeNanosUnsafe() - began) / 1e9))
  )
  yield* connection.execute("SELECT 1", [], undefined)
})

/**
 * A second server process for the ledger: waits for a line, charges one credit `calls` times at once, and writes each
 * answer as a line.
 *
 * Argument: JSON of `{connection, caller, calls, name}`. Lines: `ready`, then `{requestId, outcome}` for each call.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Effect, Layer, Schema } from "effect"
import { once } from "node:events"
import { AppConfig } from "../../src/Config.ts"
import { AccountId, Plan, SubscriptionStatus } from "../../src/domain/access/Account.ts"
import { CreditLedger } from "../../src/services/credits/CreditLedger.ts"
import * as Database from "../../src/services/database/Database.ts"

const Task = Schema.Struct({
  connection: Schema.Struct({ host: Schema.String, username: Schema.String, database: Schema.String }),
  caller: Schema.Struct({
    accountId: AccountId,
    plan: Plan,
    status: SubscriptionStatus,
    credential: Schema.Struct({ kind: Schema.Literals(["api_key", "access_token"]), id: Schema.Int }),
    credits: Schema.Struct({
      allowance: Schema.Int,
      used: Schema.Int,
      periodStart: Schema.String,
      periodEnd: Schema.String
    })
  }),
  calls: Schema.Int,
  name: Schema.String
})

const say = (line: unknown) => Effect.sync(() => process.stdout.write(`${JSON.stringify(line)}\n`))

Effect.gen(function* () {
  const task = yield* Schema.decodeUnknownEffect(Schema.fromJsonString(Task))(process.argv[2])
  const { connection } = task
  const layer = CreditLedger.layer.pipe(
    Layer.provide([Database.layer({ source: connection, maxConnections: 5 }), AppConfig.layerOf({})])
  )
  yield* Effect.gen(function* () {
    const ledger = yield* CreditLedger
    yield* say("ready")
    yield* Effect.promise(() => once(process.stdin, "data"))
    yield* Effect.forEach(
      Array.from({ length: task.calls }, (_, index) => `${task.name}-${index}`),
      (requestId) =>
        ledger.charge({ caller: task.caller, tool: "search_ads", cost: 1, requestId }).pipe(
          Effect.match({ onSuccess: () => "charged", onFailure: (error) => error._tag }),
          Effect.flatMap((outcome) => say({ requestId, outcome }))
        ),
      { concurrency: "unbounded", discard: true }
    )
  }).pipe(Effect.provide(layer))
  process.stdin.destroy()
}).pipe(NodeRuntime.runMain)

/** The slowest searches of a run, and PostgreSQL's own account of where their time went: for tuning. */
import { Console, Effect, Layer } from "effect"
import type { AccountId } from "../../src/domain/access/Account.ts"
import type { Observation } from "./OpenLoop.ts"
import { Recorder, explain } from "./Recorder.ts"

/** `count` cases, slowest first, with their arguments, statements and plans. Nothing is remembered from one to the next. */
export const print = (observations: ReadonlyArray<Observation>, count: number, accountId: AccountId) =>
  Effect.forEach(
    observations.toSorted((a, b) => b.millis - a.millis).slice(0, count),
    Effect.fnUntraced(
      function* ({ case: slow, millis, outcome }) {
        yield* Console.log(`\n=== ${slow.id}: ${millis.toFixed(0)} ms, ${outcome}`)
        yield* Console.log(JSON.stringify(slow.arguments))
        const recorder = yield* Recorder
        const { answer, statements } = yield* recorder.record(slow, accountId)
        yield* Console.log(`total ${answer.total}, ${answer.ids.length} on the page`)
        for (const statement of statements) {
          yield* Console.log(`\n${statement.sql.trim()}\n-- ${JSON.stringify(statement.parameters)}`)
          for (const line of yield* explain(statement)) yield* Console.log(`  ${line}`)
        }
      },
      Effect.provide(Layer.fresh(Recorder.layer))
    ),
    { discard: true }
  )

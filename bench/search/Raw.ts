/** What the tool path adds: each search through the program, beside the statements that it sends, in turns. */
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { Agent } from "node:http"
import { median } from "../support/Median.ts"
import { Prng } from "../../src/services/import/demo/Prng.ts"
import * as Cases from "./Cases.ts"
import type { CaseOptions } from "./Cases.ts"
import { Recorder, recordIfAnswered } from "./Recorder.ts"
import * as Replay from "./Replay.ts"
import type { RawRow } from "./Results.ts"
import type { Sample } from "./Sample.ts"
import type { SearchCase } from "./SearchCase.ts"
import { NotStarted } from "./Target.ts"
import type { Target } from "./Target.ts"
import * as ToolCall from "./ToolCall.ts"

interface Pair {
  readonly case: SearchCase
  readonly tool: number
  readonly raw: number
}

/** Statements of less are a round trip, beside which any path is long. */
const longMillis = 10

const call = Effect.fnUntraced(function* (target: Target, agent: Agent, searchCase: SearchCase, number: number) {
  const body = ToolCall.bodyOf(searchCase)
  const start = performance.now()
  const { body: answer, outcome } = yield* Effect.promise(() => ToolCall.send(target, agent, body, number))
  if (outcome !== "ok")
    return yield* new NotStarted({ message: `${searchCase.id}: ${outcome} ${answer.slice(0, 300)}` })
  return performance.now() - start
})

/**
 * The search in process and the server see the same cases in the same order and each case once, so both remember nearly the same;
 * what the one sent is what the other sends. Recording comes first, so pages of the database are in memory for both, and
 * the two take turns in going first.
 */
export const run = Effect.fnUntraced(
  function* (target: Target, sample: Sample, options: CaseOptions) {
    const sql = yield* SqlClient.SqlClient
    const connection = yield* sql.reserve
    const agent = yield* Effect.acquireRelease(
      Effect.sync(() => new Agent({ keepAlive: true, maxSockets: 1 })),
      (agent) => Effect.sync(() => agent.destroy())
    )
    const cases = Cases.shuffled(Cases.generate(sample, options), new Prng(options.seed, "raw order"))
    const pairs: Array<Pair> = []
    for (const [index, searchCase] of cases.entries()) {
      const recording = yield* recordIfAnswered(searchCase, target.accountId)
      if (Option.isNone(recording)) continue
      const { statements } = recording.value
      const viaTool = call(target, agent, searchCase, index)
      const byHand = Replay.time(connection, statements)
      const first = index % 2 === 0 ? yield* viaTool : yield* byHand
      const second = index % 2 === 0 ? yield* byHand : yield* viaTool
      pairs.push({
        case: searchCase,
        ...(index % 2 === 0 ? { tool: first, raw: second } : { tool: second, raw: first })
      })
    }
    return tabulate(pairs)
  },
  Effect.provide(Layer.fresh(Recorder.layer)),
  Effect.scoped
)

const ratio = ({ raw, tool }: Pair): number => tool / raw
const sum = (values: ReadonlyArray<number>): number => values.reduce((total, value) => total + value, 0)

const tabulate = (pairs: ReadonlyArray<Pair>) => ({
  rows: Cases.groups(pairs.map((pair) => pair.case)).map((group): RawRow => {
    const own = pairs.filter((pair) => pair.case.tool === group.tool && pair.case.class === group.class)
    return {
      ...group,
      cases: own.length,
      tool50: median(own.map(({ tool }) => tool)),
      raw50: median(own.map(({ raw }) => raw)),
      ratio: median(own.map(ratio)),
      addedMillis: median(own.map(({ raw, tool }) => tool - raw))
    }
  }),
  overall: sum(pairs.map(({ tool }) => tool)) / sum(pairs.map(({ raw }) => raw)),
  ofLongOnes: median(pairs.filter(({ raw }) => raw >= longMillis).map(ratio))
})

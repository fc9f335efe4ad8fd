/**
 * An open loop: calls leave at their times whatever became of earlier ones, and latency counts from the time at which a
 * call was due, so that a server that stalls cannot hide it by keeping the load waiting.
 */
import { Agent } from "node:http"
import type { Prng } from "../../demo/Prng.ts"
import type { SearchCase } from "./SearchCase.ts"
import * as StealTime from "./StealTime.ts"
import type { Target } from "./Target.ts"
import * as ToolCall from "./ToolCall.ts"

export interface Observation {
  readonly case: SearchCase
  readonly millis: number
  readonly outcome: ToolCall.Outcome
  /** The host took a core away from this machine while the call was under way. */
  readonly isDisturbed: boolean
}

/** Milliseconds from the start, for each call. */
export const evenly = (count: number, perSecond: number): ReadonlyArray<number> =>
  Array.from({ length: count }, (_, index) => (index * 1000) / perSecond)

/** As independent callers come: a Poisson process, of which it is known how many calls there are in its time. */
export const poisson = (count: number, perSecond: number, random: Prng): ReadonlyArray<number> =>
  Array.from({ length: count }, () => (random.unit() * count * 1000) / perSecond).toSorted((a, b) => a - b)

const until = (time: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, Math.max(0, time - performance.now()))
  })

/** One call that leaves now, and counts from the time at which it was due. */
export const observe = async (
  target: Target,
  agent: Agent,
  call: { readonly case: SearchCase; readonly body: string; readonly id: number; readonly due: number }
): Promise<Observation> => {
  const stolen = StealTime.millis()
  const { outcome } = await ToolCall.send(target, agent, call.body, call.id)
  const millis = performance.now() - call.due
  return { case: call.case, millis, outcome, isDisturbed: StealTime.millis() > stolen }
}

/** Cases at their times; ends when the last answer is there or given up. */
export const run = async (
  target: Target,
  cases: ReadonlyArray<SearchCase>,
  times: ReadonlyArray<number>
): Promise<ReadonlyArray<Observation>> => {
  const agent = new Agent({ keepAlive: true })
  // Bodies are made beforehand: the load shares its cores with the server.
  const bodies = cases.map(ToolCall.bodyOf)
  const pending: Array<Promise<Observation>> = []
  const start = performance.now() + 50
  for (const [index, searchCase] of cases.entries()) {
    const due = start + (times[index] ?? 0)
    if (due > performance.now()) await until(due)
    pending.push(observe(target, agent, { case: searchCase, body: bodies[index] ?? "", id: index, due }))
  }
  const observations = await Promise.all(pending)
  agent.destroy()
  return observations
}

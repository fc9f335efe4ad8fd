/** Searches at a steady rate until something else has ended. */
import { Agent } from "node:http"
import * as OpenLoop from "../search/OpenLoop.ts"
import type { Observation } from "../search/OpenLoop.ts"
import type { SearchCase } from "../search/SearchCase.ts"
import type { Target } from "../search/Target.ts"
import * as ToolCall from "../search/ToolCall.ts"

/** An open loop: latency counts from the time at which a call was due. Cases come round again when they run out. */
export const during = async <A>(
  target: Target,
  cases: ReadonlyArray<SearchCase>,
  perSecond: number,
  other: Promise<A>
): Promise<{ readonly observations: ReadonlyArray<Observation>; readonly result: A }> => {
  const agent = new Agent({ keepAlive: true })
  const calls = cases.map((searchCase) => ({ case: searchCase, body: ToolCall.bodyOf(searchCase) }))
  const pending: Array<Promise<Observation>> = []
  const start = performance.now()
  const ended = other.then(
    () => true,
    () => true
  )
  for (let number = 0; ; number++) {
    const due = start + (number * 1000) / perSecond
    const wait = new Promise<boolean>((resolve) => {
      setTimeout(() => resolve(false), Math.max(0, due - performance.now()))
    })
    if (await Promise.race([ended, wait])) break
    const call = calls[number % calls.length]
    if (call === undefined) break
    pending.push(OpenLoop.observe(target, agent, { ...call, id: number, due }))
  }
  const observations = await Promise.all(pending)
  agent.destroy()
  return { observations, result: await other }
}

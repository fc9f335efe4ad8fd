/** What the harness keeps of every call, apart from anything that the servers say. */
import type { Waited } from "./Waits.ts"

/** One call of a customer, with its repeats. */
export interface Call {
  readonly caller: string
  readonly account: number
  /** The same for all repeats; a call without one is never repeated. */
  readonly key: string | undefined
  /** Milliseconds of `performance.now`. */
  readonly beganAt: number
  endedAt: number
  /** The requests that were answered with a result or an error, by the id of the request. */
  readonly answers: Array<{ readonly requestId: string; readonly outcome: string; readonly cost: number }>
  /** Requests that had no answer. */
  unanswered: number
  /** `ok`, or what the last answer said, or `unanswered`. */
  outcome: string
}

/** What has no idempotency key besides calls of tools, with its repeats. */
export interface Other {
  readonly kind: "sign-in" | "refresh" | "page"
  /** Milliseconds of `performance.now`. */
  readonly beganAt: number
  endedAt: number
  /** `done`, or what it was instead. */
  outcome: string
}

/** Something that must not be, such as a connection that was logged out. */
export interface Incident {
  readonly at: number
  readonly what: string
}

export class Record {
  readonly calls: Array<Call> = []
  readonly others: Array<Other> = []
  readonly incidents: Array<Incident> = []
  readonly counts = new Map<string, number>()

  count(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1)
  }

  incident(what: string): void {
    this.incidents.push({ at: performance.now(), what })
  }

  begin(caller: string, account: number, key: string | undefined): Call {
    const call = {
      caller,
      account,
      key,
      beganAt: performance.now(),
      endedAt: Number.POSITIVE_INFINITY,
      answers: [],
      unanswered: 0,
      outcome: "unanswered"
    }
    this.calls.push(call)
    return call
  }

  beginOther(kind: Other["kind"]): Other {
    const other: Other = { kind, beganAt: performance.now(), endedAt: Number.POSITIVE_INFINITY, outcome: "unanswered" }
    this.others.push(other)
    return other
  }

  endOther(other: Other, outcome: string): void {
    other.endedAt = performance.now()
    other.outcome = outcome
    this.count(`${other.kind}: ${outcome}`)
  }
}

/** Of one kind. */
export interface Tally {
  readonly ended: number
  readonly failed: number
}

/** What a fault did to those who called meanwhile. */
export interface Effects {
  /** Of tools, with and without an idempotency key. */
  readonly calls: number
  /** Of them, those with an idempotency key that had no result within the client's patience, repeats included. */
  readonly failed: number
  /** Calls that had a result only when they were repeated. */
  readonly repeated: number
  /** Seconds until calls succeeded again: the longest time in which no call of anyone did. */
  readonly silentSeconds: number
  /**
   * The same with the time taken off in which the harness, a server or a database was ready to run and had no core: what is left is
   * the fault's own, whatever else the machine does.
   */
  readonly silentSecondsWithCores: number
  /** Seconds: the longest that a customer waited for one call, repeats included. */
  readonly slowestSeconds: number
  /** What has no idempotency key: calls of tools that are sent once, and all other requests. */
  readonly withoutKey: Readonly<{ [kind in "call" | Other["kind"]]: Tally }>
}

interface Ended {
  readonly beganAt: number
  readonly endedAt: number
}

/** Of what was in progress or began from `from` to `to`, and ended by then. */
export const effectsOf = (
  { calls, others }: Pick<Record, "calls" | "others">,
  from: number,
  to: number,
  waited: Waited
): Effects => {
  const meanwhile = ({ beganAt, endedAt }: Ended) => endedAt >= from && beganAt < to && endedAt <= to
  const ended = calls.filter(meanwhile)
  const tally = (all: ReadonlyArray<{ readonly outcome: string }>, good: string): Tally => ({
    ended: all.length,
    failed: all.filter(({ outcome }) => outcome !== good).length
  })
  const ofKind = (kind: Other["kind"]) =>
    tally(
      others.filter((other) => other.kind === kind && meanwhile(other)),
      "done"
    )
  const keyed = ended.filter(({ key }) => key !== undefined)
  const succeeded = ended.filter(({ outcome }) => outcome === "ok")
  const ends = succeeded.map(({ endedAt }) => endedAt).toSorted((a, b) => a - b)
  const gaps = [...ends, to].map((end, index): readonly [number, number] => [ends[index - 1] ?? from, end])
  return {
    calls: ended.length,
    failed: keyed.filter(({ outcome }) => outcome !== "ok").length,
    repeated: keyed.filter(({ answers, outcome, unanswered }) => outcome === "ok" && answers.length + unanswered > 1)
      .length,
    silentSeconds: Math.max(...gaps.map(([start, end]) => end - start)) / 1000,
    silentSecondsWithCores: Math.max(...gaps.map(([start, end]) => end - start - waited(start, end))) / 1000,
    slowestSeconds: Math.max(0, ...keyed.map(({ beganAt, endedAt }) => endedAt - beganAt)) / 1000,
    withoutKey: {
      call: tally(
        ended.filter(({ key }) => key === undefined),
        "ok"
      ),
      "sign-in": ofKind("sign-in"),
      refresh: ofKind("refresh"),
      page: ofKind("page")
    }
  }
}

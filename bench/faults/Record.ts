/** What the harness keeps of every call, apart from anything that the servers say. */

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

/** Something that must not be, such as a connection that was logged out. */
export interface Incident {
  readonly at: number
  readonly what: string
}

export class Record {
  readonly calls: Array<Call> = []
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
}

/** What a fault did to those who called meanwhile. */
export interface Effects {
  readonly calls: number
  /** Of them, those with an idempotency key that had no result within the client's patience, repeats included. */
  readonly failed: number
  /** Calls that had a result only when they were repeated. */
  readonly repeated: number
  /** Seconds until calls succeeded again: the longest time in which no call of anyone did. */
  readonly silentSeconds: number
  /** Seconds: the longest that a customer waited for one call, repeats included. */
  readonly slowestSeconds: number
}

/** Of the calls that were in progress or began from `from` to `to`, and ended by then. */
export const effectsOf = (calls: ReadonlyArray<Call>, from: number, to: number): Effects => {
  const meanwhile = calls.filter(({ beganAt, endedAt }) => endedAt >= from && beganAt < to)
  const ended = meanwhile.filter(({ endedAt }) => endedAt <= to)
  const keyed = ended.filter(({ key }) => key !== undefined)
  const succeeded = ended.filter(({ outcome }) => outcome === "ok")
  const ends = succeeded.map(({ endedAt }) => endedAt).toSorted((a, b) => a - b)
  const gaps = [...ends, to].map((end, index) => end - (ends[index - 1] ?? from))
  return {
    calls: ended.length,
    failed: keyed.filter(({ outcome }) => outcome !== "ok").length,
    repeated: keyed.filter(({ answers, outcome, unanswered }) => outcome === "ok" && answers.length + unanswered > 1)
      .length,
    silentSeconds: Math.max(...gaps) / 1000,
    slowestSeconds: Math.max(0, ...keyed.map(({ beganAt, endedAt }) => endedAt - beganAt)) / 1000
  }
}

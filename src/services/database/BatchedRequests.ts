/** Combines concurrent requests into few statements, without delay on an idle server. */
import { Array, Context, Effect, Exit, Option } from "effect"
import type { SqlClient } from "effect/sql"

/** A request that waits for its answer. */
export interface Entry<Request, Success, Failure> {
  readonly request: Request
  /** The first exit is the answer. */
  readonly completeUnsafe: (exit: Exit.Exit<Success, Failure>) => void
}

interface Waiting<Request, Success, Failure> extends Entry<Request, Success, Failure> {
  readonly context: Context.Context<never>
  /** Whether the caller was interrupted. */
  isGone: boolean
}

/**
 * Runs at most `maxInFlight` batches at once. Requests that arrive meanwhile form the next batch, so batches grow with the
 * load. A batch belongs to no caller: a caller that is interrupted before is left out, and later does not stop it. It does
 * not run in a caller's transaction.
 *
 * This is not `RequestResolver` of effect 4.1, which empties the sets of a batch and uses them again. V8 keeps what such a
 * set had, which are the callers with all of their calls, until the next collection of the whole heap (decision 9).
 *
 * @param run completes every entry; at most `maxSize` at a time.
 */
export const batched = <Request, Success, Failure>(options: {
  readonly sql: Pick<SqlClient.SqlClient, "transactionService">
  readonly maxInFlight: number
  readonly maxSize: number
  readonly run: (entries: Array.NonEmptyReadonlyArray<Entry<Request, Success, Failure>>) => Effect.Effect<void>
}): ((request: Request) => Effect.Effect<Success, Failure>) => {
  let waiting: Array<Waiting<Request, Success, Failure>> = []
  /** With the one that forms. */
  let inFlight = 0
  let isForming = false

  const runWanted = (entries: ReadonlyArray<Waiting<Request, Success, Failure>>) =>
    Effect.suspend(() => {
      const wanted = entries.filter(({ isGone }) => !isGone)
      return Array.isReadonlyArrayNonEmpty(wanted) ? options.run(wanted) : Effect.void
    })

  const flight = Effect.suspend(() => {
    isForming = false
    const entries = waiting
    waiting = []
    return Effect.onExit(
      Effect.forEach(Array.chunksOf(entries, options.maxSize), runWanted, { discard: true }),
      (exit) =>
        Effect.sync(() => {
          const unanswered = Exit.isFailure(exit)
            ? Exit.failCause(exit.cause)
            : Exit.die(new Error("A batch did not complete this request"))
          for (const entry of entries) entry.completeUnsafe(unanswered)
          inFlight -= 1
          form()
        })
    )
  })

  /** The context of a call has all services, so that it is copied only where it must be. */
  const inNoTransaction = (context: Context.Context<never>): Context.Context<never> =>
    Option.isNone(Context.getOption(context, options.sql.transactionService))
      ? context
      : Context.omit(options.sql.transactionService)(context)

  const form = () => {
    const [first] = waiting
    if (first === undefined || isForming || inFlight >= options.maxInFlight) return
    isForming = true
    inFlight += 1
    Effect.runForkWith(inNoTransaction(first.context))(Effect.andThen(Effect.yieldNow, flight))
  }

  return (request) =>
    Effect.contextWith((context: Context.Context<never>) =>
      Effect.callback<Success, Failure>((resume) => {
        const entry = { request, context, completeUnsafe: resume, isGone: false }
        waiting.push(entry)
        form()
        return Effect.sync(() => {
          entry.isGone = true
        })
      })
    )
}

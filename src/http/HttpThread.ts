/**
 * A thread beside the main one that answers requests: the messages of both sides, and the receiving side. It has services and a
 * pool of its own, as another server would, and the index of the main thread in shared memory.
 */
import { Context, Deferred, Duration, Effect, Metric, Schema } from "effect"
import { SourceOfThread } from "../services/database/Database.ts"
import type { Snapshots } from "../services/metrics/ThreadMetrics.ts"
import type { Emit } from "../services/search/runtime/CatalogIndex.ts"
import type { IndexEvent } from "../services/search/runtime/Indexer.ts"
import * as IndexThread from "../services/search/runtime/IndexThread.ts"

/** The start parameters of the thread. */
export const Settings = Schema.Struct({ source: SourceOfThread, number: Schema.Int })

export type Settings = typeof Settings.Type

export type ToThread =
  | { readonly _tag: "Index"; readonly event: IndexThread.FromThread }
  /** The state of the index was sent: requests may come. */
  | { readonly _tag: "Listen" }
  | { readonly _tag: "Ask"; readonly id: number }
  /** Ends after the running calls, as a server does. */
  | { readonly _tag: "Stop" }

export type FromThread =
  | { readonly _tag: "Listening" }
  | { readonly _tag: "Answer"; readonly id: number; readonly metrics: Snapshots }

/** The main thread asks so often whether the thread is there. */
export const heartbeat = Duration.seconds(5)
/** Without a question for so long, the main thread is stuck, and with it the index and the jobs. */
const silence = Duration.seconds(20)

/** Whether the main thread is there, for health checks. Always on the main thread itself. */
export const MainThread = Context.Reference<{ readonly isThere: Effect.Effect<boolean> }>("discovery/http/MainThread", {
  defaultValue: () => ({ isThere: Effect.succeed(true) })
})

export interface Inbox {
  /** Handles the messages of the main thread in their order. */
  readonly handle: (message: ToThread) => Effect.Effect<void>
  /** The indexer of this thread: the events of the main thread's. */
  readonly follow: (emit: Emit) => Effect.Effect<void>
  readonly mayListen: Effect.Effect<void>
  readonly mustStop: Effect.Effect<void>
  readonly mainThread: { readonly isThere: Effect.Effect<boolean> }
}

export const makeInbox = (send: (message: FromThread) => Effect.Effect<void>): Effect.Effect<Inbox> =>
  Effect.clockWith((clock) => {
    // A clock that is set does not change it.
    const now = () => Number(clock.monotonicTimeNanosUnsafe() / 1_000_000n)
    const listen = Deferred.makeUnsafe<void>()
    const stop = Deferred.makeUnsafe<void>()
    const decode = IndexThread.makeDecoder()
    /** Until the service of the index is there. */
    const waiting: Array<IndexEvent> = []
    let emit: Emit = (event) => Effect.sync(() => void waiting.push(event))
    let heardAtMillis = now()
    const hear = Effect.sync(() => void (heardAtMillis = now()))
    return Effect.succeed({
      handle: Effect.fnUntraced(function* (message: ToThread) {
        switch (message._tag) {
          case "Index":
            return yield* emit(decode(message.event))
          case "Listen":
            return yield* Effect.asVoid(Deferred.succeed(listen, undefined))
          case "Stop":
            return yield* Effect.asVoid(Deferred.succeed(stop, undefined))
          case "Ask":
            yield* hear
            return yield* send({ _tag: "Answer", id: message.id, metrics: yield* Metric.snapshot })
        }
      }),
      follow: (each) =>
        Effect.suspend(() => {
          emit = each
          return Effect.forEach(waiting.splice(0), each, { discard: true })
        }),
      // From then on the main thread asks.
      mayListen: Effect.andThen(Deferred.await(listen), hear),
      mustStop: Deferred.await(stop),
      mainThread: { isThere: Effect.sync(() => now() - heardAtMillis < Duration.toMillis(silence)) }
    })
  })

/** The indexer on a worker thread: the messages of both sides, and the receiving side. */
import { Effect, Schedule, Schema } from "effect"
import type { Scope } from "effect"
import * as Threads from "effect/workers/Worker"
import * as os from "node:os"
import * as Database from "../../database/Database.ts"
import type { IndexEvent } from "./Indexer.ts"
import type { Published } from "./IndexState.ts"
import { makeReceiver, makeSender } from "./SegmentTransfer.ts"
import type { ListMessage } from "./SegmentTransfer.ts"

/** How much lower the priority of the index thread is: beside a thread that answers it gets a tenth of a core, and all that is free. */
export const lowerBy = 10

/**
 * For the worker, before it starts others, which have its priority too. On Linux it is one of the calling thread alone; elsewhere it
 * would be that of the whole process. Where the system refuses it, the index works as well.
 */
export const lowerPriority: Effect.Effect<void> = Effect.suspend(() =>
  process.platform === "linux"
    ? Effect.try(() => os.setPriority(0, Math.min(os.constants.priority.PRIORITY_LOW, os.getPriority(0) + lowerBy)))
    : Effect.void
).pipe(Effect.catch((error) => Effect.logDebug("The index keeps the priority of the server", error)))

/** The worker's start parameters. */
export const Settings = Schema.Struct({
  source: Database.SourceOfThread,
  /** The folder of snapshots. */
  folder: Schema.String
})
export type Settings = typeof Settings.Type

export type FromThread =
  | Exclude<IndexEvent, { readonly _tag: "Published" }>
  | { readonly _tag: "Published"; readonly published: Omit<Published, "list">; readonly list: ListMessage }

/** For the worker: encodes events as messages. */
export const makeEncoder = (): ((event: IndexEvent) => FromThread) => {
  const send = makeSender()
  return (event) => {
    if (event._tag !== "Published") return event
    const { list, ...published } = event.published
    return { _tag: "Published", published, list: send(list) }
  }
}

/** For the other side, which must get all messages of one encoder in their order. */
export const makeDecoder = (): ((message: FromThread) => IndexEvent) => {
  const receive = makeReceiver()
  return (message) =>
    message._tag === "Published"
      ? { _tag: "Published", published: { ...message.published, list: receive(message.list) } }
      : message
}

const respawn = Schedule.min([Schedule.exponential("100 millis"), Schedule.spaced("10 seconds")])

/**
 * Runs the worker for the length of the scope. A worker that dies is replaced, and its published index stays. At the end
 * the worker has some seconds to save a snapshot.
 */
export const follow = Effect.fnUntraced(function* (
  emit: (event: IndexEvent) => Effect.Effect<void>
): Effect.fn.Return<void, never, Threads.WorkerPlatform | Threads.Spawner | Scope.Scope> {
  const platform = yield* Threads.WorkerPlatform
  const scope = yield* Effect.scope
  const worker = yield* Effect.orDie(platform.spawn<FromThread, never>(0))
  yield* Effect.suspend(() => {
    const decode = makeDecoder()
    return worker.run((message) => Effect.suspend(() => emit(decode(message))))
  }).pipe(
    Effect.tapCause((cause) => Effect.logError("The thread of the search index has died", cause)),
    Effect.retry(respawn),
    Effect.forkIn(scope)
  )
})

/**
 * The snapshots of one machine: `<folder>/<catalog id>/<sequence>-v<version>.index`.
 *
 * A snapshot is written under a temporary name, synced and renamed, so that a file with a final name is complete. The
 * newest two are kept. They are ordered by sequence, because the versions of a restored database start again from an older
 * one.
 */
import { Context, Effect, Layer, Option, Result } from "effect"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { hasEnded } from "../../ProcessId.ts"
import type { Identity, IndexState } from "./IndexState.ts"
import { openSnapshot, SnapshotFailed, write } from "./Snapshot.ts"
import type { UnusableSnapshot } from "./Snapshot.ts"

const kept = 2
const wholeName = /^(\d{10})-v\d+\.index$/
const partName = /^\d{10}\.(\d+)\.part$/

const tried = <A>(message: string, evaluate: () => Promise<A>): Effect.Effect<A, SnapshotFailed> =>
  Effect.tryPromise({ try: evaluate, catch: (cause) => new SnapshotFailed({ message, cause }) })

/** Ascending by sequence; empty if the folder does not exist. */
const namesIn = (folder: string, pattern: RegExp): Effect.Effect<ReadonlyArray<string>> =>
  Effect.promise(() =>
    fs.readdir(folder).then(
      (names) => names.filter((name) => pattern.test(name)).sort(),
      () => []
    )
  )

const reasonOf = (error: UnusableSnapshot | SnapshotFailed): string =>
  error._tag === "UnusableSnapshot"
    ? error.message
    : `${error.message}: ${error.cause instanceof Error ? error.cause.message : String(error.cause)}`

const remove = (folder: string, names: ReadonlyArray<string>): Effect.Effect<void> =>
  Effect.forEach(names, (name) => Effect.ignore(tried("", () => fs.rm(path.join(folder, name), { force: true }))), {
    discard: true
  })

export class Snapshots extends Context.Service<
  Snapshots,
  {
    /** The newest readable snapshot of a catalog for which `isUsable` holds. Others are skipped with a warning. */
    newest<E, R>(
      catalogId: string,
      isUsable: (identity: Identity) => Effect.Effect<boolean, E, R>
    ): Effect.Effect<Option.Option<IndexState>, E, R>
    save(state: IndexState): Effect.Effect<void, SnapshotFailed>
  }
>()("discovery/search/Snapshots") {
  /** For commands that read snapshots while a server runs. */
  static readonly layerReadOnly = (folder: string): Layer.Layer<Snapshots> =>
    Layer.effect(
      Snapshots,
      Effect.map(Snapshots, (snapshots) => ({ ...snapshots, save: () => Effect.void }))
    ).pipe(Layer.provide(Snapshots.layer(folder)))

  /** Creates `folder` when it is first needed. */
  static readonly layer = (folder: string): Layer.Layer<Snapshots> =>
    Layer.sync(Snapshots, () => {
      const folderOf = (catalogId: string) => path.join(folder, catalogId)

      const open = Effect.fnUntraced(function* <E, R>(
        file: string,
        catalogId: string,
        isUsable: (identity: Identity) => Effect.Effect<boolean, E, R>
      ) {
        const leave = (why: string) =>
          Effect.as(
            Effect.annotateLogs(Effect.logWarning(`A snapshot of the search index is skipped: ${why}`), { file }),
            Option.none<IndexState>()
          )
        const opened = yield* Effect.result(openSnapshot(file))
        if (Result.isFailure(opened)) return yield* leave(reasonOf(opened.failure))
        const { directory, read } = opened.success
        if (directory.identity.catalogId !== catalogId) return yield* leave("it is of another catalog")
        if (!(yield* isUsable(directory.identity))) {
          return yield* leave("the database does not have its version any more")
        }
        const state = yield* Effect.result(read)
        return Result.isFailure(state) ? yield* leave(reasonOf(state.failure)) : Option.some(state.success)
      }, Effect.scoped)

      const newest = Effect.fn("Snapshots.newest")(function* <E, R>(
        catalogId: string,
        isUsable: (identity: Identity) => Effect.Effect<boolean, E, R>
      ) {
        const own = folderOf(catalogId)
        const names = yield* namesIn(own, wholeName)
        for (const name of names.toReversed()) {
          const state = yield* open(path.join(own, name), catalogId, isUsable)
          if (Option.isSome(state)) return state
        }
        return Option.none<IndexState>()
      })

      const save = Effect.fn("Snapshots.save")(function* (state: IndexState) {
        const own = folderOf(state.identity.catalogId)
        yield* tried(`cannot make ${own}`, () => fs.mkdir(own, { recursive: true }))
        const parts = yield* namesIn(own, partName)
        yield* remove(
          own,
          // This process writes one at a time, and has not begun.
          parts.filter((name) => hasEnded(Number(partName.exec(name)?.[1]), false))
        )
        const last = (yield* namesIn(own, wholeName)).at(-1)
        const sequence = String(Number(wholeName.exec(last ?? "")?.[1] ?? 0) + 1).padStart(10, "0")
        const part = path.join(own, `${sequence}.${process.pid}.part`)
        const whole = path.join(own, `${sequence}-v${state.identity.version}.index`)
        yield* write(part, state).pipe(
          Effect.andThen(tried(`cannot name ${whole}`, () => fs.rename(part, whole))),
          Effect.onError(() => remove(own, [path.basename(part)]))
        )
        yield* tried(`cannot sync ${own}`, () => syncFolder(own))
        yield* remove(own, (yield* namesIn(own, wholeName)).slice(0, -kept))
      })

      return Snapshots.of({ newest, save })
    })
}

const syncFolder = async (folder: string) => {
  const handle = await fs.open(folder, "r")
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

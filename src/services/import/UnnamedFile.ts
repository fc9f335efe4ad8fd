/** Temporary files whose content is gone with the process, also when it is killed. */
import { Effect, FileSystem } from "effect"
import * as fs from "node:fs/promises"
import * as path from "node:path"

/** An empty file in the temporary folder, to write and to read. It loses its name at once, and its space with the scope. */
export const make = Effect.gen(function* () {
  const files = yield* FileSystem.FileSystem
  const name = yield* files.makeTempFile({ prefix: "discovery-import-" })
  const remove = files.remove(path.dirname(name), { recursive: true })
  const file = yield* Effect.acquireRelease(
    Effect.tryPromise(() => fs.open(name, "r+")),
    (file) => Effect.promise(() => file.close())
  ).pipe(Effect.onError(() => Effect.ignore(remove)))
  yield* remove
  return file
}).pipe(Effect.uninterruptible)

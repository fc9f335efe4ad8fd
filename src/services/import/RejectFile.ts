/** Where rejected records are told: one JSON object a line, `{"line", "field", "reason"}`. Made with the first of them. */
import { Effect, FileSystem, Scope } from "effect"
import { UnwritableRejects } from "./ImportError.ts"
import type { Reject } from "./ImportSource.ts"

export interface RejectFile {
  readonly path: string
  readonly write: (rejects: ReadonlyArray<Reject>) => Effect.Effect<void, UnwritableRejects>
}

/** Replaces a file of an earlier run. */
export const make = Effect.fn("RejectFile.make")(function* (
  path: string
): Effect.fn.Return<RejectFile, never, FileSystem.FileSystem | Scope.Scope> {
  const fs = yield* FileSystem.FileSystem
  const scope = yield* Effect.scope
  const utf8 = new TextEncoder()
  let file: FileSystem.File | undefined

  const write = Effect.fnUntraced(
    function* (rejects: ReadonlyArray<Reject>) {
      if (rejects.length === 0) return
      file ??= yield* Effect.provideService(fs.open(path, { flag: "w" }), Scope.Scope, scope)
      yield* file.writeAll(
        utf8.encode(rejects.map(({ field, line, reason }) => `${JSON.stringify({ line, field, reason })}\n`).join(""))
      )
    },
    Effect.mapError(
      (cause) =>
        new UnwritableRejects({
          message: `The rejected records cannot be written to ${path}: ${cause.message}. Name another file with --rejects.`,
          cause
        })
    )
  )
  return { path, write }
})

/** Takes a stream of chunks as batches of a certain size, asked for one by one. */
import { Effect, Pull, Stream } from "effect"
import type { Scope } from "effect"
import type { ImportChunk, ImportRow } from "./ImportSource.ts"

/** Chunks that are read ahead: reading and decoding go on while the database works. */
const chunksAhead = 4

export interface Batches<E> {
  /** As many rows as a batch has, fewer at the end, none after it. */
  readonly next: Effect.Effect<ReadonlyArray<ImportRow>, E>
}

/** `onChunk` is told of every chunk before its rows are given. */
export const batches = Effect.fnUntraced(function* <E, E2>(
  source: Stream.Stream<ImportChunk, E>,
  size: number,
  onChunk: (chunk: ImportChunk) => Effect.Effect<void, E2>
): Effect.fn.Return<Batches<E | E2>, never, Scope.Scope> {
  const pull = yield* Stream.toPull(Stream.buffer(source, { capacity: chunksAhead }))
  const waiting: Array<ImportRow> = []
  let hasEnded = false

  const read = Effect.gen(function* () {
    for (const chunk of yield* pull) {
      yield* onChunk(chunk)
      for (const row of chunk.rows) waiting.push(row)
    }
  }).pipe(Pull.catchDone(() => Effect.sync(() => void (hasEnded = true))))

  const isShort = () => waiting.length < size && !hasEnded
  const next = Effect.gen(function* () {
    while (isShort()) yield* read
    return waiting.splice(0, size)
  })
  return { next }
})

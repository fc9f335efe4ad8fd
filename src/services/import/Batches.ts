/** Takes the rows of a stream of chunks as batches of a certain size. */
import { Stream } from "effect"
import type { Effect } from "effect"
import type { ImportChunk, ImportRow } from "./ImportSource.ts"

/** The last batch may be smaller, none is empty. `onChunk` is told of every chunk before its rows are given. */
export const batches = <E, E2>(
  source: Stream.Stream<ImportChunk, E>,
  size: number,
  onChunk: (chunk: ImportChunk) => Effect.Effect<void, E2>
): Stream.Stream<ReadonlyArray<ImportRow>, E | E2> =>
  Stream.suspend(() => {
    const waiting: Array<ImportRow> = []
    const take = (least: number) => {
      const full: Array<ReadonlyArray<ImportRow>> = []
      while (waiting.length >= least) full.push(waiting.splice(0, size))
      return full
    }
    return source.pipe(
      Stream.tap(onChunk),
      Stream.map(({ rows }) => {
        for (const row of rows) waiting.push(row)
        return take(size)
      }),
      Stream.concat(Stream.sync(() => take(1))),
      Stream.flattenIterable
    )
  })

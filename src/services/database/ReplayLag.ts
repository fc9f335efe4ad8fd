/**
 * How old a replica's data may be, told from positions in the write-ahead log.
 *
 * The replica's own figure, the time since the last transaction that it replayed, grows while the primary rests. Here the
 * primary's position is noted again and again with the time of this process: a replica that has replayed a position has
 * all that was committed up to that time. Nothing is written for it, and no two clocks are compared.
 */

/** Bytes of the write-ahead log since its beginning; exact up to 2^53, which is 9 petabytes. */
export type Position = number

export interface ReplayLag {
  /** The primary had written so far at that time. */
  wrote(position: Position, atMillis: number): void
  /** The replica has replayed so far. */
  replayed(position: Position): void
  /**
   * All that was committed so long ago is in the replica. When that is not known, because it has not replayed any of the
   * positions that were noted yet, `isKnown` is false and the figure is the least that it can be.
   */
  behind(nowMillis: number): { readonly isKnown: boolean; readonly millis: number }
}

interface Note {
  readonly position: Position
  readonly atMillis: number
}

/** Some minutes of notes; a replica that is further behind is measured more coarsely. */
const maxNotes = 2_000

export const make = (): ReplayLag => {
  /** In the order of time, so of positions. The first is the newest that was replayed, once `isKnown`. */
  let notes: ReadonlyArray<Note> = []
  let isKnown = false
  return {
    wrote: (position, atMillis) => {
      const last = notes.at(-1)
      if (last !== undefined && position < last.position) {
        // Another server has taken the primary's place, or a backup: what was noted before is of another history.
        notes = []
        isKnown = false
      }
      notes = [...notes, { position, atMillis }]
      if (notes.length > maxNotes) notes = notes.filter((_, index) => index % 2 === 0)
    },
    replayed: (position) => {
      const reached = notes.findLastIndex((note) => note.position <= position)
      if (reached < 0) return
      isKnown = true
      notes = notes.slice(reached)
    },
    behind: (nowMillis) => {
      const [first] = notes
      return { isKnown, millis: first === undefined ? 0 : Math.max(0, nowMillis - first.atMillis) }
    }
  }
}

/**
 * Transfers lists of segments between threads. Each segment, its columns and its live stores are sent once and referred to
 * by number afterwards. The receiver keeps the same objects from list to list, so its caches stay valid, and it holds each
 * shared buffer once.
 */
import { collectGarbage } from "../../Memory.ts"
import type { SegmentList, SegmentView } from "../index/Segment.ts"
import { bytesOf } from "./SegmentArrays.ts"

type Part = SegmentView[keyof SegmentView]

interface NumberedView {
  readonly segment: number
  readonly columns: number
  readonly live: number
}

export interface ListMessage {
  /** Parts that the receiver does not have yet. */
  readonly parts: ReadonlyArray<readonly [number, Part]>
  readonly views: ReadonlyArray<NumberedView>
}

/** For one receiver, which must get every message in order. */
export const makeSender = (): ((list: SegmentList) => ListMessage) => {
  let numbers = new Map<Part, number>()
  let last = 0
  return (list) => {
    const parts: Array<readonly [number, Part]> = []
    const now = new Map<Part, number>()
    const numberOf = (part: Part): number => {
      const known = now.get(part) ?? numbers.get(part)
      const number = known ?? ++last
      if (known === undefined) parts.push([number, part])
      now.set(part, number)
      return number
    }
    const views = list.map(({ columns, live, segment }) => ({
      segment: numberOf(segment),
      columns: numberOf(columns),
      live: numberOf(live)
    }))
    numbers = now
    return { parts, views }
  }
}

/** Parts that a list has no longer are collected once they take as many bytes as this share of the list, and at least so many. */
const garbageShare = 0.25
const leastGarbage = 16 * 2 ** 20

/**
 * `collect` runs the garbage collector of this thread. V8 does not count shared buffers, so a thread that allocates little else
 * would keep those of all lists that it ever had.
 */
export const makeReceiver = (collect: () => void = collectGarbage): ((message: ListMessage) => SegmentList) => {
  let parts = new Map<number, Part>()
  let list: SegmentList = []
  /** Bytes that are unused and still in memory. */
  let garbage = 0
  /** Bytes that became unused since the last collection by `collect`. */
  let unused = 0
  const collected = new FinalizationRegistry<number>((bytes) => (garbage -= bytes))
  return (message) => {
    const sent = new Map([...parts, ...message.parts])
    const now = new Map<number, Part>()
    const partOf = (number: number): Part => {
      const part = sent.get(number)
      if (part === undefined) throw new Error(`part ${number} of a list of segments was not sent`)
      now.set(number, part)
      return part
    }
    const before = list
    list = message.views.map(({ columns, live, segment }) => {
      // Parts are numbered in one sequence, so the part with a segment's number is a segment.
      const view = { segment: partOf(segment), columns: partOf(columns), live: partOf(live) } as SegmentView
      const isSame = (one: SegmentView) =>
        one.segment === view.segment && one.columns === view.columns && one.live === view.live
      return before.find(isSame) ?? view
    })
    for (const [number, part] of parts) {
      if (now.has(number)) continue
      const bytes = bytesOf(part)
      garbage += bytes
      unused += bytes
      collected.register(part, bytes)
    }
    parts = now
    const most = Math.max(leastGarbage, garbageShare * bytesOf(list))
    // What a search still uses is garbage after a collection as well.
    if (Math.min(garbage, unused) > most) {
      unused = 0
      collect()
    }
    return list
  }
}

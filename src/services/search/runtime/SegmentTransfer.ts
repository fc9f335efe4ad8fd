/**
 * Transfers lists of segments between threads. Each segment, its columns and its live stores are sent once and referred to
 * by number afterwards. The receiver keeps the same objects from list to list, so its caches stay valid, and it holds each
 * shared buffer once.
 */
import { runInNewContext } from "node:vm"
import { setFlagsFromString } from "node:v8"
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

/** Collects garbage once so many bytes of buffers are unused; an idle thread would otherwise keep them. */
const garbageBytes = 64 * 2 ** 20

/** `collect` runs the garbage collector of this thread. */
export const makeReceiver = (collect: () => void = collectGarbage): ((message: ListMessage) => SegmentList) => {
  let parts = new Map<number, Part>()
  let list: SegmentList = []
  let garbage = 0
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
    parts = now
    const kept = new Set(list.map(({ segment }) => segment))
    for (const view of before) if (!kept.has(view.segment)) garbage += bytesOf(view)
    if (garbage > garbageBytes) {
      garbage = 0
      collect()
    }
    return list
  }
}

let collector: (() => void) | undefined

/** Some milliseconds on a thread with a small heap. */
export const collectGarbage = (): void => {
  if (collector === undefined) {
    setFlagsFromString("--expose-gc")
    const found: unknown = runInNewContext("gc")
    collector = typeof found === "function" ? () => void Reflect.apply(found, undefined, []) : () => undefined
  }
  collector()
}

/**
 * Which segments are merged next, and the list after a merge. Pure. The merge itself may take seconds on another thread,
 * while the list changes.
 *
 * Deltas are merged in tiers, so that each row is merged a logarithmic number of times. When the deltas' stores in a
 * base's range and the dead rows of the base are a tenth of it, they are merged into the base. So a merge holds at most
 * about one range of stores twice.
 */
import type { IndexedStore } from "../index/IndexedRecords.ts"
import { rowOf, sharedCopy } from "../index/Segment.ts"
import type { Segment, SegmentList, SegmentView, StoreColumns } from "../index/Segment.ts"
import type { IndexState } from "./IndexState.ts"

export interface MergeLimits {
  /** A larger base is divided ({@link basesFor}). */
  readonly maxStoresOfBase: number
  /** More deltas are merged among themselves. */
  readonly maxDeltas: number
  /** The share of a base's rows that must have died or be in deltas before it is merged. */
  readonly dueShare: number
  /** Fewer rows merge in some hundredths of a second, which is not worth a merge each time. */
  readonly dueRows: number
}

export const defaultLimits: MergeLimits = {
  maxStoresOfBase: 250_000,
  maxDeltas: 8,
  dueShare: 0.1,
  dueRows: 20_000
}

/** A base that comes of a division has at most this share of the maximum, so that it can grow before it is divided again. */
const shareOfMaximum = 0.8

/**
 * The number of bases for so many stores. If they do not fit into one, it is an even number, so that two threads that divide a search
 * have equal parts of it.
 */
export const basesFor = (stores: number, { maxStoresOfBase }: Pick<MergeLimits, "maxStoresOfBase">): number => {
  if (stores <= maxStoresOfBase) return 1
  return Math.min(stores, 2 * Math.ceil(stores / (2 * shareOfMaximum * maxStoresOfBase)))
}

export interface MergeTask {
  /** Whether a base is merged with the deltas' stores of its range; otherwise deltas are merged among themselves. */
  readonly isOfBase: boolean
  /** Each group becomes one segment. Its views have as live stores only those that it takes. */
  readonly groups: ReadonlyArray<SegmentList>
  /** Number of rows to read. */
  readonly rows: number
  /** Of these, how many have come or died since the base was made. */
  readonly changed: number
}

/** Stores, products and ads in the rows of stores for which `isCounted` holds. */
const rowsOf = ({ ads, products, storeIds }: Segment, isCounted: (row: number) => boolean): number => {
  let rows = 0
  for (let row = 0; row < storeIds.length; row++) {
    if (!isCounted(row)) continue
    rows += 1 + (products.offsets[row + 1] ?? 0) - (products.offsets[row] ?? 0)
    rows += (ads.offsets[row + 1] ?? 0) - (ads.offsets[row] ?? 0)
  }
  return rows
}

const allRows = ({ ads, products, storeIds }: Segment): number => storeIds.length + products.ids.length + ads.ids.length

const liveRowsOf = ({ live, segment }: SegmentView): number => rowsOf(segment, (row) => live[row] === 1)

const hasLive = ({ live }: SegmentView): boolean => live.includes(1)

/** The first id of each range except the first, which has no lower bound. */
const rangeStarts = ({ bases, list }: IndexState): ReadonlyArray<number> =>
  list.slice(1, bases).map(({ segment }) => segment.storeIds[0] ?? Number.POSITIVE_INFINITY)

/** The view with only the live stores from `first` to below `end`. */
const within = (view: SegmentView, first: number, end: number): SegmentView => {
  const live = sharedCopy("Uint8Array", view.live)
  const { storeIds } = view.segment
  for (let row = 0; row < storeIds.length; row++) {
    const id = storeIds[row] ?? 0
    if (id < first || id >= end) live[row] = 0
  }
  return { ...view, live }
}

export const chooseMerge = (state: IndexState, limits: MergeLimits = defaultLimits): MergeTask | undefined => {
  const deltas = state.list.slice(state.bases)
  return dueBase(state, deltas, limits) ?? (deltas.length > limits.maxDeltas ? ofDeltas(deltas) : undefined)
}

const dueBase = (state: IndexState, deltas: SegmentList, limits: MergeLimits): MergeTask | undefined => {
  const starts = [Number.NEGATIVE_INFINITY, ...rangeStarts(state)]
  for (const [base, first] of starts.entries()) {
    const view = state.list[base]
    const isBase = base < state.bases && view !== undefined
    if (!isBase && deltas.length === 0) return undefined
    const end = starts[base + 1] ?? Number.POSITIVE_INFINITY
    const parts = deltas.map((delta) => within(delta, first, end)).filter(hasLive)
    const moving = parts.reduce((sum, part) => sum + liveRowsOf(part), 0)
    const all = isBase ? allRows(view.segment) : 0
    const dead = isBase ? all - liveRowsOf(view) : 0
    if (moving + dead < Math.max(limits.dueRows, limits.dueShare * all)) continue
    const inputs = isBase ? [view, ...parts] : parts
    return { isOfBase: true, groups: groupsOf(inputs, limits), rows: all + moving, changed: moving + dead }
  }
  return undefined
}

const groupsOf = (inputs: SegmentList, limits: MergeLimits): ReadonlyArray<SegmentList> => {
  const stores = inputs.reduce((sum, { live }) => sum + live.reduce((count, bit) => count + bit, 0), 0)
  const parts = basesFor(stores, limits)
  if (parts <= 1) return [inputs]
  const ids = inputs
    .flatMap(({ live, segment }) => Array.from(segment.storeIds).filter((_, row) => live[row] === 1))
    .sort((a, b) => a - b)
  return Array.from({ length: parts }, (_, part) => {
    const first = part === 0 ? Number.NEGATIVE_INFINITY : (ids[Math.floor((part * stores) / parts)] ?? 0)
    const end = ids[Math.floor(((part + 1) * stores) / parts)] ?? Number.POSITIVE_INFINITY
    return inputs.map((view) => within(view, first, end)).filter(hasLive)
  })
}

/** The smallest first, as long as the next has at most twice the rows of those before it together. */
const ofDeltas = (deltas: SegmentList): MergeTask => {
  const bySize = deltas.map((view) => ({ view, rows: allRows(view.segment) })).sort((a, b) => a.rows - b.rows)
  const chosen: Array<SegmentView> = []
  let rows = 0
  for (const next of bySize) {
    if (chosen.length >= 2 && next.rows > 2 * rows) break
    chosen.push(next.view)
    rows += next.rows
  }
  return { isOfBase: false, groups: [chosen], rows, changed: 0 }
}

/**
 * Whether bases have changed enough since the last snapshot to write all of them again. A small base is merged often, and each
 * snapshot has the large ones as well.
 */
export const isSnapshotDue = (changed: number, { list }: IndexState, { dueShare }: MergeLimits = defaultLimits) =>
  changed >= dueShare * list.reduce((sum, { segment }) => sum + allRows(segment), 0)

/**
 * Replaces the merged segments in the list. Since the task was chosen, stores may have died and figures may have changed:
 * `figures` are the new ones for `replace`.
 */
export const applyMerge = (
  state: IndexState,
  task: MergeTask,
  merged: SegmentList,
  figures: ReadonlyMap<number, IndexedStore>,
  replace: ReplaceStores
): IndexState => {
  const moved = new Map<Segment, Uint8Array>()
  for (const { live, segment } of task.groups.flat()) {
    const rows = moved.getOrInsertComputed(segment, () => new Uint8Array(live.length))
    live.forEach((bit, row) => (rows[row] = (rows[row] ?? 0) | bit))
  }
  /** Of the moved stores, those that have died since. */
  const died = new Set<number>()
  const left = state.list.map((view): SegmentView => {
    const rows = moved.get(view.segment)
    if (rows === undefined) return view
    const live = sharedCopy("Uint8Array", view.live)
    rows.forEach((isMoved, row) => {
      if (isMoved === 0) return
      if (live[row] === 0) died.add(view.segment.storeIds[row] ?? 0)
      live[row] = 0
    })
    return { ...view, live }
  })
  // A segment that is no longer listed has no live stores.
  const listed = new Set(state.list.map(({ segment }) => segment))
  for (const [segment, rows] of moved) {
    if (listed.has(segment)) continue
    rows.forEach((isMoved, row) => isMoved === 1 && died.add(segment.storeIds[row] ?? 0))
  }
  const added = merged.map((view) => withFigures(markDead(view, died), figures, replace))
  const bases = left.slice(0, state.bases)
  const deltas = left.slice(state.bases)
  if (!task.isOfBase) return settled(state, bases, [...deltas, ...added])
  // By their ids: bases may have gone since the task was chosen. The base that was merged has no live stores left.
  return settled(state, [...bases, ...added].sort(byFirstStore), deltas)
}

const byFirstStore = (one: SegmentView, other: SegmentView): number =>
  (one.segment.storeIds[0] ?? 0) - (other.segment.storeIds[0] ?? 0)

/** Without segments that have no live stores. */
export const settled = (state: IndexState, bases: SegmentList, deltas: SegmentList): IndexState => {
  const aliveBases = bases.filter(hasLive)
  return { ...state, bases: aliveBases.length, list: [...aliveBases, ...deltas.filter(hasLive)] }
}

/** The columns of a view with new records, by the rows of their stores. */
type ReplaceStores = (view: SegmentView, records: ReadonlyMap<number, IndexedStore>) => StoreColumns

/** The view with new records of the live stores that it has, by their ids. */
export const withFigures = (
  view: SegmentView,
  records: ReadonlyMap<number, IndexedStore>,
  replace: ReplaceStores
): SegmentView => {
  const rows = new Map<number, IndexedStore>()
  for (const [id, record] of records) {
    const row = rowOf(view.segment.storeIds, id)
    if (row !== undefined && view.live[row] === 1) rows.set(row, record)
  }
  return rows.size === 0 ? view : { ...view, columns: replace(view, rows) }
}

/** Returns the same view if it has none of these stores. */
export const markDead = (view: SegmentView, ids: Iterable<number>): SegmentView => {
  let live: Uint8Array | undefined
  for (const id of ids) {
    const row = rowOf(view.segment.storeIds, id)
    if (row === undefined || view.live[row] === 0) continue
    live ??= sharedCopy("Uint8Array", view.live)
    live[row] = 0
  }
  return live === undefined ? view : { ...view, live }
}

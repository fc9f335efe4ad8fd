/** The code of a search thread: it keeps the newest list of segments and runs one search at a time. */
import { adGroups } from "../index/AdGroups.ts"
import type { AdGroups, Facets, Overview, SearchResult, StoreIds } from "../../../domain/search/CatalogAnswer.ts"
import type { AdGroupsQuery, Filter, OverviewQuery, Query, StoreIdsQuery } from "../../../domain/search/CatalogQuery.ts"
import { facets } from "../index/Facets.ts"
import type { Leaders } from "../index/Facets.ts"
import { Canceled } from "../index/Run.ts"
import type { Cancel } from "../index/Run.ts"
import { overview } from "../index/Overview.ts"
import { search, storeIds } from "../index/Search.ts"
import { searchPart } from "../index/Parts.ts"
import type { PartQuery, PartResult } from "../index/Parts.ts"
import type { SegmentList } from "../index/Segment.ts"
import { makeReceiver } from "./SegmentTransfer.ts"
import type { ListMessage } from "./SegmentTransfer.ts"

/** What the index is asked, by kind. */
export interface Questions {
  readonly search: Query
  readonly facets: Filter
  readonly overview: OverviewQuery
  readonly adGroups: AdGroupsQuery
  readonly storeIds: StoreIdsQuery
  /** A search in some segments, which DividedSearch asks. */
  readonly part: PartQuery
}

export interface Answers {
  readonly search: SearchResult
  readonly facets: Facets
  readonly overview: Overview
  readonly adGroups: AdGroups
  readonly storeIds: StoreIds
  readonly part: PartResult
}

export type Kind = keyof Questions
/** What services ask. */
export type Asked = Exclude<Kind, "part">

export type Job<K extends Kind = Kind> = {
  [Each in Kind]: { readonly kind: Each; readonly query: Questions[Each] }
}[Kind] & { readonly kind: K }

export type Outcome =
  | { readonly _tag: "Done"; readonly answer: Answers[Kind] }
  | { readonly _tag: "Canceled" }
  | { readonly _tag: "Failed"; readonly error: unknown }

export type ToThread =
  | { readonly _tag: "List"; readonly message: ListMessage; readonly leaders: Leaders }
  /** Asks whether the thread is there; answered by number 0. */
  | { readonly _tag: "Ping" }
  /** `word` is the shared memory that holds the number of a canceled job. */
  | { readonly _tag: "Run"; readonly id: number; readonly job: Job; readonly word: Int32Array }

export interface FromThread {
  readonly id: number
  readonly outcome: Outcome
}

/** The part of the published state that searches need. */
export interface Searched {
  readonly list: SegmentList
  readonly leaders: Leaders
}

/** Runs a job synchronously. */
export const runJob = (searched: Searched, job: Job, cancel: Cancel): Outcome => {
  try {
    return { _tag: "Done", answer: answerOf(searched, job, cancel) }
  } catch (error) {
    return error instanceof Canceled ? { _tag: "Canceled" } : { _tag: "Failed", error }
  }
}

const answerOf = ({ leaders, list }: Searched, job: Job, cancel: Cancel): Answers[Kind] => {
  switch (job.kind) {
    case "search":
      return search(list, job.query, cancel)
    case "facets":
      return facets(list, job.query, leaders, cancel)
    case "overview":
      return overview(list, job.query, leaders, cancel)
    case "adGroups":
      return adGroups(list, job.query, cancel)
    case "storeIds":
      return storeIds(list, job.query, cancel)
    case "part":
      return searchPart(list, job.query, cancel)
  }
}

/** Handles the messages of one thread, in their order. */
export const makeHandler = (): ((message: ToThread) => FromThread | undefined) => {
  const receive = makeReceiver()
  let searched: Searched = { list: [], leaders: { theme: [], app: [], extension: [] } }
  return (message) => {
    if (message._tag === "List") {
      searched = { list: receive(message.message), leaders: message.leaders }
      return undefined
    }
    if (message._tag === "Ping") return { id: 0, outcome: { _tag: "Canceled" } }
    const { id, job, word } = message
    const check = () => {
      if (Atomics.load(word, 0) === id) throw new Canceled()
    }
    return { id, outcome: runJob(searched, job, { check }) }
  }
}

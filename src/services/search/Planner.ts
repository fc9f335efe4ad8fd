/**
 * Chooses among the plans that give the same answer the one that should be fastest: a pure function of exact counts and
 * estimates. Costs are milliseconds as measured on 200,000 stores, 5 million products and 2 million ads; only their
 * ratios matter.
 */
import { Option } from "effect"
import * as Page from "../../domain/search/Page.ts"
import * as CounterSql from "./CounterSql.ts"
import type * as FilterSql from "./FilterSql.ts"
import { isByStores } from "./Plan.ts"
import type { AtOncePlan, CountPlan, PagePlan } from "./Plan.ts"
import * as SearchRequest from "./SearchRequest.ts"

/** What is known before looking. */
export interface Facts {
  /** All stores, and all items of the kind that is searched. */
  readonly stores: number
  readonly items: number
  /** Estimate: stores that match the filters on stores. */
  readonly matchingStores?: number
  /** Only with words. */
  readonly text?: {
    /** Estimate: documents that have the words. */
    readonly hits: number
    /** Items of the stores that match, exactly; all items where {@link areFew} of them have the words. */
    readonly candidates: number
  }
}

const cost = {
  /** Testing a store in a pass over all. */
  passStore: 0.000_1,
  /** Searching a sorted array of a store. */
  searchArray: 0.000_05,
  /** Counting an item by a covering index; with a filter on stores, looking its store up as well. */
  countItem: 0.000_1,
  countItemOfStore: 0.000_3,
  /** Taking an item of a matching store by index, and sorting it. */
  gather: 0.001,
  /** Taking the next item in an order and testing its store. */
  walk: 0.001_5,
  /** Taking the next store in an order and testing it. */
  walkStore: 0.003,
  /** Keeping a matching store to sort it. */
  sortStore: 0.000_5,
  /** Keeping it to be looked up, and looking one up. */
  keepStore: 0.000_2,
  probeStore: 0.000_1,
  /** Taking the first items of a store that is on the page. */
  takeStore: 0.02,
  /** Reading an item's document and looking for the words. */
  read: 0.002,
  /** Counting an item that the token index names: hits of one page of the table are read together. */
  countHit: 0.000_5,
  /** Taking an item that the token index names, looking up its store, and sorting it. */
  takeHit: 0.001,
  /** Of that, what counting it would not have cost. */
  keep: 0.000_2
} as const

/** Whether the token index is the way to so many documents, however few stores match. */
export const areFew = (hits: number): boolean => hits * cost.takeHit < maxFewCost

/** About what a pass over the stores takes. */
const maxFewCost = 20

interface Access {
  readonly access: FilterSql.WordAccess
  readonly cost: number
}

/** The cheaper way to all items that have the words, of stores that match. */
const access = ({ items, text }: Facts, hitCost: number): Access => {
  if (text === undefined) return { access: "scan", cost: items * cost.gather }
  const index = text.hits * hitCost
  const scan = text.candidates * cost.read
  return scan < index ? { access: "scan", cost: scan } : { access: "index", cost: index }
}

export const chooseCount = (request: SearchRequest.SearchRequest, facts: Facts): CountPlan => {
  if (request.store.length === 0 && SearchRequest.asksStoresOnly(request)) return { _tag: "Totals" }
  const counting: CountPlan = { _tag: "CountItems", access: access(facts, cost.countHit).access }
  if (!CounterSql.isCountable(request)) return counting
  const addUpCost = facts.stores * (cost.passStore + CounterSql.counterSearches(request) * cost.searchArray)
  const countCost = facts.items * (request.store.length === 0 ? cost.countItem : cost.countItemOfStore)
  return addUpCost <= countCost ? { _tag: "AddUpStores" } : counting
}

/**
 * When the number of matches is not known yet: the plan that finds it out together with the page, if that is cheaper than
 * counting before. None: count, then choose by the exact number.
 */
export const chooseAtOnce = (request: SearchRequest.SearchRequest, facts: Facts): Option.Option<AtOncePlan> => {
  const { order } = request
  const { text } = facts
  if (text === undefined) {
    const stores = facts.matchingStores ?? facts.stores
    if (!isByStores(request) || request.store.length === 0) return Option.none()
    const walkCost = Math.min(
      walkStoresCost(request, stores, facts),
      order._tag === "ByItem"
        ? walkItemsCost(request, (facts.items * stores) / facts.stores, facts)
        : Number.POSITIVE_INFINITY
    )
    const { cost: passedCost, plan } = keepStores(request, stores, facts)
    return passedCost < walkCost ? Option.some(plan) : Option.none()
  }
  const gathering: GatherPlan = { _tag: "GatherItems", access: access(facts, cost.takeHit).access }
  if (order._tag !== "ByItem") return Option.some(gathering)
  const total = (text.hits * text.candidates) / facts.items
  return walkItemsCost(request, total, facts) < total * cost.keep ? Option.none() : Option.some(gathering)
}

type GatherPlan = Extract<PagePlan, { readonly _tag: "GatherItems" }>

/** All that comes up to the end of the page. */
const needed = ({ window }: SearchRequest.SearchRequest): number => Page.offset(window) + window.perPage

/**
 * Whether stores that match are likely to stand at the far end of the order: the figures of a store go together, and
 * relevance follows from them, so those under a bound come late when the highest come first.
 */
const areFar = ({ order, store }: SearchRequest.SearchRequest): boolean => {
  if (order._tag === "ByItem" && order.column !== "score") return false
  const isDescending = order._tag === "Grouped" || order.direction === "desc"
  return store.some(
    (condition) =>
      condition._tag === "Between" && (isDescending ? condition.max !== undefined : (condition.min ?? 0) > 0)
  )
}

/** How many of `all` are visited in order, until enough of those that match were among them. */
const visits = (request: SearchRequest.SearchRequest, matching: number, all: number): number => {
  const evenly = (needed(request) * all) / Math.max(matching, 1)
  return Math.min(all, areFar(request) ? all - matching + evenly : evenly)
}

const walkItemsCost = (request: SearchRequest.SearchRequest, total: number, { items }: Facts): number =>
  visits(request, total, items) * (request.words.length > 0 ? cost.read + cost.walk : cost.walk)

const walkStoresCost = (request: SearchRequest.SearchRequest, stores: number, facts: Facts): number =>
  visits(request, stores, facts.stores) * cost.walkStore

/** What to do with the stores that a pass has found, and what it costs beside the pass. */
const keepStores = (
  request: SearchRequest.SearchRequest,
  stores: number,
  facts: Facts
): { readonly plan: Exclude<AtOncePlan, GatherPlan>; readonly cost: number } => {
  const sorting = { plan: { _tag: "SortStores" }, cost: stores * cost.sortStore } as const
  if (request.order._tag !== "ByItem") return sorting
  const probing = stores * cost.keepStore + visits(request, stores, facts.stores) * cost.probeStore
  return probing < sorting.cost ? { plan: { _tag: "ProbeStores" }, cost: probing } : sorting
}

/** What is known of the matches, and that there are some. */
interface Matches {
  /** Items, exactly. */
  readonly total: number
  /** Their stores, exactly; 0 when they were not counted. */
  readonly stores: number
}

export const choosePage = (request: SearchRequest.SearchRequest, matches: Matches, facts: Facts): PagePlan => {
  const { order, words } = request
  const gathered = access(facts, cost.takeHit)
  const plans: Array<Costed> = [
    {
      plan: { _tag: "GatherItems", access: gathered.access },
      cost: words.length > 0 ? gathered.cost : matches.total * cost.gather + facts.stores * cost.passStore
    }
  ]
  if (isByStores(request)) {
    const stores = matches.stores > 0 ? matches.stores : Math.min(matches.total, facts.stores)
    const last = needed(request) * cost.takeStore
    const kept = keepStores(request, stores, facts)
    plans.push(
      { plan: { _tag: "WalkStores" }, cost: walkStoresCost(request, stores, facts) + last },
      { plan: kept.plan, cost: facts.stores * cost.passStore + kept.cost + last }
    )
  }
  if (order._tag === "ByItem") {
    plans.push({ plan: { _tag: "WalkItems", order }, cost: walkItemsCost(request, matches.total, facts) })
  }
  return plans.reduce((cheapest, next) => (next.cost < cheapest.cost ? next : cheapest)).plan
}

interface Costed {
  readonly plan: PagePlan
  readonly cost: number
}

/**
 * How to find stores by words. Their rows are short: reading all of them wins only when most have the words. Milliseconds
 * of 200,000 stores, by index and by reading: 7 and 53 for 2 % of them, 39 and 62 for 33 %, 70 and 83 for 67 %, 362 and 175
 * for all.
 */
export const chooseStoreAccess = (stores: number, hits: number): FilterSql.WordAccess =>
  hits < stores * 0.7 ? "index" : "scan"

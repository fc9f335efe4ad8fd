/**
 * Chooses among the plans that give the same answer the one that should be fastest: a pure function of exact counts and
 * estimates. Costs are milliseconds as measured on 200,000 stores, 5 million products and 2 million ads; only their
 * ratios matter.
 */
import { Option } from "effect"
import type { SortOrder } from "../../domain/search/Arguments.ts"
import * as Page from "../../domain/search/Page.ts"
import * as CounterSql from "./CounterSql.ts"
import type * as FilterSql from "./FilterSql.ts"
import * as OrderSql from "./OrderSql.ts"
import { isByStores } from "./Plan.ts"
import type { AtOncePlan, CountPlan, PagePlan } from "./Plan.ts"
import * as SearchRequest from "./SearchRequest.ts"
import type { ShopRequest, SortColumn } from "./ShopRequest.ts"
import type { StorePredicate } from "./StorePredicate.ts"

/** What is known before looking. */
export interface Facts {
  /** All stores, and all items of the kind that is searched. */
  readonly stores: number
  readonly items: number
  /** About how many stores have such items. */
  readonly holders: number
  /** Estimate: stores that match the filters on stores. */
  readonly matchingStores?: number
  /** Only with words. */
  readonly text?: {
    /** Estimate: documents that have the words. */
    readonly hits: number
    /** Items of the stores that match, exactly unless {@link isByIndex}. */
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
  /** Taking the next store in an order and testing it; by its best product; with what it has of items searched. */
  walkStore: 0.000_3,
  walkBestOfStore: 0.001,
  walkCounter: 0.003,
  /** Keeping a matching store to sort it. */
  sortStore: 0.000_5,
  /** Keeping it to be looked up, and looking up the store of the next item in an order. */
  keepStore: 0.000_05,
  probeItem: 0.000_08,
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
const areFew = (hits: number): boolean => hits * cost.takeHit < maxFewCost

/** About what a pass over the stores takes. */
const maxFewCost = 20

/**
 * Whether the token index is the way to so many documents, as far as it is known how many items the matching stores have:
 * to count them takes a pass over the stores.
 */
export const isByIndex = (hits: number, expectedCandidates: number): boolean =>
  areFew(hits) || expectedCandidates * cost.read > doubt * hits * cost.takeHit

/** Items are expected by the number of stores, and stores that match may be small ones. */
const doubt = 5

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
    const total = (facts.items * stores) / facts.stores
    const walkCost = Math.min(
      walkStoresCost(request, stores, facts),
      ...(order._tag === "ByItem" ? inOrder(request, order, { total, stores }, facts).map((plan) => plan.cost) : [])
    )
    return stores * cost.sortStore < walkCost ? Option.some({ _tag: "SortStores" }) : Option.none()
  }
  const gathering = gather(request, facts)
  if (order._tag !== "ByItem") return Option.some(gathering.plan)
  const total = (text.hits * text.candidates) / facts.items
  const stores = Math.min(facts.stores, total)
  const walks = inOrder(request, order, { total, stores }, facts)
  return walks.some((walk) => walk.cost < total * cost.keep) ? Option.none() : Option.some(gathering.plan)
}

/** Words that this share of all items have are soon met again in the documents of a store that has them. */
const denseShare = 0.05

/** To look all matches up. */
const gather = (
  { order }: SearchRequest.SearchRequest,
  facts: Facts
): { readonly plan: Extract<AtOncePlan, { readonly access: FilterSql.WordAccess }>; readonly cost: number } => {
  const { access: wordAccess, cost: gatherCost } = access(facts, cost.takeHit)
  const areDense = facts.text !== undefined && facts.text.hits > facts.items * denseShare
  return order._tag === "ByStore" && areDense
    ? { plan: { _tag: "GatherStores", access: wordAccess, order }, cost: gatherCost }
    : { plan: { _tag: "GatherItems", access: wordAccess }, cost: gatherCost }
}

/** All that comes up to the end of the page. */
const needed = ({ window }: SearchRequest.SearchRequest): number => Page.offset(window) + window.perPage

/**
 * Whether stores that match are likely to stand at the far end of the order: the figures of a store go together, and
 * relevance follows from them, so those under a bound come late when the highest come first.
 */
const areFar = ({ order, store }: SearchRequest.SearchRequest): boolean => {
  if (order._tag === "ByItem") return order.column === "score" && isAgainst(store, order.direction, undefined)
  return isAgainst(store, order._tag === "Grouped" ? "desc" : order.direction, OrderSql.figure(order))
}

/** Whether a bound keeps out what comes first. A bound of the order's own figure is where a walk begins. */
const isAgainst = (store: StorePredicate, direction: SortOrder, own: string | undefined): boolean =>
  store.some(
    (condition) =>
      condition._tag === "Between" &&
      condition.column !== own &&
      (direction === "desc" ? condition.max !== undefined : (condition.min ?? 0) > 0)
  )

/** Whether matches are likely to stand together somewhere in the order: prices go with niche and currency. */
const areTogether = ({ order, store }: SearchRequest.SearchRequest): boolean =>
  order._tag === "ByItem" &&
  order.column === "price" &&
  store.some(
    (condition) =>
      (condition._tag === "OneOf" && ["niche_id", "currency", "country"].includes(condition.column)) ||
      (condition._tag === "Between" && condition.column === "avg_price")
  )

/** Of what does not match, so much is met before matches that stand together, as a guess. */
const togetherShare = 0.05

/** What is met before the first match, where matches are far and `others` the share of what does not match. */
const farShare = (others: number): number => others ** 4

/**
 * How many of `all` are visited in order, until enough of those that match were among them; `eligible` could match. The
 * order is not that of the bound: among 5 million products by relevance, 20,000 come before the first page of the 64 % of
 * stores with the fewest orders, and 1.5 million before that of the 12 % with the fewest visits.
 */
const visits = (request: SearchRequest.SearchRequest, matching: number, all: number, eligible = all): number => {
  const evenly = (needed(request) * all) / Math.max(matching, 1)
  const others = Math.max(0, 1 - matching / Math.max(eligible, 1))
  const before = areFar(request) ? farShare(others) : areTogether(request) ? others * togetherShare : 0
  return Math.min(all, all * before + evenly)
}

/** To take items in order, each with its store, or with stores that were looked up before. */
const inOrder = (
  request: SearchRequest.SearchRequest,
  order: Extract<SearchRequest.Order, { readonly _tag: "ByItem" }>,
  { stores, total }: Matches,
  facts: Facts
): ReadonlyArray<Costed> => {
  const visited = visits(request, total, facts.items)
  const readCost = request.words.length > 0 ? cost.read : 0
  const walk: Costed = { plan: { _tag: "WalkItems", order }, cost: visited * (cost.walk + readCost) }
  if (request.store.length === 0) return [walk]
  const share = stores / facts.stores
  return [
    walk,
    {
      plan: { _tag: "ProbeItems", order },
      cost:
        facts.stores * cost.passStore +
        stores * cost.keepStore +
        visited * (cost.probeItem + (readCost > 0 ? share * (readCost + cost.walk) : 0))
    }
  ]
}

const walkStoresCost = (request: SearchRequest.SearchRequest, stores: number, facts: Facts): number =>
  visits(request, stores, facts.stores, facts.holders) *
  ((request.order._tag === "ByItem" ? cost.walkBestOfStore : cost.walkStore) +
    (CounterSql.counterSearches(request) > 0 ? cost.walkCounter : 0))

/** What is known of the matches, and that there are some. */
interface Matches {
  /** Items, exactly. */
  readonly total: number
  /** Their stores, exactly; 0 when they were not counted. */
  readonly stores: number
}

export const choosePage = (request: SearchRequest.SearchRequest, matches: Matches, facts: Facts): PagePlan => {
  const { order, words } = request
  const { total } = matches
  const stores = matches.stores > 0 ? matches.stores : Math.min(total, facts.stores)
  const gathering = gather(request, facts)
  const pass = facts.stores * cost.passStore
  const plans: Array<Costed> = [
    words.length > 0 ? gathering : { ...gathering, cost: total * cost.gather + pass },
    ...(order._tag === "ByItem" ? inOrder(request, order, { total, stores }, facts) : [])
  ]
  if (isByStores(request)) {
    const last = needed(request) * cost.takeStore
    plans.push(
      { plan: { _tag: "WalkStores" }, cost: walkStoresCost(request, stores, facts) + last },
      { plan: { _tag: "SortStores" }, cost: pass + stores * cost.sortStore + last }
    )
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

/** Orders of stores that have an index. */
const indexed: ReadonlySet<SortColumn> = new Set(["revenue", "orders", "visits", "growth", "n_active"])

/**
 * How the page of a search for stores is found: `walk` by the index of its order, after counting, or `pass`, sorting all
 * matches of the pass that counts them. `matching` is an estimate.
 */
export const chooseShopPage = (
  { order, store, window, words }: ShopRequest,
  { matching, stores }: { readonly stores: number; readonly matching: number }
): "walk" | "pass" => {
  const [column] = order.columns
  if (words.length > 0 || !indexed.has(column)) return "pass"
  const evenly = ((Page.offset(window) + window.perPage) * stores) / Math.max(matching, 1)
  const before = isAgainst(store, order.direction, column) ? stores * farShare(1 - Math.min(1, matching / stores)) : 0
  return (before + evenly) * cost.walkStore < matching * cost.sortStore ? "walk" : "pass"
}

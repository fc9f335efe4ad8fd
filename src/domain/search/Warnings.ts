/**
 * What an answer of a search cannot show or did not understand, and says in `warnings` beside its results (D90): as
 * data, which pages write in the visitor's language, and as an English sentence for agents.
 */
import { echo } from "../ArgumentDecoder.ts"
import * as StoreDomain from "../catalog/StoreDomain.ts"
import { defaults, isBound } from "./Arguments.ts"
import type { Range } from "./Arguments.ts"

/** Lists of names and ids that are not refused when they are unknown: no store has them, but one may have them tomorrow. */
const openLists = ["apps", "domains", "shop_ids"] as const
export type OpenList = (typeof openLists)[number]

export interface UnknownName {
  readonly list: OpenList
  readonly name: string
}

/** `null` for stores whose currency is unknown. */
export interface CurrencyCount {
  readonly currency: string | null
  readonly stores: number
}

/** An argument that does nothing beside this value of another argument. */
export interface WithoutEffect {
  readonly argument: "sort_order" | "niche_level" | "change_over"
  readonly other: "sort_by" | "group_by"
  readonly value: string
  /** The values of the other argument beside which it has an effect. */
  readonly takes: ReadonlyArray<string>
}

/** Why a search with words and filters is empty: the numbers of results of the words alone, and of the filters alone. */
export interface Apart {
  readonly words: number
  readonly filters: number
}

/** A store, by the domain or the address that an argument has. */
export interface StoreAt {
  readonly address: string
  readonly id: number
}

/** What a search found out besides its results. */
export interface Findings {
  readonly unknown: ReadonlyArray<UnknownName>
  /** Matching ads without a store. */
  readonly storeless: number
  /** Of the stores whose money was compared. */
  readonly currencies: ReadonlyArray<CurrencyCount>
  /** Absent of a search with results, without words or without filters. */
  readonly apart?: Apart
  /** Of a search for ads without a result: the stores at the {@link addresses} among its words. */
  readonly storesAt?: ReadonlyArray<StoreAt>
}

export type Warning =
  | ({ readonly _tag: "NothingTogether" } & Apart)
  | ({ readonly _tag: "WithoutEffect" } & WithoutEffect)
  | { readonly _tag: "StoresAt"; readonly stores: ReadonlyArray<StoreAt> }
  /** Parts of the query that are operators of other search engines, and words here. */
  | { readonly _tag: "Operators"; readonly parts: ReadonlyArray<string> }
  /** With known names that were probably meant, the most probable first; `more` of the list are not named. */
  | {
      readonly _tag: "UnknownNames"
      readonly list: OpenList
      readonly names: ReadonlyArray<{ readonly name: string; readonly nearest: ReadonlyArray<string> }>
      readonly more: number
    }
  /** Counted by the total, and on no page. */
  | { readonly _tag: "StorelessAds"; readonly ads: number }
  /** Most stores first; `more` is the number of further currencies. */
  | {
      readonly _tag: "SeveralCurrencies"
      readonly compared: ReadonlyArray<string>
      readonly currencies: ReadonlyArray<CurrencyCount>
      readonly more: number
    }

/** Finding the nearest names is the most expensive step. A few are enough to correct the rest. */
const maxNamed = 5
export const maxNearest = 3
const maxCurrencies = 5

export interface Query {
  readonly query?: string
  readonly query_any?: ReadonlyArray<string>
  readonly without_shop?: boolean
  readonly sort_by?: string
  readonly monthly_revenue?: Range
  readonly avg_price?: Range
  readonly price?: Range
}

/** The arguments by which a search compares money. */
const comparedIn = (query: Query): ReadonlyArray<string> => [
  ...(["monthly_revenue", "avg_price", "price"] as const).filter((name) => isBound(query[name])),
  ...(query.sort_by === "revenue" || query.sort_by === "price" ? [`sort_by ${query.sort_by}`] : [])
]

const maxOperators = 3

/** A word that is excluded, a field with its value, a wildcard. */
const operator = /^(?:[-+]\p{L}|\p{L}+:[^\s/]|\*)|\*$/u
const between = new Set(["AND", "OR", "NOT", "&&", "||"])

/** The parts of a query that other search engines do not read as words. A query in capital letters may say AND. */
const operatorsIn = (queries: ReadonlyArray<string | undefined>): ReadonlyArray<string> =>
  Array.from(new Set(queries.flatMap(operatorsOf))).slice(0, maxOperators)

const operatorsOf = (query = ""): ReadonlyArray<string> => {
  const parts = query.split(/\s+/u).filter((part) => part !== "")
  const phrase = query.match(/"[^"]*"/gu)?.find((quotation) => /\S\s+\S/u.test(quotation.slice(1, -1)))
  const isLoud = query === query.toUpperCase()
  const found = parts.filter(
    (part, at) => operator.test(part) || (!isLoud && at > 0 && at < parts.length - 1 && between.has(part))
  )
  return phrase === undefined ? found : [...found, phrase]
}

const maxAddresses = 3
/** Parts of texts that are looked at. */
const maxLooked = 20

/** What stands around an address in a text: quotation marks, brackets, `site:`, and the punctuation behind it. */
const before = /^(?:[\p{Pi}\p{Pf}\p{Ps}"'`<*_~]|site:)+/iu
const behind =
  /(?<![\p{Pi}\p{Pf}\p{Pe}"'`>.,;:!?*_~…。，、；：！？])[\p{Pi}\p{Pf}\p{Pe}"'`>.,;:!?*_~…。，、；：！？]+$/u

/** The domains of stores, or addresses of their pages, among texts. */
export const addresses = (texts: ReadonlyArray<string>): ReadonlyArray<string> => {
  const parts = texts
    .flatMap((text) => text.split(/[\s,;|]+/u))
    .map((part) => part.replace(before, "").replace(behind, ""))
  return Array.from(new Set(parts))
    .filter((part) => part.includes("."))
    .slice(0, maxLooked)
    .filter((part) => StoreDomain.candidates(part).some(StoreDomain.isPublic))
    .slice(0, maxAddresses)
}

/** Those of the unknown names that a warning names. */
export const named = (unknown: ReadonlyArray<UnknownName>): ReadonlyArray<UnknownName> =>
  openLists.flatMap((list) => unknown.filter((each) => each.list === list).slice(0, maxNamed))

const mostStoresFirst = (one: CurrencyCount, other: CurrencyCount): number =>
  other.stores - one.stores || ((one.currency ?? "") < (other.currency ?? "") ? -1 : 1)

/** `nearest` of the names that are {@link named}; `idle` are the arguments without effect. */
export const of = (
  query: Query,
  { apart, currencies, storeless, storesAt = [], unknown }: Findings,
  nearest: (name: UnknownName) => ReadonlyArray<string>,
  idle: ReadonlyArray<WithoutEffect> = []
): ReadonlyArray<Warning> => {
  const warnings: Array<Warning> = idle.map((each) => ({ _tag: "WithoutEffect", ...each }))
  if (storesAt.length > 0) warnings.push({ _tag: "StoresAt", stores: storesAt })
  if (apart !== undefined) warnings.push({ _tag: "NothingTogether", ...apart })
  const parts = operatorsIn([query.query, ...(query.query_any ?? [])])
  if (parts.length > 0) warnings.push({ _tag: "Operators", parts })
  for (const list of openLists) {
    const ofList = unknown.filter((each) => each.list === list)
    const names = named(ofList).map((each) => ({ name: each.name, nearest: nearest(each) }))
    if (ofList.length > 0) warnings.push({ _tag: "UnknownNames", list, names, more: ofList.length - names.length })
  }
  const isGrouped = (query.sort_by ?? defaults.sort_by) === "recommended" && query.without_shop !== true
  if (isGrouped && storeless > 0) warnings.push({ _tag: "StorelessAds", ads: storeless })
  if (currencies.length > 1) {
    warnings.push({
      _tag: "SeveralCurrencies",
      compared: comparedIn(query),
      currencies: currencies.toSorted(mostStoresFirst).slice(0, maxCurrencies),
      more: Math.max(0, currencies.length - maxCurrencies)
    })
  }
  return warnings
}

/** The code of the currency that most of these stores have. */
export const mostCommon = (currencies: ReadonlyArray<CurrencyCount>): string =>
  currencies.find(({ currency }) => currency !== null)?.currency ?? ""

const lookUp: Readonly<Record<OpenList, string>> = {
  apps: 'Look names up with list_filter_options, kind "apps" and a part of the name as query.',
  domains: "compare_markets with group_by domain has the extensions of stores.",
  shop_ids: "Ids are those that search_shops gives, or shop.id of the other searches."
}

const quoted = (name: string): string => `\`${echo(name)}\``

const joined = (parts: ReadonlyArray<string>): string => {
  const last = parts.at(-1) ?? ""
  return parts.length > 1 ? `${parts.slice(0, -1).join(", ")} and ${last}` : last
}

/** Which argument finds what belongs to the stores at these addresses. */
export const byId = (stores: ReadonlyArray<StoreAt>): string =>
  `${stores.map(({ address, id }) => `${quoted(address)} is the store with id ${id}`).join(", ")}: use shop_ids: [${Array.from(new Set(stores.map(({ id }) => id))).join(", ")}] instead.`

const results = (count: number): string => (count === 1 ? "1 result" : `${count} results`)

/** The sentence for agents. */
export const english = (warning: Warning): string => {
  switch (warning._tag) {
    case "NothingTogether": {
      const words = warning.words === 0 ? "nothing" : results(warning.words)
      const filters = warning.filters === 0 ? "nothing" : results(warning.filters)
      return `Nothing matches the words and the filters together: the words alone match ${words}, the filters alone ${filters}.`
    }
    case "WithoutEffect": {
      const { argument, other, takes, value } = warning
      return `${argument} has no effect with ${other} ${value}: it is for ${other} ${joined(takes)}.`
    }
    case "StoresAt":
      return `query does not search the domains of stores. ${byId(warning.stores)}`
    case "Operators":
      return `query has no operators: ${joined(warning.parts.map(quoted))} ${warning.parts.length === 1 ? "is" : "are"} searched as words, and every word must match.`
    case "UnknownNames": {
      const names = warning.names.map(({ name, nearest }) =>
        nearest.length === 0 ? quoted(name) : `${quoted(name)} (nearest: ${nearest.map(quoted).join(", ")})`
      )
      const all = joined(warning.more === 0 ? names : [...names, `${warning.more} more`])
      return `No store has these ${warning.list}, which match nothing: ${all}. ${lookUp[warning.list]}`
    }
    case "StorelessAds": {
      const ads = warning.ads === 1 ? "1 ad" : `${warning.ads} ads`
      return `total counts ${ads} without a store, which no page of sort_by recommended has. Use sort_by newest to get them.`
    }
    case "SeveralCurrencies": {
      const { compared, currencies, more } = warning
      const counts = currencies.map(({ currency, stores }) => `${currency ?? "unknown"} (${stores})`)
      const all = joined(more === 0 ? counts : [...counts, `${more} more`])
      return (
        `${joined(compared)} ${compared.length === 1 ? "compares" : "compare"} amounts of several currencies without conversion. ` +
        `Stores by currency: ${all}. To compare one, filter by currencies: ["${mostCommon(currencies)}"].`
      )
    }
  }
}

/** Of a list of names to filter by that is empty: no name of the kind has this part. */
export const noName = (kind: string, part: string, nearest: ReadonlyArray<string>): string =>
  `No name of kind ${kind} has ${quoted(part)} in it${nearest.length === 0 ? "" : `; nearest: ${nearest.map(quoted).join(", ")}`}.`

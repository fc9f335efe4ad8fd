/** The form of a search: its words, its order, and the filters in groups that are open while they are in use (D119). */
import { isMoving } from "../../../domain/catalog/Movers.ts"
import type { SearchSubject } from "../../../domain/search/SavedSearch.ts"
import type { SearchAddress, Kind } from "../../../domain/search/SearchAddress.ts"
import type { ArgumentIssue } from "../../../domain/ArgumentIssue.ts"
import type { Counts } from "../../../services/search/FilterCounts.ts"
import type { Popular } from "../../../services/search/Vocabulary.ts"
import * as FilterControls from "./FilterControls.ts"
import { countsId, isTyped } from "./FilterField.ts"
import type { ArgumentName, Typed } from "./FilterField.ts"
import { html } from "../shared/Html.ts"
import type { Html } from "../shared/Html.ts"
import type { Locale } from "../shared/Locale.ts"

export type Subject = SearchSubject

/** The groups of filters. */
const groups = ["words", "ads", "products", "store", "market", "technology"] as const
type Group = (typeof groups)[number]

/** Arguments that share one group of fields; every other argument has a group that is named like it. */
type Bundle = "running" | "figures" | "trustpilot"

export interface Searched {
  /** The market overview has no search words. */
  readonly subject: Subject | "market"
  readonly path: string
  readonly address: SearchAddress
  readonly locale: Locale
  /** The values as they were typed, valid or not. */
  readonly typed: Typed
  readonly issues: ReadonlyArray<ArgumentIssue>
  readonly popular: Popular
  /** Absent if no search was made. */
  readonly counts?: Counts | undefined
}

/**
 * The place of each argument's field, in this order; `page` has links. Because this is a record, a new argument compiles only
 * with a place, and with a name in `filter.names.*`.
 */
export const places: Readonly<Record<ArgumentName, "bar" | "links" | readonly [Group, Bundle?]>> = {
  query: "bar",
  group_by: "bar",
  niche_level: "bar",
  status: "bar",
  sort_by: "bar",
  sort_order: "bar",
  change_over: "bar",
  per_page: "bar",
  limit: "bar",
  page: "links",
  query_any: ["words"],
  media_types: ["ads"],
  ctas: ["ads"],
  active_days: ["ads", "running"],
  ad_started_between: ["ads", "running"],
  partnership_only: ["ads", "running"],
  without_shop: ["ads", "running"],
  price: ["products"],
  product_created_between: ["products"],
  niches: ["store"],
  shop_ids: ["store"],
  monthly_revenue: ["store", "figures"],
  monthly_orders: ["store", "figures"],
  monthly_visits: ["store", "figures"],
  traffic_growth_pct: ["store", "figures"],
  active_ads: ["store", "figures"],
  products_count: ["store", "figures"],
  avg_price: ["store", "figures"],
  shop_created_between: ["store", "figures"],
  trustpilot_rating: ["store", "trustpilot"],
  trustpilot_reviews: ["store", "trustpilot"],
  countries: ["market"],
  languages: ["market"],
  currencies: ["market"],
  domains: ["market"],
  themes: ["technology"],
  apps: ["technology"],
  pixels: ["technology"],
  social_networks: ["technology"]
}

export const isArgument = (name: string): name is ArgumentName => Object.hasOwn(places, name)

/** The arguments of the page, in the order of their places. */
const argumentsOf = ({ address }: Searched): ReadonlyArray<readonly [ArgumentName, Kind]> =>
  Object.keys(places).flatMap((name) => {
    const kind = address.kinds.get(name)
    return kind !== undefined && isArgument(name) ? [[name, kind] as const] : []
  })

/** How many values of the argument are in use. */
const inUse = ({ typed }: Searched, name: string, kind: Kind): number => {
  if (kind._tag === "List") return typed.entries(name).length
  if (kind._tag === "Parts") return Object.keys(kind.parts).some((part) => isTyped(typed, `${name}.${part}`)) ? 1 : 0
  return isTyped(typed, name) ? 1 : 0
}

const isWrong = ({ issues }: Searched, name: string): boolean =>
  issues.some(({ path }) => path === name || path.startsWith(`${name}.`))

const disclosure = (options: {
  readonly title: string
  readonly count: number
  readonly open: boolean
  readonly body: Html | ReadonlyArray<Html>
}): Html =>
  html`<details class="filter" ${options.open && html`open`}>
    <summary>${options.title}${options.count > 0 && html` <span class="badge">${options.count}</span>`}</summary>
    ${options.body}
  </details>`

/** One disclosure for each bundle, and for each argument that is in none. */
const disclosures = (searched: Searched, group: Group): ReadonlyArray<Html> => {
  const { text } = searched.locale
  const members = argumentsOf(searched).filter(([name]) => places[name][0] === group)
  const byTitle = Map.groupBy(members, ([name]) => {
    const place = places[name]
    const bundle = typeof place === "string" ? undefined : place[1]
    return text(bundle === undefined ? `filter.names.${name}` : `filter.bundles.${bundle}`)
  })
  return Array.from(byTitle, ([title, all]) => {
    const count = all.reduce((sum, [name, kind]) => sum + inUse(searched, name, kind), 0)
    return disclosure({
      title,
      count,
      open: count > 0 || all.some(([name]) => isWrong(searched, name)),
      body: all.map(([name, kind]) => FilterControls.control({ ...searched, name, kind, isAlone: all.length === 1 }))
    })
  })
}

const words = (searched: Searched): Html | undefined => {
  if (searched.subject === "market") return undefined
  const { text } = searched.locale
  return html`<div class="words">
      ${FilterControls.words(searched)}
      <button type="submit">${text("search.search")}</button>
    </div>
    <small class="wording-of" id="${FilterControls.aboutWordsId}">${text(`search.wordsIn.${searched.subject}`)}</small>`
}

/** Order, number and kind of the results; collapsed on narrow windows, where the results would begin below the window. */
const choices = (searched: Searched): Html => {
  const { text } = searched.locale
  const { typed } = searched
  // Only where it says something: beside the others it would take a line more in some languages.
  const hasSpan = isMoving(typed.value("sort_by") ?? "") || isTyped(typed, "change_over")
  const all = argumentsOf(searched).filter(
    ([name]) => places[name] === "bar" && name !== "query" && (name !== "change_over" || hasSpan)
  )
  return html`<details class="choices" ${all.some(([name]) => isWrong(searched, name)) && html`open`}>
    <summary>${text("search.choices")}</summary>
    <div>
      ${all.map(([name, kind]) => FilterControls.choice({ ...searched, name, kind }))}
      ${searched.subject === "market" && html`<button type="submit">${text("market.show")}</button>`}
    </div>
  </details>`
}

export const filterForm = (searched: Searched): Html => {
  const { text } = searched.locale
  const counted = searched.subject === "market" ? "stores" : searched.subject
  const filters = argumentsOf(searched).filter(([name]) => typeof places[name] !== "string")
  const count = filters.reduce((sum, [name, kind]) => sum + inUse(searched, name, kind), 0)
  return html`<search class="search">
    <form method="get" action="${searched.path}" data-apply>
      ${words(searched)} ${choices(searched)}
      <details class="filters" ${filters.some(([name]) => isWrong(searched, name)) && html`open`}>
        <summary>${text("search.filters")}${count > 0 && html` <span class="badge">${count}</span>`}</summary>
        ${
          searched.counts !== undefined &&
          html`<p class="hint" id="${countsId}">${text(`search.counts.${counted}`)}</p>`
        }
        ${groups.flatMap((group) => {
          const inGroup = disclosures(searched, group)
          return inGroup.length === 0 ? [] : [html`<h2>${text(`filter.groups.${group}`)}</h2>`, ...inGroup]
        })}
        <button type="submit">${text("search.apply")}</button>
      </details>
    </form>
  </search>`
}

export const typedOf = (
  pairs: ReadonlyArray<readonly [name: string, value: string]>,
  raw: Readonly<Record<string, unknown>>,
  { kinds }: SearchAddress
): Typed => {
  const values = new Map(pairs.filter(([, value]) => value !== "").toReversed())
  return {
    value: (field) => values.get(field),
    entries: (name) => {
      const entries = kinds.get(name)?._tag === "List" ? raw[name] : undefined
      return Array.isArray(entries)
        ? entries.filter((entry: unknown) => typeof entry === "string" || typeof entry === "number")
        : []
    }
  }
}

/**
 * Where the groups of the Market page lead: to their stores and the running ads of these (D66). Each link repeats the filters of
 * the page. Where that would make the page heavy, the filters are in two forms instead, and each group has a button for each.
 */
import { foldName } from "../../../domain/search/FoldName.ts"
import * as Market from "../../../domain/search/MarketQuery.ts"
import type { MarketGroup, MarketQuery } from "../../../domain/search/MarketQuery.ts"
import { searchKinds } from "../../../domain/search/SavedSearch.ts"
import type * as Names from "../../../services/search/Names.ts"
import { adsPath } from "./AdsPage.ts"
import * as FilterChips from "./FilterChips.ts"
import { storesPath } from "./StorePaths.ts"
import { html } from "../shared/Html.ts"
import type { Html } from "../shared/Html.ts"
import type { Locale } from "../shared/Locale.ts"

export interface MarketLinks {
  /** The forms of the buttons, if there are buttons. */
  readonly forms: ReadonlyArray<Html>
  /** Of each group the number of its stores and that of their running ads, linked where filters can select them. */
  readonly rows: ReadonlyArray<Readonly<Record<Target, Html>>>
}

const targets = {
  stores: { path: storesPath, address: searchKinds.stores.address, more: {} },
  ads: { path: adsPath, address: searchKinds.ads.address, more: { status: "active" } }
} as const
type Target = keyof typeof targets

/** A number, and where it leads. */
interface SearchLink {
  readonly target: Target
  readonly count: string
  readonly label: string
  /** The values that the filter on what is grouped by gets in the link: for groups by country, those of `countries`. */
  readonly values: ReadonlyArray<string | number>
}

/** A store can be in several groups of these. */
const overlapping: ReadonlySet<Market.GroupBy> = new Set(["language", "app", "pixel", "social_network"])

/**
 * The values of the grouping's filter that select the stores of a group, if any do: no search finds the stores that have one of
 * two apps and also a third one.
 */
const valuesOf = (
  { group_by, ...query }: MarketQuery,
  value: string,
  names: Names.Names
): SearchLink["values"] | undefined => {
  if (overlapping.has(group_by)) {
    const asked = query[Market.filterOf[group_by]] ?? []
    const isAsked = asked.length === 0 || asked.some((one) => foldName(String(one)) === foldName(value))
    return isAsked ? [value] : undefined
  }
  if (group_by !== "niche") return [value]
  const [niche, ...below] = names.niche(value) ?? []
  const within = (query.niches ?? []).filter((asked) => below.includes(names.niche(asked)?.[0] ?? 0))
  const isWhole = within.length === 0 || (query.niches ?? []).some((asked) => names.niche(asked)?.includes(niche ?? 0))
  return isWhole ? [value] : within
}

/** Characters of all addresses of a page. With longer ones, 50 groups could make it heavier than 150 kB. */
const maxAddresses = 12_000

/** `labelOf` is the text of a group in the visitor's language. */
export const of = (
  query: MarketQuery,
  groups: ReadonlyArray<MarketGroup>,
  names: Names.Names,
  { number, text }: Locale,
  labelOf: (value: string) => string
): MarketLinks => {
  const { group_by, limit: _, niche_level: _level, sort_by: _sort, ...filters } = query
  const filter = Market.filterOf[group_by]

  const hrefOf = ({ target, values }: SearchLink): string => {
    const { address, more } = targets[target]
    return FilterChips.hrefOf(targets[target], address.canonical({ ...filters, [filter]: values, ...more }))
  }
  const link = (lead: SearchLink): Html => html`<a href="${hrefOf(lead)}" aria-label="${lead.label}">${lead.count}</a>`

  const form = (target: Target): Html => {
    const { address, more, path } = targets[target]
    const pairs = address.toPairs(address.canonical({ ...filters, [filter]: undefined, ...more }))
    return html`<form id="to-${target}" action="${path}">
      ${pairs.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
    </form>`
  }
  const button = ({ count, label, target, values }: SearchLink): Html => {
    const pairs = targets[target].address.toPairs({ [filter]: values })
    // Line breaks separate the entries of a list.
    const value = pairs.map(([, entry]) => entry).join("\n")
    const attributes = html`form="to-${target}" name="${filter}" value="${value}"`
    return html`<button class="quiet" ${attributes} aria-label="${label}">${count}</button>`
  }

  const rows = groups.map(({ active_ads, stores, value }) => {
    // No search finds the stores that have no value.
    const group = value === null ? "" : labelOf(value)
    const values = value === null ? undefined : valuesOf(query, value, names)
    const lead = (target: Target, count: number, label: string): SearchLink | string =>
      values === undefined || count === 0 ? number(count) : { target, count: number(count), label, values }
    return {
      stores: lead("stores", stores, text("market.storesOf", { count: stores, group })),
      ads: lead("ads", active_ads, text("market.adsOf", { count: active_ads, group }))
    }
  })
  const length = rows
    .flatMap(({ ads, stores }) => [stores, ads])
    .reduce((sum, lead) => sum + (typeof lead === "string" ? 0 : hrefOf(lead).length), 0)
  const isLong = length > maxAddresses
  const write = (lead: SearchLink | string): Html =>
    typeof lead === "string" ? html`${lead}` : isLong ? button(lead) : link(lead)
  return {
    forms: isLong ? [form("stores"), form("ads")] : [],
    rows: rows.map(({ ads, stores }) => ({ stores: write(stores), ads: write(ads) }))
  }
}

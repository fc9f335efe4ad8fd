/**
 * The columns of the table of stores (D119): which ones a browser shows, kept in a cookie, and the links by which their heads sort. A form
 * without scripts sends the choice in the address, from where it goes into the cookie: the address of a search has no columns.
 */
import type { FoundShop, ShopFacts } from "../../../domain/catalog/ShopItem.ts"
import type * as SearchAddress from "../../../domain/search/SearchAddress.ts"
import type { ShopQuery } from "../../../domain/search/ShopQuery.ts"
import { html } from "../shared/Html.ts"
import type { Html } from "../shared/Html.ts"
import type { Locale } from "../shared/Locale.ts"
import type { Column, SortLink } from "../shared/Table.ts"
import { hrefOf } from "./FilterChips.ts"
import type { Context } from "./FilterChips.ts"
import { changeIn, dated, known, written } from "./StoreFigures.ts"
import { storesPath } from "./StorePaths.ts"

/** In the order of the table. `sort` is the order of `search_shops` by the column. */
const columns = {
  country: { isShown: true },
  visits: { isShown: true, sort: "traffic" },
  growth: { isShown: true, sort: "traffic_growth" },
  revenue: { isShown: true, sort: "revenue" },
  orders: { isShown: false, sort: "orders" },
  active_ads: { isShown: true, sort: "active_ads" },
  products_count: { isShown: false, sort: "products_count" },
  avg_price: { isShown: false },
  rating: { isShown: false },
  reviews: { isShown: false },
  created: { isShown: false, sort: "newest" }
} as const satisfies Readonly<
  Record<string, { readonly isShown: boolean; readonly sort?: NonNullable<ShopQuery["sort_by"]> }>
>
type Name = keyof typeof columns

const isName = (name: string): name is Name => Object.hasOwn(columns, name)
const names = Object.keys(columns).filter(isName)
const usual = names.filter((name) => columns[name].isShown)

/** The parameter of the form, which sends an empty value beside the chosen ones: also when none is. */
const parameter = "columns"
const cookieName = "discovery-columns"

type Cookies = Readonly<Record<string, string | undefined>>

/** Those of the cookie; of a cookie that this server did not write, only what is a column. */
const chosen = (cookies: Cookies): ReadonlyArray<Name> => {
  const kept = cookies[cookieName]
  if (kept === undefined) return usual
  const all = new Set(kept.split("."))
  return names.filter((name) => all.has(name))
}

/** The choice in an address, and the rest of it; `undefined` for an address with none, and for one with a column that does not exist. */
export const choiceIn = (pairs: SearchAddress.Pairs) => {
  const values = pairs.flatMap(([name, value]) => (name === parameter ? [value] : []))
  if (values.length === 0 || !values.every((value) => value === "" || isName(value))) return undefined
  const all = new Set(values)
  return {
    rest: pairs.filter(([name]) => name !== parameter),
    cookie: { name: cookieName, value: names.filter((name) => all.has(name)).join("."), path: storesPath }
  }
}

const headOf = (name: Name, { text }: Locale): string => {
  if (name === "country") return text("store.country")
  return name === "growth" ? text("stores.growth") : text(`store.figure.${name}`)
}

const cellOf = (name: Name, shop: ShopFacts, locale: Locale): string | Html => {
  if (name === "country") return locale.countryName(shop.country)
  return name === "created" ? known(shop.created_on, (day) => dated(day, locale), locale) : written(name, shop, locale)
}

/** The search in the other direction where it is sorted by the column, else with the highest first. */
const sortLink = (name: Name, context: Context): SortLink | undefined => {
  const column = columns[name]
  if (!("sort" in column)) return undefined
  const { address, args } = context
  const isSorted = args["sort_by"] === column.sort
  const isAscending = args["sort_order"] === "asc"
  const order = isSorted && !isAscending ? "asc" : "desc"
  return {
    href: hrefOf(context, address.canonical({ ...args, page: undefined, sort_by: column.sort, sort_order: order })),
    ...(isSorted && { sorted: isAscending ? "ascending" : "descending" })
  }
}

/** Without `search`, the stores are not those of a search, and heads are no links. */
export const of = (cookies: Cookies, locale: Locale, search?: Context): ReadonlyArray<Column<FoundShop>> => {
  const change = search === undefined ? undefined : changeIn(search.args, locale)
  return [
    ...(change === undefined
      ? []
      : [[change.name, (shop: FoundShop) => change.written(shop.change), "figure"] as const]),
    ...chosen(cookies).map(
      (name) =>
        [
          headOf(name, locale),
          (shop: FoundShop) => cellOf(name, shop, locale),
          name === "country" ? undefined : "figure",
          search === undefined ? undefined : sortLink(name, search)
        ] as const
    )
  ]
}

/** The choice, on a page with this search. */
export const form = (cookies: Cookies, locale: Locale, pairs: SearchAddress.Pairs): Html => {
  const { text } = locale
  const shown = new Set(chosen(cookies))
  const box = (name: Name) => {
    const checked = shown.has(name) && html` checked`
    const input = html`<input type="checkbox" name="${parameter}" value="${name}" ${checked} />`
    return html`<label>${input}${headOf(name, locale)}</label>`
  }
  return html`<details class="columns">
    <summary>${text("stores.columns")}</summary>
    <form method="get" action="${storesPath}">
      ${pairs.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
      <input type="hidden" name="${parameter}" value="" />
      <fieldset>
        <legend class="unseen">${text("stores.columns")}</legend>
        ${names.map(box)}
      </fieldset>
      <button type="submit">${text("stores.showColumns")}</button>
    </form>
  </details>`
}

/** `/dashboard/shops`: the stores that the account tracks or owns, and a search for any other. */
import { Effect, Option, Schema } from "effect"
import { HttpRouter } from "effect/http"
import type { ShopFacts } from "../../../domain/catalog/ShopItem.ts"
import * as Page from "../../../domain/search/Page.ts"
import { searchKinds } from "../../../domain/search/SavedSearch.ts"
import { Query } from "../../../domain/search/StoreFilter.ts"
import { SavedSearches } from "../../../services/access/SavedSearches.ts"
import { maxTrackedShops } from "../../../services/access/TrackedShops.ts"
import { NewResults } from "../../../services/search/NewResults.ts"
import { ShopSearch } from "../../../services/search/ShopSearch.ts"
import { shopsPerPage, TrackedShopReader } from "../../../services/search/TrackedShopReader.ts"
import { CatalogAccess } from "./CatalogAccess.ts"
import * as Csrf from "../shared/Csrf.ts"
import { doneOf, said } from "../shared/FlashNotice.ts"
import { html } from "../shared/Html.ts"
import type { Html } from "../shared/Html.ts"
import { Layout } from "../shared/Layout.ts"
import type { Locale } from "../shared/Locale.ts"
import { PageRoutes, seeOther } from "../shared/PageRoutes.ts"
import { PathId } from "../shared/PathId.ts"
import { paramsOf } from "../shared/Query.ts"
import { pageLinks } from "./PageLinks.ts"
import { searchActions } from "./SearchActions.ts"
import { growth, known } from "./StoreFigures.ts"
import { dones } from "./StorePage.ts"
import type { Done } from "./StorePage.ts"
import { storePath, storesPath } from "./StorePaths.ts"
import { thirdPartyText } from "../shared/ThirdParty.ts"
import type { SignedIn } from "../shared/Visitors.ts"

const storesPerSearch = 25

const lastTrackedPage = Math.ceil(maxTrackedShops / shopsPerPage)

const decodePage = Schema.decodeUnknownOption(
  PathId.check(Schema.isLessThanOrEqualTo(Math.max(Page.lastPage, lastTrackedPage)))
)

/** What the address says; what it cannot mean is left out. */
interface Asked {
  /** Of the search box, without blanks around it; `""` asks for the stores that are tracked. */
  readonly query: string
  readonly page: number
  readonly done: Done | undefined
}

const asked = (url: string): Asked => {
  const params = paramsOf(url)
  return {
    query: params.get("query")?.trim() ?? "",
    page: Option.getOrElse(decodePage(params.get("page")), () => 1),
    done: doneOf(url, dones)
  }
}

interface Listed extends ShopFacts {
  readonly is_own?: boolean
}

/** `formOf` has what can be done with a store of the list; without it, there is no column for that. */
const table = (
  shops: ReadonlyArray<Listed>,
  options: {
    readonly label: string
    readonly locale: Locale
    readonly formOf?: (shop: Listed) => Html | undefined
  }
): Html => {
  const { formOf, label, locale } = options
  const { text } = locale
  const figure = (value: Html) => html`<td class="figure">${value}</td>`
  return html`<div class="table" tabindex="0" role="region" aria-label="${label}">
    <table>
      <thead>
        <tr>
          <th scope="col">${text("stores.store")}</th>
          <th scope="col">${text("store.country")}</th>
          <th scope="col" class="figure">${text("store.visits")}</th>
          <th scope="col" class="figure">${text("stores.growth")}</th>
          <th scope="col" class="figure">${text("store.revenue")}</th>
          <th scope="col" class="figure">${text("store.activeAds")}</th>
          ${formOf !== undefined && html`<th scope="col" class="figure">${text("stores.actions")}</th>`}
        </tr>
      </thead>
      <tbody>
        ${shops.map(
          (shop) =>
            html`<tr data-shop-id="${shop.id}">
              <th scope="row" class="store">
                <a href="${storePath(shop.id)}">${thirdPartyText(shop.name)}</a>
                ${shop.is_own === true && html`<span class="badge good">${text("store.badges.own")}</span>`}
                ${shop.is_tracked && formOf === undefined && html`<span class="badge good">${text("store.badges.tracked")}</span>`}
                <bdi class="aside">${shop.domain}</bdi>
              </th>
              <td>${locale.countryName(shop.country)}</td>
              ${figure(known(shop.monthly_visits, locale.number, locale))}
              ${figure(known(shop.traffic_growth_pct, (value) => growth(value, locale), locale))}
              ${figure(known(shop.estimated_monthly_revenue, (value) => locale.wholeMoney(value, shop.currency), locale))}
              ${figure(html`${locale.number(shop.active_ads)}`)}
              ${formOf !== undefined && html`<td class="figure">${formOf(shop)}</td>`}
            </tr>`
        )}
      </tbody>
    </table>
  </div>`
}

const addressOf = (query: string, page: number): string =>
  `${storesPath}?${new URLSearchParams({ ...(query === "" ? {} : { query }), page: String(page) }).toString()}`

const searchBox = (query: string, locale: Locale, isBad: boolean): Html => html`
  <search>
    <form method="get" action="${storesPath}">
      <label for="query">${locale.text("stores.search")}</label>
      ${isBad && html`<p class="error" id="query-error">${locale.text("stores.badQuery")}</p>`}
      <div class="search-row">
        <input
          id="query"
          name="query"
          type="search"
          value="${query}"
          autocomplete="off"
          spellcheck="false"
          ${isBad && html`aria-invalid="true" aria-describedby="query-error" autofocus`}
        />
        <button type="submit">${locale.text("stores.searchButton")}</button>
      </div>
    </form>
  </search>
`

/** Only what became of a form of this page. */
const notice = (done: Done | undefined, locale: Locale): Html | undefined => {
  if (done === "untracked") return said(locale.text("stores.untracked"))
  return done === "own" ? said(locale.text("stores.untrackedOwn")) : undefined
}

const untrackForm = (shop: Listed, visitor: SignedIn, page: number): Html | undefined =>
  shop.is_own === true
    ? undefined
    : html`<form method="post" action="${storePath(shop.id)}/untrack" class="quiet">
        ${Csrf.hidden(visitor)}
        <input type="hidden" name="list_page" value="${page}" />
        <button
          type="submit"
          class="quiet"
          aria-label="${visitor.locale.text("stores.untrackOf", { name: shop.name })}"
        >
          ${visitor.locale.text("store.untrack")}
        </button>
      </form>`

export const layer = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const routes = yield* PageRoutes
    const access = yield* CatalogAccess
    const search = yield* ShopSearch
    const tracked = yield* TrackedShopReader
    const saved = yield* SavedSearches
    const newResults = yield* NewResults
    const { page } = yield* Layout

    const frame = (
      visitor: SignedIn,
      body: Html,
      options: { readonly title?: string; readonly status?: number } = {}
    ) => {
      const { text } = visitor.locale
      return page({
        ...options,
        heading: text("stores.heading"),
        account: visitor,
        section: "stores",
        width: "wide",
        locale: visitor.locale,
        body
      })
    }

    const found = Effect.fnUntraced(function* (visitor: SignedIn, asked: Asked) {
      const { locale, session } = visitor
      const { query } = asked
      const { text } = locale
      if (!Schema.is(Query)(query)) return frame(visitor, searchBox(query, locale, true), { status: 400 })
      const window = { page: Math.min(asked.page, Page.lastPage), per_page: storesPerSearch }
      // Before the search: what comes meanwhile is new the next time.
      const mark = yield* newResults.mark("stores")
      const { pagination, shops } = yield* search.search({ query, ...window }, session.accountId).pipe(
        // Only names of niches and themes can be wrong beside what the schema holds, and none is asked for.
        Effect.catchTag("InvalidArguments", Effect.die)
      )
      const key = { subject: "stores" as const, query: searchKinds.stores.saved({ query }) }
      if (window.page === 1) yield* saved.remember(session.accountId, key)
      const name = yield* saved.look(session.accountId, { ...key, mark })
      const heading = text("stores.found", { query })
      const last = Math.min(Page.lastPage, Math.ceil(pagination.total / storesPerSearch))
      return frame(
        visitor,
        html`
          ${searchBox(query, locale, false)}
          <section class="panel">
            <h2>${heading}</h2>
            ${searchActions({ visitor, search: key, mark, saved: name, total: pagination.total })}
            ${
              shops.length === 0
                ? html`<div class="empty">
                    <p>${text("stores.noneFound")}</p>
                    <p>${text("stores.noneFoundNext")}</p>
                  </div>`
                : table(shops, { label: heading, locale })
            }
            ${pageLinks({ page: pagination.page, last, hrefOf: (to) => addressOf(query, to), locale })}
            <p><a href="${storesPath}">${text("stores.backToTracked")}</a></p>
          </section>
        `,
        { title: heading }
      )
    })

    const list = Effect.fnUntraced(function* (visitor: SignedIn, { done, page }: Asked) {
      const { locale, session } = visitor
      const { text } = locale
      const { shops, total } = yield* tracked.page(session.accountId, page)
      const last = Math.ceil(total / shopsPerPage)
      // The last store of the last page may just have left it.
      if (page > 1 && page > last) {
        return seeOther(`${storesPath}?page=${Math.max(1, last)}${done === undefined ? "" : `&done=${done}`}`)
      }
      return frame(
        visitor,
        html`
          ${notice(done, locale)} ${searchBox("", locale, false)}
          <section class="panel">
            <h2>${text("stores.followed")}</h2>
            ${
              total === 0
                ? html`<div class="empty">
                    <p>${text("stores.empty")}</p>
                    <p>${text("stores.emptyNext")}</p>
                  </div>`
                : html`<p class="aside">${text("stores.followedCount", { count: total, most: maxTrackedShops })}</p>
                    ${table(shops, {
                      label: text("stores.followed"),
                      locale,
                      formOf: (shop) => untrackForm(shop, visitor, page)
                    })}
                    ${pageLinks({ page, last, hrefOf: (to) => addressOf("", to), locale })}`
            }
          </section>
        `
      )
    })

    yield* router.add(
      "GET",
      storesPath,
      routes.signedInPage((visitor, { url }) => {
        const what = asked(url)
        return access.allow(visitor, "stores", what.query === "" ? list(visitor, what) : found(visitor, what))
      })
    )
  })
)

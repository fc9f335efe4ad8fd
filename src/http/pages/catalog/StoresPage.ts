/** `/dashboard/shops`: the results of `search_shops`, or without a search the stores that the account tracks or owns. */
import { Effect, Schema } from "effect"
import type { FoundShop, ShopFacts } from "../../../domain/catalog/ShopItem.ts"
import { searchKinds } from "../../../domain/search/SavedSearch.ts"
import type { Pairs } from "../../../domain/search/SearchAddress.ts"
import { maxTrackedShops } from "../../../services/accounts/TrackedShops.ts"
import * as Queries from "../../../services/search/Queries.ts"
import { shopsPerPage, TrackedShopReader } from "../../../services/search/TrackedShopReader.ts"
import * as SearchShops from "../../../services/tools/SearchShops.ts"
import { quietForm } from "../shared/ButtonForm.ts"
import { doneField, flashNotice } from "../shared/FlashNotice.ts"
import { html } from "../shared/Html.ts"
import type { Html } from "../shared/Html.ts"
import type { Locale } from "../shared/Locale.ts"
import { addressRefused } from "../shared/PageRequests.ts"
import { decoder } from "../../shared/QueryParameters.ts"
import { tableOf } from "../shared/Table.ts"
import type { Column } from "../shared/Table.ts"
import { thirdPartyText } from "../shared/ThirdParty.ts"
import type { SignedIn } from "../shared/Visitors.ts"
import { hrefOf } from "./FilterChips.ts"
import type * as FilterPage from "./FilterPage.ts"
import { pageField, pageLinks } from "./PageLinks.ts"
import * as SearchPage from "./SearchPage.ts"
import * as StoreColumns from "./StoreColumns.ts"
import { compareBox, compareForm } from "./CompareControls.ts"
import { flashNotices } from "./StorePage.ts"
import type { Done } from "./StorePage.ts"
import { storePath, storesPath } from "./StorePaths.ts"

const lastTrackedPage = Math.ceil(maxTrackedShops / shopsPerPage)

/** Parameters of the list of tracked stores. */
const Query = Schema.Struct({ ...pageField(lastTrackedPage), ...doneField(flashNotices) })

const decode = decoder(Query)

interface Listed extends ShopFacts {
  readonly is_own?: boolean
}

/** `formOf` returns the form of a store, if it has one; without `formOf`, the table has no column for it. */
const storeTable = (
  shops: ReadonlyArray<Listed>,
  options: {
    readonly label: string
    readonly locale: Locale
    readonly columns: ReadonlyArray<Column<FoundShop>>
    readonly formOf?: (shop: Listed) => Html | undefined
  }
): Html => {
  const { columns, formOf, label, locale } = options
  const { text } = locale
  const name = (shop: Listed) =>
    html`${compareBox(shop, locale)} <a href="${storePath(shop.id)}">${thirdPartyText(shop.name)}</a>
      ${shop.is_own === true && html`<span class="badge good">${text("store.badges.own")}</span>`}
      ${shop.is_tracked && formOf === undefined && html`<span class="badge good">${text("store.badges.tracked")}</span>`}
      <bdi class="aside">${shop.domain}</bdi>`
  const table = tableOf<Listed>({
    label,
    kind: "stores",
    items: shops,
    attributes: ({ id }) => html`data-shop-id="${id}"`,
    columns: [
      [text("stores.store"), name, "store"],
      ...columns,
      ...(formOf === undefined
        ? []
        : [[text("stores.actions"), (shop: Listed) => formOf(shop) ?? "", "figure"] as const])
    ]
  })
  return html`${table}${compareForm(locale)}`
}

/** Messages only for the forms of this page. */
const notice = (done: Done | undefined, locale: Locale): Html | undefined => {
  if (done === "untracked") return flashNotice(locale.text("stores.untracked"))
  return done === "own" ? flashNotice(locale.text("stores.untrackedOwn")) : undefined
}

const untrackForm = ({ id, is_own: isOwn, name }: Listed, visitor: SignedIn, page: number): Html | undefined => {
  const { text } = visitor.locale
  if (isOwn === true) return undefined
  const about = text("stores.untrackOf", { name })
  return quietForm(visitor, `${storePath(id)}/untrack`, text("store.untrack"), about, { list_page: page })
}

const tracked = Effect.gen(function* () {
  const reader = yield* TrackedShopReader
  return {
    isAsked: (pairs: Pairs) => pairs.every(([name]) => Object.hasOwn(Query.fields, name)),
    show: Effect.fnUntraced(function* (visitor: SignedIn, request: FilterPage.StartRequest) {
      const { done, page = 1 } = yield* Effect.mapError(Effect.fromResult(decode(request.pairs)), (issues) =>
        addressRefused(request.url, issues)
      )
      const { locale, session } = visitor
      const { text } = locale
      const { shops, total } = yield* reader.page(session.accountId, page)
      const last = Math.ceil(total / shopsPerPage)
      // The only store of the last page may just have been removed.
      if (page > 1 && page > last) {
        return { elsewhere: `${storesPath}?page=${Math.max(1, last)}${done === undefined ? "" : `&done=${done}`}` }
      }
      const all = hrefOf({ address: searchKinds.stores.address, path: storesPath }, { sort_by: "active_ads" })
      const body = html`
        ${notice(done, locale)}
        <h2>${text("stores.followed")}</h2>
        ${
          total === 0
            ? html`<div class="empty">
                <p>${text("stores.empty")}</p>
                <p>${text("stores.emptyNext")}</p>
              </div>`
            : html`<div class="found">
                  <p class="aside">${text("stores.followedCount", { count: total, most: maxTrackedShops })}</p>
                  ${StoreColumns.form(request.cookies, locale, page === 1 ? [] : [["page", String(page)]])}
                </div>
                ${storeTable(shops, {
                  label: text("stores.followed"),
                  locale,
                  columns: StoreColumns.of(request.cookies, locale),
                  formOf: (shop) => untrackForm(shop, visitor, page)
                })}
                ${pageLinks({ page, last, hrefOf: (to) => `${storesPath}?page=${to}`, locale })}`
        }
        <p><a href="${all}">${text("stores.all")}</a></p>
      `
      return { body }
    })
  }
})

export const layer = SearchPage.layer({
  subject: "stores",
  path: storesPath,
  tool: SearchShops.make,
  filter: Queries.storeFilter,
  images: false,
  list: ({ results }, locale, { viewed: { context, cookies } }) =>
    storeTable(results, {
      label: locale.text("search.headings.stores"),
      locale,
      columns: StoreColumns.of(cookies, locale, context)
    }),
  tools: (locale, { context, cookies }) => StoreColumns.form(cookies, locale, context.address.toPairs(context.args)),
  choiceIn: StoreColumns.choiceIn,
  reasons: () => [],
  start: tracked
})

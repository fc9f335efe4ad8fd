/** `/dashboard/shops/:id` (D49, D112): all data of a store, its history, and its tracking. Every `dashboard_url` leads here. */
import { DateTime, Effect, Layer, Schema } from "effect"
import { AppConfig } from "../../../Config.ts"
import * as AdItem from "../../../domain/catalog/AdItem.ts"
import * as ProductItem from "../../../domain/catalog/ProductItem.ts"
import * as ShopItem from "../../../domain/catalog/ShopItem.ts"
import type { ShopRecordItem } from "../../../domain/catalog/ShopItem.ts"
import * as Page from "../../../domain/search/Page.ts"
import { cursorOf } from "../../../domain/search/ChangeQuery.ts"
import { ChangeFeed, present } from "../../../services/changes/ChangeFeed.ts"
import type { FoundChanges } from "../../../services/changes/ChangeFeed.ts"
import { History } from "../../../services/changes/History.ts"
import { DataAsOf } from "../../../services/import/Sources.ts"
import { maxTrackedShops } from "../../../services/accounts/TrackedShops.ts"
import { AdSearch, ProductSearch } from "../../../services/search/Searches.ts"
import { ShopReader } from "../../../services/search/ShopReader.ts"
import { links } from "../../../domain/catalog/DashboardUrl.ts"
import { adCard } from "./AdCard.ts"
import { changesOf } from "./ChangesPage.ts"
import { changeTable } from "./ChangeTable.ts"
import { CatalogAccess } from "./CatalogAccess.ts"
import * as Chart from "../shared/Chart.ts"
import { Boards } from "../../../services/accounts/Boards.ts"
import * as KeepControls from "../boards/KeepControls.ts"
import { buttonForm } from "../shared/ButtonForm.ts"
import { doneField, flashNotice } from "../shared/FlashNotice.ts"
import { PageNotFound } from "../shared/ErrorPage.ts"
import { html } from "../shared/Html.ts"
import type { Html } from "../shared/Html.ts"
import { Layout, sections } from "../shared/Layout.ts"
import type { Locale } from "../shared/Locale.ts"
import { PageRoutes, reads } from "../shared/PageRoutes.ts"
import { pageLinks } from "./PageLinks.ts"
import { PathId, pathId } from "../shared/PathId.ts"
import { productCard } from "./ProductCard.ts"
import { figures, trafficColumns } from "./StoreFigures.ts"
import { history } from "./StoreHistory.ts"
import { storePath, storesPath } from "./StorePaths.ts"
import { thirdPartyLink, thirdPartyText } from "../shared/ThirdParty.ts"
import type { SignedIn } from "../shared/Visitors.ts"

/** Results of the page's forms, which are shown once (TrackingForms.ts). */
export const flashNotices = ["tracked", "untracked", "own", "full"] as const
export type Done = (typeof flashNotices)[number]

/** Four rows of cards on a wide window. */
const perPage = 12

const pageNumber = Schema.optionalKey(PathId.check(Schema.isBetween({ minimum: 1, maximum: Page.lastPage })))

/** `products` and `ads`: the pages of the two lists. */
const Query = Schema.Struct({ ...doneField(flashNotices), products: pageNumber, ads: pageNumber })
type Query = typeof Query.Type

const shownChanges = 10
/** From the oldest on. */
const allChanges = cursorOf({ _tag: "After", id: 0 })

/** Further apps are collapsed. */
const shownApps = 24

type Standing = "own" | "tracked" | "none"

const standingOf = (shop: ShopRecordItem): Standing => (shop.is_own ? "own" : shop.is_tracked ? "tracked" : "none")

/** The standing that each message requires, because an old address may be opened when the message is no longer true. */
const standsAfter: Readonly<Record<Done, Standing>> = {
  tracked: "tracked",
  untracked: "none",
  own: "own",
  full: "none"
}

const notice = (done: Done | undefined, standing: Standing, locale: Locale): Html | undefined => {
  if (done === undefined || standsAfter[done] !== standing) return undefined
  return done === "full"
    ? html`<p class="problems" role="alert">
        ${locale.html("store.done.full", {
          most: maxTrackedShops,
          other: (content) => html`<a href="${storesPath}">${content}</a>`
        })}
      </p>`
    : flashNotice(locale.html(`store.done.${done}`))
}

const tracking = (shop: ShopRecordItem, visitor: SignedIn, keep: Html): Html => {
  const { locale } = visitor
  const standing = standingOf(shop)
  const path = storePath(shop.id)
  return html`<section class="panel tracking">
    <p>${locale.html(`store.standing.${standing}`)}</p>
    ${standing === "tracked" && buttonForm(visitor, `${path}/untrack`, locale.text("store.untrack"))}
    ${standing === "none" && buttonForm(visitor, `${path}/track`, locale.text("store.track"), { look: "" })} ${keep}
  </section>`
}

const tags = (items: ReadonlyArray<string>): Html =>
  html`<ul class="tags">
    ${items.map((item) => html`<li class="badge">${thirdPartyText(item)}</li>`)}
  </ul>`

const about = (shop: ShopRecordItem, locale: Locale): Html => {
  const list = (items: ReadonlyArray<string>) =>
    items.length === 0 ? html`<span class="unknown">${locale.text("store.none")}</span>` : tags(items)
  const more = shop.apps.slice(shownApps)
  const path = shop.niches.map(({ name }) => name).toReversed()
  return html`<dl class="about-store">
    <dt>${locale.text("store.niche")}</dt>
    <dd>
      ${path.length === 0 ? html`<span class="unknown">${locale.text("store.unknown")}</span>` : html`<span lang="en">${path.join(" › ")}</span>`}
    </dd>
    <dt>${locale.text("store.apps")}</dt>
    <dd>
      ${list(shop.apps.slice(0, shownApps))}
      ${
        more.length > 0 &&
        html`<details>
          <summary>${locale.text("store.moreApps", { count: more.length })}</summary>
          ${tags(more)}
        </details>`
      }
    </dd>
    <dt>${locale.text("store.pixels")}</dt>
    <dd>${list(shop.pixels)}</dd>
    <dt>${locale.text("store.networks")}</dt>
    <dd>${list(shop.social_networks)}</dd>
  </dl>`
}

const traffic = (shop: ShopRecordItem, locale: Locale): Html => {
  const columns = trafficColumns(shop.traffic, locale)
  return columns.length === 0
    ? html`<p class="empty">${locale.text("store.noTraffic")}</p>`
    : Chart.columns({
        id: "traffic",
        title: locale.text("store.trafficTitle"),
        over: locale.text("store.month"),
        unit: locale.text("store.monthVisits"),
        columns,
        locale
      })
}

const searchLink = (path: string, id: number, label: string): Html =>
  html`<p>
    <a href="${path}?${new URLSearchParams({ shop_ids: String(id), sort_by: "newest" }).toString()}">${label}</a>
  </p>`

/** The newest changes of the store, and the way to all. */
const changesPanel = (
  shop: ShopRecordItem,
  { changes, pagination }: FoundChanges,
  context: Parameters<typeof present>[1],
  locale: Locale
): Html => {
  const { text } = locale
  const rows = changes.map((change) => present(change, context))
  return html`<section class="panel" id="changes">
    <h2>${text("changes.heading")}</h2>
    ${
      rows.length === 0
        ? html`<p class="empty">${text("changes.noneYet")}</p>`
        : changeTable(rows, locale, { isOfOneStore: true })
    }
    ${
      pagination.has_more &&
      html`<p>
        <a href="${changesOf({ shop_ids: [shop.id], since: allChanges })}">${text("store.allChanges")}</a>
      </p>`
    }
  </section>`
}

/** A page of the store's products or ads. */
const list = (options: {
  readonly subject: "products" | "ads"
  readonly heading: string
  readonly items: ReadonlyArray<Html>
  readonly pagination: Page.Pagination
  readonly none: string
  readonly more: Html
  readonly look?: "small"
  readonly hrefOf: (page: number) => string
  readonly locale: Locale
}): Html => {
  const { heading, hrefOf, items, locale, look = "", more, none, pagination, subject } = options
  const { page, total } = pagination
  const last = Math.min(Page.lastPage, Math.max(1, Math.ceil(total / perPage)))
  return html`<section class="store-items" id="${subject}">
    <h2>${heading}</h2>
    ${total > 0 && html`<p class="aside">${locale.text(`search.total.${subject}`, { count: total })}</p>`}
    ${
      items.length === 0
        ? html`<p class="empty">${total === 0 ? none : locale.text("search.pastLast")}</p>`
        : html`<ul class="cards ${look}">
            ${items}
          </ul>`
    }
    ${total > 0 && pageLinks({ page, last, hrefOf, of: heading, locale })} ${total > 0 && more}
  </section>`
}

/** With the pages of both lists; `#` leads to the one that was turned. */
const hrefOf =
  (shopId: number, { ads = 1, products = 1 }: Query, subject: "products" | "ads") =>
  (page: number): string => {
    const pages = Object.entries({ products, ads, [subject]: page }).filter(([, each]) => each > 1)
    const query = new URLSearchParams(pages.map(([name, each]) => [name, String(each)])).toString()
    return `${storePath(shopId)}${query === "" ? "" : `?${query}`}#${subject}`
  }

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const routes = yield* PageRoutes
    const access = yield* CatalogAccess
    const shops = yield* ShopReader
    const adSearch = yield* AdSearch
    const productSearch = yield* ProductSearch
    const histories = yield* History
    const feed = yield* ChangeFeed
    const dataAsOf = yield* DataAsOf
    const keeping = KeepControls.make(yield* Boards)
    const { page } = yield* Layout
    const context = links(yield* AppConfig)

    const show = Effect.fnUntraced(function* (visitor: SignedIn, query: Query) {
      const { locale, session } = visitor
      const { text } = locale
      const id = yield* pathId
      const record = yield* shops
        .get(id, session.accountId)
        .pipe(Effect.catchTag("NotFound", () => Effect.fail(new PageNotFound())))
      const ofStore = { shop_ids: [id], sort_by: "newest", per_page: perPage } as const
      // No argument of these comes from the visitor but the numbers, which have been decoded.
      const found = yield* Effect.all({
        products: productSearch.search({ ...ofStore, page: query.products ?? 1 }, session.accountId),
        ads: adSearch.search({ ...ofStore, page: query.ads ?? 1 }),
        changes: feed.page({ shop_ids: [id], since: allChanges, per_page: shownChanges }, session.accountId)
      }).pipe(Effect.catchTag("InvalidArguments", Effect.die))
      const past = yield* histories.ofStore(id)
      const asOf = yield* dataAsOf
      const today = DateTime.formatIsoDateUtc(yield* DateTime.now)
      const shop = ShopItem.presentDetails(record, context)
      const standing = standingOf(shop)
      const store = { kind: "store", id } as const
      const kept = [
        store,
        ...found.products.products.map((product) => ({ kind: "product", id: product.id }) as const),
        ...found.ads.ads.map((ad) => ({ kind: "ad", id: ad.id }) as const)
      ]
      const keep = yield* keeping(visitor, kept, storePath(id))
      return page({
        title: shop.name,
        heading: thirdPartyText(shop.name),
        account: visitor,
        section: "stores",
        width: "wide",
        policy: { images: true },
        body: html`
          <p class="store-head">
            ${thirdPartyLink(`https://${shop.domain}`, html`<bdi>${shop.domain}</bdi>`, html`<bdi>${shop.domain}</bdi>`)}
            ${standing !== "none" && html`<span class="badge good">${text(`store.badges.${standing}`)}</span>`}
          </p>
          ${notice(query.done, standing, locale)} ${tracking(shop, visitor, keep.of(store, shop.name))} ${keep.form}
          <section class="panel">
            <h2>${text("store.figures")}</h2>
            ${figures(shop, locale)}
            <p class="aside">
              ${text("store.estimated")} ${asOf !== null && text("search.asOf", { day: locale.date(asOf) })}
            </p>
          </section>
          ${past !== undefined && history(past, shop.currency, locale)}
          ${changesPanel(shop, found.changes, context, locale)}
          <div class="side-by-side">
            <section class="panel">
              <h2>${text("store.traffic")}</h2>
              ${traffic(shop, locale)}
            </section>
            <section class="panel">
              <h2>${text("store.about")}</h2>
              ${about(shop, locale)}
            </section>
          </div>
          ${list({
            subject: "products",
            heading: text("store.products"),
            items: found.products.products.map((product) =>
              productCard(ProductItem.present(product, context), locale, {
                below: keep.of({ kind: "product", id: product.id }, product.title)
              })
            ),
            pagination: found.products.pagination,
            none: text("store.noProducts"),
            more: searchLink(sections.products, shop.id, text("store.moreProducts")),
            look: "small",
            hrefOf: hrefOf(shop.id, query, "products"),
            locale
          })}
          ${list({
            subject: "ads",
            heading: text("store.ads"),
            items: found.ads.ads.map((ad) =>
              adCard(AdItem.present(ad, { ...context, today }), locale, {
                below: keep.of({ kind: "ad", id: ad.id }, ad.page_name)
              })
            ),
            pagination: found.ads.pagination,
            none: text("store.noAds"),
            more: searchLink(sections.ads, shop.id, text("store.moreAds")),
            hrefOf: hrefOf(shop.id, query, "ads"),
            locale
          })}
        `
      })
    })

    yield* routes.signedInPage(
      `${storesPath}/:id`,
      reads(Query, (visitor, query) => access.allow(visitor, "stores", show(visitor, query)))
    )
  })
)

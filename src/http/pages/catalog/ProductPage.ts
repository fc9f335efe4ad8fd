/**
 * `/dashboard/products/:id` (D116): what is on record of a product, at an address that people of the account can share. The details
 * are those of `get_product`: only for stores that the account tracks or owns (D45).
 */
import { Effect, Layer } from "effect"
import { AppConfig } from "../../../Config.ts"
import { links } from "../../../domain/catalog/DashboardUrl.ts"
import * as ProductItem from "../../../domain/catalog/ProductItem.ts"
import * as ProductRecordItem from "../../../domain/catalog/ProductRecordItem.ts"
import type { Price } from "../../../domain/catalog/Series.ts"
import { Boards } from "../../../services/accounts/Boards.ts"
import { History } from "../../../services/changes/History.ts"
import { ItemReader } from "../../../services/search/ItemReader.ts"
import { ProductReader } from "../../../services/search/ProductReader.ts"
import { storeFigures } from "./CardFigures.ts"
import * as KeepControls from "../boards/KeepControls.ts"
import { CatalogAccess } from "./CatalogAccess.ts"
import * as Chart from "../shared/Chart.ts"
import { PageNotFound } from "../shared/ErrorPage.ts"
import { fact } from "../shared/Fact.ts"
import { html } from "../shared/Html.ts"
import type { Html } from "../shared/Html.ts"
import { Layout, sections } from "../shared/Layout.ts"
import type { Locale } from "../shared/Locale.ts"
import { PageRoutes } from "../shared/PageRoutes.ts"
import { pathId } from "../shared/PathId.ts"
import { picture } from "../shared/Picture.ts"
import { known } from "./StoreFigures.ts"
import { storePath } from "./StorePaths.ts"
import { tableOf } from "../shared/Table.ts"
import { thirdPartyLink, thirdPartyText } from "../shared/ThirdParty.ts"
import type { SignedIn } from "../shared/Visitors.ts"

/** As many as a chart shows at the width of a phone. */
const maxPrices = 24

interface Details {
  readonly product: ProductRecordItem.ProductRecordItem
  readonly prices: ReadonlyArray<Price>
}

const facts = (item: ProductItem.ProductItem, details: Details | undefined, locale: Locale): Html => {
  const { text } = locale
  return html`<dl class="figures">
    ${[
      fact(text("product.price"), locale.money(item.price, item.currency)),
      fact(
        text("product.added"),
        known(item.created_at, (time) => html`<time datetime="${time}">${locale.date(time)}</time>`, locale)
      ),
      ...(details === undefined
        ? []
        : [
            fact(text("product.vendor"), known(details.product.vendor, thirdPartyText, locale)),
            fact(text("product.type"), known(details.product.product_type, thirdPartyText, locale))
          ])
    ]}
  </dl>`
}

const variants = ({ product }: Details, locale: Locale): Html => {
  const { text } = locale
  const { currency, variants, variants_count: count } = product
  const optional = (value: string | null) => known(value, thirdPartyText, locale)
  // What storefronts call the variant of a product that has no options.
  const isOnly = count === 1 && variants[0]?.title === "Default Title"
  return html`<section class="panel">
    <h2>${text("product.variants", { count })}</h2>
    ${tableOf({
      label: text("product.variants", { count }),
      items: variants,
      columns: [
        [text("product.variant"), ({ title }) => (isOnly ? text("product.onlyVariant") : optional(title)), "name"],
        [text("product.sku"), ({ sku }) => optional(sku)],
        [text("product.price"), ({ price }) => locale.money(price, currency), "figure"],
        [
          text("product.before"),
          ({ compare_at_price: before }) => (before === null ? "" : locale.money(before, currency)),
          "figure"
        ],
        [
          text("product.availability"),
          ({ is_available: isAvailable }) =>
            known(isAvailable, (is) => (is ? text("product.available") : text("product.unavailable")), locale)
        ]
      ]
    })}
    ${variants.length < count && html`<p class="aside">${text("product.shownVariants", { shown: variants.length })}</p>`}
  </section>`
}

const prices = ({ prices, product }: Details, locale: Locale): Html | false => {
  const [first] = prices
  if (first === undefined) return false
  const write = (value: number) => locale.money(value, product.currency)
  return html`<section class="panel">
    <h2>${locale.text("product.prices")}</h2>
    ${
      prices.length === 1
        ? html`<p>
            ${locale.text("store.historyUnchanged", { day: locale.date(first.on), value: write(first.price) })}
          </p>`
        : Chart.columns({
            id: "prices",
            title: locale.text("product.pricesAbout"),
            over: locale.text("store.day"),
            unit: locale.text("product.price"),
            columns: prices.map(({ on, price }) => ({ label: locale.date(on), short: locale.date(on), value: price })),
            write,
            locale
          })
    }
  </section>`
}

const moreOf = (details: Details, locale: Locale): Html => {
  const { text } = locale
  const { description, images, variants: shown } = details.product
  return html`${prices(details, locale)}
    <section class="panel">
      <h2>${text("product.description")}</h2>
      ${
        description === null
          ? html`<p class="unknown">${text("product.noDescription")}</p>`
          : html`<p><span lang="" dir="auto" class="wording">${description}</span></p>`
      }
    </section>
    ${shown.length > 0 && variants(details, locale)}
    ${
      images.length > 1 &&
      html`<section class="panel">
        <h2>${text("product.images")}</h2>
        <ul class="images">
          ${images.map(({ url }) => html`<li>${picture({ src: url, ratio: "square" })}</li>`)}
        </ul>
      </section>`
    }`
}

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const routes = yield* PageRoutes
    const access = yield* CatalogAccess
    const items = yield* ItemReader
    const products = yield* ProductReader
    const histories = yield* History
    const keeping = KeepControls.make(yield* Boards)
    const { page } = yield* Layout
    const context = links(yield* AppConfig)

    /** Absent for a store that the account neither tracks nor owns. */
    const detailsOf = Effect.fnUntraced(
      function* (id: number, { session }: SignedIn) {
        const product = ProductRecordItem.present(yield* products.get(id, session.accountId), context)
        return { product, prices: yield* histories.ofProduct(id, maxPrices) }
      },
      Effect.catchTags({
        ShopNotTracked: () => Effect.succeed(undefined),
        NotFound: () => Effect.fail(new PageNotFound())
      })
    )

    const show = Effect.fnUntraced(function* (visitor: SignedIn) {
      const { locale, session } = visitor
      const { text } = locale
      const id = yield* pathId
      const found = yield* items.product(id, session.accountId)
      if (found === undefined) return yield* new PageNotFound()
      const item = ProductItem.present(found, context)
      const details = yield* detailsOf(id, visitor)
      const store = storePath(item.shop.id)
      const kept = { kind: "product", id } as const
      const keep = yield* keeping(visitor, [kept], `${sections.products}/${id}`)
      return page({
        title: item.title,
        heading: thirdPartyText(item.title),
        account: visitor,
        section: "products",
        width: "wide",
        policy: { images: true },
        body: html`
          <div class="item">
            <div class="shown">${picture({ src: item.image_url, ratio: "square" })}</div>
            <div>
              <section class="panel">
                <h2>${text("product.facts")}</h2>
                ${facts(item, details, locale)}
                ${item.url !== null && html`<p class="links">${thirdPartyLink(item.url, text("card.view.product"))}</p>`}
                ${keep.of(kept, item.title)} ${keep.form}
                ${
                  details === undefined &&
                  html`<p>
                    ${locale.html("product.untracked", { store: (content) => html`<a href="${store}">${content}</a>` })}
                  </p>`
                }
              </section>
              <section class="panel">
                <h2>${text("product.store")}</h2>
                <p><a href="${store}">${thirdPartyText(item.shop.name)}</a></p>
                <dl class="figures">${storeFigures(item, locale)}</dl>
              </section>
            </div>
          </div>
          ${details !== undefined && moreOf(details, locale)}
        `
      })
    })

    yield* routes.signedInPage(`${sections.products}/:id`, (visitor) =>
      access.allow(visitor, "products", show(visitor))
    )
  })
)

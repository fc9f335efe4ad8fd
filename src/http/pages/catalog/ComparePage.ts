/** `/dashboard/compare`: the figures of up to five stores side by side (D117). */
import { Effect, Layer, Schema } from "effect"
import { AppConfig } from "../../../Config.ts"
import { links } from "../../../domain/catalog/DashboardUrl.ts"
import * as ShopItem from "../../../domain/catalog/ShopItem.ts"
import type { ShopRecordItem } from "../../../domain/catalog/ShopItem.ts"
import { maxInteger } from "../../../domain/Scalars.ts"
import { ShopReader } from "../../../services/search/ShopReader.ts"
import { html } from "../shared/Html.ts"
import type { Html } from "../shared/Html.ts"
import { Layout } from "../shared/Layout.ts"
import type { Locale } from "../shared/Locale.ts"
import { PageRoutes, reads } from "../shared/PageRoutes.ts"
import { tableOf } from "../shared/Table.ts"
import { thirdPartyText } from "../shared/ThirdParty.ts"
import type { SignedIn } from "../shared/Visitors.ts"
import { CatalogAccess } from "./CatalogAccess.ts"
import { compareHref, comparePath, maxCompared } from "./CompareControls.ts"
import { figureRows } from "./StoreFigures.ts"
import { storePath, storesPath } from "./StorePaths.ts"

/** One id, or several with commas between them. More than there are to choose from on any page are refused. */
const Ids = Schema.String.check(Schema.isPattern(/^[1-9]\d{0,9}(?:,[1-9]\d{0,9}){0,99}$/u))

/** Boxes of a form repeat the parameter. */
const Query = Schema.Struct({
  shop_ids: Schema.optionalKey(Schema.Union([Ids, Schema.Array(Ids).check(Schema.isMaxLength(100))]))
})

const idsOf = ({ shop_ids: given = [] }: typeof Query.Type): ReadonlyArray<number> => {
  const texts = typeof given === "string" ? [given] : given
  return Array.from(new Set(texts.flatMap((text) => text.split(",").map(Number))))
}

/** Rows are figures and columns are stores. Where they do not fit side by side, each figure is a block of its values. */
const table = (shops: ReadonlyArray<ShopRecordItem>, locale: Locale): Html => {
  const rowsOf = new Map(shops.map((shop) => [shop.id, figureRows(shop, locale)]))
  const [first] = rowsOf.values()
  return tableOf({
    label: locale.text("compare.heading"),
    kind: "compared",
    items: (first ?? []).map(({ name }, place) => ({ name, place })),
    columns: [
      [locale.text("store.figures"), ({ name }) => name, "name"],
      ...shops.map(
        (shop) =>
          [shop.name, ({ place }: { readonly place: number }) => rowsOf.get(shop.id)?.[place]?.value ?? ""] as const
      )
    ]
  })
}

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const routes = yield* PageRoutes
    const access = yield* CatalogAccess
    const reader = yield* ShopReader
    const { page } = yield* Layout
    const context = links(yield* AppConfig)

    const show = Effect.fnUntraced(function* (visitor: SignedIn, query: typeof Query.Type) {
      const { locale, session } = visitor
      const { text } = locale
      const ids = idsOf(query)
      const asked = ids.slice(0, maxCompared)
      // No store has an id that the database could not hold.
      const possible = asked.filter((id) => id <= maxInteger)
      const details = yield* reader.all(possible, session.accountId)
      const shops = details.map((shop) => ShopItem.presentDetails(shop, context))
      const found = shops.map(({ id }) => id)
      const unknown = asked.filter((id) => !found.includes(id))
      const store = ({ id, name }: ShopRecordItem) =>
        html`<li>
          <a href="${storePath(id)}">${thirdPartyText(name)}</a>
          <a
            href="${compareHref(found.filter((each) => each !== id))}"
            class="aside"
            aria-label="${text("compare.withoutOf", { name })}"
            >${text("compare.without")}</a
          >
        </li>`
      return page({
        heading: text("compare.heading"),
        account: visitor,
        section: "stores",
        width: "wide",
        body: html`
          ${
            ids.length > maxCompared &&
            html`<p class="problems" role="alert">
              ${text("compare.tooMany", { most: maxCompared, left: ids.length - maxCompared })}
            </p>`
          }
          ${
            unknown.length > 0 &&
            html`<p class="problems" role="alert">
              ${text("compare.unknown", { count: unknown.length, ids: locale.list(unknown.map(String)) })}
            </p>`
          }
          ${
            shops.length === 0
              ? html`<div class="empty">
                  <p>${text("compare.none")}</p>
                  <p>
                    ${locale.html("compare.noneNext", { stores: html`<a href="${storesPath}">${text("layout.section.stores")}</a>`, compare: text("compare.submit") })}
                  </p>
                </div>`
              : html`<section class="panel">
                  <ul class="beside compared-stores">
                    ${shops.map(store)}
                  </ul>
                  ${table(shops, locale)}
                  <p class="aside">${text("store.estimated")}</p>
                </section>`
          }
        `
      })
    })

    yield* routes.signedInPage(
      comparePath,
      reads(Query, (visitor, query) => access.allow(visitor, "stores", show(visitor, query)))
    )
  })
)

/** The card of a store: an item of a list `.cards`. */
import type { ShopFacts } from "../../../domain/catalog/ShopItem.ts"
import { html } from "../shared/Html.ts"
import type { Html } from "../shared/Html.ts"
import type { Locale } from "../shared/Locale.ts"
import { thirdPartyText } from "../shared/ThirdParty.ts"
import { cardFigures, storeFigures } from "./CardFigures.ts"
import { storePath } from "./StorePaths.ts"

/** `beside` is before the name, and `below` the end of the card. */
export const storeCard = (
  shop: ShopFacts,
  locale: Locale,
  { below, beside }: { readonly beside?: Html; readonly below?: Html } = {}
): Html =>
  html`<li class="card" data-store-id="${shop.id}">
    <p class="about">
      <strong>${beside} <a href="${storePath(shop.id)}">${thirdPartyText(shop.name)}</a></strong>
      <bdi class="aside">${shop.domain}</bdi>
    </p>
    <p class="badges">
      <span class="badge">${locale.countryName(shop.country)}</span>
      ${shop.is_tracked && html`<span class="badge good">${locale.text("store.badges.tracked")}</span>`}
    </p>
    ${cardFigures(storeFigures({ currency: shop.currency, shop }, locale))} ${below}
  </li>`

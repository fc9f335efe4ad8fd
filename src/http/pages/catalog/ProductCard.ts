/** The card of a product: an item of a list `.cards`, on a page whose policy allows the catalog's images. */
import type { ProductItem } from "../../../domain/catalog/ProductItem.ts"
import { html } from "../shared/Html.ts"
import type { Html } from "../shared/Html.ts"
import type { Locale } from "../shared/Locale.ts"
import { picture } from "../shared/Picture.ts"
import { cardFigures, storeFigures } from "./CardFigures.ts"
import { productPath, storePath } from "./StorePaths.ts"
import { thirdPartyLink, thirdPartyText } from "../shared/ThirdParty.ts"

/** With `shop`, it has the store's name, as a link to its page, and its figures. `below` is the end of the card. */
export const productCard = (
  product: ProductItem,
  locale: Locale,
  { below, shop = false }: { readonly shop?: boolean; readonly below?: Html } = {}
): Html => {
  const title = thirdPartyText(product.title)
  const { created_at: created } = product
  return html`<li class="card" data-product-id="${product.id}">
    ${picture({ src: product.image_url, ratio: "square" })}
    <p class="about">
      <strong>${thirdPartyLink(product.url, title, title)}</strong>
      ${shop && html`<a href="${storePath(product.shop.id)}">${thirdPartyText(product.shop.name)}</a>`}
    </p>
    <p class="price">${locale.money(product.price, product.currency)}</p>
    ${shop && cardFigures(storeFigures(product, locale))}
    ${created !== null && html`<p class="aside">${locale.html("card.added", { date: html`<time datetime="${created}">${locale.date(created)}</time>` })}</p>`}
    <p class="links"><a href="${productPath(product.id)}">${locale.text("card.details")}</a></p>
    ${below}
  </li>`
}

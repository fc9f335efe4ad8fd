/** The card of an ad: an item of a list `.cards`, on a page whose policy allows the catalog's images. */
import type { AdItem } from "../../../domain/catalog/AdItem.ts"
import { fact } from "../shared/Fact.ts"
import { html } from "../shared/Html.ts"
import type { Html } from "../shared/Html.ts"
import type { Locale } from "../shared/Locale.ts"
import { picture } from "../shared/Picture.ts"
import { cardFigures } from "./CardFigures.ts"
import type { changeIn } from "./StoreFigures.ts"
import { adPath, storePath } from "./StorePaths.ts"
import { thirdPartyLink, thirdPartyText } from "../shared/ThirdParty.ts"

/** A longer text is collapsed: about four lines of a card. */
const shortCopy = { characters: 140, lines: 4 }

/** The ad's text without blank lines. */
const copy = (adText: string): Html => {
  const text = adText.replaceAll(/\n\s*\n/gu, "\n")
  const whole = html`<span lang="" dir="auto" class="wording">${text}</span>`
  const isShort = text.length <= shortCopy.characters && text.split("\n").length <= shortCopy.lines
  return isShort ? html`<p>${whole}</p>` : html`<details class="wording"><summary>${whole}</summary></details>`
}

/** With `shop`, it has the store's name, as a link to its page. `change` is what orders the ads, and `below` the end of the card. */
export const adCard = (
  ad: AdItem,
  locale: Locale,
  {
    below,
    change,
    shop = false
  }: {
    readonly shop?: boolean
    readonly change?: ReturnType<typeof changeIn>
    readonly below?: Html
  } = {}
): Html => {
  const { text } = locale
  const started = html`<time datetime="${ad.started_at}">${locale.date(ad.started_at)}</time>`
  const figures = [
    fact(text("filter.bundles.running"), text("card.days", { days: ad.active_days })),
    ...(change === undefined || ad.shop === null ? [] : [fact(change.name, change.written(ad.shop.change))]),
    ...(shop && ad.shop !== null ? [fact(text("store.figure.active_ads"), locale.number(ad.shop.active_ads))] : [])
  ]
  const links = [
    html`<a href="${adPath(ad.id)}">${text("card.details")}</a>`,
    thirdPartyLink(ad.ad_library_url, text("card.adLibrary")),
    thirdPartyLink(ad.landing_url, text("card.landingPage"))
  ].filter((link) => link !== undefined)
  return html`<li class="card" data-ad-id="${ad.id}">
    ${picture({ src: ad.image_url, ratio: "wide" })}
    <p class="about">
      <strong>${thirdPartyText(ad.page_name)}</strong>
      ${shop && ad.shop !== null && html`<a href="${storePath(ad.shop.id)}">${thirdPartyText(ad.shop.name)}</a>`}
    </p>
    <p class="badges">
      <span class="badge ${ad.status === "active" && "good"}">${text(`card.statuses.${ad.status}`)}</span>
      <span class="badge">${text(`card.mediaTypes.${ad.media_type}`)}</span>
      ${ad.is_partnership && html`<span class="badge">${text("card.partnership")}</span>`}
    </p>
    ${ad.headline !== null && html`<p class="headline" lang="" dir="auto">${ad.headline}</p>`}
    ${ad.ad_text !== null && copy(ad.ad_text)}
    ${ad.cta !== null && html`<p><span class="cta" lang="en">${ad.cta}</span></p>`} ${cardFigures(figures)}
    <p class="aside">${locale.html("card.started", { date: started })}</p>
    <p class="links">${links}</p>
    ${below}
  </li>`
}

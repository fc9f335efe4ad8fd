/** `/dashboard/ads/:id` (D116): everything on record of an ad, at an address that people of the account can share. */
import { DateTime, Effect, Layer } from "effect"
import { AppConfig } from "../../../Config.ts"
import * as AdItem from "../../../domain/catalog/AdItem.ts"
import { links } from "../../../domain/catalog/DashboardUrl.ts"
import { Boards } from "../../../services/accounts/Boards.ts"
import { ItemReader } from "../../../services/search/ItemReader.ts"
import * as KeepControls from "../boards/KeepControls.ts"
import { CatalogAccess } from "./CatalogAccess.ts"
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
import { thirdPartyLink, thirdPartyText } from "../shared/ThirdParty.ts"
import type { SignedIn } from "../shared/Visitors.ts"

const facts = (ad: AdItem.AdItem, locale: Locale): Html => {
  const { text } = locale
  const day = (name: string, value: string) => fact(name, html`<time datetime="${value}">${locale.date(value)}</time>`)
  return html`<dl class="figures">
    ${[
      fact(
        text("ad.status"),
        html`<span class="badge ${ad.status === "active" && "good"}">${text(`card.statuses.${ad.status}`)}</span>`
      ),
      fact(text("filter.bundles.running"), text("card.days", { days: ad.active_days })),
      day(text("ad.started"), ad.started_at),
      day(text("ad.lastSeen"), ad.last_seen_at),
      fact(
        text("ad.mediaType"),
        html`${text(`card.mediaTypes.${ad.media_type}`)}
        ${ad.is_partnership && html`<span class="badge">${text("card.partnership")}</span>`}`
      ),
      fact(
        text("ad.cta"),
        known(ad.cta, (cta) => html`<span lang="en">${cta}</span>`, locale)
      ),
      fact(
        text("ad.libraryId"),
        known(ad.ad_archive_id, (id) => html`<small>${id}</small>`, locale)
      )
    ]}
  </dl>`
}

const wording = ({ ad_text: adText, headline }: AdItem.AdItem, { text }: Locale): Html =>
  headline === null && adText === null
    ? html`<p class="unknown">${text("ad.noText")}</p>`
    : html`${headline !== null && html`<h3 lang="" dir="auto">${headline}</h3>`}
      ${adText !== null && html`<p><span lang="" dir="auto" class="wording">${adText}</span></p>`}`

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const routes = yield* PageRoutes
    const access = yield* CatalogAccess
    const items = yield* ItemReader
    const keeping = KeepControls.make(yield* Boards)
    const { page } = yield* Layout
    const context = links(yield* AppConfig)

    const show = Effect.fnUntraced(function* (visitor: SignedIn) {
      const { locale } = visitor
      const { text } = locale
      const id = yield* pathId
      const found = yield* items.ad(id)
      if (found === undefined) return yield* new PageNotFound()
      const today = DateTime.formatIsoDateUtc(yield* DateTime.now)
      const ad = AdItem.present(found, { ...context, today })
      const kept = { kind: "ad", id } as const
      const keep = yield* keeping(visitor, [kept], `${sections.ads}/${id}`)
      const outward = [
        thirdPartyLink(ad.ad_library_url, text("card.adLibrary")),
        thirdPartyLink(ad.landing_url, text("card.landingPage"))
      ].filter((link) => link !== undefined)
      return page({
        title: text("ad.title", { page: ad.page_name }),
        heading: locale.html("ad.title", { page: thirdPartyText(ad.page_name) }),
        account: visitor,
        section: "ads",
        width: "wide",
        policy: { images: true },
        body: html`
          <div class="item">
            <div class="shown">${picture({ src: ad.image_url, ratio: "wide" })}</div>
            <div>
              <section class="panel">
                <h2>${text("ad.facts")}</h2>
                ${facts(ad, locale)} ${outward.length > 0 && html`<p class="links">${outward}</p>`}
                ${keep.of(kept, ad.page_name)} ${keep.form}
              </section>
              <section class="panel">
                <h2>${text("ad.text")}</h2>
                ${wording(ad, locale)}
              </section>
              <section class="panel">
                <h2>${text("ad.store")}</h2>
                ${
                  ad.shop === null
                    ? html`<p class="unknown">${text("ad.noStore")}</p>`
                    : html`<p><a href="${storePath(ad.shop.id)}">${thirdPartyText(ad.shop.name)}</a></p>
                        <dl class="figures">
                          ${[
                            fact(text("store.country"), locale.countryName(ad.shop.country)),
                            fact(text("store.figure.active_ads"), locale.number(ad.shop.active_ads))
                          ]}
                        </dl>
                        <p><a href="${storePath(ad.shop.id)}#ads">${text("store.moreAds")}</a></p>`
                }
              </section>
            </div>
          </div>
        `
      })
    })

    yield* routes.signedInPage(`${sections.ads}/:id`, (visitor) => access.allow(visitor, "ads", show(visitor)))
  })
)

/** `/dashboard`: the first page after a sign-in, with the state of the account, first steps and links. */
import { Effect } from "effect"
import { HttpRouter } from "effect/http"
import { AppConfig } from "../../../Config.ts"
import type { Credits } from "../../../domain/access/Account.ts"
import { remaining } from "../../../domain/access/Credit.ts"
import { titles } from "../../../domain/access/Plan.ts"
import { ApiKeys } from "../../../services/access/ApiKeys.ts"
import { Usage } from "../../../services/access/Usage.ts"
import { ConnectedApps } from "../../../services/oauth/ConnectedApps.ts"
import { copyText } from "../shared/CopyText.ts"
import { PageNotFound } from "../shared/ErrorPage.ts"
import { html } from "../shared/Html.ts"
import type { Html } from "../shared/Html.ts"
import { inNavigation, Layout, overviewPath, sections } from "../shared/Layout.ts"
import type { Locale } from "../shared/Locale.ts"
import * as OutwardLinks from "../shared/OutwardLinks.ts"
import { PageRoutes } from "../shared/PageRoutes.ts"
import { statusBadge, subscriptionNotice } from "./Subscription.ts"

const creditsOf = (credits: Credits | undefined, { date, number, text }: Locale): Html =>
  credits === undefined
    ? html`<div>
        <dt>${text("dashboard.creditsLeft")}</dt>
        <dd>${text("dashboard.noCredits")}</dd>
      </div>`
    : html`<div>
          <dt>${text("dashboard.creditsLeft")}</dt>
          <dd>
            <strong>${number(Math.max(0, remaining(credits)))}</strong>
            <small>${text("dashboard.ofAllowance", { allowance: credits.allowance })}</small>
          </dd>
        </div>
        <div>
          <dt>${text("dashboard.renews")}</dt>
          <dd>${date(credits.periodEnd)}</dd>
        </div>`

interface Step {
  readonly title: string
  readonly about: string
  readonly isDone: boolean
  readonly more?: Html
}

const stepItem = ({ about, isDone, more, title }: Step, locale: Locale): Html => html`
  <li ${isDone && html`class="done"`}>
    <strong>${title}</strong> ${isDone && html`<span class="badge good">${locale.text("dashboard.done")}</span>`}
    <p>${about}</p>
    ${more}
  </li>
`

export const layer = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const routes = yield* PageRoutes
    const config = yield* AppConfig
    const { billing } = OutwardLinks.of(config)
    const { mcpUrl } = config
    const { page } = yield* Layout
    const usage = yield* Usage
    const apiKeys = yield* ApiKeys
    const connectedApps = yield* ConnectedApps

    yield* router.add(
      "GET",
      overviewPath,
      routes.signedInPage(
        Effect.fnUntraced(function* (visitor) {
          const { locale, session } = visitor
          const { text } = locale
          const [credits, keys, apps] = yield* Effect.all(
            [usage.credits(session.accountId), apiKeys.list(session.accountId), connectedApps.list(session.accountId)],
            { concurrency: "unbounded" }
          )
          const isConnected = keys.length + apps.length > 0
          const hasCalled = [...keys, ...apps].some(({ lastUsedAt }) => lastUsedAt !== null) || (credits?.used ?? 0) > 0
          const address = html`
            <p class="hint" id="address">${text("dashboard.address")}</p>
            ${copyText({ id: "mcp-url", named: "address", text: mcpUrl, locale })}
          `
          const steps: ReadonlyArray<Step> = [
            {
              title: text("dashboard.connect"),
              about: text("dashboard.connectAbout"),
              isDone: isConnected,
              more: html`${address}
                <p><a href="${sections.integrations}">${text("dashboard.toIntegrations")}</a></p>`
            },
            { title: text("dashboard.call"), about: text("dashboard.callAbout"), isDone: hasCalled },
            {
              title: text("dashboard.look"),
              about: text("dashboard.lookAbout"),
              isDone: false,
              more: html`<p><a href="${sections.ads}">${text("dashboard.toAds")}</a></p>`
            }
          ]
          return page({
            heading: text("dashboard.heading"),
            account: visitor,
            locale,
            width: "wide",
            body: html`
              ${subscriptionNotice(session, { billing, locale })}
              <section class="panel">
                <dl class="figures">
                  ${creditsOf(credits, locale)}
                  <div>
                    <dt>${text("dashboard.plan")}</dt>
                    <dd>${titles[session.plan]} ${statusBadge(session.status, locale)}</dd>
                  </div>
                  <div>
                    <dt>${text("dashboard.connected")}</dt>
                    <dd>${text("dashboard.keysAndApps", { keys: keys.length, apps: apps.length })}</dd>
                  </div>
                </dl>
                ${hasCalled && address}
              </section>
              ${
                !hasCalled &&
                html`<section class="panel" aria-labelledby="start">
                  <h2 id="start">${text("dashboard.start")}</h2>
                  <p>${text("dashboard.startAbout")}</p>
                  <ol class="steps">
                    ${steps.map((step) => stepItem(step, locale))}
                  </ol>
                </section>`
              }
              <section aria-labelledby="places">
                <h2 id="places">${text("dashboard.sections")}</h2>
                <ul class="cards places">
                  ${([...inNavigation, "account"] as const).map(
                    (section) =>
                      html`<li class="card">
                        <a href="${sections[section]}"
                          >${section === "account" ? text("dashboard.account") : text(`layout.section.${section}`)}</a
                        >
                        <p>${text(`dashboard.about.${section}`)}</p>
                      </li>`
                  )}
                </ul>
              </section>
            `
          })
        })
      )
    )

    // All other paths below the dashboard are not found, for links and forms. The pattern `/dashboard/*` would also match `/dashboard`.
    for (const method of ["GET", "POST"] as const) {
      yield* router.add(
        method,
        "/dashboard/:place/*",
        routes.page(() => Effect.fail(new PageNotFound()))
      )
    }
  })
)

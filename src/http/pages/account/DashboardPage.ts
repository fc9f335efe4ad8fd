/** `/dashboard`: the first page after a sign-in, with what has changed at tracked stores, the account, its next step, last searches and calls. */
import { Effect, Layer } from "effect"
import { AppConfig } from "../../../Config.ts"
import type { Credits } from "../../../domain/access/Account.ts"
import { remaining } from "../../../domain/access/Credit.ts"
import type { ChangeItem } from "../../../domain/search/ChangeQuery.ts"
import { dashboardUrl } from "../../../domain/catalog/DashboardUrl.ts"
import { mayCallTools, titles } from "../../../domain/access/Plan.ts"
import { ApiKeys } from "../../../services/credentials/ApiKeys.ts"
import { CallHistory } from "../../../services/credits/CallHistory.ts"
import type { RecordedCall } from "../../../services/credits/CallHistory.ts"
import { SavedSearches } from "../../../services/accounts/SavedSearches.ts"
import type { RecentSearch } from "../../../services/accounts/SavedSearches.ts"
import { ChangeFeed, present } from "../../../services/changes/ChangeFeed.ts"
import { Usage } from "../../../services/credits/Usage.ts"
import { ConnectedApps } from "../../../services/oauth/ConnectedApps.ts"
import { noChoices, Vocabulary } from "../../../services/search/Vocabulary.ts"
import type { Popular } from "../../../services/search/Vocabulary.ts"
import { changesOf } from "../catalog/ChangesPage.ts"
import { changeTable } from "../catalog/ChangeTable.ts"
import * as FilterChips from "../catalog/FilterChips.ts"
import { searchesPath, searchPath } from "../catalog/SearchActions.ts"
import { copyText } from "../shared/CopyText.ts"
import { PageNotFound } from "../shared/ErrorPage.ts"
import { fact } from "../shared/Fact.ts"
import { html } from "../shared/Html.ts"
import type { Html } from "../shared/Html.ts"
import { Layout, overviewPath, sections } from "../shared/Layout.ts"
import type { Locale } from "../shared/Locale.ts"
import * as OutwardLinks from "../shared/OutwardLinks.ts"
import type { SignedIn } from "../shared/Visitors.ts"
import { PageRoutes, readsAll } from "../shared/PageRoutes.ts"
import { tableOf } from "../shared/Table.ts"
import { labelOf, outcomeBadge } from "../usage/CallsTable.ts"
import { statusBadge, subscriptionNotice } from "./Subscription.ts"

/** The Changes page has the others. */
const shownChanges = 5

/** The usage page has the others. */
const shownCalls = 5

const creditsOf = (credits: Credits | undefined, { date, number, text }: Locale): Html =>
  credits === undefined
    ? fact(text("dashboard.creditsLeft"), text("dashboard.noCredits"))
    : html`${fact(
        text("dashboard.creditsLeft"),
        html`<strong>${number(Math.max(0, remaining(credits)))}</strong>
          <small>${text("dashboard.ofAllowance", { allowance: credits.allowance })}</small>`
      )}
      ${fact(text("dashboard.renews"), date(credits.periodEnd))}`

interface Step {
  readonly title: string
  readonly about: string
  readonly isDone: boolean
  readonly more: Html
}

/** Only the next step shows how it is done. */
const stepItem = ({ about, isDone, more, title }: Step, isNext: boolean, locale: Locale): Html => html`
  <li ${isDone && html`class="done"`}>
    <strong>${title}</strong> ${isDone && html`<span class="badge good">${locale.text("dashboard.done")}</span>`}
    <p>${about}</p>
    ${isNext && more}
  </li>
`

/** Those of the pages (D67). One that is refused by now, such as for a niche that is gone, is left out. */
const lastSearches = (searches: ReadonlyArray<RecentSearch>, popular: Popular, locale: Locale): Html | undefined => {
  const { text } = locale
  const items = searches.flatMap((search) => {
    const summary = FilterChips.summary(search, { locale, popular })
    if (summary === undefined) return []
    return html`<li>
      <p class="filters-of">
        <span class="badge">${text(`layout.section.${search.subject}`)}</span>
        <a href="${searchPath(search)}">${summary}</a>
      </p>
      <p class="aside">${locale.dateTime(search.at)}</p>
    </li>`
  })
  if (items.length === 0) return undefined
  return html`<section class="panel" aria-labelledby="last-searches">
    <h2 id="last-searches">${text("dashboard.lastSearches")}</h2>
    <ul class="kept-searches">
      ${items}
    </ul>
    <p><a href="${searchesPath}">${text("saved.heading")}</a></p>
  </section>`
}

/** The newest of the last days, of tracked stores; nothing without any. */
const lastChanges = (changes: ReadonlyArray<ChangeItem>, { locale }: SignedIn): Html | undefined => {
  const { text } = locale
  if (changes.length === 0) return undefined
  return html`<section class="panel" aria-labelledby="last-changes">
    <h2 id="last-changes">${text("dashboard.changes")}</h2>
    ${changeTable(changes, locale)}
    <p><a href="${changesOf({ tracked_only: true })}">${text("dashboard.allChanges")}</a></p>
  </section>`
}

/** Without arguments: the activity log has none (D53). */
const lastCalls = (calls: ReadonlyArray<RecordedCall>, locale: Locale): Html => {
  const { text } = locale
  return html`<section class="panel" aria-labelledby="last-calls">
    <h2 id="last-calls">${text("usage.lastCalls")}</h2>
    ${tableOf<RecordedCall>({
      label: text("usage.lastCalls"),
      items: calls,
      columns: [
        [text("usage.time"), ({ at }) => locale.dateTime(at)],
        [text("usage.tool"), ({ tool }) => html`<code>${tool}</code>`],
        [text("usage.who"), ({ caller }) => labelOf(caller, locale)],
        [text("usage.outcome"), outcomeBadge]
      ]
    })}
    <p><a href="${sections.usage}">${text("dashboard.allCalls")}</a></p>
  </section>`
}

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const routes = yield* PageRoutes
    const config = yield* AppConfig
    const links = OutwardLinks.of(config)
    const { mcpUrl } = config
    const { page } = yield* Layout
    const usage = yield* Usage
    const apiKeys = yield* ApiKeys
    const connectedApps = yield* ConnectedApps
    const history = yield* CallHistory
    const saved = yield* SavedSearches
    const vocabulary = yield* Vocabulary
    const feed = yield* ChangeFeed
    const context = { dashboardUrl: dashboardUrl(config) }

    yield* routes.signedInPage(
      overviewPath,
      Effect.fnUntraced(function* (visitor) {
        const { locale, session } = visitor
        const { text } = locale
        const [credits, keys, apps, newest, searches] = yield* Effect.all(
          [
            usage.credits(session.accountId),
            apiKeys.list(session.accountId),
            connectedApps.list(session.accountId),
            history.calls(session.accountId, {}),
            saved.recent(session.accountId)
          ],
          { concurrency: "unbounded" }
        )
        const hasAccess = mayCallTools(session)
        // The page does not depend on them.
        const changed = hasAccess
          ? yield* feed.page({ tracked_only: true, per_page: shownChanges }, session.accountId).pipe(
              Effect.map(({ changes }) => changes.map((change) => present(change, context))),
              Effect.orElseSucceed(() => [])
            )
          : []
        const popular =
          searches.length === 0 ? noChoices : yield* Effect.orElseSucceed(vocabulary.popular, () => noChoices)
        const calls = newest.calls.slice(0, shownCalls)
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
              <p><a href="${sections.integrations}" role="button">${text("dashboard.toIntegrations")}</a></p>`
          },
          {
            title: text("dashboard.call"),
            about: text("dashboard.callAbout"),
            isDone: hasCalled,
            more: html`<p class="hint" id="ask">${text("dashboard.ask")}</p>
              ${copyText({ id: "prompt", named: "ask", text: text("dashboard.prompt"), locale })}`
          }
        ]
        // Without access, each step ends at a page that refuses it.
        const next = steps.find(({ isDone }) => !isDone)
        return page({
          heading: text("dashboard.heading"),
          account: visitor,
          width: "wide",
          body: html`
            ${subscriptionNotice(session, { links, locale })}
            <section class="panel">
              <dl class="figures">
                ${creditsOf(credits, locale)}
                ${fact(text("dashboard.plan"), html`${titles[session.plan]} ${statusBadge(session.status, locale)}`)}
                ${fact(text("dashboard.connected"), text("dashboard.keysAndApps", { keys: keys.length, apps: apps.length }))}
              </dl>
              ${hasCalled && address}
            </section>
            ${
              !hasCalled &&
              html`<section class="panel" aria-labelledby="start">
                <h2 id="start">${text("dashboard.start")}</h2>
                <p>${text(hasAccess ? "dashboard.startAbout" : "dashboard.startLater")}</p>
                ${
                  hasAccess &&
                  html`<ol class="steps">
                    ${steps.map((step) => stepItem(step, step === next, locale))}
                  </ol>`
                }
                ${
                  hasAccess &&
                  html`<p class="aside">
                    ${text("dashboard.lookAbout")} <a href="${sections.ads}">${text("dashboard.toAds")}</a>
                  </p>`
                }
              </section>`
            }
            ${lastChanges(changed, visitor)} ${lastSearches(searches, popular, locale)}
            ${calls.length > 0 && lastCalls(calls, locale)}
          `
        })
      })
    )

    // All other paths below the dashboard are not found, for links and forms. The pattern `/dashboard/*` would also match `/dashboard`.
    for (const method of ["GET", "POST"] as const) {
      yield* routes.page(
        "/dashboard/:place/*",
        readsAll(() => Effect.fail(new PageNotFound())),
        method
      )
    }
  })
)

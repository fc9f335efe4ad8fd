/**
 * `/dashboard`: the first page after a sign-in, with the account, its next step, tracked stores, saved searches, changes, last searches
 * and calls. What it says of the catalog is read at the same time, in bounded time, and never fails the page (D121).
 */
import { Effect, Layer, Result } from "effect"
import { AppConfig } from "../../../Config.ts"
import type { Credits } from "../../../domain/access/Account.ts"
import { remaining } from "../../../domain/access/Credit.ts"
import { dashboardUrl } from "../../../domain/catalog/DashboardUrl.ts"
import { mayCallTools, titles } from "../../../domain/access/Plan.ts"
import { ApiKeys } from "../../../services/credentials/ApiKeys.ts"
import { CallHistory } from "../../../services/credits/CallHistory.ts"
import { SavedSearches } from "../../../services/accounts/SavedSearches.ts"
import type { SavedSearch } from "../../../services/accounts/SavedSearches.ts"
import { ChangeFeed, present } from "../../../services/changes/ChangeFeed.ts"
import { TrackedNews } from "../../../services/changes/TrackedNews.ts"
import { Usage } from "../../../services/credits/Usage.ts"
import { CurrentAccount } from "../../../services/limits/CurrentAccount.ts"
import { DailyPageViews } from "../../../services/limits/DailyPageViews.ts"
import { PageRateLimit } from "../../../services/limits/PageRateLimit.ts"
import { ConnectedApps } from "../../../services/oauth/ConnectedApps.ts"
import { NewResults } from "../../../services/search/NewResults.ts"
import { noChoices, Vocabulary } from "../../../services/search/Vocabulary.ts"
import { newsOf } from "../catalog/SavedNews.ts"
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
import { lastCalls, lastChanges, lastSearches, savedSearches, trackedStores } from "./OverviewPanels.ts"
import type { Part, SavedNews, Unread } from "./OverviewPanels.ts"
import { statusBadge, subscriptionNotice } from "./Subscription.ts"

/** The Changes page has the others. */
const shownChanges = 5

/** Their new results are counted. The page of saved searches has the others. */
const shownSaved = 5

/** The page does not wait longer for a part. Counts of saved searches end before. */
const longestPart = "3 seconds"

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
    const tracked = yield* TrackedNews
    const results = yield* NewResults
    const rateLimit = yield* PageRateLimit
    const ofTheDay = yield* DailyPageViews
    const context = { dashboardUrl: dashboardUrl(config) }

    const partOf = <A>(read: Effect.Effect<A, Unread>): Effect.Effect<Part<A>> =>
      Effect.result(Effect.timeout(read, longestPart))

    /** Last viewed first. Names are shown without counts too, as on the page of saved searches. */
    const savedNews = Effect.fnUntraced(function* ({ locale, session }: SignedIn, uncounted: Unread | undefined) {
      const searches = yield* saved.all(session.accountId)
      const shown = searches
        .toSorted((one, other) => other.viewedAt.epochMilliseconds - one.viewedAt.epochMilliseconds)
        .slice(0, shownSaved)
      const count = (search: SavedSearch): Effect.Effect<Html | undefined> =>
        uncounted === undefined ? newsOf(results, search, locale) : Effect.succeed(undefined)
      const counted = yield* Effect.forEach(
        shown,
        (search) => Effect.map(count(search), (news) => ({ search, news })),
        { concurrency: "unbounded" }
      )
      return { shown: counted, total: searches.length, uncounted } satisfies SavedNews
    })

    /** Counts as a page of the catalog: it has figures of stores, and numbers of results. */
    const catalogParts = Effect.fnUntraced(function* (visitor: SignedIn) {
      const { accountId } = visitor.session
      const refused = yield* rateLimit.take(accountId).pipe(
        Effect.andThen(ofTheDay.take(accountId)),
        Effect.as(undefined),
        Effect.catch((unread) => Effect.succeed(unread))
      )
      const ofCatalog = <A>(read: Effect.Effect<A, Unread>) =>
        refused === undefined ? partOf(read) : Effect.succeed(Result.fail<Unread>(refused))
      const changes = feed
        .page({ tracked_only: true, per_page: shownChanges }, accountId)
        .pipe(Effect.map((found) => found.changes.map((change) => present(change, context))))
      return yield* Effect.all(
        {
          stores: ofCatalog(tracked.of(accountId)),
          searches: partOf(savedNews(visitor, refused)),
          changes: ofCatalog(changes)
        },
        { concurrency: "unbounded" }
      ).pipe(Effect.provideService(CurrentAccount, accountId))
    })

    yield* routes.signedInPage(
      overviewPath,
      Effect.fnUntraced(function* (visitor) {
        const { locale, session } = visitor
        const { text } = locale
        const hasAccess = mayCallTools(session)
        const [credits, keys, apps, newest, searches, parts] = yield* Effect.all(
          [
            usage.credits(session.accountId),
            apiKeys.list(session.accountId),
            connectedApps.list(session.accountId),
            history.calls(session.accountId, {}),
            saved.recent(session.accountId),
            hasAccess ? catalogParts(visitor) : Effect.succeed(undefined)
          ],
          { concurrency: "unbounded" }
        )
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
            ${
              parts !== undefined &&
              html`<div class="overview-pair">
                ${trackedStores(parts.stores, locale)} ${savedSearches(parts.searches, locale)}
              </div>`
            }
            ${parts !== undefined && lastChanges(parts.changes, locale)} ${lastSearches(searches, popular, locale)}
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

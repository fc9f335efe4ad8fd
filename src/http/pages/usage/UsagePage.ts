/** `/dashboard/usage`: remaining credits, their use, and the latest calls. */
import { Effect, Layer } from "effect"
import { AppConfig } from "../../../Config.ts"
import * as Credit from "../../../domain/access/Credit.ts"
import { titles } from "../../../domain/access/Plan.ts"
import { CallHistory } from "../../../services/credits/CallHistory.ts"
import { CurrentAccount } from "../../../services/limits/CurrentAccount.ts"
import { PageRateLimit } from "../../../services/limits/PageRateLimit.ts"
import { kinds, Notices, outcomes } from "../../../services/mail/Notices.ts"
import type { Counted } from "../../../services/mail/Notices.ts"
import { Usage } from "../../../services/credits/Usage.ts"
import type { Amount, Span, UsageOfCaller, UsageSummary } from "../../../services/credits/Usage.ts"
import { SearchPermits } from "../../../services/limits/SearchPermits.ts"
import { statusBadge, subscriptionNotice } from "../account/Subscription.ts"
import * as CallsTable from "./CallsTable.ts"
import { fact } from "../shared/Fact.ts"
import { html } from "../shared/Html.ts"
import type { Html } from "../shared/Html.ts"
import { integrationsPath } from "../integrations/IntegrationsPaths.ts"
import { Layout } from "../shared/Layout.ts"
import type { Locale } from "../shared/Locale.ts"
import * as OutwardLinks from "../shared/OutwardLinks.ts"
import { PageRoutes, reads } from "../shared/PageRoutes.ts"
import { tableOf } from "../shared/Table.ts"
import type { SignedIn } from "../shared/Visitors.ts"
import * as UsageAddress from "./UsageAddress.ts"
import type { UsageView } from "./UsageAddress.ts"
import { usageCharts } from "./UsageCharts.ts"

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const routes = yield* PageRoutes
    const config = yield* AppConfig
    const links = OutwardLinks.of(config)
    const { page } = yield* Layout
    const usage = yield* Usage
    const history = yield* CallHistory
    const rateLimit = yield* PageRateLimit
    const permits = yield* SearchPermits
    const notices = yield* Notices

    yield* routes.signedInPage(
      UsageAddress.usagePath,
      reads(
        UsageAddress.Query,
        Effect.fnUntraced(function* (visitor: SignedIn, query) {
          const view = UsageAddress.viewOf(query)
          const { locale, session } = visitor
          const { text } = locale
          const { accountId } = session
          yield* rateLimit.take(accountId)
          // A long history of many keys makes slow queries, so they share the account's permits with its searches.
          const [summary, calls, choices] = yield* permits
            .query(
              Effect.all([
                usage.summary(accountId, view.span),
                history.calls(accountId, view.filter, view.before),
                history.choices(accountId)
              ])
            )
            .pipe(Effect.provideService(CurrentAccount, accountId))
          const sent = yield* notices.since(accountId, summary.credits.periodStart)
          const isUsed = summary.hasCalls || summary.credits.used > 0
          return page({
            heading: text("usage.heading"),
            account: visitor,
            section: "usage",
            width: "wide",
            body: html`
              ${subscriptionNotice(summary, { links, locale })} ${credits(summary, locale)}
              ${
                isUsed
                  ? html`${used(summary, view, locale)}
                    ${CallsTable.lastCalls({ calls, choices, view, keptDays: config.activityDays }, locale)}`
                  : empty(locale)
              }
              ${noticesOf(sent, locale)}
            `
          })
        })
      )
    )
  })
).pipe(Layer.provide(SearchPermits.layer))

const empty = (locale: Locale): Html =>
  html`<section class="panel">
    <div class="empty">
      <h2>${locale.text("usage.empty")}</h2>
      <p>${locale.text("usage.emptyText")}</p>
      <p><a href="${integrationsPath}" role="button">${locale.text("usage.toIntegrations")}</a></p>
    </div>
  </section>`

const credits = ({ credits, plan, status }: UsageSummary, locale: Locale): Html => {
  const left = Credit.remaining(credits)
  const hasCredits = credits.allowance > 0
  return html`<section class="panel">
    <dl class="figures">
      ${fact(locale.text("usage.plan"), html`${titles[plan]} ${statusBadge(status, locale)}`)}
      ${fact(locale.text("usage.creditsLeft"), locale.text("usage.leftOf", { left, allowance: credits.allowance }))}
      <div>
        <dt id="credits-used">${locale.text("usage.used")}</dt>
        <dd>${locale.number(credits.used)}</dd>
      </div>
      ${hasCredits && fact(locale.text("usage.renews"), locale.date(credits.periodEnd))}
    </dl>
    ${hasCredits && html`<progress max="${credits.allowance}" value="${credits.used}" aria-labelledby="credits-used"></progress>`}
  </section>`
}

const used = (summary: UsageSummary, view: UsageView, locale: Locale): Html => {
  const { callers, days, otherCallers, tools } = summary
  const labels: Readonly<Record<Span, string>> = {
    period: locale.text("usage.period"),
    "30days": locale.text("usage.thirtyDays")
  }
  const way = (span: Span) =>
    html`<a href="${UsageAddress.format({ ...view, span })}" ${span === view.span && html`aria-current="true"`}
      >${labels[span]}</a
    >`
  const toTool = (tool: string) =>
    html`<a href="${CallsTable.addressOf({ ...view, filter: { tool }, before: undefined })}"><code>${tool}</code></a>`
  const toCaller = ({ caller }: UsageOfCaller) =>
    html`<a href="${CallsTable.addressOf({ ...view, filter: { caller }, before: undefined })}"
        >${CallsTable.labelOf(caller, locale)}</a
      >
      ${caller.isEnded && html`<span class="badge">${locale.text("usage.ended")}</span>`}`
  const ofKind = (kind: UsageOfCaller["caller"]["kind"]) => callers.filter(({ caller }) => caller.kind === kind)
  const rowsOf = (kind: UsageOfCaller["caller"]["kind"]) =>
    ofKind(kind).map((each) => ({ ...each, what: toCaller(each) }))
  const others =
    otherCallers.count === 0
      ? []
      : [{ ...otherCallers, what: html`${locale.text("usage.others", { count: otherCallers.count })}` }]
  return html`<section class="panel">
      <nav class="spans" aria-label="${locale.text("usage.spans")}">${way("30days")} ${way("period")}</nav>
      ${usageCharts(days, locale)}
      <p class="aside">${locale.text("usage.truth")}</p>
    </section>
    <div class="breakdowns">
      ${amounts(
        locale.text("usage.byTool"),
        locale.text("usage.tool"),
        tools.map((each) => ({ ...each, what: toTool(each.tool) })),
        locale
      )}
      ${amounts(locale.text("usage.byKey"), locale.text("usage.key"), rowsOf("api_key"), locale)}
      ${amounts(locale.text("usage.byApp"), locale.text("usage.app"), [...rowsOf("access_token"), ...others], locale)}
    </div>`
}

/** What was sent by itself in the current period. Returns `undefined` if nothing was. */
const noticesOf = (sent: ReadonlyArray<Counted>, { number, text }: Locale): Html | undefined => {
  const items = kinds.filter((kind) => sent.some((each) => each.kind === kind))
  const countOf = (kind: Counted["kind"], outcome: Counted["outcome"]) =>
    sent.find((each) => each.kind === kind && each.outcome === outcome)?.count ?? 0
  return items.length === 0
    ? undefined
    : html`<section class="panel">
        <h2>${text("usage.notices")}</h2>
        ${tableOf<(typeof kinds)[number]>({
          label: text("usage.notices"),
          items,
          columns: [
            [text("usage.noticeKind"), (kind) => html`${text(`usage.notice.${kind}`)}`],
            ...outcomes.map(
              (outcome) =>
                [
                  text(`usage.noticeOutcome.${outcome}`),
                  (kind: Counted["kind"]) => number(countOf(kind, outcome)),
                  "figure"
                ] as const
            )
          ]
        })}
      </section>`
}

/** Returns `undefined` if there are no rows. */
const amounts = (
  title: string,
  over: string,
  rows: ReadonlyArray<Amount & { readonly what: Html }>,
  locale: Locale
): Html | undefined =>
  rows.length === 0
    ? undefined
    : html`<section class="panel">
        <h2>${title}</h2>
        ${tableOf<(typeof rows)[number]>({
          label: title,
          items: rows,
          columns: [
            [over, ({ what }) => what],
            [locale.text("usage.calls"), ({ calls }) => locale.number(calls), "figure"],
            [locale.text("usage.credits"), ({ credits }) => locale.number(credits), "figure"]
          ]
        })}
      </section>`

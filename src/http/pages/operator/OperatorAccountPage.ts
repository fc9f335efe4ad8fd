/** `/dashboard/operator/accounts/:id`: one account as an operator sees it. Secrets are not there to be seen. */
import { Effect } from "effect"
import { HttpRouter } from "effect/http"
import { plans, subscriptionStatuses } from "../../../domain/access/Account.ts"
import type { Credits } from "../../../domain/access/Account.ts"
import { mask } from "../../../domain/access/Credential.ts"
import { titles } from "../../../domain/access/Plan.ts"
import { AccountChanges } from "../../../services/access/AccountChanges.ts"
import type { AccountChange } from "../../../services/access/AccountChanges.ts"
import { AccountDirectory } from "../../../services/access/AccountDirectory.ts"
import type { AccountEntry } from "../../../services/access/AccountDirectory.ts"
import { ApiKeys } from "../../../services/access/ApiKeys.ts"
import type { ApiKey } from "../../../services/access/ApiKeys.ts"
import { Usage } from "../../../services/access/Usage.ts"
import { ConnectedApps } from "../../../services/oauth/ConnectedApps.ts"
import type { ConnectedApp } from "../../../services/oauth/ConnectedApps.ts"
import { doneNotice } from "../shared/FlashNotice.ts"
import { PageNotFound } from "../shared/ErrorPage.ts"
import { html } from "../shared/Html.ts"
import type { Html } from "../shared/Html.ts"
import { Layout, sections } from "../shared/Layout.ts"
import type { Locale } from "../shared/Locale.ts"
import { texts } from "./OperatorText.ts"
import type { OperatorText } from "./OperatorText.ts"
import { PageRoutes } from "../shared/PageRoutes.ts"
import { pathId } from "../shared/PathId.ts"
import { select } from "../shared/Select.ts"
import { statusBadge } from "../account/Subscription.ts"
import { texts as subscriptionTexts } from "../account/SubscriptionText.ts"
import { usageCharts } from "../usage/UsageCharts.ts"
import { texts as usageTexts } from "../usage/UsageText.ts"

export const accountPath = (id: number | ":id") => `${sections.operator}/accounts/${id}` as const

/** With a confirmation; see OperatorChangePages. */
export const changePath = (id: number | ":id", what: "plan" | "status") => `${accountPath(id)}/${what}` as const

const figures = (account: AccountEntry, text: OperatorText, locale: Locale): Html => {
  const { credits } = account
  return html`<dl class="figures">
    <div>
      <dt>${text.plan}</dt>
      <dd>${titles[account.plan]} ${statusBadge(account.status, locale)}</dd>
    </div>
    <div>
      <dt>${text.credits}</dt>
      <dd>
        ${credits === undefined ? text.noSubscription : `${locale.number(credits.used)} / ${locale.number(credits.allowance)}`}
      </dd>
    </div>
    ${
      credits !== undefined &&
      html`<div>
        <dt>${text.until}</dt>
        <dd>${locale.date(credits.periodEnd)}</dd>
      </div>`
    }
    <div>
      <dt>${text.lastUse}</dt>
      <dd>${account.lastUsedAt === null ? text.never : locale.dateTime(account.lastUsedAt)}</dd>
    </div>
    <div>
      <dt>${text.created}</dt>
      <dd>${locale.date(account.createdAt)}</dd>
    </div>
    <div>
      <dt>${text.role}</dt>
      <dd>${text.roles[account.role]}</dd>
    </div>
  </dl>`
}

const changeForms = ({ id, plan, status }: AccountEntry, text: OperatorText, locale: Locale): Html => {
  const { statuses } = subscriptionTexts[locale.language]
  const form = (what: "plan" | "status", field: Html) =>
    html`<form method="get" action="${changePath(id, what)}" class="change">
      ${field}
      <button
        type="submit"
        class="secondary"
        aria-label="${text.goOn}: ${what === "plan" ? text.newPlan : text.newStatus}"
      >
        ${text.goOn}
      </button>
    </form>`
  return html`<section class="panel" aria-labelledby="change">
    <h2 id="change">${text.change}</h2>
    <p>${text.changeAbout}</p>
    <div class="changes">
      ${form(
        "plan",
        // Both fields have the name that the confirmation reads; their labels need an id of their own.
        select({
          id: "new-plan",
          name: "to",
          label: text.newPlan,
          chosen: plan,
          options: plans.map((value) => ({ value, label: titles[value] }))
        })
      )}
      ${form(
        "status",
        select({
          id: "new-status",
          name: "to",
          label: text.newStatus,
          chosen: status,
          options: subscriptionStatuses.map((value) => ({ value, label: statuses[value] }))
        })
      )}
    </div>
  </section>`
}

const table = (label: string, heads: ReadonlyArray<Html>, rows: ReadonlyArray<Html>): Html =>
  html`<div class="table" tabindex="0" role="region" aria-label="${label}">
    <table>
      <thead>
        <tr>
          ${heads}
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div>`

const head = (label: string, look = ""): Html => html`<th scope="col" class="${look}">${label}</th>`

const section = (heading: string, body: Html): Html =>
  html`<section class="panel">
    <h2>${heading}</h2>
    ${body}
  </section>`

const periodsTable = (periods: ReadonlyArray<Credits>, text: OperatorText, { date, number }: Locale): Html =>
  periods.length === 0
    ? html`<p class="hint">${text.noPeriods}</p>`
    : table(
        text.periods,
        [head(text.period), head(text.used, "figure"), head(text.allowance, "figure")],
        periods.map(
          (period) =>
            html`<tr>
              <td class="day">${date(period.periodStart)} – ${date(period.periodEnd)}</td>
              <td class="figure">${number(period.used)}</td>
              <td class="figure">${number(period.allowance)}</td>
            </tr>`
        )
      )

const keysTable = (keys: ReadonlyArray<ApiKey>, text: OperatorText, { date, dateTime }: Locale): Html =>
  keys.length === 0
    ? html`<p class="hint">${text.noKeys}</p>`
    : table(
        text.keys,
        [head(text.keyName), head(text.created), head(text.lastUse)],
        keys.map(
          (key) =>
            html`<tr>
              <td><bdi>${key.name}</bdi> <code>${mask("api_key", key.lastFour)}</code></td>
              <td class="day">${date(key.createdAt)}</td>
              <td class="day">${key.lastUsedAt === null ? text.never : dateTime(key.lastUsedAt)}</td>
            </tr>`
        )
      )

const appsTable = (apps: ReadonlyArray<ConnectedApp>, text: OperatorText, { date, dateTime }: Locale): Html =>
  apps.length === 0
    ? html`<p class="hint">${text.noApps}</p>`
    : table(
        text.apps,
        [head(text.appName), head(text.created), head(text.lastUse)],
        apps.map(
          (app) =>
            html`<tr>
              <td><bdi>${app.name}</bdi></td>
              <td class="day">${date(app.connectedAt)}</td>
              <td class="day">${app.lastUsedAt === null ? text.never : dateTime(app.lastUsedAt)}</td>
            </tr>`
        )
      )

/** The plan, status or role of a change in the visitor's words; figures and whatever this version does not know, as they are. */
const valueOf = (what: AccountChange["what"], value: string, text: OperatorText, locale: Locale): string => {
  const names: Readonly<Record<AccountChange["what"], Readonly<Record<string, string>>>> = {
    plan: titles,
    status: subscriptionTexts[locale.language].statuses,
    role: text.roles,
    credits: {},
    password: {}
  }
  if (what === "credits") return locale.number(Number(value))
  return (Object.hasOwn(names[what], value) ? names[what][value] : undefined) ?? value
}

const changesTable = (changes: ReadonlyArray<AccountChange>, text: OperatorText, locale: Locale): Html =>
  changes.length === 0
    ? html`<p class="hint">${text.noHistory}</p>`
    : table(
        text.history,
        [head(text.when), head(text.changed), head(text.by)],
        changes.map(
          ({ after, at, before, by, what }) =>
            html`<tr>
              <td class="day">${locale.dateTime(at)}</td>
              <td class="wordy">
                ${text.what[what]}${
                  before !== null &&
                  after !== null &&
                  `: ${text.fromTo(valueOf(what, before, text, locale), valueOf(what, after, text, locale))}`
                }
              </td>
              <td>${by ?? text.commandLine}</td>
            </tr>`
        )
      )

export const layer = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const routes = yield* PageRoutes
    const directory = yield* AccountDirectory
    const changes = yield* AccountChanges
    const apiKeys = yield* ApiKeys
    const connectedApps = yield* ConnectedApps
    const usage = yield* Usage
    const { page } = yield* Layout

    yield* router.add(
      "GET",
      accountPath(":id"),
      routes.operatorPage((visitor, { url }) =>
        Effect.gen(function* () {
          const { locale } = visitor
          const text = texts[locale.language]
          const account = yield* directory.find(yield* pathId)
          const [summary, periods, keys, apps, history] = yield* Effect.all(
            [
              usage.summary(account.id, "30days"),
              directory.periods(account.id),
              apiKeys.list(account.id),
              connectedApps.list(account.id),
              changes.list(account.id)
            ],
            { concurrency: "unbounded" }
          )
          return page({
            heading: account.email,
            account: visitor,
            locale,
            section: "operator",
            width: "wide",
            body: html`
              ${doneNotice(url, text.done)}
              <p><a href="${sections.operator}">${text.back}</a></p>
              <section class="panel">${figures(account, text, locale)}</section>
              ${changeForms(account, text, locale)}
              ${section(usageTexts[locale.language].thirtyDays, usageCharts(summary.days, locale))}
              ${section(text.periods, periodsTable(periods, text, locale))}
              ${section(text.keys, keysTable(keys, text, locale))} ${section(text.apps, appsTable(apps, text, locale))}
              ${section(text.history, changesTable(history, text, locale))}
            `
          })
        }).pipe(Effect.catchTag("AccountNotFound", () => Effect.fail(new PageNotFound())))
      )
    )
  })
)

/** `/dashboard/operator/accounts/:id`: one account for operators, without secrets. */
import { Effect, Layer, Schema } from "effect"
import { Plan, plans, subscriptionStatuses } from "../../../domain/access/Account.ts"
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
import { doneNotice } from "../shared/FlashNotice.ts"
import { PageNotFound } from "../shared/ErrorPage.ts"
import { fact } from "../shared/Fact.ts"
import { html } from "../shared/Html.ts"
import type { Html } from "../shared/Html.ts"
import { Layout, sections } from "../shared/Layout.ts"
import type { Locale } from "../shared/Locale.ts"
import { PageRoutes } from "../shared/PageRoutes.ts"
import { pathId } from "../shared/PathId.ts"
import { select } from "../shared/Select.ts"
import { table } from "../shared/Table.ts"
import { statusBadge } from "../account/Subscription.ts"
import { usageCharts } from "../usage/UsageCharts.ts"

export const accountPath = (id: number | ":id") => `${sections.operator}/accounts/${id}` as const

/** The change needs a confirmation; see OperatorChangePages. */
export const changePath = (id: number | ":id", what: "plan" | "status") => `${accountPath(id)}/${what}` as const

const figures = (account: AccountEntry, locale: Locale): Html => {
  const { createdAt, credits, lastUsedAt, plan, role, status } = account
  const { date, dateTime, number, text } = locale
  return html`<dl class="figures">
    ${fact(text("operator.plan"), html`${titles[plan]} ${statusBadge(status, locale)}`)}
    ${fact(
      text("operator.credits"),
      credits === undefined ? text("operator.noSubscription") : `${number(credits.used)} / ${number(credits.allowance)}`
    )}
    ${credits !== undefined && fact(text("operator.until"), date(credits.periodEnd))}
    ${fact(text("operator.lastUse"), lastUsedAt === null ? text("operator.never") : dateTime(lastUsedAt))}
    ${fact(text("operator.created"), date(createdAt))} ${fact(text("operator.role"), text(`operator.roles.${role}`))}
  </dl>`
}

const changeForms = ({ id, plan, status }: AccountEntry, locale: Locale): Html => {
  const form = (what: "plan" | "status", field: Html) =>
    html`<form method="get" action="${changePath(id, what)}" class="change">
      ${field}
      <button
        type="submit"
        class="secondary"
        aria-label="${locale.text("operator.goOn")}: ${what === "plan" ? locale.text("operator.newPlan") : locale.text("operator.newStatus")}"
      >
        ${locale.text("operator.goOn")}
      </button>
    </form>`
  return html`<section class="panel" aria-labelledby="change">
    <h2 id="change">${locale.text("operator.change")}</h2>
    <p>${locale.text("operator.changeAbout")}</p>
    <div class="changes">
      ${form(
        "plan",
        // Both fields have the name that the confirmation reads; their labels need different ids.
        select({
          id: "new-plan",
          name: "to",
          label: locale.text("operator.newPlan"),
          chosen: plan,
          options: plans.map((value) => ({ value, label: titles[value] }))
        })
      )}
      ${form(
        "status",
        select({
          id: "new-status",
          name: "to",
          label: locale.text("operator.newStatus"),
          chosen: status,
          options: subscriptionStatuses.map((value) => ({
            value,
            label: locale.text(`subscription.statuses.${value}`)
          }))
        })
      )}
    </div>
  </section>`
}

const section = (heading: string, body: Html): Html =>
  html`<section class="panel">
    <h2>${heading}</h2>
    ${body}
  </section>`

const periodsTable = (periods: ReadonlyArray<Credits>, { date, number, text }: Locale): Html =>
  periods.length === 0
    ? html`<p class="hint">${text("operator.noPeriods")}</p>`
    : table({
        label: text("operator.periods"),
        heads: [text("operator.period"), { figure: text("operator.used") }, { figure: text("operator.allowance") }],
        rows: periods.map(
          (period) =>
            html`<tr>
              <td class="day">${date(period.periodStart)} – ${date(period.periodEnd)}</td>
              <td class="figure">${number(period.used)}</td>
              <td class="figure">${number(period.allowance)}</td>
            </tr>`
        )
      })

interface Credential extends Pick<ApiKey, "name" | "createdAt" | "lastUsedAt"> {
  readonly lastFour?: string
}

const credentials = (kind: "keys" | "apps", all: ReadonlyArray<Credential>, { date, dateTime, text }: Locale): Html =>
  all.length === 0
    ? html`<p class="hint">${text(kind === "keys" ? "operator.noKeys" : "operator.noApps")}</p>`
    : table({
        label: text(`operator.${kind}`),
        heads: [
          text(kind === "keys" ? "operator.keyName" : "operator.appName"),
          text("operator.created"),
          text("operator.lastUse")
        ],
        rows: all.map(
          ({ createdAt, lastFour, lastUsedAt, name }) =>
            html`<tr>
              <td><bdi>${name}</bdi>${lastFour !== undefined && html` <code>${mask("api_key", lastFour)}</code>`}</td>
              <td class="day">${date(createdAt)}</td>
              <td class="day">${lastUsedAt === null ? text("operator.never") : dateTime(lastUsedAt)}</td>
            </tr>`
        )
      })

const isPlan = Schema.is(Plan)

/**
 * The plan, status or role of a change in the visitor's language. Figures, and values unknown to this version, are
 * unchanged.
 */
const valueOf = (what: AccountChange["what"], value: string, locale: Locale): string => {
  switch (what) {
    case "plan":
      return isPlan(value) ? titles[value] : value
    case "status":
      return locale.textOr(`subscription.statuses.${value}`, value)
    case "role":
      return locale.textOr(`operator.roles.${value}`, value)
    case "credits":
      return locale.number(Number(value))
    case "password":
    case "passkeys":
      return value
  }
}

const changesTable = (changes: ReadonlyArray<AccountChange>, locale: Locale): Html =>
  changes.length === 0
    ? html`<p class="hint">${locale.text("operator.noHistory")}</p>`
    : table({
        label: locale.text("operator.history"),
        heads: [locale.text("operator.when"), locale.text("operator.changed"), locale.text("operator.by")],
        rows: changes.map(
          ({ after, at, before, by, source, what }) =>
            html`<tr>
              <td class="day">${locale.dateTime(at)}</td>
              <td class="wordy">
                ${locale.text(`operator.what.${what}`)}${
                  before !== null &&
                  after !== null &&
                  `: ${locale.text("operator.fromTo", { before: valueOf(what, before, locale), after: valueOf(what, after, locale) })}`
                }
              </td>
              <td>${by ?? locale.text(source === null ? "operator.commandLine" : "operator.byBilling")}</td>
            </tr>`
        )
      })

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const routes = yield* PageRoutes
    const directory = yield* AccountDirectory
    const changes = yield* AccountChanges
    const apiKeys = yield* ApiKeys
    const connectedApps = yield* ConnectedApps
    const usage = yield* Usage
    const { page } = yield* Layout

    yield* routes.operatorPage(accountPath(":id"), (visitor, { url }) =>
      Effect.gen(function* () {
        const { locale } = visitor
        const { text } = locale
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
        const connected = apps.map((app) => ({ ...app, createdAt: app.connectedAt }))
        return page({
          heading: account.email,
          account: visitor,
          section: "operator",
          width: "wide",
          body: html`
            ${doneNotice(url, ["plan", "status"], (what) => text(`operator.done.${what}`))}
            <p><a href="${sections.operator}">${text("operator.back")}</a></p>
            <section class="panel">${figures(account, locale)}</section>
            ${changeForms(account, locale)} ${section(text("usage.thirtyDays"), usageCharts(summary.days, locale))}
            ${section(text("operator.periods"), periodsTable(periods, locale))}
            ${section(text("operator.keys"), credentials("keys", keys, locale))}
            ${section(text("operator.apps"), credentials("apps", connected, locale))}
            ${section(text("operator.history"), changesTable(history, locale))}
          `
        })
      }).pipe(Effect.catchTag("AccountNotFound", () => Effect.fail(new PageNotFound())))
    )
  })
)

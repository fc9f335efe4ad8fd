/** `/dashboard/operator/accounts/:id`: one account for operators, without secrets. */
import { Effect, Layer, Schema } from "effect"
import { Plan, plans, subscriptionStatuses } from "../../../domain/access/Account.ts"
import type { Credits } from "../../../domain/access/Account.ts"
import { mask } from "../../../domain/access/Credential.ts"
import { titles } from "../../../domain/access/Plan.ts"
import type { AccountChange } from "../../../services/accounts/AccountChanges.ts"
import { AccountDirectory } from "../../../services/accounts/AccountDirectory.ts"
import type { AccountEntry } from "../../../services/accounts/AccountDirectory.ts"
import { ApiKeys } from "../../../services/credentials/ApiKeys.ts"
import type { ApiKey } from "../../../services/credentials/ApiKeys.ts"
import { Usage } from "../../../services/credits/Usage.ts"
import { ConnectedApps } from "../../../services/oauth/ConnectedApps.ts"
import { doneField, doneNotice } from "../shared/FlashNotice.ts"
import { PageNotFound } from "../shared/ErrorPage.ts"
import { fact } from "../shared/Fact.ts"
import { html } from "../shared/Html.ts"
import type { Html } from "../shared/Html.ts"
import { Layout, sections } from "../shared/Layout.ts"
import type { Locale } from "../shared/Locale.ts"
import { PageRoutes, reads } from "../shared/PageRoutes.ts"
import { pathId } from "../shared/PathId.ts"
import { select } from "../shared/Select.ts"
import type { Select } from "../shared/Select.ts"
import { tableOf } from "../shared/Table.ts"
import { statusBadge } from "../account/Subscription.ts"
import { usageCharts } from "../usage/UsageCharts.ts"

export const accountPath = (id: number | ":id") => `${sections.operator}/accounts/${id}` as const

/** The change needs a confirmation; see OperatorChangePages. */
export const changePath = (id: number | ":id", what: "plan" | "status") => `${accountPath(id)}/${what}` as const

/** What was changed. */
const flashNotices = ["plan", "status"] as const

const Query = Schema.Struct(doneField(flashNotices))

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

export const planChoices = plans.map((value) => ({ value, label: titles[value] }))

export const statusChoices = ({ text }: Locale) =>
  subscriptionStatuses.map((value) => ({ value, label: text(`subscription.statuses.${value}`) }))

const changeForms = ({ id, plan, status }: AccountEntry, locale: Locale): Html => {
  const { text } = locale
  // Both fields have the name that the confirmation reads; their labels need different ids.
  const form = (what: "plan" | "status", label: string, chosen: string, options: Select["options"]) =>
    html`<form method="get" action="${changePath(id, what)}" class="change">
      ${select({ id: `new-${what}`, name: "to", label, chosen, options })}
      <button type="submit" class="secondary" aria-label="${text("operator.goOn")}: ${label}">
        ${text("operator.goOn")}
      </button>
    </form>`
  return html`<section class="panel" aria-labelledby="change">
    <h2 id="change">${text("operator.change")}</h2>
    <p>${text("operator.changeAbout")}</p>
    <div class="changes">
      ${form("plan", text("operator.newPlan"), plan, planChoices)}
      ${form("status", text("operator.newStatus"), status, statusChoices(locale))}
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
    : tableOf<Credits>({
        label: text("operator.periods"),
        items: periods,
        columns: [
          [text("operator.period"), ({ periodEnd, periodStart }) => `${date(periodStart)} – ${date(periodEnd)}`, "day"],
          [text("operator.used"), ({ used }) => number(used), "figure"],
          [text("operator.allowance"), ({ allowance }) => number(allowance), "figure"]
        ]
      })

interface Credential extends Pick<ApiKey, "name" | "createdAt" | "lastUsedAt"> {
  readonly lastFour?: string
}

const credentialName = ({ lastFour, name }: Credential): Html =>
  html`<bdi>${name}</bdi>${lastFour !== undefined && html` <code>${mask("api_key", lastFour)}</code>`}`

const credentials = (kind: "keys" | "apps", all: ReadonlyArray<Credential>, { date, dateTime, text }: Locale): Html =>
  all.length === 0
    ? html`<p class="hint">${text(kind === "keys" ? "operator.noKeys" : "operator.noApps")}</p>`
    : tableOf<Credential>({
        label: text(`operator.${kind}`),
        items: all,
        columns: [
          [text(kind === "keys" ? "operator.keyName" : "operator.appName"), credentialName],
          [text("operator.created"), ({ createdAt }) => date(createdAt), "day"],
          [
            text("operator.lastUse"),
            ({ lastUsedAt }) => (lastUsedAt === null ? text("operator.never") : dateTime(lastUsedAt)),
            "day"
          ]
        ]
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

const changed = ({ after, before, what }: AccountChange, locale: Locale): string => {
  const { text } = locale
  if (before === null || after === null) return text(`operator.what.${what}`)
  const [from, to] = [valueOf(what, before, locale), valueOf(what, after, locale)]
  return `${text(`operator.what.${what}`)}: ${text("operator.fromTo", { before: from, after: to })}`
}

const changesTable = (changes: ReadonlyArray<AccountChange>, locale: Locale): Html =>
  changes.length === 0
    ? html`<p class="hint">${locale.text("operator.noHistory")}</p>`
    : tableOf<AccountChange>({
        label: locale.text("operator.history"),
        items: changes,
        columns: [
          [locale.text("operator.when"), ({ at }) => locale.dateTime(at), "day"],
          [locale.text("operator.changed"), (change) => changed(change, locale), "wordy"],
          [
            locale.text("operator.by"),
            ({ by, source }) => by ?? locale.text(source === null ? "operator.commandLine" : "operator.byBilling")
          ]
        ]
      })

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const routes = yield* PageRoutes
    const directory = yield* AccountDirectory
    const apiKeys = yield* ApiKeys
    const connectedApps = yield* ConnectedApps
    const usage = yield* Usage
    const { page } = yield* Layout

    yield* routes.operatorPage(
      accountPath(":id"),
      reads(Query, (visitor, { done }) =>
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
              directory.changes(account.id)
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
              ${doneNotice(done, flashNotices, (what) => text(`operator.done.${what}`))}
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
    )
  })
)

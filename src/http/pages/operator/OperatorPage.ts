/** `/dashboard/operator`: a list of all accounts with filters, for operators. */
import { Effect, Layer, Schema } from "effect"
import { Plan, Role, roles, SubscriptionStatus } from "../../../domain/access/Account.ts"
import type { Credits } from "../../../domain/access/Account.ts"
import { titles } from "../../../domain/access/Plan.ts"
import { AccountDirectory } from "../../../services/accounts/AccountDirectory.ts"
import type { AccountEntry, AccountFilter, AccountPage } from "../../../services/accounts/AccountDirectory.ts"
import { html } from "../shared/Html.ts"
import type { Html } from "../shared/Html.ts"
import { Layout, sections } from "../shared/Layout.ts"
import type { Locale } from "../shared/Locale.ts"
import { accountPath, planChoices, statusChoices } from "./OperatorAccountPage.ts"
import { PageRoutes, reads } from "../shared/PageRoutes.ts"
import { PathId } from "../shared/PathId.ts"
import { addressOf } from "../../shared/QueryParameters.ts"
import { select } from "../shared/Select.ts"
import type { Select } from "../shared/Select.ts"
import { statusBadge } from "../account/Subscription.ts"
import { tableOf } from "../shared/Table.ts"
import type { SignedIn } from "../shared/Visitors.ts"

const path = sections.operator

const maxEmailCharacters = 254

const Filter = Schema.Struct({
  email: Schema.optionalKey(
    Schema.String.check(Schema.isMaxLength(maxEmailCharacters), Schema.isPattern(/^[^\p{Cc}\p{Cs}]*$/u))
  ),
  plan: Schema.optionalKey(Plan),
  status: Schema.optionalKey(SubscriptionStatus),
  role: Schema.optionalKey(Role),
  before: Schema.optionalKey(PathId)
})

const filterOf = (filter: typeof Filter.Type): AccountFilter => {
  const email = filter.email?.trim()
  return { ...filter, email: email === "" ? undefined : email }
}

/** The address of another page with the same filter. */
const pageFrom = ({ email, plan, role, status }: AccountFilter, before: number | undefined): string =>
  addressOf(path, { email, plan, status, role, before })

const isFiltered = ({ email, plan, role, status }: AccountFilter): boolean =>
  [email, plan, role, status].some((value) => value !== undefined)

const form = (filter: AccountFilter, locale: Locale): Html => {
  const { text } = locale
  const choice = (name: "plan" | "status" | "role", options: Select["options"]) =>
    select({
      name,
      label: text(`operator.${name}`),
      chosen: filter[name],
      options: [{ value: "", label: text("operator.any") }, ...options]
    })
  return html`<form method="get" action="${path}" class="account-filters">
    <div class="field">
      <label for="email">${locale.text("operator.email")}</label>
      <input
        id="email"
        name="email"
        type="text"
        inputmode="search"
        maxlength="${maxEmailCharacters}"
        autocomplete="off"
        autocapitalize="none"
        spellcheck="false"
        placeholder="${locale.text("operator.emailHint")}"
        value="${filter.email ?? ""}"
      />
    </div>
    ${choice("plan", planChoices)} ${choice("status", statusChoices(locale))}
    ${choice(
      "role",
      roles.map((value) => ({ value, label: text(`operator.roles.${value}`) }))
    )}
    <button type="submit">${locale.text("operator.show")}</button>
  </form>`
}

const accountTable = ({ accounts }: AccountPage, locale: Locale): Html => {
  const { date, number, text } = locale
  const nameOf = ({ email, id, role }: AccountEntry) =>
    html`<a href="${accountPath(id)}">${email}</a>
      ${role === "operator" && html`<span class="badge">${text("operator.roles.operator")}</span>`}`
  const used = (credits: Credits) => `${number(credits.used)} / ${number(credits.allowance)}`
  return tableOf<AccountEntry>({
    label: text("operator.table"),
    items: accounts,
    columns: [
      [text("operator.email"), nameOf, "name"],
      [text("operator.plan"), ({ plan }) => titles[plan]],
      [text("operator.status"), ({ status }) => statusBadge(status, locale)],
      [text("operator.credits"), ({ credits }) => (credits === undefined ? "–" : used(credits)), "figure"],
      [text("operator.until"), ({ credits }) => (credits === undefined ? "–" : date(credits.periodEnd)), "day"],
      [text("operator.keys"), ({ activeKeys }) => number(activeKeys), "figure"],
      [text("operator.apps"), ({ connectedApps }) => number(connectedApps), "figure"],
      [text("operator.lastUse"), ({ lastUsedAt: at }) => (at === null ? text("operator.never") : date(at)), "day"],
      [text("operator.created"), ({ createdAt }) => date(createdAt), "day"]
    ]
  })
}

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const routes = yield* PageRoutes
    const directory = yield* AccountDirectory
    const { page } = yield* Layout

    const show = (visitor: SignedIn, filter: AccountFilter, found: AccountPage) => {
      const { locale } = visitor
      const { text } = locale
      const ways = [
        filter.before !== undefined && html`<a href="${pageFrom(filter, undefined)}">${text("operator.toFirst")}</a>`,
        found.next !== undefined &&
          html`<a href="${pageFrom(filter, found.next)}" rel="next">${text("operator.toNext")}</a>`
      ].filter((way) => way !== false)
      return page({
        heading: text("operator.heading"),
        account: visitor,
        section: "operator",
        width: "wide",
        body: html`
          ${form(filter, locale)}
          <section class="panel" aria-label="${text("operator.heading")}">
            ${
              found.accounts.length > 0
                ? accountTable(found, locale)
                : html`<div class="empty">
                    <h2>${text("operator.none")}</h2>
                    <p>${text("operator.noneHint")}</p>
                  </div>`
            }
            ${isFiltered(filter) && html`<p><a href="${path}">${text("operator.clear")}</a></p>`}
            ${ways.length > 0 && html`<p class="beside end">${ways}</p>`}
          </section>
        `
      })
    }

    yield* routes.operatorPage(
      path,
      reads(Filter, (visitor, query) => {
        const filter = filterOf(query)
        return Effect.map(directory.page(filter), (found) => show(visitor, filter, found))
      })
    )
  })
)

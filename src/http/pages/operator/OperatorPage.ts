/** `/dashboard/operator`: a list of all accounts with filters, for operators. */
import { Effect, Layer, Schema } from "effect"
import { Plan, plans, Role, roles, SubscriptionStatus, subscriptionStatuses } from "../../../domain/access/Account.ts"
import { titles } from "../../../domain/access/Plan.ts"
import { AccountDirectory } from "../../../services/access/AccountDirectory.ts"
import type { AccountEntry, AccountFilter, AccountPage } from "../../../services/access/AccountDirectory.ts"
import { PageNotFound } from "../shared/ErrorPage.ts"
import { html } from "../shared/Html.ts"
import type { Html } from "../shared/Html.ts"
import { Layout, sections } from "../shared/Layout.ts"
import type { Locale } from "../shared/Locale.ts"
import { accountPath } from "./OperatorAccountPage.ts"
import { PageRoutes } from "../shared/PageRoutes.ts"
import { PathId } from "../shared/PathId.ts"
import { addressOf, fieldsOf } from "../shared/Query.ts"
import { select } from "../shared/Select.ts"
import { statusBadge } from "../account/Subscription.ts"
import { table } from "../shared/Table.ts"
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

const decode = Schema.decodeUnknownEffect(Filter)

const filterOf = Effect.fnUntraced(function* (url: string): Effect.fn.Return<AccountFilter, PageNotFound> {
  const filter = yield* Effect.mapError(decode(fieldsOf(url)), () => new PageNotFound())
  const email = filter.email?.trim()
  return { ...filter, email: email === "" ? undefined : email }
})

/** The address of another page with the same filter. */
const pageFrom = ({ email, plan, role, status }: AccountFilter, before: number | undefined): string =>
  addressOf(path, { email, plan, status, role, before })

const isFiltered = ({ email, plan, role, status }: AccountFilter): boolean =>
  [email, plan, role, status].some((value) => value !== undefined)

const form = (filter: AccountFilter, locale: Locale): Html => {
  const any = { value: "", label: locale.text("operator.any") }
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
    ${select({
      name: "plan",
      label: locale.text("operator.plan"),
      chosen: filter.plan,
      options: [any, ...plans.map((value) => ({ value, label: titles[value] }))]
    })}
    ${select({
      name: "status",
      label: locale.text("operator.status"),
      chosen: filter.status,
      options: [
        any,
        ...subscriptionStatuses.map((value) => ({ value, label: locale.text(`subscription.statuses.${value}`) }))
      ]
    })}
    ${select({
      name: "role",
      label: locale.text("operator.role"),
      chosen: filter.role,
      options: [any, ...roles.map((value) => ({ value, label: locale.text(`operator.roles.${value}`) }))]
    })}
    <button type="submit">${locale.text("operator.show")}</button>
  </form>`
}

const row = (account: AccountEntry, locale: Locale): Html => {
  const { credits } = account
  return html`<tr>
    <th scope="row" class="wordy">
      <a href="${accountPath(account.id)}">${account.email}</a>
      ${account.role === "operator" && html`<span class="badge">${locale.text("operator.roles.operator")}</span>`}
    </th>
    <td>${titles[account.plan]}</td>
    <td>${statusBadge(account.status, locale)}</td>
    <td class="figure">
      ${credits === undefined ? "–" : `${locale.number(credits.used)} / ${locale.number(credits.allowance)}`}
    </td>
    <td class="day">${credits === undefined ? "–" : locale.date(credits.periodEnd)}</td>
    <td class="figure">${locale.number(account.activeKeys)}</td>
    <td class="figure">${locale.number(account.connectedApps)}</td>
    <td class="day">
      ${account.lastUsedAt === null ? locale.text("operator.never") : locale.date(account.lastUsedAt)}
    </td>
    <td class="day">${locale.date(account.createdAt)}</td>
  </tr>`
}

const accountTable = ({ accounts }: AccountPage, locale: Locale): Html =>
  table({
    label: locale.text("operator.table"),
    heads: [
      locale.text("operator.email"),
      locale.text("operator.plan"),
      locale.text("operator.status"),
      { figure: locale.text("operator.credits") },
      locale.text("operator.until"),
      { figure: locale.text("operator.keys") },
      { figure: locale.text("operator.apps") },
      locale.text("operator.lastUse"),
      locale.text("operator.created")
    ],
    rows: accounts.map((account) => row(account, locale))
  })

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

    yield* routes.operatorPage(path, (visitor, { url }) =>
      Effect.gen(function* () {
        const filter = yield* filterOf(url)
        return show(visitor, filter, yield* directory.page(filter))
      })
    )
  })
)

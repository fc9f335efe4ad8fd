/** Error pages for people: what happened, whether anything was changed, and what to do next. */
import { Context, Effect, Layer, Schema } from "effect"
import type { HttpServerResponse } from "effect/http"
import { ArgumentIssue, textOf } from "../../../domain/ArgumentIssue.ts"
import type { RateLimited, SearchTimeout, ServiceUnavailable } from "../../../domain/ToolError.ts"
import type { PageViewsUsedUp } from "../../../services/limits/DailyPageViews.ts"
import type { PasswordsBusy } from "../../../services/sessions/Passwords.ts"
import type { BillingUnavailable } from "../../../services/billing/StripeApi.ts"
import { html } from "./Html.ts"
import type { Html } from "./Html.ts"
import { inNavigation, Layout, overviewPath, sections, toDocumentation } from "./Layout.ts"
import * as Locale from "./Locale.ts"
import type { SignedIn } from "./Visitors.ts"

/** The body is not a form, or lacks a field of the page's form. */
export class FormUnreadable extends Schema.TaggedError<FormUnreadable>()("FormUnreadable", {}) {}

/** The address or the form has control characters, or a value that the database refuses. */
export class InputRefused extends Schema.TaggedError<InputRefused>()("InputRefused", {}) {}

/** The form was sent by another site, or belongs to a session that has ended. */
export class FormRejected extends Schema.TaggedError<FormRejected>()("FormRejected", {}) {}

export class PageNotFound extends Schema.TaggedError<PageNotFound>()("PageNotFound", {}) {}

/** The query of the address has a parameter that the page does not have, or a value that it does not take. */
export class AddressRefused extends Schema.TaggedError<AddressRefused>()("AddressRefused", {
  issues: Schema.Array(ArgumentIssue),
  /** The same address without what is refused. */
  rest: Schema.String
}) {}

/** A defect. The log has its cause. */
export class PageBroken extends Schema.TaggedError<PageBroken>()("PageBroken", {}) {}

export type PageError =
  | AddressRefused
  | BillingUnavailable
  | FormUnreadable
  | FormRejected
  | InputRefused
  | PageViewsUsedUp
  | PageNotFound
  | PageBroken
  | PasswordsBusy
  | RateLimited
  | SearchTimeout
  | ServiceUnavailable

/** A record, so that a new error without a status does not compile. The texts are `error.errors.*`. */
const statuses: Readonly<Record<PageError["_tag"], number>> = {
  AddressRefused: 400,
  BillingUnavailable: 503,
  FormUnreadable: 400,
  FormRejected: 403,
  InputRefused: 400,
  PageViewsUsedUp: 429,
  PageNotFound: 404,
  PageBroken: 500,
  PasswordsBusy: 503,
  RateLimited: 429,
  SearchTimeout: 503,
  ServiceUnavailable: 503
}

export class ErrorPage extends Context.Service<
  ErrorPage,
  {
    of(
      error: PageError,
      details: {
        readonly requestId: string
        readonly account?: SignedIn | undefined
        readonly locale?: Locale.Locale | undefined
      }
    ): HttpServerResponse.HttpServerResponse
  }
>()("discovery/http/pages/ErrorPage") {
  static readonly layer = Layer.effect(
    ErrorPage,
    Effect.map(Layout, ({ page }) => ({
      of: (error, { account, locale = Locale.of(undefined), requestId }) => {
        const { text } = locale
        return page({
          status: statuses[error._tag],
          heading: text(`error.errors.${error._tag}.heading`),
          account,
          locale,
          body: html`
            <p>${text(`error.errors.${error._tag}.said`)}</p>
            ${error._tag === "PageViewsUsedUp" && html`<p>${locale.html("error.renewal", { limit: error.limit, at: locale.dateTime(error.renewsAt) })}</p>`}
            ${error._tag === "AddressRefused" && refusedParts(error, locale)}
            ${error._tag === "PageNotFound" ? elsewhere(account, locale) : html`<p><a href="${overviewPath}">${text("error.toDashboard")}</a></p>`}
            <p class="reference">
              ${locale.html("layout.labeled", { label: text("error.reference"), value: html`<code>${requestId}</code>` })}
            </p>
          `,
          headers: "retryAfterSeconds" in error ? { "retry-after": String(error.retryAfterSeconds) } : {}
        })
      }
    }))
  )
}

/** What is wrong with each parameter, and the address without them. */
const refusedParts = ({ issues, rest }: AddressRefused, locale: Locale.Locale): Html =>
  html`<ul>
      ${issues.map((issue) => html`<li><code>${issue.path}</code>: ${textOf(issue, locale)}</li>`)}
    </ul>
    <p><a href="${rest}">${locale.text("error.withoutThem")}</a></p>`

/** Links to pages that the visitor may have been looking for. */
const elsewhere = (account: SignedIn | undefined, locale: Locale.Locale): Html =>
  account === undefined
    ? html`<p><a href="/sign-in">${locale.text("error.signIn")}</a></p>
        <p>${toDocumentation(locale)}</p>`
    : html`
        <p>${locale.text("error.wanted")}</p>
        <ul class="elsewhere">
          <li><a href="${overviewPath}">${locale.text("error.overview")}</a></li>
          ${inNavigation.map((section) => html`<li><a href="${sections[section]}">${locale.text(`error.places.${section}`)}</a></li>`)}
          <li><a href="${sections.account}">${locale.text("error.places.account")}</a></li>
        </ul>
      `

/** What a person reads when a page cannot be shown: what happened, whether anything was done, and how to go on. */
import { Context, Effect, Layer, Schema } from "effect"
import type { HttpServerResponse } from "effect/http"
import type { RateLimited, SearchTimeout, ServiceUnavailable } from "../../domain/ToolError.ts"
import type { PasswordsBusy } from "../../services/access/Passwords.ts"
import { html } from "./Html.ts"
import { Layout } from "./Layout.ts"
import type { Locale } from "./Locale.ts"
import type { SignedIn } from "./Visitors.ts"

/** The body is no form, or lacks a field that the page's own form has. */
export class FormUnreadable extends Schema.TaggedError<FormUnreadable>()("FormUnreadable", {}) {}

/** The form of another site, or one that was shown to someone who is not signed in any more. */
export class FormRejected extends Schema.TaggedError<FormRejected>()("FormRejected", {}) {}

export class PageNotFound extends Schema.TaggedError<PageNotFound>()("PageNotFound", {}) {}

/** A defect; the log has its cause. */
export class PageBroken extends Schema.TaggedError<PageBroken>()("PageBroken", {}) {}

export type PageError =
  | FormUnreadable
  | FormRejected
  | PageNotFound
  | PageBroken
  | PasswordsBusy
  | RateLimited
  | SearchTimeout
  | ServiceUnavailable

interface Rendering {
  readonly status: number
  readonly heading: string
  readonly text: string
}

/** A record, so that a new error does not compile until it is said what people read. */
const renderings: Readonly<Record<PageError["_tag"], Rendering>> = {
  FormUnreadable: {
    status: 400,
    heading: "This form could not be read",
    text: "Nothing was changed. Go back, reload the page and try again."
  },
  FormRejected: {
    status: 403,
    heading: "This page is out of date",
    text:
      "Nothing was changed. Since the page was opened, you have signed out or signed in again, perhaps as someone else, " +
      "or the form was sent by another site. Go back, reload the page and try again."
  },
  PageNotFound: {
    status: 404,
    heading: "There is no such page",
    text: "The address may be mistyped, or the page has moved."
  },
  PageBroken: {
    status: 500,
    heading: "Something went wrong on our side",
    text: "It has been recorded. Try again; if it stays, tell the support the reference below."
  },
  PasswordsBusy: {
    status: 503,
    heading: "Too many people are signing in right now",
    text: "Nothing was changed. Wait a few seconds, then reload this page to try again."
  },
  RateLimited: {
    status: 429,
    heading: "Too many pages in a short time",
    text: "Nothing was changed. Wait a moment, then reload the page."
  },
  SearchTimeout: {
    status: 503,
    heading: "This took too long",
    text: "The search was stopped. Try again in a moment, or ask for less at once."
  },
  ServiceUnavailable: {
    status: 503,
    heading: "The service is not reachable right now",
    text: "Nothing was changed. Try again in a moment."
  }
}

export class ErrorPage extends Context.Service<
  ErrorPage,
  {
    of(
      error: PageError,
      details: {
        readonly requestId: string
        readonly account?: SignedIn | undefined
        readonly locale?: Locale | undefined
      }
    ): HttpServerResponse.HttpServerResponse
  }
>()("discovery/http/pages/ErrorPage") {
  static readonly layer = Layer.effect(
    ErrorPage,
    Effect.map(Layout, ({ page }) => ({
      of: (error, { account, locale, requestId }) => {
        const { heading, status, text } = renderings[error._tag]
        return page({
          status,
          heading,
          account,
          locale,
          body: html`
            <p>${text}</p>
            <p><a href="/dashboard">To the dashboard</a></p>
            <p class="reference">Reference: <code>${requestId}</code></p>
          `,
          headers: "retryAfterSeconds" in error ? { "retry-after": String(error.retryAfterSeconds) } : {}
        })
      }
    }))
  )
}

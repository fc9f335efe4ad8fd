/**
 * Access to the pages over the catalog: for accounts that may call the tools (domain/access/Plan.ts), within the limits of
 * PageRateLimit and DailyPageViews. Viewing a page costs no credits.
 */
import { Context, Effect, Layer } from "effect"
import type { HttpServerResponse } from "effect/http"
import { AppConfig } from "../../../Config.ts"
import * as Plan from "../../../domain/access/Plan.ts"
import { CurrentAccount } from "../../../services/limits/CurrentAccount.ts"
import { DailyPageViews } from "../../../services/limits/DailyPageViews.ts"
import { PageRateLimit } from "../../../services/limits/PageRateLimit.ts"
import { wayOut } from "../account/Subscription.ts"
import type { PageError } from "../shared/ErrorPage.ts"
import { html } from "../shared/Html.ts"
import { Layout } from "../shared/Layout.ts"
import type { Section } from "../shared/Layout.ts"
import * as OutwardLinks from "../shared/OutwardLinks.ts"
import type { SignedIn } from "../shared/Visitors.ts"

type Answer<R> = Effect.Effect<HttpServerResponse.HttpServerResponse, PageError, R>

export class CatalogAccess extends Context.Service<
  CatalogAccess,
  {
    /**
     * Returns `answer` if the visitor's plan has access; else the page of `allow`, without evaluating `answer`. Takes from no limit:
     * for what comes before `allow`, such as decoding an address or redirecting to the canonical one.
     */
    ifPlanned<R>(visitor: SignedIn, section: Section, answer: () => Answer<R>): Answer<R>
    /** Returns `answer` if the visitor has access, else a page that says what is missing and where to fix it. */
    allow<R>(visitor: SignedIn, section: Section, answer: Answer<R>): Answer<R>
    /** Like `allow`, but not counted in DailyPageViews: for answers without data of the catalog. */
    allowUncounted<R>(visitor: SignedIn, section: Section, answer: Answer<R>): Answer<R>
  }
>()("discovery/http/pages/CatalogAccess") {
  static readonly layer = Layer.effect(
    CatalogAccess,
    Effect.gen(function* () {
      const links = OutwardLinks.of(yield* AppConfig)
      const { page } = yield* Layout
      const rateLimit = yield* PageRateLimit
      const ofTheDay = yield* DailyPageViews

      const prompt = (visitor: SignedIn, section: Section) => {
        const { locale, session } = visitor
        const { text } = locale
        const plan = Plan.titles[session.plan]
        return page({
          status: 403,
          section,
          account: visitor,
          heading: text("access.heading"),
          body: html`
            <p>${text("access.need")}</p>
            <p>
              ${
                session.status === "active"
                  ? text("access.plan", { plan })
                  : text("access.have", { plan, status: text(`subscription.statuses.${session.status}`) })
              }
            </p>
            <p>${wayOut(links, locale, "button")}</p>
            <p><a href="${OutwardLinks.plansPath}">${text("plans.link")}</a></p>
            <p class="aside">${text("access.kept")}</p>
          `
        })
      }

      const ifPlanned = <R>(visitor: SignedIn, section: Section, answer: () => Answer<R>): Answer<R> =>
        Plan.mayCallTools(visitor.session) ? Effect.suspend(answer) : Effect.succeed(prompt(visitor, section))

      const allowUncounted = <R>(visitor: SignedIn, section: Section, answer: Answer<R>): Answer<R> =>
        ifPlanned(visitor, section, () =>
          rateLimit
            .take(visitor.session.accountId)
            .pipe(Effect.andThen(answer), Effect.provideService(CurrentAccount, visitor.session.accountId))
        )

      return CatalogAccess.of({
        ifPlanned,
        allowUncounted,
        allow: (visitor, section, answer) =>
          allowUncounted(visitor, section, Effect.andThen(ofTheDay.take(visitor.session.accountId), answer))
      })
    })
  )
}

/** `/dashboard`: where a sign-in leads, and the ways on from there. */
import { Effect } from "effect"
import { HttpRouter } from "effect/http"
import { AppConfig } from "../../Config.ts"
import { mayCallTools, titles } from "../../domain/access/Plan.ts"
import { PageNotFound } from "./ErrorPage.ts"
import { html } from "./Html.ts"
import { Layout } from "./Layout.ts"
import { PageRoutes } from "./PageRoutes.ts"
import { passwordPath } from "./PasswordPage.ts"

const notice = (billingUrl: string) =>
  html`<p class="notice">
    AI agents can use the service with an active Growth or Pro subscription. <a href="${billingUrl}">Go to billing</a>
  </p>`

export const layer = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const routes = yield* PageRoutes
    const { billingUrl, mcpUrl } = yield* AppConfig
    const { page } = yield* Layout

    yield* router.add(
      "GET",
      "/dashboard",
      routes.signedInPage((visitor) => {
        const { email, plan, status } = visitor.session
        return Effect.succeed(
          page({
            heading: "Dashboard",
            account: visitor,
            body: html`
              <dl>
                <dt>Account</dt>
                <dd>${email}</dd>
                <dt>Plan</dt>
                <dd>${titles[plan]}, ${status}</dd>
                <dt>Address for AI agents</dt>
                <dd><code>${mcpUrl}</code></dd>
              </dl>
              ${!mayCallTools({ plan, status }) && notice(billingUrl)}
              <p><a href="${passwordPath}">Change your password</a></p>
            `
          })
        )
      })
    )

    // All below it that is no page: with `/dashboard/*`, the router would take `/dashboard` itself as well.
    yield* router.add(
      "GET",
      "/dashboard/:place/*",
      routes.page(() => Effect.fail(new PageNotFound()))
    )
  })
)

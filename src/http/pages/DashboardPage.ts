/** `/dashboard`: where a sign-in leads, and the ways on from there. */
import { Effect } from "effect"
import { HttpRouter } from "effect/http"
import { AppConfig } from "../../Config.ts"
import { missing, titles } from "../../domain/access/Plan.ts"
import { PageNotFound } from "./ErrorPage.ts"
import { html } from "./Html.ts"
import { Layout } from "./Layout.ts"
import { PageRoutes } from "./PageRoutes.ts"
import { passwordPath } from "./PasswordPage.ts"

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
        const upgrade = missing({ plan, status }, billingUrl)
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
              ${upgrade !== undefined && html`<p class="notice">${upgrade.message} <a href="${billingUrl}">Change that</a></p>`}
              <p><a href="${passwordPath}">Change your password</a></p>
            `
          })
        )
      })
    )

    yield* router.add(
      "GET",
      "/dashboard/*",
      routes.page(() => Effect.fail(new PageNotFound()))
    )
  })
)

/**
 * `/sign-up`: an account by e-mail address and password. The answer is the same whether the address has an account.
 * `/sign-up/confirm`, where the mail leads: its form makes the account and leads to the sign-in.
 */
import { Effect, Layer, Redacted, Schema } from "effect"
import type { HttpServerRequest } from "effect/http"
import { AppConfig } from "../../../Config.ts"
import type { LinkOver } from "../../../services/accounts/AccountLinks.ts"
import { SignUp } from "../../../services/accounts/SignUp.ts"
import * as ClientAddress from "../../shared/ClientAddress.ts"
import * as Csrf from "../shared/Csrf.ts"
import { FormRejected, PageNotFound } from "../shared/ErrorPage.ts"
import { emailField, field, problemOf, problemSummary, refusal, tooMany } from "../shared/Fields.ts"
import type { Refusal } from "../shared/Fields.ts"
import {
  doneField,
  emailField as emailParameter,
  emailOf,
  outOfDate,
  flashNotice,
  withDone
} from "../shared/FlashNotice.ts"
import { html } from "../shared/Html.ts"
import { Layout, overviewPath, toDocumentation } from "../shared/Layout.ts"
import { orGoOn, PageRoutes, reads, readsAll, seeOther } from "../shared/PageRoutes.ts"
import type { Reads } from "../shared/PageRoutes.ts"
import * as ReturnTo from "../shared/ReturnTo.ts"
import { isSignedIn, Visitors } from "../shared/Visitors.ts"
import type { Visitor } from "../shared/Visitors.ts"
import * as MailLink from "./MailLink.ts"
import { chosenPasswordField, Secret, weaknessText } from "./PasswordPage.ts"
import { Credentials, emptyFields, isOf } from "./SignInPage.ts"

const path = "/sign-up"
const confirmPath = `${path}/confirm` as const

const Query = Schema.Struct({ ...ReturnTo.field, ...doneField(["sent", "out-of-date"]), ...emailParameter })

const Confirmation = Schema.Struct({ token: MailLink.Token, password: Schema.optionalKey(Secret) })

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const routes = yield* PageRoutes
    const visitors = yield* Visitors
    const signUp = yield* SignUp
    const { guestPage, page } = yield* Layout
    const config = yield* AppConfig
    const addressOf = ClientAddress.of(config)
    /** As an address that does not exist. */
    const closed = config.signUp === "closed" ? Effect.fail(new PageNotFound()) : Effect.void

    const show = (
      visitor: Visitor,
      {
        done,
        email = "",
        returnTo
      }: {
        readonly email?: string | undefined
        readonly returnTo: string | undefined
        readonly done?: "out-of-date" | undefined
      },
      refused?: Refusal
    ) => {
      const { text } = visitor.locale
      const hint = text("signUp.emailHint")
      return guestPage(visitor, {
        heading: text("signUp.heading"),
        refused,
        body: html`
          ${returnTo?.startsWith("/authorize?") && html`<p>${text("signUp.toConnect")}</p>`}
          ${problemSummary(refused?.problems)} ${done !== undefined && flashNotice(text("signUp.outOfDate"))}
          <form method="post" action="${path}">
            ${Csrf.hidden(visitor, { return_to: returnTo })}
            ${emailField(visitor.locale, refused, { value: email, hint, autofocus: refused === undefined && done === undefined })}
            ${chosenPasswordField("password", text("signIn.password"), refused, visitor.locale)}
            <button type="submit">${text("signUp.submit")}</button>
          </form>
          <p><a href="${ReturnTo.signInPath(returnTo)}">${text("signUp.toSignIn")}</a></p>
          <p class="aside">${toDocumentation(visitor.locale)}</p>
        `
      })
    }

    const confirmation = (
      visitor: Visitor,
      token: Redacted.Redacted,
      { email, needsPassword }: { readonly email: string; readonly needsPassword: boolean },
      refused?: Refusal
    ) => {
      const { text } = visitor.locale
      return guestPage(visitor, {
        heading: text("signUp.confirm"),
        refused,
        body: html`
          ${problemSummary(refused?.problems)}
          <p>${text("signUp.confirmAbout", { email })}</p>
          <form method="post" action="${confirmPath}">
            ${Csrf.hidden(visitor, { token: Redacted.value(token) })}
            <input type="text" name="username" autocomplete="username" value="${email}" hidden />
            ${
              needsPassword &&
              field({
                name: "password",
                label: text("signIn.password"),
                type: "password",
                autocomplete: "current-password",
                hint: text("signUp.passwordWhy"),
                error: problemOf(refused, "password")
              })
            }
            <button type="submit">${text("signUp.confirmSubmit")}</button>
          </form>
        `
      })
    }

    const over = (error: LinkOver, { locale }: Visitor) =>
      Effect.succeed(
        page(MailLink.over(locale, error, { purpose: "sign_up", again: path, next: ReturnTo.signInPath(undefined) }))
      )

    // Before a query is read: one that is refused would reveal the page.
    const ifOpen = (show: Reads<Visitor>): Reads<Visitor> =>
      config.signUp === "closed" ? readsAll(() => Effect.fail(new PageNotFound())) : show

    yield* routes.page(
      path,
      ifOpen(
        reads(Query, (visitor, { done, email, return_to }) => {
          const returnTo = ReturnTo.parse(return_to)
          if (isSignedIn(visitor)) return Effect.succeed(seeOther(returnTo ?? overviewPath))
          return Effect.succeed(
            done === "sent"
              ? page(MailLink.sent(visitor.locale, visitor.locale.text("signUp.sent"), path))
              : show(visitor, { returnTo, email: emailOf(email), done })
          )
        })
      )
    )

    // As of the sign-in: a form that was open for too long comes back; one from another site sets no cookie.
    const rejected = orGoOn(isOf, (form: Credentials, visitor, request) => {
      const returnTo = ReturnTo.parse(form.return_to)
      const message = visitor.locale.text("signUp.outOfDate")
      return Effect.succeed(
        request.headers["sec-fetch-site"] === "same-origin"
          ? show(visitor, { email: form.email.trim(), returnTo }, refusal(403, { message }))
          : seeOther(outOfDate(ReturnTo.signUpPath(returnTo), form.email))
      )
    })

    yield* routes.form(
      path,
      Credentials,
      Effect.fnUntraced(function* (form: Credentials, visitor: Visitor, request: HttpServerRequest.HttpServerRequest) {
        yield* closed
        const { locale } = visitor
        const shown = { email: form.email.trim(), returnTo: ReturnTo.parse(form.return_to) }
        const refused = (answer: Refusal) => Effect.succeed(show(visitor, shown, answer))
        const problems = emptyFields(form, locale)
        if (problems.length > 0) return yield* refused(refusal(400, ...problems))
        const asked = {
          ...shown,
          password: form.password,
          address: addressOf(request),
          browser: visitor.secret
        }
        return yield* signUp.ask(asked).pipe(
          // The cookie is what the browser is known by when it opens the link.
          Effect.as(visitors.remember(visitor.secret)(seeOther(withDone(path, "sent")))),
          Effect.catchTags({
            EmailRefused: () => refused(refusal(400, { field: "email", message: locale.text("signUp.badEmail") })),
            PasswordRefused: ({ weakness }) =>
              refused(refusal(400, { field: "password", message: weaknessText(weakness, locale) })),
            TooManyAttempts: (error) => refused(tooMany(error, "mailLink.tooMany", locale))
          })
        )
      }),
      (form, visitor, request) => Effect.andThen(closed, rejected(form, visitor, request))
    )

    yield* routes.page(
      confirmPath,
      ifOpen(
        reads(MailLink.Link, (visitor, query) => {
          const token = MailLink.tokenOf(query)
          return signUp.read({ secret: token, browser: visitor.secret }).pipe(
            Effect.map((link) => confirmation(visitor, token, link)),
            Effect.catchTag("LinkOver", (error) => over(error, visitor))
          )
        })
      )
    )

    yield* routes.form(
      confirmPath,
      Confirmation,
      Effect.fnUntraced(
        function* (
          { password, token }: typeof Confirmation.Type,
          visitor: Visitor,
          request: HttpServerRequest.HttpServerRequest
        ) {
          yield* closed
          const { text } = visitor.locale
          const secrets = { secret: token, browser: visitor.secret }
          const link = yield* signUp.read(secrets)
          const refused = (answer: Refusal) => Effect.succeed(confirmation(visitor, token, link, answer))
          return yield* signUp.confirm({ ...secrets, password, address: addressOf(request) }).pipe(
            Effect.map(({ returnTo }) => seeOther(withDone(ReturnTo.signInPath(returnTo), "confirmed"))),
            Effect.catchTags({
              PasswordNeeded: () => refused(refusal(400, { field: "password", message: text("signIn.noPassword") })),
              SignInRejected: () => refused(refusal(403, { field: "password", message: text("signUp.wrong") })),
              TooManyAttempts: (error) => refused(tooMany(error, "signIn.tooMany", visitor.locale))
            })
          )
        },
        (answer, _, visitor) => Effect.catchTag(answer, "LinkOver", (error) => over(error, visitor))
      ),
      // Perhaps sent again, by who has signed in meanwhile.
      ({ token }, visitor) =>
        closed.pipe(
          Effect.andThen(signUp.read({ secret: token, browser: visitor.secret })),
          Effect.andThen(Effect.fail(new FormRejected())),
          Effect.catchTag("LinkOver", (error) => over(error, visitor))
        )
    )
  })
)

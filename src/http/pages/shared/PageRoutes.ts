/**
 * Adds pages, which answer to GET, and their forms, which answer to POST, to the router (D84). The handlers look up the
 * visitor first, read and verify a form before the page gets it (R29), and turn errors into error pages. None can skip
 * a step.
 *
 * Read next: PageRequests, what is refused before a page gets it; Layout, the frame of a page; Html, which escapes by default; Fields
 * and ButtonForm, the parts of forms; Locale, the texts and formats of a language. Pages read and write only through services.
 */
import { Cause, Context, Effect, Layer, Option, Result, Schema } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import type { HttpServerRequest } from "effect/http"
import { AppConfig } from "../../../Config.ts"
import type { Session } from "../../../services/sessions/Sessions.ts"
import * as Availability from "../../../services/database/Availability.ts"
import { MailLanguage } from "../../../services/mail/Letter.ts"
import * as Outage from "../../shared/Outage.ts"
import * as RequestHeaders from "../../shared/RequestHeaders.ts"
import { RequestId } from "../../shared/RequestId.ts"
import { Csrf } from "./Csrf.ts"
import { ErrorPage, FormRejected, InputRefused, PageBroken, PageNotFound } from "./ErrorPage.ts"
import type { PageError } from "./ErrorPage.ts"
import { withDone } from "./FlashNotice.ts"
import type { Ending } from "./FlashNotice.ts"
import * as LanguageChoice from "./LanguageChoice.ts"
import { overviewPath, sections } from "./Layout.ts"
import type * as Locale from "./Locale.ts"
import * as PageRequests from "./PageRequests.ts"
import * as Query from "../../shared/QueryParameters.ts"
import * as ReturnTo from "./ReturnTo.ts"
import { isSignedIn, Visitors } from "./Visitors.ts"
import type { SignedIn, Visitor } from "./Visitors.ts"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse
/** Path parameters are decoded by PathId. */
type Answer = Effect.Effect<Response, PageError, HttpRouter.RouteContext>

/** A page that reads nothing of the query of its address, or one that says what it reads. */
type Show<V> = ((visitor: V, request: Request) => Answer) | Reads<V>

export interface Reads<V> {
  readonly answer: (visitor: V, request: Request) => Answer
}

/** A page that reads these parameters. An address with another parameter or value is refused (D48). */
export const reads = <S extends Schema.Constraint & Schema.ConstraintDecoder<unknown>, V>(
  schema: S & { readonly fields: Readonly<Record<string, unknown>> },
  show: (visitor: V, query: S["Type"], request: Request) => Answer
): Reads<V> => {
  const decode = Query.decoder<S>(schema)
  return {
    answer: (visitor, request) => {
      const pairs = Query.pairsOf(request.url)
      return Result.match(decode(pairs), {
        onSuccess: (query) => show(visitor, query, request),
        onFailure: (issues) => Effect.fail(PageRequests.addressRefused(request.url, issues))
      })
    }
  }
}

/** A page that decodes all of the query itself. */
export const readsAll = <V>(answer: (visitor: V, request: Request) => Answer): Reads<V> => ({ answer })

const readsNothing = <V>(show: (visitor: V, request: Request) => Answer): Reads<V> =>
  reads(NoFields, (visitor, _, request) => show(visitor, request))

const answerOf = <V>(show: Show<V>): ((visitor: V, request: Request) => Answer) =>
  (typeof show === "function" ? readsNothing(show) : show).answer

type Added = Effect.Effect<void, never, HttpRouter.HttpRouter | HttpRouter.Request<"Requires", RequestId>>

/** Of a form without fields besides the CSRF token. */
export const NoFields = Schema.Struct({})

export class PageRoutes extends Context.Service<
  PageRoutes,
  {
    /** A public page, or the answer to another method. */
    page(path: HttpRouter.PathInput, show: Show<Visitor>, method?: Parameters<HttpRouter.HttpRouter["add"]>[0]): Added
    /** A page for signed-in visitors. Others sign in first and return to it. */
    signedInPage(path: HttpRouter.PathInput, show: Show<SignedIn>): Added
    /** A public form. `rejected` replaces the error page for a form that fails the CSRF check. */
    form<A>(
      path: HttpRouter.PathInput,
      schema: PageRequests.FormSchema<A>,
      submit: (form: A, visitor: Visitor, request: Request) => Answer,
      rejected?: (form: A, visitor: Visitor, request: Request) => Answer
    ): Added
    /**
     * A form for signed-in visitors. Others sign in first, where `ending` says what became of the form, and continue at `page`, which
     * displays it. Also who was signed in when the form came, if it is refused and the session has ended meanwhile: as by the first
     * of a double click.
     */
    signedInForm<A>(
      path: HttpRouter.PathInput,
      page: string | ((request: Request) => string | undefined),
      schema: PageRequests.FormSchema<A>,
      submit: (form: A, visitor: SignedIn, request: Request) => Answer,
      ending?: Ending
    ): Added
    /**
     * A page for operators. Everyone else gets "not found", signed in or not. Operators whose session has no passkey use one first.
     */
    operatorPage(path: HttpRouter.PathInput, show: Show<SignedIn>): Added
    /** A form for operators. Everyone else gets "not found", whatever the form contains. */
    operatorForm<A>(
      path: HttpRouter.PathInput,
      schema: PageRequests.FormSchema<A>,
      submit: (form: A, visitor: SignedIn, request: Request) => Answer
    ): Added
  }
>()("discovery/http/pages/PageRoutes") {
  static readonly layer = Layer.effect(
    PageRoutes,
    Effect.gen(function* () {
      const visitors = yield* Visitors
      const csrf = yield* Csrf
      const languageChoice = LanguageChoice.of(yield* AppConfig)
      /** Paths of routes that answer to GET. */
      const pages = new Set<string>()
      const errors = yield* ErrorPage
      const logOutage = Outage.logger("Pages cannot reach the database")
      const logBilling = Outage.logger("Pages cannot reach Stripe")
      const logBusy = Outage.logger("More people are signing in than passwords can be verified", "Warn")

      const failed = Effect.fnUntraced(function* (
        cause: Cause.Cause<PageError>,
        visitor: Visitor | undefined,
        { locale, requestId }: { readonly locale: Locale.Locale; readonly requestId: string }
      ) {
        // The client disconnected and needs no answer.
        if (Cause.hasInterruptsOnly(cause)) return yield* Effect.interrupt
        const defect = (yield* Availability.isRefusedValue(cause)) ? new InputRefused() : new PageBroken()
        const error = Option.getOrElse(Cause.findErrorOption(cause), () => defect)
        if (error._tag === "ServiceUnavailable") yield* logOutage(error.cause ?? error, requestId)
        if (error._tag === "BillingUnavailable") yield* logBilling(error, requestId)
        if (error._tag === "PasswordsBusy") yield* logBusy(error, requestId)
        if (error._tag === "PageBroken") {
          yield* Effect.logError("A page failed by a defect", cause).pipe(Effect.annotateLogs("request_id", requestId))
        }
        const account = visitor !== undefined && isSignedIn(visitor) ? visitor : undefined
        return errors.of(error, { requestId, account, locale })
      })

      const add = (
        method: Parameters<HttpRouter.HttpRouter["add"]>[0],
        path: HttpRouter.PathInput,
        answer: (visitor: Visitor, request: Request) => Answer
      ): Added => {
        if (method === "GET") pages.add(path)
        const handler = (request: Request) =>
          Effect.flatMap(RequestId, (requestId) => {
            // The answer to a form has a page of its own if the path of the form has one.
            const isPage = method === "GET" || pages.has(path)
            const locale = languageChoice.localeOf(request, isPage ? request.url : overviewPath)
            return PageRequests.arrived(request, path).pipe(
              Effect.andThen(visitors.identify(request, locale)),
              Effect.flatMap((visitor) =>
                Effect.catchCause(
                  Effect.suspend(() => answer(visitor, request)),
                  (cause) => failed(cause, visitor, { locale, requestId })
                )
              ),
              // Before the visitor is known.
              Effect.catchCause((cause) => failed(cause, undefined, { locale, requestId })),
              Effect.provideService(MailLanguage, locale.language),
              Effect.annotateLogs("request_id", requestId)
            )
          })
        return Effect.flatMap(HttpRouter.HttpRouter, (router) => router.add(method, path, handler))
      }

      const orSignIn =
        (answer: (visitor: SignedIn, request: Request) => Answer) =>
        (visitor: Visitor, request: Request): Answer =>
          isSignedIn(visitor)
            ? answer(visitor, request)
            : Effect.succeed(seeOther(ReturnTo.signInPath(ReturnTo.parse(request.url))))

      const orNotFound =
        (answer: (visitor: SignedIn, request: Request) => Answer, place: (request: Request) => string | undefined) =>
        (visitor: Visitor, request: Request): Answer => {
          if (!isSignedIn(visitor)) return Effect.fail(new PageNotFound())
          if (visitor.session.role !== "operator") {
            const line = { message: "An operators' page was refused", account_id: visitor.session.accountId }
            return Effect.andThen(Effect.logInfo(line), Effect.fail(new PageNotFound()))
          }
          return visitor.session.passkeyId === null
            ? Effect.succeed(seeOther(ReturnTo.confirmPath(place(request))))
            : answer(visitor, request)
        }

      /** `ended` answers instead of a refusal, if the session has ended since the request began. */
      const ownForm = <A>(
        schema: PageRequests.FormSchema<A>,
        submit: (form: A, visitor: SignedIn, request: Request) => Answer,
        ended: (request: Request) => Answer
      ) => {
        const readForm = PageRequests.formReader(schema)
        return Effect.fnUntraced(function* (visitor: SignedIn, request: Request) {
          const { form, token } = yield* readForm(request)
          if (!(yield* csrf.isOwn(visitor, RequestHeaders.of(request), token))) return yield* new FormRejected()
          const unlessEnded = (refusal: Answer): Answer =>
            visitors.identify(request, visitor.locale).pipe(
              Effect.matchEffect({
                onFailure: () => refusal,
                onSuccess: (now) => (isSignedIn(now) ? refusal : ended(request))
              })
            )
          return yield* Effect.matchEffect(submit(form, visitor, request), {
            onFailure: (error) => unlessEnded(Effect.fail(error)),
            onSuccess: (answer) => (answer.status < 400 ? Effect.succeed(answer) : unlessEnded(Effect.succeed(answer)))
          })
        })
      }

      return {
        page: (path, show, method = "GET") => add(method, path, answerOf(show)),
        signedInPage: (path, show) => add("GET", path, orSignIn(answerOf(show))),
        form: (path, schema, submit, rejected = () => Effect.fail(new FormRejected())) => {
          const readForm = PageRequests.formReader(schema)
          return add("POST", path, (visitor, request) =>
            Effect.gen(function* () {
              const { form, token } = yield* readForm(request)
              const isChecked = yield* csrf.isOwn(visitor, RequestHeaders.of(request), token)
              return yield* isChecked ? submit(form, visitor, request) : rejected(form, visitor, request)
            })
          )
        },
        signedInForm: (path, page, schema, submit, ending = "ended") => {
          const ended = (request: Request) => {
            const place = typeof page === "string" ? page : page(request)
            return Effect.succeed(seeOther(withDone(ReturnTo.signInPath(place), ending)))
          }
          const answer = ownForm(schema, submit, ended)
          return add("POST", path, (visitor, request) =>
            isSignedIn(visitor) ? answer(visitor, request) : ended(request)
          )
        },
        operatorPage: (path, show) =>
          add(
            "GET",
            path,
            orNotFound(answerOf(show), ({ url }) => ReturnTo.parse(url))
          ),
        operatorForm: (path, schema, submit) =>
          add(
            "POST",
            path,
            orNotFound(
              ownForm(schema, submit, () => Effect.fail(new PageNotFound())),
              () => sections.operator
            )
          )
      }
    })
  )
}

/** A redirect that the browser follows with GET, after any method. */
export const seeOther = (location: string): Response =>
  HttpServerResponse.redirect(location, { status: 303, headers: { "referrer-policy": "no-referrer" } })

/**
 * For a form to sign in with, whose token is of a guest: who has signed in by it and sends it again goes on, as from the page. `isOf`
 * says whether the form would sign in to the account of the session. Others get `rejected`.
 */
export const orGoOn =
  <A extends { readonly return_to?: string }>(
    isOf: (form: A, session: Session) => boolean,
    rejected: (form: A, visitor: Visitor, request: Request) => Answer = () => Effect.fail(new FormRejected())
  ) =>
  (form: A, visitor: Visitor, request: Request): Answer =>
    isSignedIn(visitor) && isOf(form, visitor.session)
      ? Effect.succeed(seeOther(ReturnTo.parse(form.return_to) ?? overviewPath))
      : rejected(form, visitor, request)

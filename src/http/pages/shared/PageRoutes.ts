/**
 * How a page answers: the visitor is looked up first, a form is read and checked before its page sees it (R29), and
 * what fails becomes a page that says so. No page can forget one of these.
 */
import { Cause, Context, Effect, Layer, Option, Schema } from "effect"
import { HttpServerResponse, UrlParams } from "effect/http"
import type { HttpRouter, HttpServerRequest } from "effect/http"
import * as Outage from "../../Outage.ts"
import * as RequestHeaders from "../../RequestHeaders.ts"
import { RequestId } from "../../RequestId.ts"
import { Csrf, field as tokenField } from "./Csrf.ts"
import { ErrorPage, FormRejected, FormUnreadable, PageBroken, PageNotFound } from "./ErrorPage.ts"
import type { PageError } from "./ErrorPage.ts"
import * as Locale from "./Locale.ts"
import * as ReturnTo from "./ReturnTo.ts"
import { isSignedIn, Visitors } from "./Visitors.ts"
import type { SignedIn, Visitor } from "./Visitors.ts"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse
/** What is in the address is read as PathId does. */
type Answer = Effect.Effect<Response, PageError, HttpRouter.RouteContext>
type Handler = (request: Request) => Effect.Effect<Response, never, RequestId | HttpRouter.RouteContext>

/** A schema of a form's fields, each a string as it is sent; a field that is sent twice fits none. */
type FormSchema<A> = Schema.ConstraintDecoder<A>

export class PageRoutes extends Context.Service<
  PageRoutes,
  {
    /** A page that anyone may see. */
    page(show: (visitor: Visitor, request: Request) => Answer): Handler
    /** A page for who is signed in; others sign in first and come back. */
    signedInPage(show: (visitor: SignedIn, request: Request) => Answer): Handler
    /** A form that anyone may send. `rejected` answers one that is not the visitor's, which else gets an error page. */
    form<A>(
      schema: FormSchema<A>,
      submit: (form: A, visitor: Visitor, request: Request) => Answer,
      rejected?: (form: A, visitor: Visitor, request: Request) => Answer
    ): Handler
    /** A form for who is signed in; others sign in first, and come to `page`, which shows the form. */
    signedInForm<A>(
      page: string | ((request: Request) => string | undefined),
      schema: FormSchema<A>,
      submit: (form: A, visitor: SignedIn, request: Request) => Answer
    ): Handler
    /** A page for operators. To everyone else it is not there, whether they are signed in or not. */
    operatorPage(show: (visitor: SignedIn, request: Request) => Answer): Handler
    /** A form for operators; to everyone else it is not there, whatever they send. */
    operatorForm<A>(schema: FormSchema<A>, submit: (form: A, visitor: SignedIn, request: Request) => Answer): Handler
  }
>()("discovery/http/pages/PageRoutes") {
  static readonly layer = Layer.effect(
    PageRoutes,
    Effect.gen(function* () {
      const visitors = yield* Visitors
      const csrf = yield* Csrf
      const errors = yield* ErrorPage
      const logOutage = Outage.logger("Pages cannot reach the database")
      const logBusy = Outage.logger("More people are signing in than passwords can be looked at", "Warn")

      const failed = Effect.fnUntraced(function* (
        cause: Cause.Cause<PageError>,
        visitor: Visitor | undefined,
        { locale, requestId }: { readonly locale: Locale.Locale; readonly requestId: string }
      ) {
        // A client that left needs no answer.
        if (Cause.hasInterruptsOnly(cause)) return yield* Effect.interrupt
        const error = Option.getOrElse(Cause.findErrorOption(cause), () => new PageBroken())
        if (error._tag === "ServiceUnavailable") yield* logOutage(error.cause ?? error, requestId)
        if (error._tag === "PasswordsBusy") yield* logBusy(error, requestId)
        if (error._tag === "PageBroken") {
          yield* Effect.logError("A page failed by a defect", cause).pipe(Effect.annotateLogs("request_id", requestId))
        }
        const account = visitor !== undefined && isSignedIn(visitor) ? visitor : undefined
        return errors.of(error, { requestId, account, locale })
      })

      const handle =
        (answer: (visitor: Visitor, request: Request) => Answer): Handler =>
        (request) =>
          Effect.flatMap(RequestId, (requestId) => {
            let visitor: Visitor | undefined
            const locale = Locale.of(request.headers["accept-language"])
            return refuseImages(request).pipe(
              Effect.andThen(visitors.identify(request)),
              Effect.tap((found) => Effect.sync(() => void (visitor = found))),
              Effect.flatMap((found) => answer(found, request)),
              Effect.catchCause((cause) => failed(cause, visitor, { locale, requestId })),
              Effect.annotateLogs("request_id", requestId)
            )
          })

      const orSignIn =
        (answer: (visitor: SignedIn, request: Request) => Answer, place: (request: Request) => string | undefined) =>
        (visitor: Visitor, request: Request): Answer =>
          isSignedIn(visitor) ? answer(visitor, request) : Effect.succeed(seeOther(ReturnTo.signInPath(place(request))))

      const orNowhere =
        (answer: (visitor: SignedIn, request: Request) => Answer) =>
        (visitor: Visitor, request: Request): Answer =>
          isSignedIn(visitor) && visitor.session.role === "operator"
            ? answer(visitor, request)
            : Effect.fail(new PageNotFound())

      const read = <A>(schema: FormSchema<A>) => {
        const decode = Schema.decodeUnknownEffect(schema)
        return Effect.fnUntraced(
          function* (request: Request) {
            if (!isForm(request)) return yield* new FormUnreadable()
            const body = yield* request.text
            if (hasTooManyFields(body)) return yield* new FormUnreadable()
            const fields = UrlParams.toRecord(UrlParams.fromInput(new URLSearchParams(body)))
            const token = fields[tokenField]
            return { token: typeof token === "string" ? token : "", form: yield* decode(fields) }
          },
          Effect.mapError(() => new FormUnreadable())
        )
      }

      const ownForm = <A>(schema: FormSchema<A>, submit: (form: A, visitor: SignedIn, request: Request) => Answer) => {
        const readForm = read(schema)
        return Effect.fnUntraced(function* (visitor: SignedIn, request: Request) {
          const { form, token } = yield* readForm(request)
          if (!(yield* csrf.isOwn(visitor, RequestHeaders.of(request), token))) return yield* new FormRejected()
          return yield* submit(form, visitor, request)
        })
      }

      return {
        page: handle,
        signedInPage: (show) => handle(orSignIn(show, ({ url }) => ReturnTo.parse(url))),
        form: (schema, submit, rejected = () => Effect.fail(new FormRejected())) => {
          const readForm = read(schema)
          return handle((visitor, request) =>
            Effect.gen(function* () {
              const { form, token } = yield* readForm(request)
              const isChecked = yield* csrf.isOwn(visitor, RequestHeaders.of(request), token)
              return yield* isChecked ? submit(form, visitor, request) : rejected(form, visitor, request)
            })
          )
        },
        signedInForm: (page, schema, submit) =>
          handle(orSignIn(ownForm(schema, submit), (request) => (typeof page === "string" ? page : page(request)))),
        operatorPage: (show) => handle(orNowhere(show)),
        operatorForm: (schema, submit) => handle(orNowhere(ownForm(schema, submit)))
      }
    })
  )
}

/** Whatever the method, the browser gets the page that is there. */
export const seeOther = (location: string): Response =>
  HttpServerResponse.redirect(location, { status: 303, headers: { "referrer-policy": "no-referrer" } })

/** Stores choose the addresses of their images. One of ours would search, and count, for whoever looks at the page it is on. */
const refuseImages = ({ headers }: Request): Effect.Effect<void, PageNotFound> =>
  headers["sec-fetch-dest"] === "image" ? Effect.fail(new PageNotFound()) : Effect.void

/** Far more than any form has: to read 80,000 takes 200 ms. */
const maxFields = 100

const hasTooManyFields = (body: string): boolean => {
  let fields = 1
  for (let at = body.indexOf("&"); at !== -1 && fields <= maxFields; at = body.indexOf("&", at + 1)) fields++
  return fields > maxFields
}

const isForm = ({ headers }: Request): boolean =>
  (headers["content-type"] ?? "").split(";", 1)[0]?.trim().toLowerCase() === "application/x-www-form-urlencoded"

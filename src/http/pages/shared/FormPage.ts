/**
 * A page with one form: it shows the form, checks what was sent, and shows the form again with what is wrong. Every error of its
 * submission must have a refusal, which the compiler demands.
 */
import { Effect } from "effect"
import type { Schema } from "effect"
import type { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import type { MessageKey } from "../../../domain/Messages.ts"
import * as Csrf from "./Csrf.ts"
import type { PageError } from "./ErrorPage.ts"
import { problemSummary, refusal } from "./Fields.ts"
import type { Problem, Refusal } from "./Fields.ts"
import * as FlashNotice from "./FlashNotice.ts"
import { html } from "./Html.ts"
import type { Html } from "./Html.ts"
import type { Locale } from "./Locale.ts"
import { seeOther } from "./PageRoutes.ts"
import type { SignedIn, Visitor } from "./Visitors.ts"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

interface Tagged {
  readonly _tag: string
}

/** What a form that was sent is shown with again. */
interface Shown<A> {
  readonly refused: Refusal | undefined
  /** The values as they were sent; absent when the form is shown first. */
  readonly sent: A | undefined
}

interface Options<V extends Visitor, A, C, E extends Tagged> {
  readonly action: string
  /** The page around `body`. */
  readonly page: (
    visitor: V,
    parts: { readonly refused: Refusal | undefined; readonly body: Html },
    context: C
  ) => Response
  /** What is around the form. */
  readonly body: (form: Html, visitor: V, context: C) => Html
  readonly fields: (visitor: V, shown: Shown<A>, context: C) => Html | ReadonlyArray<Html>
  readonly button: (locale: Locale) => string
  /** How the button looks; by default as the main one of the page. */
  readonly look?: "secondary" | "danger"
  /** Hidden fields. */
  readonly hidden?: (context: C) => Readonly<Record<string, string | undefined>>
  /** What is wrong with the values, before anything is asked of a service. */
  readonly problems?: (form: A, visitor: V) => ReadonlyArray<Problem>
  readonly submit: (
    form: A,
    visitor: V,
    request: Request
  ) => Effect.Effect<Response, E | PageError, HttpRouter.RouteContext>
  readonly errors: {
    readonly [Tag in E["_tag"]]: (error: Extract<E, { readonly _tag: Tag }>, locale: Locale) => Refusal
  }
}

const make =
  <V extends Visitor>() =>
  <A, E extends Tagged, C = undefined>(schema: Schema.ConstraintDecoder<A>, options: Options<V, A, C, E>) => {
    const show = (visitor: V, context: C, refused?: Refusal, sent?: A): Response => {
      const form = html`<form method="post" action="${options.action}">
        ${Csrf.hidden(visitor, options.hidden?.(context))} ${options.fields(visitor, { refused, sent }, context)}
        <button type="submit" ${options.look !== undefined && html`class="${options.look}"`}>
          ${options.button(visitor.locale)}
        </button>
      </form>`
      const body = html`${problemSummary(refused?.problems)} ${options.body(form, visitor, context)}`
      return options.page(visitor, { refused, body }, context)
    }

    const refusalOf = (error: E, locale: Locale): Refusal =>
      // The entry of a tag takes the errors with that tag.
      options.errors[error._tag as E["_tag"]](error as Extract<E, { readonly _tag: E["_tag"] }>, locale)

    const isOwn = (error: E | PageError): error is E => Object.hasOwn(options.errors, error._tag)

    const orShow = <E2>(
      answer: Effect.Effect<Response, E | PageError, HttpRouter.RouteContext>,
      visitor: V,
      context: Effect.Effect<C, E2>,
      sent?: A
    ): Effect.Effect<Response, E2 | PageError, HttpRouter.RouteContext> =>
      Effect.catch(answer, (error: E | PageError): Effect.Effect<Response, E2 | PageError> =>
        isOwn(error)
          ? Effect.map(context, (now) => show(visitor, now, refusalOf(error, visitor.locale), sent))
          : Effect.fail(error)
      )

    const submit = <E2>(
      form: A,
      visitor: V,
      request: Request,
      context: Effect.Effect<C, E2>
    ): Effect.Effect<Response, E2 | PageError, HttpRouter.RouteContext> => {
      const problems = options.problems?.(form, visitor) ?? []
      return problems.length > 0
        ? Effect.map(context, (now) => show(visitor, now, refusal(400, ...problems), form))
        : orShow(options.submit(form, visitor, request), visitor, context, form)
    }

    return {
      schema,
      show,
      /** `context` is read only if the page is shown again. */
      submit,
      /** The page again, if the answer to another form of it fails by an error of the page. */
      orShow
    }
  }

/** `C`: what the page shows besides the form, such as the address that a link proves. */
export const ofGuest = make<Visitor>()
export const ofAccount = make<SignedIn>()

/**
 * The answer to a guest's form that failed the CSRF check, which one does that was open for too long: it comes back with its e-mail
 * address. A form from another site arrives without the cookie. Setting a new one would end a session, so it gets a redirect instead.
 */
export const outOfDate =
  <A extends { readonly email: string }, C>(
    { show }: { readonly show: (visitor: Visitor, context: C, refused?: Refusal) => Response },
    options: {
      readonly message: MessageKey
      readonly contextOf: (form: A) => C
      /** The page of the form. */
      readonly pathOf: (form: A) => string
    }
  ) =>
  (form: A, visitor: Visitor, request: Request): Effect.Effect<Response> =>
    Effect.sync(() =>
      request.headers["sec-fetch-site"] === "same-origin"
        ? show(visitor, options.contextOf(form), refusal(403, { message: visitor.locale.text(options.message) }))
        : seeOther(FlashNotice.outOfDate(options.pathOf(form), form.email))
    )

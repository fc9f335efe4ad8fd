/**
 * The flow of a page with filters. The whole search is in the address: it is decoded, replaced by its canonical form, checked and run,
 * and the results are shown beside the form that made it. SearchPage and MarketPage state what they search and show.
 *
 * Read next: FilterForm, which makes a form of the arguments of a tool; SearchRefusals, for an address without results; CatalogAccess,
 * who may view the catalog, and how much of it in a day.
 */
import { DateTime, Effect, Option, Result } from "effect"
import { HttpServerResponse } from "effect/http"
import type { HttpServerRequest } from "effect/http"
import { AppConfig } from "../../../Config.ts"
import type { ArgumentIssue } from "../../../domain/ArgumentIssue.ts"
import * as Narrowing from "../../../domain/search/Narrowing.ts"
import { maxAddress } from "../../../domain/search/SavedSearch.ts"
import * as SearchAddress from "../../../domain/search/SearchAddress.ts"
import type { Pairs } from "../../../domain/search/SearchAddress.ts"
import type { InvalidArguments, RateLimited, SearchTimeout, ServiceUnavailable } from "../../../domain/ToolError.ts"
import { FilterCounts } from "../../../services/search/FilterCounts.ts"
import type { Filter } from "../../../domain/search/CatalogQuery.ts"
import type { SentNames } from "../../../services/search/Names.ts"
import type { NameCodes } from "../../../services/search/Queries.ts"
import { noChoices, Vocabulary } from "../../../services/search/Vocabulary.ts"
import type { Complaint, RawArguments } from "../../../services/tools/ToolDefinition.ts"
import { CatalogAccess } from "./CatalogAccess.ts"
import * as FilterChips from "./FilterChips.ts"
import { filterForm, typedOf } from "./FilterForm.ts"
import type { Searched } from "./FilterForm.ts"
import { narrowing } from "./QuickFilters.ts"
import * as SearchRefusals from "./SearchRefusals.ts"
import type { PageError } from "../shared/ErrorPage.ts"
import { problemSummary } from "../shared/Fields.ts"
import type { Refusal } from "../shared/Fields.ts"
import { html } from "../shared/Html.ts"
import type { Html } from "../shared/Html.ts"
import { Layout } from "../shared/Layout.ts"
import type { Locale } from "../shared/Locale.ts"
import { PageRoutes, readsAll, seeOther } from "../shared/PageRoutes.ts"
import { pairsOf } from "../../shared/QueryParameters.ts"
import type { SignedIn } from "../shared/Visitors.ts"

export type SearchError = InvalidArguments | RateLimited | SearchTimeout | ServiceUnavailable

interface Read<Call> {
  /** What the schema says. */
  readonly decoded: Result.Result<Call, Complaint>
  /** The same with the issues that need a look-up. */
  readonly checked: Effect.Effect<Result.Result<Call, Complaint>, SearchError>
}

type Cookies = Readonly<Record<string, string | undefined>>

export interface StartRequest {
  readonly url: string
  readonly pairs: Pairs
  readonly cookies: Cookies
}

/** A choice of how a page is shown, which the browser keeps, and the rest of its address. */
interface Choice {
  readonly rest: Pairs
  readonly cookie: { readonly name: string; readonly value: string; readonly path: string }
}

/** What a list knows besides its results. */
export interface Viewed {
  readonly context: FilterChips.Context
  readonly cookies: Cookies
}

/** What a page shows for an address without a search. */
export interface Start {
  readonly isAsked: (pairs: Pairs) => boolean
  /** Takes the pairs that `isAsked` accepts. */
  readonly show: (
    visitor: SignedIn,
    request: StartRequest
  ) => Effect.Effect<{ readonly body: Html } | { readonly elsewhere: string }, PageError>
}

interface FilterPage<Query, Call extends { readonly args: Query }> {
  readonly subject: Searched["subject"]
  readonly path: `/${string}`
  readonly address: SearchAddress.SearchAddress
  readonly heading: (locale: Locale) => string
  /** Whether the results have images of the catalog. */
  readonly images: boolean
  /** Values of arguments that the address may leave out; the form shows them as chosen. */
  readonly defaults?: Readonly<Record<string, string | number>>
  readonly read: (raw: RawArguments) => Read<Call>
  /** Which items match, for the counts of filters; `today` is the UTC date. */
  readonly filter: (query: Query, names: NameCodes, today: string) => Filter
  readonly results: (call: Call, visitor: SignedIn, viewed: Viewed) => Effect.Effect<Html, SearchError>
  /** The choice that a form sent in an address. */
  readonly choiceIn?: ((pairs: Pairs) => Choice | undefined) | undefined
  readonly start?: Start | undefined
  /** Whether the form that asks for a shorter address lists popular names as well. */
  readonly listsWhenTooLong: boolean
}

export const add = Effect.fnUntraced(function* <
  Query extends Narrowing.Narrowable & SentNames,
  Call extends { readonly args: Query }
>(options: FilterPage<Query, Call>) {
  const routes = yield* PageRoutes
  const access = yield* CatalogAccess
  const vocabulary = yield* Vocabulary
  const filterCounts = yield* FilterCounts
  const { page } = yield* Layout
  const isSecure = (yield* AppConfig).baseUrl.startsWith("https:")
  const { address, defaults = {}, path, start, subject } = options

  /** The state of the form, before a search. */
  const formOf = Effect.fnUntraced(function* (pairs: Pairs, raw: RawArguments, hasLists = true) {
    // The lists are optional: without them, names can still be typed.
    const popular = hasLists ? yield* Effect.orElseSucceed(vocabulary.popular, () => noChoices) : noChoices
    // The first value of a name counts.
    const typed = typedOf([...pairs, ...address.toPairs(defaults)], raw, address)
    return { subject, path, address, typed, issues: [], popular }
  })

  const show = (
    visitor: SignedIn,
    form: Omit<Searched, "locale">,
    { body, refused, status }: { readonly status?: number; readonly refused?: Refusal; readonly body?: Html }
  ) => {
    const { locale } = visitor
    const sides = html`${problemSummary(refused?.problems)}
      <div class="searching">
        ${filterForm({ ...form, locale })}
        <section class="results" aria-label="${locale.text("search.results")}">${body}</section>
      </div>`
    return page({
      status,
      refused,
      heading: options.heading(locale),
      account: visitor,
      section: subject,
      width: "wide",
      policy: { images: options.images, searches: true },
      body: sides
    })
  }

  const narrow = (context: FilterChips.Context) => Effect.map(DateTime.now, (now) => narrowing(subject, context, now))

  const search = Effect.fnUntraced(function* (
    visitor: SignedIn,
    { cookies, pairs }: StartRequest,
    raw: RawArguments,
    { checked, decoded }: Read<Call>
  ) {
    const { locale } = visitor
    const form = yield* formOf(pairs, raw)
    const query = Result.isSuccess(decoded) ? decoded.success.args : undefined
    const args = query === undefined ? {} : address.canonical(query)
    const context = { path, address, locale, popular: form.popular, args }
    const refused = (issues: ReadonlyArray<ArgumentIssue>) =>
      show(visitor, { ...form, issues }, { refused: SearchRefusals.invalid(issues, locale, form.typed) })

    return yield* Effect.gen(function* () {
      const result = yield* checked
      if (Result.isFailure(result)) return refused(result.failure.issues)
      const call = result.success
      const [results, counts] = yield* Effect.all(
        [options.results(call, visitor, { context, cookies }), filterCounts.of(call.args, options.filter)],
        { concurrency: 2 }
      )
      const body = html`${yield* narrow(context)}${results}`
      return show(visitor, { ...form, counts: Option.getOrUndefined(counts) }, { body })
    }).pipe(
      Effect.catchTags({
        InvalidArguments: ({ issues }) => Effect.succeed(refused(issues)),
        SearchTimeout: () => {
          const advice = SearchRefusals.tooSlow(Narrowing.advice(query ?? {}), locale)
          return Effect.succeed(
            show(visitor, form, { status: 503, body: html`${FilterChips.chipBar(context)}${advice}` })
          )
        }
      })
    )
  })

  /** Shows the start with an empty search form. */
  const begin = Effect.fnUntraced(function* (visitor: SignedIn, showing: ReturnType<Start["show"]>) {
    const form = yield* formOf([], {})
    const { decoded: all } = options.read({})
    const counting = Result.isFailure(all) ? Effect.succeedNone : filterCounts.of(all.success.args, options.filter)
    const [shown, counts] = yield* Effect.all([showing, counting], { concurrency: 2 })
    if ("elsewhere" in shown) return seeOther(shown.elsewhere)
    const { locale } = visitor
    const narrowed = yield* narrow({ path, address, locale, popular: form.popular, args: {} })
    const body = html`${narrowed}${shown.body}`
    return show(visitor, { ...form, counts: Option.getOrUndefined(counts) }, { body })
  })

  const kept = ({ cookie: { name, path: of, value }, rest }: Choice) => {
    const attributes = { httpOnly: true, path: of, sameSite: "lax", secure: isSecure, maxAge: "365 days" } as const
    const query = SearchAddress.toQuery(rest)
    return HttpServerResponse.setCookieUnsafe(
      name,
      value,
      attributes
    )(seeOther(query === "" ? path : `${path}?${query}`))
  }

  /** Shows the form again, with the typed values to shorten. */
  const shorten = (visitor: SignedIn, length: number, pairs: Pairs, raw: RawArguments) =>
    Effect.map(formOf(pairs, raw, options.listsWhenTooLong), (form) =>
      show(visitor, form, { refused: SearchRefusals.tooLong(length, visitor.locale) })
    )

  const answer = (visitor: SignedIn, { cookies, url }: HttpServerRequest.HttpServerRequest) => {
    const pairs = pairsOf(url)
    const choice = options.choiceIn?.(pairs)
    if (choice !== undefined) return Effect.succeed(kept(choice))
    const asked = address.withoutEmpty(pairs)
    if (start?.isAsked(asked) === true) {
      return access.allow(visitor, subject, begin(visitor, start.show(visitor, { url, cookies, pairs: asked })))
    }
    const raw = { ...defaults, ...address.toArguments(pairs) }
    if (url.length > maxAddress) return access.allow(visitor, subject, shorten(visitor, url.length, pairs, raw))
    const read = options.read(raw)
    const canonical = Result.isSuccess(read.decoded) ? address.canonical(read.decoded.success.args) : undefined
    // A form also sends its empty fields; the redirect leads to an address without them, which can be shared.
    if (canonical !== undefined && !isSame(pairs, address.toPairs(canonical))) {
      return Effect.succeed(seeOther(FilterChips.hrefOf({ address, path }, canonical)))
    }
    return access.allow(visitor, subject, search(visitor, { url, cookies, pairs }, raw, read))
  }

  yield* routes.signedInPage(
    path,
    readsAll((visitor, request) => access.ifPlanned(visitor, subject, () => answer(visitor, request)))
  )
})

/** Compares decoded values, because browsers encode some characters of an address differently. */
const isSame = (some: Pairs, others: Pairs): boolean =>
  some.length === others.length &&
  some.every(([name, value], index) => name === others[index]?.[0] && value === others[index]?.[1])

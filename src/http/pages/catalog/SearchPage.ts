/**
 * A page over one of the search tools: with the same arguments, validation, services and order. Viewing it costs no credits and
 * does not count as a call. The whole search is in the address.
 *
 * Read next: AdsPage, one of the pages that are made by it; FilterForm, which makes a form of the arguments of a tool; CatalogAccess, who
 * may view the catalog, and how much of it in a day.
 */
import { Effect, Layer, Option, Result } from "effect"
import type { Schema } from "effect"
import type { HttpServerRequest } from "effect/http"
import { textOf } from "../../../domain/ArgumentIssue.ts"
import type { ArgumentIssue } from "../../../domain/ArgumentIssue.ts"
import type { Reason } from "../../../domain/search/AdNotice.ts"
import * as Narrowing from "../../../domain/search/Narrowing.ts"
import type { AdPagination, Pagination } from "../../../domain/search/Page.ts"
import { maxAddress, searchKinds } from "../../../domain/search/SavedSearch.ts"
import * as SearchAddress from "../../../domain/search/SearchAddress.ts"
import type { InvalidArguments, RateLimited, SearchTimeout, ServiceUnavailable } from "../../../domain/ToolError.ts"
import { SavedSearches } from "../../../services/accounts/SavedSearches.ts"
import { FilterCounts } from "../../../services/search/FilterCounts.ts"
import type { Counts } from "../../../services/search/FilterCounts.ts"
import type { Filter } from "../../../services/search/index/Query.ts"
import type { SentNames } from "../../../services/search/Names.ts"
import { NewResults } from "../../../services/search/NewResults.ts"
import type { NameCodes } from "../../../services/search/Queries.ts"
import { Vocabulary } from "../../../services/search/Vocabulary.ts"
import type { Popular } from "../../../services/search/Vocabulary.ts"
import { DataAsOf } from "../../../services/import/Sources.ts"
import * as ToolDefinition from "../../../services/tools/ToolDefinition.ts"
import { CatalogAccess } from "./CatalogAccess.ts"
import type { PageError } from "../shared/ErrorPage.ts"
import { problemSummary, refusal } from "../shared/Fields.ts"
import type { Problem, Refusal } from "../shared/Fields.ts"
import * as FilterChips from "./FilterChips.ts"
import { filterForm, isArgument, places, typedOf } from "./FilterForm.ts"
import type { Searched, Subject } from "./FilterForm.ts"
import type { Typed } from "./FilterField.ts"
import { html } from "../shared/Html.ts"
import type { Html } from "../shared/Html.ts"
import { Layout } from "../shared/Layout.ts"
import type { Page } from "../shared/Layout.ts"
import type { Locale } from "../shared/Locale.ts"
import { PageRoutes, readsAll, seeOther } from "../shared/PageRoutes.ts"
import { pairsOf } from "../../shared/QueryParameters.ts"
import { searchActions } from "./SearchActions.ts"
import { worded } from "./WarningTexts.ts"
import * as SearchResults from "./SearchResults.ts"
import type { SignedIn } from "../shared/Visitors.ts"

/** The answer of every search tool. */
interface Envelope {
  readonly results: ReadonlyArray<unknown>
  readonly pagination: Pagination | AdPagination
  readonly warnings?: ReadonlyArray<string>
}

type SearchError = InvalidArguments | RateLimited | SearchTimeout | ServiceUnavailable

/** A search as it was read from an address. */
interface SearchRequest<Answer extends Envelope, Query> {
  readonly pairs: SearchAddress.Pairs
  readonly raw: ToolDefinition.RawArguments
  readonly decoded: ToolDefinition.Decoded<Answer, SearchError, ToolDefinition.Asker, Query>
}

/** What a page shows for an address without a search. */
export interface Start {
  readonly isAsked: (pairs: SearchAddress.Pairs) => boolean
  /** Takes the pairs that `isAsked` accepts. */
  readonly show: (visitor: SignedIn, request: StartRequest) => Effect.Effect<StartView, PageError>
}

interface StartRequest {
  readonly url: string
  readonly pairs: SearchAddress.Pairs
}

type StartView = { readonly body: Html } | { readonly elsewhere: string }

/** No lists to choose from. */
export const none: Popular = { options: { niches: [], themes: [], apps: [] }, nicheName: () => undefined }

export const layer = <
  Query extends Narrowing.Narrowable & SentNames,
  Answer extends Envelope,
  E,
  R,
  S = never
>(options: {
  readonly subject: Subject
  readonly path: `/${string}`
  /** The schema of the tool's arguments. */
  readonly schema: Schema.Constraint & Schema.ConstraintDecoder<unknown>
  readonly tool: Effect.Effect<ToolDefinition.RunnableTool<Answer, SearchError, ToolDefinition.Asker, Query>, E, R>
  readonly list: (answer: Answer, locale: Locale) => Html
  /** Whether the list has images of the catalog. */
  readonly images: boolean
  /** Which items match, for the counts of filters; `today` is the UTC date. */
  readonly filter: (query: Query, names: NameCodes, today: string) => Filter
  /** Why there may be no results. */
  readonly reasons: (query: Query, answer: Answer) => ReadonlyArray<Reason>
  readonly start?: Effect.Effect<Start, never, S>
}) => {
  const { path, subject } = options
  const address = SearchAddress.make(options.schema)

  return Layer.effectDiscard(
    Effect.gen(function* () {
      const routes = yield* PageRoutes
      const access = yield* CatalogAccess
      const vocabulary = yield* Vocabulary
      const saved = yield* SavedSearches
      const newResults = yield* NewResults
      const filterCounts = yield* FilterCounts
      const tool = yield* options.tool
      const starting = options.start === undefined ? undefined : yield* options.start
      const { page } = yield* Layout
      const dataAsOf = yield* DataAsOf

      const show = (
        visitor: SignedIn,
        form: Omit<Searched, "subject" | "path" | "address" | "locale">,
        answer: SearchResponse
      ) => {
        const { locale } = visitor
        const heading = locale.text(`search.headings.${subject}`)
        const searched = { ...form, subject, path, address, locale }
        return page({ ...pageOf(visitor, searched, { ...answer, heading }), policy: { images: options.images } })
      }

      const search = Effect.fnUntraced(function* (
        visitor: SignedIn,
        { decoded, pairs, raw }: SearchRequest<Answer, Query>
      ) {
        // The lists are optional: without them, names can still be typed.
        const popular = yield* Effect.orElseSucceed(vocabulary.popular, () => none)
        const { locale, session } = visitor
        const form = { typed: typedOf(pairs, raw, address), issues: [], popular }
        const query = argumentsOf(decoded)
        const args = query === undefined ? {} : address.canonical(query)
        const context = { path, address, locale, popular, args }

        const refused = (issues: ReadonlyArray<ArgumentIssue>) =>
          show(visitor, { ...form, issues }, invalid(issues, locale, form.typed))

        const found = (query: Query, answer: Answer, counts: Counts | undefined, asOf: string | null, actions: Html) =>
          show(
            visitor,
            { ...form, counts },
            {
              body: html`${FilterChips.chipBar(context)}${actions}${SearchResults.results({
                ...context,
                subject,
                tool: tool.name,
                list: answer.results.length === 0 ? undefined : options.list(answer, locale),
                pagination: answer.pagination,
                warnings: answer.warnings ?? [],
                asOf,
                reasons: answer.results.length === 0 ? options.reasons(query, answer) : []
              })}`
            }
          )

        return yield* Effect.gen(function* () {
          const prepared = yield* ToolDefinition.prepare(tool, decoded)
          if (Result.isFailure(prepared)) return refused(prepared.failure.issues)
          const { args, run } = prepared.success
          const { accountId } = session
          const [{ answer, mark }, counts] = yield* Effect.all(
            [
              newResults.marked(subject, worded(locale, ToolDefinition.inTime(run({ accountId })))),
              filterCounts.of(args, options.filter)
            ],
            { concurrency: 2 }
          )
          const key = { subject, query: searchKinds[subject].saved(args) }
          const { page, total } = answer.pagination
          if (page === 1 && key.query !== "") yield* saved.remember(accountId, key)
          const name = yield* saved.recordView(accountId, { ...key, mark })
          const actions = searchActions({ visitor, search: key, mark, saved: name, total })
          return found(args, answer, Option.getOrUndefined(counts), yield* dataAsOf, actions)
        }).pipe(
          Effect.catchTags({
            InvalidArguments: ({ issues }) => Effect.succeed(refused(issues)),
            SearchTimeout: () => {
              const advice = tooSlow(Narrowing.advice(query ?? {}), locale)
              return Effect.succeed(
                show(visitor, form, { status: 503, body: html`${FilterChips.chipBar(context)}${advice}` })
              )
            }
          })
        )
      })

      /** Shows the start with an empty search form. */
      const begin = Effect.fnUntraced(function* (visitor: SignedIn, { show: showStart }: Start, request: StartRequest) {
        const popular = yield* Effect.orElseSucceed(vocabulary.popular, () => none)
        const all = argumentsOf(tool.decode({}))
        const [shown, counts] = yield* Effect.all(
          [showStart(visitor, request), all === undefined ? Effect.succeedNone : filterCounts.of(all, options.filter)],
          { concurrency: 2 }
        )
        if ("elsewhere" in shown) return seeOther(shown.elsewhere)
        const form = { typed: typedOf([], {}, address), issues: [], popular, counts: Option.getOrUndefined(counts) }
        return show(visitor, form, shown)
      })

      /** Shows the form again, with the typed values to shorten. */
      const shorten = (visitor: SignedIn, length: number, { pairs, raw }: SearchRequest<Answer, Query>) => {
        const form = { typed: typedOf(pairs, raw, address), issues: [], popular: none }
        return Effect.succeed(show(visitor, form, tooLong(length, visitor.locale)))
      }

      const answer = (visitor: SignedIn, { url }: HttpServerRequest.HttpServerRequest) => {
        const pairs = pairsOf(url)
        const start = { url, pairs: address.withoutEmpty(pairs) }
        if (starting?.isAsked(start.pairs) === true) {
          return access.allow(visitor, subject, begin(visitor, starting, start))
        }
        const raw = address.toArguments(pairs)
        const asked = { pairs, raw, decoded: tool.decode(raw) }
        if (url.length > maxAddress) return access.allow(visitor, subject, shorten(visitor, url.length, asked))
        const query = argumentsOf(asked.decoded)
        const canonical = query === undefined ? undefined : address.canonical(query)
        // A form also sends its empty fields; the redirect leads to an address without them, which can be shared.
        if (canonical !== undefined && !isSame(pairs, address.toPairs(canonical))) {
          return Effect.succeed(seeOther(FilterChips.hrefOf({ address, path }, canonical)))
        }
        return access.allow(visitor, subject, search(visitor, asked))
      }

      yield* routes.signedInPage(
        path,
        readsAll((visitor, request) => access.ifPlanned(visitor, subject, () => answer(visitor, request)))
      )
    })
  )
}

const argumentsOf = <Query>({ result }: { readonly result: Result.Result<{ readonly args: Query }, unknown> }) =>
  Result.isSuccess(result) ? result.success.args : undefined

/** Compares decoded values, because browsers encode some characters of an address differently. */
export const isSame = (some: SearchAddress.Pairs, others: SearchAddress.Pairs): boolean =>
  some.length === others.length &&
  some.every(([name, value], index) => name === others[index]?.[0] && value === others[index]?.[1])

export interface SearchResponse {
  readonly status?: number
  readonly refused?: Refusal
  readonly body?: Html | undefined
}

/** The page with the form of a search, and its results beside it. */
export const pageOf = (
  visitor: SignedIn,
  searched: Searched,
  { body, heading, refused, status }: SearchResponse & { readonly heading: string }
): Page => {
  const { text } = visitor.locale
  return {
    status,
    refused,
    heading,
    account: visitor,
    section: searched.subject,
    width: "wide",
    body: html`${problemSummary(refused?.problems)}
      <div class="searching">
        ${filterForm(searched)}
        <section class="results" aria-label="${text("search.results")}">${body}</section>
      </div>`
  }
}

export const invalid = (issues: ReadonlyArray<ArgumentIssue>, locale: Locale, typed: Typed): SearchResponse => ({
  refused: refusal(
    400,
    { message: locale.text("search.invalid") },
    ...issues.map((issue) => problemOf(issue, locale, typed))
  )
})

export const tooLong = (length: number, { text }: Locale): SearchResponse => ({
  refused: refusal(414, { message: text("search.tooLong", { length, limit: maxAddress }) })
})

/** What was typed into the fields "From" and "To", if the first exceeds the second. */
const boundsOf = ({ code, params }: ArgumentIssue): { readonly from: string; readonly to: string } | undefined => {
  if (code === "min_above_max") return { from: String(params["min"]), to: String(params["max"]) }
  return code === "from_after_to" ? { from: String(params["from"]), to: String(params["to"]) } : undefined
}

/** The field of the issue, if there is one, and what is wrong with it. */
const problemOf = (issue: ArgumentIssue, locale: Locale, typed: Typed): Problem => {
  const { path } = issue
  const { text } = locale
  const [name = "", part = ""] = path.split(".")
  const sentence = textOf(issue, locale)
  // The name of another page's argument, or of a part that the argument does not have, is no field of this page.
  const isUnknown = issue.code === "unknown_argument" || issue.code === "argument_not_among"
  if (isUnknown || !isArgument(name)) return { message: `${path}: ${sentence}` }
  const [from, to] = [text("filter.from"), text("filter.to")]
  const ends: Readonly<Record<string, string>> = { min: from, from, max: to, to }
  const end = Object.hasOwn(ends, part) ? ends[part] : undefined
  // The entry of a list, unless the text of the issue repeats it.
  const entry =
    /^\d+$/u.test(part) && issue.params["value"] === undefined ? typed.entries(name)[Number(part)] : undefined
  const about = [
    text(`filter.names.${name}`),
    ...(end === undefined ? [] : [end]),
    ...(entry === undefined ? [] : [locale.quotes.join(String(entry))])
  ]
  const bounds = boundsOf(issue)
  const message =
    bounds === undefined
      ? `${about.join(", ")}: ${sentence}`
      : `${text(`filter.names.${name}`)}: ${text("search.boundsReversed", { from: bounds.from, to: bounds.to })}`
  const problem = { message }
  return places[name] === "links" ? problem : { ...problem, field: end === undefined ? name : path }
}

export const tooSlow = ({ hasFilter, latePage, words }: Narrowing.Advice, { text }: Locale): Html => {
  return html`<div class="panel" role="alert">
    <h2>${text("search.tooSlow")}</h2>
    ${words !== "none" && html`<p>${text(`search.words.${words}`)}</p>`}
    <p>${text(hasFilter ? "search.narrowFilter" : "search.addFilter")}</p>
    ${latePage !== undefined && html`<p>${text("search.earlierPage")}</p>`}
  </div>`
}

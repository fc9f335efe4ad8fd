/**
 * A page over one of the search tools (S5): with the same arguments, validation, services and order. Viewing it costs
 * no credits and does not count as a call.
 *
 * Read next: AdsPage, one of the pages that are made by it; FilterPage, how an address becomes a page.
 */
import { Effect, Layer } from "effect"
import type { Reason } from "../../../domain/search/AdNotice.ts"
import type { Narrowable } from "../../../domain/search/Narrowing.ts"
import type { AdPagination, Pagination } from "../../../domain/search/Page.ts"
import { perPage, searchKinds } from "../../../domain/search/SavedSearch.ts"
import type { KeptKind } from "../../../domain/catalog/Board.ts"
import { Boards } from "../../../services/accounts/Boards.ts"
import { SavedSearches } from "../../../services/accounts/SavedSearches.ts"
import { DataAsOf } from "../../../services/import/Sources.ts"
import type { Filter } from "../../../domain/search/CatalogQuery.ts"
import type { SentNames } from "../../../services/search/Names.ts"
import { NewResults } from "../../../services/search/NewResults.ts"
import type { NameCodes } from "../../../services/search/Queries.ts"
import * as ToolDefinition from "../../../services/tools/ToolDefinition.ts"
import { changesOf } from "./ChangesPage.ts"
import * as FilterChips from "./FilterChips.ts"
import type { Subject } from "./FilterForm.ts"
import * as FilterPage from "./FilterPage.ts"
import { searchActions } from "./SearchActions.ts"
import * as SearchResults from "./SearchResults.ts"
import * as KeepControls from "../boards/KeepControls.ts"
import { wordedWithRemarks } from "./WarningTexts.ts"
import { html } from "../shared/Html.ts"
import type { Html } from "../shared/Html.ts"
import type { Locale } from "../shared/Locale.ts"
import type { SignedIn } from "../shared/Visitors.ts"

/** The answer of every search tool. */
interface Envelope {
  readonly results: ReadonlyArray<{ readonly id: number }>
  readonly pagination: Pagination | AdPagination
  readonly warnings?: ReadonlyArray<string>
}

/** What a list of results is made with besides the answer. */
interface ListContext {
  readonly viewed: FilterPage.Viewed
  readonly keep: KeepControls.KeepControls["of"]
}

type SearchCall<Answer extends Envelope, Query> = ToolDefinition.PreparedCall<
  Answer,
  FilterPage.SearchError,
  ToolDefinition.Asker,
  Query
>

export const layer = <Query extends Narrowable & SentNames, Answer extends Envelope, E, R, S = never>(options: {
  readonly subject: Subject
  readonly path: `/${string}`
  readonly tool: Effect.Effect<ToolDefinition.RunnableTool<SearchCall<Answer, Query>>, E, R>
  readonly list: (answer: Answer, locale: Locale, more: ListContext) => Html
  /** What the results are on a board; absent if their list has no controls to keep them. */
  readonly keptAs?: KeptKind
  /** What can be done with the list. */
  readonly tools?: (locale: Locale, viewed: FilterPage.Viewed) => Html
  readonly choiceIn?: Parameters<typeof FilterPage.add>[0]["choiceIn"]
  /** Whether the list has images of the catalog. */
  readonly images: boolean
  /** Which items match, for the counts of filters; `today` is the UTC date. */
  readonly filter: (query: Query, names: NameCodes, today: string) => Filter
  /** Why there may be no results. */
  readonly reasons: (query: Query, answer: Answer) => ReadonlyArray<Reason>
  readonly start?: Effect.Effect<FilterPage.Start, never, S>
}) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const saved = yield* SavedSearches
      const keeping = KeepControls.make(yield* Boards)
      const newResults = yield* NewResults
      const tool = yield* options.tool
      const start = options.start === undefined ? undefined : yield* options.start
      const dataAsOf = yield* DataAsOf
      const { filter, images, keptAs, path, subject } = options

      const results = Effect.fnUntraced(function* (
        { args, run }: SearchCall<Answer, Query>,
        visitor: SignedIn,
        viewed: FilterPage.Viewed
      ) {
        const { locale, session } = visitor
        const { accountId } = session
        const { answer: worded, mark } = yield* newResults.marked(
          subject,
          wordedWithRemarks(locale, ToolDefinition.inTime(run({ accountId })))
        )
        const { answer, isRemark } = worded
        const { warnings = [] } = answer
        const key = { subject, query: searchKinds[subject].saved(args) }
        const { page, total } = answer.pagination
        if (page === 1 && key.query !== "") yield* saved.remember(accountId, key)
        const name = yield* saved.recordView(accountId, { ...key, mark })
        const isEmpty = answer.results.length === 0
        const items = keptAs === undefined ? [] : answer.results.map(({ id }) => ({ kind: keptAs, id }))
        const { context } = viewed
        const keep = yield* keeping(visitor, items, FilterChips.hrefOf(context, context.args))
        const changes =
          subject === "stores" && html`<p><a href="${changesOf(args)}">${locale.text("changes.ofStores")}</a></p>`
        const shown = SearchResults.results({
          ...viewed.context,
          actions: html`${searchActions({ visitor, search: key, mark, saved: name, total })}
          ${keptAs !== undefined && !isEmpty && keep.form}${!isEmpty && options.tools?.(locale, viewed)}`,
          subject,
          tool: tool.name,
          list: isEmpty ? undefined : options.list(answer, locale, { viewed, keep: keep.of }),
          pagination: answer.pagination,
          // An empty list has nothing below it.
          warnings: warnings.filter((warning) => isEmpty || !isRemark(warning)),
          remarks: isEmpty ? [] : warnings.filter(isRemark),
          asOf: yield* dataAsOf,
          reasons: isEmpty ? options.reasons(args, answer) : []
        })
        return html`${shown}${changes}`
      })

      yield* FilterPage.add({
        subject,
        path,
        images,
        filter,
        start,
        results,
        choiceIn: options.choiceIn,
        address: searchKinds[subject].address,
        defaults: { per_page: perPage[subject] },
        heading: ({ text }) => text(`search.headings.${subject}`),
        read: (raw) => {
          const decoded = tool.decode(raw)
          return { decoded: decoded.result, checked: ToolDefinition.prepare(tool, decoded) }
        },
        listsWhenTooLong: false
      })
    })
  )

/**
 * Lists of changes (D111), from the log that imports write (D110).
 *
 * Changes have ids in the order of the versions of the catalog, and no transaction adds one below an id that was read: whoever writes
 * the log holds the lock of the catalog. So a cursor neither repeats nor skips a change, whatever is imported meanwhile.
 */
import { Clock, Context, DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountId } from "../../domain/access/Account.ts"
import { issueAt } from "../../domain/ArgumentIssue.ts"
import type { ChangeKind } from "../../domain/catalog/Changes.ts"
import { recorded, storeFigures } from "../../domain/catalog/Figures.ts"
import { cut } from "../../domain/catalog/ThirdPartyText.ts"
import { dayMillis } from "../../domain/Days.ts"
import { cursorOf, defaultDays, maxTotal, sinceOf } from "../../domain/search/ChangeQuery.ts"
import type { ChangeArguments, ChangeItem, ChangePage } from "../../domain/search/ChangeQuery.ts"
import * as Narrowing from "../../domain/search/Narrowing.ts"
import * as Page from "../../domain/search/Page.ts"
import type { Findings } from "../../domain/search/Warnings.ts"
import { InvalidArguments } from "../../domain/ToolError.ts"
import { idsOf } from "../database/Rows.ts"
import { SearchPermits } from "../limits/SearchPermits.ts"
import type { SearchFailure } from "../limits/SearchPermits.ts"
import { CatalogSearch } from "../search/CatalogSearch.ts"
import * as InVersion from "../search/InVersion.ts"
import * as Queries from "../search/Queries.ts"
import { currenciesOf, unknownOf } from "../search/SearchRunner.ts"
import * as ChangeSql from "./ChangeSql.ts"

/** Stores that a list of changes may be filtered to: their ids are sent to the database. */
export const maxStores = 50_000

export type ChangesQuery = Omit<ChangeArguments, "per_page"> & { readonly per_page?: number }

export interface FoundChanges {
  /** The newest change of the window is first or last. */
  readonly changes: ReadonlyArray<ChangeSql.ChangeRow>
  readonly pagination: ChangePage["pagination"]
  readonly known_since: string | null
  readonly findings: Findings
}

export interface ChangeCount {
  readonly kind: ChangeKind
  /** At most {@link maxTotal}. */
  readonly count: number
}

type Failure = InvalidArguments | SearchFailure

const noFindings: Findings = { unknown: [], storeless: 0, currencies: [] }

const isAsked = (filters: ChangesQuery["filters"]): filters is NonNullable<ChangesQuery["filters"]> =>
  filters !== undefined &&
  Object.values(filters).some((value) => typeof value === "string" || Narrowing.isFilter(value))

/** The stores that all of the lists have. */
const inAll = (lists: ReadonlyArray<ReadonlyArray<number>>): ReadonlyArray<number> | undefined => {
  const [first, ...others] = lists
  if (first === undefined) return undefined
  const sets = others.map((list) => new Set(list))
  return Array.from(new Set(first)).filter((id) => sets.every((set) => set.has(id)))
}

export class ChangeFeed extends Context.Service<
  ChangeFeed,
  {
    /** `accountId` decides which stores are tracked. */
    page(query: ChangesQuery, accountId: AccountId): Effect.Effect<FoundChanges, Failure>
    /** Of all changes in the window of the query, by kind in the order of the kinds; and the cursor that follows the last of them. */
    counts(
      query: ChangesQuery,
      accountId: AccountId
    ): Effect.Effect<{ readonly counts: ReadonlyArray<ChangeCount>; readonly next: string }, Failure>
  }
>()("discovery/changes/ChangeFeed") {
  static readonly layer = Layer.effect(
    ChangeFeed,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const index = yield* CatalogSearch
      const permits = yield* SearchPermits

      /** The stores that match, by the index; `undefined` if no filter asks for anything. */
      const matching = Effect.fnUntraced(function* ({ filters }: ChangesQuery) {
        if (!isAsked(filters)) return undefined
        const hint = () => Narrowing.hint(filters)
        const { answer, unknown } = yield* InVersion.answer(index.current, {
          names: filters,
          query: (names) => ({ ...Queries.storeFilter(filters, names), subject: "stores" as const, limit: maxStores }),
          ask: (asked) => index.storeIds(asked, hint)
        })
        if (answer.total > maxStores) {
          const issue = issueAt("filters", "too_many_stores", { stores: answer.total, most: maxStores })
          return yield* InvalidArguments.fromIssues([issue], hint())
        }
        const findings: Findings = {
          unknown: unknownOf(unknown, answer),
          storeless: 0,
          currencies: currenciesOf(answer)
        }
        return { ids: answer.ids, findings }
      })

      /** Those that are gone have changes too. */
      const unknownStores = (ids: ReadonlyArray<number>) =>
        idsOf(sql`
          SELECT wanted.id FROM unnest(${ids}::int[]) AS wanted (id)
          WHERE NOT EXISTS (SELECT FROM shop s WHERE s.id = wanted.id)
            AND NOT EXISTS (SELECT FROM change c WHERE c.shop_id = wanted.id)`)

      const tracked = (accountId: AccountId) =>
        idsOf(sql`SELECT shop_id AS id FROM tracked_shop WHERE account_id = ${accountId}::int`)

      /** The window of a query, and what is wanted of it. */
      const resolve = Effect.fnUntraced(function* (query: ChangesQuery, accountId: AccountId) {
        const found = yield* matching(query)
        const today = yield* Clock.currentTimeMillis
        const firstDay = DateTime.formatIsoDateUtc(DateTime.makeUnsafe(today - defaultDays * dayMillis))
        const since = sinceOf(query.since ?? firstDay) ?? { _tag: "Day" as const, day: firstDay }
        return yield* permits.query(
          Effect.gen(function* () {
            const asked = query.shop_ids ?? []
            const unknown = asked.length === 0 ? [] : yield* unknownStores(asked)
            const shopIds = inAll([
              ...(asked.length === 0 ? [] : [asked]),
              ...(query.tracked_only === true ? [yield* tracked(accountId)] : []),
              ...(found === undefined ? [] : [found.ids])
            ])
            const from =
              since._tag === "Day" ? { day: since.day } : { after: since._tag === "After" ? since.id : since.above }
            const { known_since, ...all } = yield* ChangeSql.window(sql, from)
            const window = since._tag === "Before" ? { above: since.above, top: Math.min(since.top, all.top) } : all
            const first = yield* ChangeSql.beginning(sql, window)
            const kinds =
              query.kinds === undefined || query.kinds.length === 0 ? undefined : Array.from(new Set(query.kinds))
            const { findings } = found ?? { findings: noFindings }
            return {
              since,
              known_since,
              // Without a change in the window there is nothing to look for.
              wanted: first === undefined ? undefined : { ...window, from: first.at, kinds, shopIds },
              window,
              findings: {
                ...findings,
                unknown: [
                  ...findings.unknown,
                  ...unknown.map((id) => ({ list: "shop_ids" as const, name: String(id) }))
                ]
              }
            }
          })
        )
      })

      const page = Effect.fn("ChangeFeed.page")(function* (query: ChangesQuery, accountId: AccountId) {
        const { perPage } = Page.window(query)
        const { findings, known_since, since, wanted, window } = yield* resolve(query, accountId)
        const isNewest = (query.order ?? "newest") === "newest"
        const { changes: rows, total } =
          wanted === undefined
            ? { changes: [], total: 0 }
            : yield* permits.query(
                ChangeSql.page(sql, wanted, {
                  isNewest,
                  limit: perPage + 1,
                  accountId,
                  rest: {
                    above: wanted.above,
                    top: since._tag === "Before" ? Math.min(wanted.top, since.id - 1) : wanted.top
                  },
                  mostCounted: maxTotal + 1
                })
              )
        const changes = rows.slice(0, perPage)
        const last = changes.at(-1)
        const hasMore = rows.length > perPage
        const next =
          hasMore && last !== undefined
            ? isNewest
              ? cursorOf({ _tag: "Before", id: last.id, above: window.above, top: window.top })
              : cursorOf({ _tag: "After", id: last.id })
            : cursorOf({ _tag: "After", id: window.top })
        return {
          changes,
          pagination: {
            per_page: perPage,
            total: Math.min(total, maxTotal),
            total_is_exact: total <= maxTotal,
            has_more: hasMore,
            next
          },
          known_since,
          findings
        }
      })

      const counts = Effect.fn("ChangeFeed.counts")(function* (query: ChangesQuery, accountId: AccountId) {
        const { wanted, window } = yield* resolve(query, accountId)
        const found = wanted === undefined ? [] : yield* permits.query(ChangeSql.counts(sql, wanted, maxTotal))
        return { counts: found, next: cursorOf({ _tag: "After", id: window.top }) }
      })

      return ChangeFeed.of({ page, counts })
    })
  ).pipe(Layer.provide(SearchPermits.layer))
}

const figureOf = new Map(
  recorded.map(({ field, figure, unit }) => [field as string, { name: storeFigures[figure].answer, unit }])
)

const priced = new Set<ChangeKind>(["product_appeared", "product_back", "product_removed", "price_up", "price_down"])

/** `dashboardUrl` is that of a store. */
export const present = (
  row: ChangeSql.ChangeRow,
  { dashboardUrl }: { readonly dashboardUrl: (shopId: number) => string }
): ChangeItem => {
  const figure = row.kind === "figure_changed" ? figureOf.get(row.name ?? "") : undefined
  const isNamed = row.kind !== "product_removed" && row.kind !== "store_gone"
  const isMoney = figure?.unit === "money" || priced.has(row.kind)
  return {
    kind: row.kind,
    at: row.at.toISOString(),
    data_as_of: row.data_as_of,
    name: figure?.name ?? (isNamed ? row.name : null),
    old: row.old,
    new: row.new,
    currency: isMoney ? row.currency : null,
    item_id: row.record_id,
    item_title: row.item_title === null ? null : cut(row.item_title, 200),
    shop:
      row.shop_id === null
        ? null
        : {
            id: row.shop_id,
            name: row.shop_name,
            domain: row.domain,
            country: row.country,
            is_tracked: row.is_tracked
          },
    dashboard_url: row.shop_id === null || row.shop_name === null ? null : dashboardUrl(row.shop_id)
  }
}

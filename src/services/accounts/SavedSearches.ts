/**
 * The saved searches of an account: a name, the search, and the state of the catalog at the last view (D67). And its last
 * searches, which it was shown without saving them.
 */
import { Clock, Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountId } from "../../domain/access/Account.ts"
import { AlertFrequency } from "../../domain/search/SearchAlert.ts"
import { maxRecentSearches, maxSavedSearches, SearchSubject } from "../../domain/search/SavedSearch.ts"
import type { ServiceUnavailable } from "../../domain/ToolError.ts"
import { availableOnce, availableToRead } from "../database/Availability.ts"
import { countOf, firstOf, rowsOf } from "../database/Rows.ts"

/** Searches on a page of the list. Their new results are counted two searches at a time (SavedSearchesPage). */
export const savedPerPage = 10

/** Identifies a search of an account. */
export interface SearchKey {
  readonly subject: SearchSubject
  /** In the form of domain/search/SavedSearch.ts. */
  readonly query: string
}

export const SavedSearch = Schema.Struct({
  id: Schema.Int,
  subject: SearchSubject,
  query: Schema.String,
  name: Schema.String,
  viewedAt: Schema.DateTimeUtcFromDate,
  /** See NewResults. */
  mark: Schema.Int,
  /** How often it is mailed (services/alerts). */
  alert: Schema.NullOr(AlertFrequency),
  /** When news are looked for, for the next mail; `null` without an alert. */
  alertDueAt: Schema.NullOr(Schema.DateTimeUtcFromDate)
})
export type SavedSearch = typeof SavedSearch.Type

export const RecentSearch = Schema.Struct({
  subject: SearchSubject,
  query: Schema.String,
  at: Schema.DateTimeUtcFromMillis
})
export type RecentSearch = typeof RecentSearch.Type

/** The account has the maximum number of saved searches. */
export class TooManySavedSearches extends Schema.TaggedError<TooManySavedSearches>()("TooManySavedSearches", {}) {}

/** It does not exist, or belongs to another account. */
export class SavedSearchNotFound extends Schema.TaggedError<SavedSearchNotFound>()("SavedSearchNotFound", {}) {}

const decodeRows = rowsOf(SavedSearch)
const decodeName = firstOf(Schema.Struct({ name: Schema.String }))
const decodeRecent = firstOf(Schema.Struct({ searches: Schema.Array(RecentSearch) }))

export class SavedSearches extends Context.Service<
  SavedSearches,
  {
    /** A search that is saved already gets the new name. At most 50 for each account. */
    save(
      accountId: AccountId,
      search: SearchKey & { readonly name: string; readonly mark: number }
    ): Effect.Effect<void, TooManySavedSearches | ServiceUnavailable>
    /** Records that the results were viewed; returns the name of the search if it is saved. A mark never decreases. */
    recordView(
      accountId: AccountId,
      search: SearchKey & { readonly mark: number }
    ): Effect.Effect<Option.Option<string>, ServiceUnavailable>
    /** Latest saved first. `page` counts from 1; a page after the last is empty. */
    page(
      accountId: AccountId,
      page: number
    ): Effect.Effect<{ readonly searches: ReadonlyArray<SavedSearch>; readonly total: number }, ServiceUnavailable>
    /** Latest saved first. */
    all(accountId: AccountId): Effect.Effect<ReadonlyArray<SavedSearch>, ServiceUnavailable>
    get(accountId: AccountId, id: number): Effect.Effect<SavedSearch, SavedSearchNotFound | ServiceUnavailable>
    rename(
      accountId: AccountId,
      id: number,
      name: string
    ): Effect.Effect<void, SavedSearchNotFound | ServiceUnavailable>
    remove(accountId: AccountId, id: number): Effect.Effect<void, SavedSearchNotFound | ServiceUnavailable>
    /** Keeps a search that was shown among the last five. Does not wait; a write that fails is logged. */
    remember(accountId: AccountId, search: SearchKey): Effect.Effect<void>
    /** Each search once, last shown first. */
    recent(accountId: AccountId): Effect.Effect<ReadonlyArray<RecentSearch>, ServiceUnavailable>
  }
>()("discovery/accounts/SavedSearches") {
  static readonly layer = Layer.effect(
    SavedSearches,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const scope = yield* Effect.scope

      const columns = sql.literal(
        `id, subject, query, name, viewed_at AS "viewedAt", mark, alert, alert_due_at AS "alertDueAt"`
      )

      /** Locks the account's row, so that one transaction at a time finds the search and counts the others. */
      const save = Effect.fn("SavedSearches.save")(
        function* (accountId: AccountId, { mark, name, query, subject }: Parameters<Save>[1]) {
          yield* sql`SELECT FROM account WHERE id = ${accountId} FOR NO KEY UPDATE`
          const renamed = yield* sql`
            UPDATE saved_search SET name = ${name}
            WHERE account_id = ${accountId} AND subject = ${subject} AND query = ${query} RETURNING id`
          if (renamed.length > 0) return
          const at = new Date(yield* Clock.currentTimeMillis)
          const saved = yield* sql`
            INSERT INTO saved_search (account_id, subject, query, name, viewed_at, mark)
            SELECT ${accountId}::int, ${subject}, ${query}, ${name}, ${at}::timestamptz, ${mark}::int
            WHERE (SELECT count(*) FROM saved_search WHERE account_id = ${accountId}::int) < ${maxSavedSearches}::int
            RETURNING id`
          if (saved.length === 0) return yield* new TooManySavedSearches()
        },
        sql.withTransaction,
        availableOnce
      )

      const recordView = Effect.fn("SavedSearches.recordView")(function* (
        accountId: AccountId,
        { mark, query, subject }: Parameters<RecordView>[1]
      ) {
        const at = new Date(yield* Clock.currentTimeMillis)
        const viewed = yield* sql`
            UPDATE saved_search SET viewed_at = greatest(viewed_at, ${at}), mark = greatest(mark, ${mark})
            WHERE account_id = ${accountId} AND subject = ${subject} AND query = ${query} RETURNING name`.pipe(
          decodeName,
          availableOnce
        )
        return Option.map(Option.fromUndefinedOr(viewed), ({ name }) => name)
      })

      const page = Effect.fn("SavedSearches.page")(function* (accountId: AccountId, page: number) {
        const [searches, total] = yield* Effect.all([
          sql`
              SELECT ${columns} FROM saved_search WHERE account_id = ${accountId}
              ORDER BY id DESC LIMIT ${savedPerPage} OFFSET ${(page - 1) * savedPerPage}`.pipe(decodeRows),
          countOf(sql`SELECT count(*)::int AS count FROM saved_search WHERE account_id = ${accountId}`)
        ]).pipe(availableToRead)
        return { searches, total }
      })

      const all = Effect.fn("SavedSearches.all")((accountId: AccountId) =>
        sql`
          SELECT ${columns} FROM saved_search WHERE account_id = ${accountId}
          ORDER BY id DESC LIMIT ${maxSavedSearches}`.pipe(decodeRows, availableToRead)
      )

      const get = Effect.fn("SavedSearches.get")(function* (accountId: AccountId, id: number) {
        const [row] =
          yield* sql`SELECT ${columns} FROM saved_search WHERE account_id = ${accountId} AND id = ${id}`.pipe(
            decodeRows,
            availableToRead
          )
        return row === undefined ? yield* new SavedSearchNotFound() : row
      })

      const orNotFound = (rows: ReadonlyArray<unknown>) =>
        rows.length === 0 ? Effect.fail(new SavedSearchNotFound()) : Effect.void

      const rename = Effect.fn("SavedSearches.rename")(function* (accountId: AccountId, id: number, name: string) {
        yield* sql`
          UPDATE saved_search SET name = ${name} WHERE account_id = ${accountId} AND id = ${id} RETURNING id`.pipe(
          availableOnce,
          Effect.flatMap(orNotFound)
        )
      })

      const remove = Effect.fn("SavedSearches.remove")(function* (accountId: AccountId, id: number) {
        yield* sql`DELETE FROM saved_search WHERE account_id = ${accountId} AND id = ${id} RETURNING id`.pipe(
          availableOnce,
          Effect.flatMap(orNotFound)
        )
      })

      /** Ordered by the times at which they were shown: of writes that run at once, the last one to end may be the first. */
      const write = Effect.fn("SavedSearches.remember")(
        function* (accountId: AccountId, shown: typeof RecentSearch.Encoded) {
          yield* sql`
            INSERT INTO recent_search AS kept (account_id, searches)
            VALUES (${accountId}, ${JSON.stringify([shown])}::jsonb)
            ON CONFLICT (account_id) DO UPDATE SET searches = (
              SELECT jsonb_agg(search ORDER BY search -> 'at' DESC) FROM (
                SELECT search FROM (
                  SELECT DISTINCT ON (search - 'at') search
                  FROM jsonb_array_elements(excluded.searches || kept.searches) AS each (search)
                  ORDER BY search - 'at', search -> 'at' DESC
                ) latest
                ORDER BY search -> 'at' DESC LIMIT ${maxRecentSearches}::int
              ) last
            )`
        },
        availableOnce,
        Effect.catch((error) => Effect.logWarning("A search was not remembered", error))
      )

      const remember = (accountId: AccountId, { query, subject }: SearchKey) =>
        Effect.flatMap(Clock.currentTimeMillis, (at) =>
          Effect.asVoid(Effect.forkIn(write(accountId, { subject, query, at }), scope))
        )

      const recent = Effect.fn("SavedSearches.recent")(function* (accountId: AccountId) {
        const row = yield* sql`SELECT searches FROM recent_search WHERE account_id = ${accountId}`.pipe(
          decodeRecent,
          availableToRead
        )
        return row?.searches ?? []
      })

      return SavedSearches.of({ save, recordView, page, all, get, rename, remove, remember, recent })
    })
  )
}

type Save = SavedSearches["Service"]["save"]
type RecordView = SavedSearches["Service"]["recordView"]

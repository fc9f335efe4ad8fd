/** The searches that accounts have saved (D67). */
import { assert, layer } from "@effect/vitest"
import { Clock, DateTime, Effect, Fiber, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountId } from "../../../src/domain/access/Account.ts"
import { maxRecentSearches, maxSavedSearches } from "../../../src/domain/search/SavedSearch.ts"
import { savedPerPage, SavedSearches } from "../../../src/services/accounts/SavedSearches.ts"
import type { SearchKey } from "../../../src/services/accounts/SavedSearches.ts"
import * as Access from "../../support/Access.ts"
import { eventually, runs } from "../../support/RunningQueries.ts"
import { SetClock } from "../../support/SetClock.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const services = Layer.mergeAll(SavedSearches.layer, Access.layerUnhashed).pipe(
  Layer.provideMerge(TestDatabase.layer),
  Layer.provideMerge(SetClock.layer("2026-03-15T12:00:00Z"))
)

const newAccount = Effect.map(Access.subscriber(), ({ caller }) => caller.accountId)

const search = (number: number) => ({
  subject: "ads" as const,
  query: `query=${number}`,
  name: `Search ${number}`,
  mark: number
})

/** Of all pages. */
const all = Effect.fnUntraced(function* (accountId: AccountId) {
  const saved = yield* SavedSearches
  const pages = Array.from({ length: maxSavedSearches / savedPerPage }, (_, index) => index + 1)
  const found = yield* Effect.forEach(pages, (page) => saved.page(accountId, page))
  return found.flatMap(({ searches }) => searches)
})

layer(services, { excludeTestServices: true })("saved searches", (it) => {
  it.effect("are one for each search, with the name that was given last", () =>
    Effect.gen(function* () {
      const saved = yield* SavedSearches
      const account = yield* newAccount
      yield* saved.save(account, search(1))
      yield* saved.save(account, { ...search(1), name: "Another", mark: 9 })
      yield* saved.save(account, { ...search(1), subject: "products" })
      assert.deepStrictEqual(
        (yield* all(account)).map(({ mark, name, subject }) => [subject, name, mark]),
        [
          ["products", "Search 1", 1],
          ["ads", "Another", 1]
        ]
      )
    })
  )

  it.effect("record views, and a view is never undone", () =>
    Effect.gen(function* () {
      const saved = yield* SavedSearches
      const clock = yield* SetClock
      const account = yield* newAccount
      yield* saved.save(account, search(5))
      yield* clock.advance(60_000)
      assert.deepStrictEqual(yield* saved.recordView(account, { ...search(5), mark: 8 }), Option.some("Search 5"))
      assert.deepStrictEqual(yield* saved.recordView(account, { ...search(5), mark: 7 }), Option.some("Search 5"))
      assert.isTrue(Option.isNone(yield* saved.recordView(account, search(6))))
      const [only] = yield* all(account)
      assert.deepStrictEqual([only?.mark, String(only?.viewedAt)], [8, "DateTime.Utc(2026-03-15T12:01:00.000Z)"])
    })
  )

  it.effect("are their account's alone, and go with it", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const saved = yield* SavedSearches
      const [mine, theirs] = [yield* newAccount, yield* newAccount]
      yield* saved.save(theirs, search(1))
      const [foreign] = yield* all(theirs)
      const id = foreign?.id ?? 0
      for (const answer of [saved.get(mine, id), saved.rename(mine, id, "Mine"), saved.remove(mine, id)]) {
        assert.strictEqual((yield* Effect.flip(answer))._tag, "SavedSearchNotFound")
      }
      assert.isTrue(Option.isNone(yield* saved.recordView(mine, search(1))))
      assert.deepStrictEqual(yield* all(theirs), [foreign])
      const [references] = yield* sql<{ readonly action: string }>`
        SELECT confdeltype AS action FROM pg_constraint
        WHERE conrelid = 'saved_search'::regclass AND confrelid = 'account'::regclass`
      assert.strictEqual(references?.action, "c")
    })
  )

  it.effect("are at most 50 an account, also when they come at once; one that is there is renamed", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const saved = yield* SavedSearches
      const account = yield* newAccount
      yield* Effect.forEach(Array.from({ length: maxSavedSearches - 2 }).keys(), (number) =>
        saved.save(account, search(number))
      )
      // All four are under way before the first can go on.
      const holder = yield* sql.reserve
      const hold = (statement: string) => holder.executeValuesUnprepared(statement, [])
      yield* hold("BEGIN")
      yield* hold(`SELECT FROM account WHERE id = ${account} FOR UPDATE`)
      const saving = yield* Effect.forkChild(
        Effect.forEach([101, 102, 103, 104], (number) => Effect.result(saved.save(account, search(number))), {
          concurrency: "unbounded"
        })
      )
      yield* sql`SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`.pipe(
        Effect.filterOrFail((waiting) => waiting.length === 4),
        eventually
      )
      yield* hold("COMMIT")
      const results = yield* Fiber.join(saving)
      assert.deepStrictEqual(
        results.map((result) => (result._tag === "Success" ? "saved" : result.failure._tag)).sort(),
        ["TooManySavedSearches", "TooManySavedSearches", "saved", "saved"]
      )
      assert.strictEqual((yield* all(account)).length, maxSavedSearches)
      yield* saved.save(account, { ...search(0), name: "Renamed" })
      const [oldest] = (yield* all(account)).slice(-1)
      assert.strictEqual(oldest?.name, "Renamed")
      yield* saved.remove(account, oldest?.id ?? 0)
      yield* saved.save(account, search(105))
      assert.strictEqual((yield* all(account)).length, maxSavedSearches)
    })
  )

  const textOf = ({ query, subject }: SearchKey) => `${subject} ${query}`

  /** Remembers a search, and waits until that is written. */
  const show = Effect.fnUntraced(function* (accountId: AccountId, key: SearchKey) {
    const saved = yield* SavedSearches
    const clock = yield* SetClock
    yield* clock.advance(1_000)
    const at = yield* Clock.currentTimeMillis
    yield* saved.remember(accountId, key)
    yield* saved.recent(accountId).pipe(
      Effect.filterOrFail(([newest]) => newest !== undefined && DateTime.toEpochMillis(newest.at) === at),
      eventually
    )
  })

  it.effect("the last five that were shown are kept, each once, latest first, for their account alone", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const saved = yield* SavedSearches
      const [mine, theirs] = [yield* newAccount, yield* newAccount]
      assert.deepStrictEqual(yield* saved.recent(mine), [])
      yield* show(theirs, { subject: "stores", query: "query=theirs" })
      const keys: ReadonlyArray<SearchKey> = [1, 2, 3, 1, 4, 2, 2, 5, 6, 3, 7].map((number) => ({
        // The same filters mean another search on another page.
        subject: number === 7 ? "products" : "ads",
        query: number === 7 ? "query=6" : `query=${number}`
      }))
      for (const [index, key] of keys.entries()) {
        yield* show(mine, key)
        const latest = keys.slice(0, index + 1).toReversed()
        assert.deepStrictEqual(
          (yield* saved.recent(mine)).map(textOf),
          Array.from(new Set(latest.map(textOf))).slice(0, maxRecentSearches)
        )
      }
      assert.deepStrictEqual(
        (yield* saved.recent(theirs)).map(({ query }) => query),
        ["query=theirs"]
      )
      const [references] = yield* sql<{ readonly action: string }>`
        SELECT confdeltype AS action FROM pg_constraint
        WHERE conrelid = 'recent_search'::regclass AND confrelid = 'account'::regclass`
      assert.strictEqual(references?.action, "c")
    })
  )

  it.effect("those written at once keep nobody waiting, and are five in the order in which they were shown", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const saved = yield* SavedSearches
      const clock = yield* SetClock
      const account = yield* newAccount
      for (const number of [9, 0]) yield* show(account, { subject: "ads", query: `query=${number}` })
      const holder = yield* sql.reserve
      const hold = (statement: string) => holder.executeValuesUnprepared(statement, [])
      yield* hold("BEGIN")
      yield* hold("LOCK TABLE recent_search IN EXCLUSIVE MODE")
      // They return while the table is locked. What was shown first is written last, the first one twice.
      yield* clock.advance(10_000)
      for (const number of [1, 2, 3, 4, 1]) {
        yield* saved.remember(account, { subject: "ads", query: `query=${number}` })
        yield* clock.advance(-1_000)
      }
      yield* runs("INSERT INTO recent_search", 5)
      assert.strictEqual((yield* saved.recent(account)).length, 2)
      yield* hold("COMMIT")
      // Until the last one is written: the first search has two writes.
      yield* runs("INSERT INTO recent_search", 0)
      const kept = yield* saved.recent(account).pipe(
        Effect.filterOrFail((searches) =>
          [1, 2, 3, 4].every((n) => searches.some(({ query }) => query === `query=${n}`))
        ),
        eventually
      )
      assert.deepStrictEqual(
        kept.map(({ query }) => query),
        [1, 2, 3, 4, 0].map((number) => `query=${number}`)
      )
      // Refused by the table.
      yield* saved.remember(account, { subject: "ads", query: "\u0000" })
      yield* clock.advance(60_000)
      yield* show(account, { subject: "ads", query: "query=5" })
      assert.deepStrictEqual(
        (yield* saved.recent(account)).map(({ query }) => query),
        [5, 1, 2, 3, 4].map((number) => `query=${number}`)
      )
    })
  )
})

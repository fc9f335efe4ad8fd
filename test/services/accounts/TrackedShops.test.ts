/** Tracking a store by its id, as its page does (D12). */
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { maxTrackedShops, TrackedShops } from "../../../src/services/accounts/TrackedShops.ts"
import * as Access from "../../support/Access.ts"
import { eventually } from "../../support/RunningQueries.ts"
import * as StoreRecords from "../../support/StoreRecords.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const services = Layer.mergeAll(TrackedShops.layer, Access.layerUnhashed).pipe(Layer.provideMerge(TestDatabase.layer))

const newAccount = Effect.map(Access.subscriber(), ({ caller }) => caller.accountId)

layer(services, { excludeTestServices: true })("tracked stores", (it) => {
  it.effect("a store is tracked, and no longer, as often as one likes, for this account only", () =>
    Effect.gen(function* () {
      const tracked = yield* TrackedShops
      const [one, other] = [yield* newAccount, yield* newAccount]
      const id = yield* StoreRecords.addStore({ domain: "lamp.com" })
      yield* tracked.track(other, id)
      for (let time = 0; time < 2; time++) {
        assert.strictEqual(yield* tracked.track(one, id), "tracked")
        assert.deepStrictEqual(yield* tracked.list(one), [{ shopId: id, domain: "lamp.com", kind: "tracked" }])
      }
      for (let time = 0; time < 2; time++) {
        assert.isUndefined(yield* tracked.untrack(one, id))
        assert.deepStrictEqual(yield* tracked.list(one), [])
      }
      assert.strictEqual((yield* tracked.list(other)).length, 1)
    })
  )

  it.effect("an own store stays one, whichever button is pressed", () =>
    Effect.gen(function* () {
      const tracked = yield* TrackedShops
      const account = yield* newAccount
      const id = yield* StoreRecords.addStore({ domain: "own.com" })
      yield* tracked.add(account, "own.com", "own")
      assert.strictEqual(yield* tracked.track(account, id), "own")
      assert.strictEqual(yield* tracked.untrack(account, id), "own")
      assert.deepStrictEqual(yield* tracked.list(account), [{ shopId: id, domain: "own.com", kind: "own" }])
    })
  )

  it.effect("a store that does not exist can be neither tracked nor untracked", () =>
    Effect.gen(function* () {
      const tracked = yield* TrackedShops
      const account = yield* newAccount
      for (const id of [0, 999_999, 2_147_483_647]) {
        assert.strictEqual((yield* Effect.flip(tracked.track(account, id)))._tag, "UnknownStore")
        assert.strictEqual((yield* Effect.flip(tracked.untrack(account, id)))._tag, "UnknownStore")
      }
    })
  )

  const ways: ReadonlyArray<readonly [by: "id" | "address", prefix: string]> = [
    ["id", "many"],
    ["address", "more"]
  ]
  it.effect.each(ways)(
    "by its %s takes at most 1,000 stores an account, also at once, and one that is there",
    ([by, prefix]) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const tracked = yield* TrackedShops
        const account = yield* newAccount
        const rows = yield* sql<{ readonly id: number; readonly domain: string }>`
        INSERT INTO shop (domain, domain_extension, name, country)
        SELECT ${prefix}::text || '-' || n || '.com', '.com', 'Many', 'US' FROM generate_series(1, ${maxTrackedShops + 2}::int) n
        RETURNING id, domain`
        const track = ({ domain, id }: { readonly id: number; readonly domain: string }) =>
          by === "id"
            ? tracked.track(account, id)
            : Effect.map(tracked.add(account, domain, "tracked"), ({ kind }) => kind)
        yield* sql`
        INSERT INTO tracked_shop (account_id, shop_id, kind)
        SELECT ${account}::int, id, 'tracked' FROM unnest(${rows.slice(4).map(({ id }) => id)}::int[]) id`
        // All four are under way before the first can go on.
        const holder = yield* sql.reserve
        const hold = (statement: string) => holder.executeValuesUnprepared(statement, [])
        yield* hold("BEGIN")
        yield* hold(`SELECT FROM account WHERE id = ${account} FOR UPDATE`)
        const tracking = yield* Effect.forkChild(
          Effect.forEach(rows.slice(0, 4), (store) => Effect.result(track(store)), { concurrency: "unbounded" })
        )
        yield* sql`SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`.pipe(
          Effect.filterOrFail((waiting) => waiting.length === 4),
          eventually
        )
        yield* hold("COMMIT")
        const results = yield* Fiber.join(tracking)
        assert.deepStrictEqual(
          results.map((result) => (result._tag === "Success" ? result.success : result.failure._tag)).sort(),
          ["TooManyTrackedShops", "TooManyTrackedShops", "tracked", "tracked"]
        )
        assert.strictEqual((yield* tracked.list(account)).length, maxTrackedShops)
        for (const store of rows.slice(4, 5)) {
          assert.strictEqual(yield* track(store), "tracked")
          yield* tracked.untrack(account, store.id)
          assert.strictEqual(yield* track(store), "tracked")
        }
      })
  )
})

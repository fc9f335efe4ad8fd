/** What searches read, as it is and as a first load of the same records would make it. */
import { assert } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { DerivedData } from "../../src/services/search/DerivedData.ts"
import * as Names from "../../src/services/search/Names.ts"

interface ShopNames {
  readonly id: number
  readonly theme_id: number
  readonly domain_id: number
  readonly apps: ReadonlyArray<number>
}

/**
 * Everything derived, without what a history may leave behind: ids of names depend on which came first, and a name that
 * no store has any more is remembered. Names stand for themselves, folded as searches fold them.
 */
export const derivedState = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = (table: string) => sql`SELECT to_jsonb(t) AS row FROM ${sql(table)} t ORDER BY id`
  const shops = yield* sql`
    SELECT to_jsonb(t) - '{theme_id,domain_id,apps}'::text[] AS row FROM shop_search t ORDER BY id`
  const shopNames = yield* sql<ShopNames>`SELECT id, theme_id, domain_id, apps FROM shop_search ORDER BY id`
  const spellings = yield* sql<Names.Spelling>`
    SELECT id, kind, name, canonical_id AS "canonicalId" FROM spelling ORDER BY kind, name COLLATE "C"`
  const nameOf = new Map(spellings.map(({ id, name }) => [id, Names.fold(name)]))
  const named = (id: number) => (id === 0 ? null : (nameOf.get(id) ?? `no name ${id}`))
  for (const [name, alike] of Map.groupBy(spellings, ({ kind, name }) => `${kind} ${Names.fold(name)}`)) {
    assert.strictEqual(new Set(alike.map(({ canonicalId }) => canonicalId)).size, 1, `spellings of ${name}`)
  }
  const [totals] = yield* sql`SELECT n_shops, n_products, n_ads, n_advertisers, niches_digest FROM catalogue`
  return {
    shops,
    shopNames: shopNames.map(({ apps, domain_id, id, theme_id }) => ({
      id,
      theme: named(theme_id),
      domain: named(domain_id),
      apps: new Set(apps.map(named))
    })),
    products: yield* rows("product_search"),
    ads: yield* rows("ad_search"),
    rollups: [yield* rows("shop_products"), yield* rows("shop_ads")],
    totals,
    /** Every spelling with the name that it stands for. */
    spellings: new Map(spellings.map(({ canonicalId, kind, name }) => [`${kind} ${name}`, named(canonicalId)]))
  }
})
export type DerivedState = Effect.Success<typeof derivedState>

/** Failing is how a transaction is rolled back. */
class RolledBack extends Schema.TaggedError<RolledBack>()("RolledBack", {}) {}

/** Derives everything from nothing but the records, in a transaction that is rolled back. */
const fromScratch = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const derived = yield* DerivedData
  let state: DerivedState | undefined
  yield* sql
    .withTransaction(
      Effect.gen(function* () {
        yield* sql`TRUNCATE shop_search, shop_products, shop_ads, product_search, ad_search, spelling, catalogue`
        yield* derived.rebuild()
        state = yield* derivedState
        return yield* new RolledBack()
      })
    )
    .pipe(Effect.catchTag("RolledBack", () => Effect.void))
  return state
})

/** What searches read is what a first load of the records would make; returns it. */
export const assertAsFromScratch = Effect.gen(function* () {
  const state = yield* derivedState
  const expected = yield* fromScratch
  assert.isDefined(expected)
  const { spellings, ...rows } = state
  const { spellings: expectedSpellings, ...expectedRows } = expected
  assert.deepStrictEqual(rows, expectedRows)
  for (const [name, canonical] of expectedSpellings) assert.strictEqual(spellings.get(name), canonical)
  return state
})

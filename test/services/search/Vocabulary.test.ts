import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Vocabulary } from "../../../src/services/search/Vocabulary.ts"
import * as Searches from "../../support/Searches.ts"
import { SetClock } from "../../support/SetClock.ts"
import { stampAndIndex } from "../../support/Stamps.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const services = Searches.layer.pipe(
  Layer.provideMerge(TestDatabase.layer),
  Layer.provideMerge(SetClock.layer("2026-03-15T12:00:00Z"))
)

/** Writes records, as an import would. */
const load = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`INSERT INTO niche (id, parent_id, name) VALUES
    (1, NULL, 'Pets'), (2, 1, 'Dogs'), (3, 2, 'Dog Beds'), (4, NULL, 'Crème & Care'), (5, NULL, 'Hot Dogs')`
  yield* sql`INSERT INTO shop (id, domain, domain_extension, name, country, niche_id, theme, apps)
    SELECT id, 'shop-' || id || '.com', '.com', 'Shop', 'US', niche_id, theme, apps FROM (VALUES
      (1, 1, 'Dawn', ARRAY['Klaviyo', 'Loox']),
      (2, 2, 'dawn', ARRAY['klaviyo', 'Klaviyo']),
      (3, 3, 'Impulse', ARRAY['Loox']),
      (4, NULL, NULL, ARRAY['Loox', 'Klaviyo Reviews'])
    ) v(id, niche_id, theme, apps)`
  yield* stampAndIndex
})

layer(services, { excludeTestServices: true })("Vocabulary", (it) => {
  it.effect("before there is any catalog every name is unknown and no option is listed", () =>
    Effect.gen(function* () {
      const vocabulary = yield* Vocabulary
      assert.deepStrictEqual(yield* vocabulary.list("niches", undefined), [])
      assert.deepStrictEqual(
        (yield* vocabulary.issues({ niches: ["Pets"] })).map(({ path }) => path),
        ["niches.0"]
      )
    })
  )

  it.effect("a name is known as soon as it was imported", () =>
    Effect.gen(function* () {
      yield* load
      assert.deepStrictEqual(yield* (yield* Vocabulary).issues({ niches: ["pets", 3], themes: ["DAWN"] }), [])
    })
  )

  it.effect("niches count the stores of all niches below them", () =>
    Effect.gen(function* () {
      const niches = yield* (yield* Vocabulary).list("niches", undefined)
      assert.deepStrictEqual(niches, [
        { id: 1, name: "Pets", parent: null, stores: 3 },
        { id: 2, name: "Dogs", parent: "Pets", stores: 2 },
        { id: 3, name: "Dog Beds", parent: "Dogs", stores: 1 },
        { id: 4, name: "Crème & Care", parent: null, stores: 0 },
        { id: 5, name: "Hot Dogs", parent: null, stores: 0 }
      ])
    })
  )

  it.effect("spellings that differ in case are one option, and each store counts once", () =>
    Effect.gen(function* () {
      const vocabulary = yield* Vocabulary
      const told = (options: ReadonlyArray<{ readonly name: string; readonly stores: number }>) =>
        options.map(({ name, stores }) => [name.toLowerCase(), stores])
      assert.deepStrictEqual(told(yield* vocabulary.list("themes", undefined)), [
        ["dawn", 2],
        ["impulse", 1]
      ])
      assert.deepStrictEqual(told(yield* vocabulary.list("apps", undefined)), [
        ["loox", 3],
        ["klaviyo", 2],
        ["klaviyo reviews", 1]
      ])
    })
  )

  it.effect("a name has the spelling of most stores; among equals, the first by code units", () =>
    Effect.gen(function* () {
      const vocabulary = yield* Vocabulary
      const [dawn] = yield* vocabulary.list("themes", "dawn")
      const [klaviyo] = yield* vocabulary.list("apps", "klaviyo")
      assert.deepStrictEqual(dawn, { name: "Dawn", parent: null, stores: dawn?.stores ?? 0 })
      assert.strictEqual(klaviyo?.name, "Klaviyo")
    })
  )

  it.effect("a query lists whole names before beginnings, beginnings before other words, those before parents", () =>
    Effect.gen(function* () {
      const vocabulary = yield* Vocabulary
      const names = (query: string) =>
        Effect.map(vocabulary.list("niches", query), (options) => options.map(({ name }) => name))
      assert.deepStrictEqual(yield* names("DOGS"), ["Dogs", "Hot Dogs", "Dog Beds"])
      assert.deepStrictEqual(yield* names("dog"), ["Dogs", "Dog Beds", "Hot Dogs"])
      assert.deepStrictEqual(yield* names("creme care"), ["Crème & Care"])
      assert.deepStrictEqual(yield* names("reme"), ["Crème & Care"])
      assert.deepStrictEqual(yield* names("nothing like it"), [])
    })
  )

  it.effect("unknown names are reported with their path and the nearest known one", () =>
    Effect.gen(function* () {
      const issues = yield* (yield* Vocabulary).issues({
        niches: ["Pets", "Petz", 99],
        themes: ["Impulze", 5, "Dawn"],
        apps: ["Unheard Of"],
        countries: ["XX"]
      })
      assert.deepStrictEqual(issues, [
        { path: "niches.1", code: "unknown_niche", params: { value: "Petz", suggestion: "Pets" } },
        { path: "niches.2", code: "unknown_niche", params: { value: 99 } },
        { path: "themes.0", code: "unknown_theme", params: { value: "Impulze", suggestion: "Impulse" } }
      ])
    })
  )

  it.effect("what is no list of names is left to the schema", () =>
    Effect.gen(function* () {
      const vocabulary = yield* Vocabulary
      for (const niches of ["Pets", null, 5, {}, [[]], [""], [1.5], ["\u0000"]]) {
        assert.deepStrictEqual(yield* vocabulary.issues({ niches, themes: niches }), [])
      }
    })
  )

  it.effect("a theme that the last store left is not known any more, and not listed", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const vocabulary = yield* Vocabulary
      yield* sql`UPDATE shop SET theme = NULL WHERE id = 3`
      yield* stampAndIndex
      assert.deepStrictEqual(
        (yield* vocabulary.list("themes", undefined)).map(({ stores }) => stores),
        [2]
      )
      assert.deepStrictEqual(yield* vocabulary.issues({ themes: ["impulse"] }), [
        { path: "themes.0", code: "unknown_theme", params: { value: "impulse" } }
      ])
    })
  )

  it.effect("a changed tree of niches is seen, though no store has changed", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE niche SET parent_id = NULL, name = 'Doggies' WHERE id = 2`
      yield* stampAndIndex
      const niches = yield* (yield* Vocabulary).list("niches", "doggies")
      assert.deepStrictEqual(niches.slice(0, 1), [{ id: 2, name: "Doggies", parent: null, stores: 2 }])
    })
  )

  it.effect("what people choose from has the first of each kind, and is a minute old at most", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const clock = yield* SetClock
      const vocabulary = yield* Vocabulary
      const { nicheName, options } = yield* vocabulary.popular
      assert.deepStrictEqual(options.niches, yield* vocabulary.list("niches", undefined))
      assert.deepStrictEqual(options.themes, yield* vocabulary.list("themes", undefined))
      assert.deepStrictEqual(options.apps, yield* vocabulary.list("apps", undefined))
      assert.deepStrictEqual([3, "DOGGIES", "Dogs", 99].map(nicheName), ["Dog Beds", "Doggies", undefined, undefined])
      yield* sql`UPDATE shop SET apps = ARRAY['Added'] WHERE id = 1`
      yield* stampAndIndex
      const hasAdded = Effect.map(vocabulary.popular, ({ options }) =>
        options.apps.some(({ name }) => name === "Added")
      )
      yield* clock.advance(59_999)
      assert.isFalse(yield* hasAdded)
      yield* clock.advance(1)
      assert.isTrue(yield* hasAdded)
      // An hour back.
      yield* sql`UPDATE shop SET apps = ARRAY['Loox'] WHERE id = 1`
      yield* stampAndIndex
      yield* clock.advance(-3_600_000)
      assert.isFalse(yield* hasAdded)
    })
  )
})

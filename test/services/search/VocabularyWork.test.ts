/**
 * What a look-up of names costs over 6,000 themes and 18,000 apps: the vocabulary is folded once for each version of the
 * catalog, in turns of the event loop, and no call searches it more often than a few times.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Vocabulary } from "../../../src/services/search/Vocabulary.ts"
import * as HostileCatalog from "../../support/HostileCatalog.ts"
import * as Searches from "../../support/Searches.ts"
import { stampAndIndex } from "../../support/Stamps.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { watchFolding } from "../../support/Work.ts"

const services = HostileCatalog.layer.pipe(
  Layer.provideMerge(Searches.layer.pipe(Layer.provideMerge(TestDatabase.layer)))
)

/** 250 names of 30 characters, and as much for what else happens in that turn. */
const maxInATurn = 15_000
/** The query, and 50 options with their names. */
const maxWhenKnown = 2_000

const watched = <A, E, R>(run: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const folding = watchFolding()
    const answer = yield* Effect.ensuring(run, Effect.sync(folding.end))
    return { answer, total: folding.total(), most: folding.most(), turns: folding.turns() }
  })

const unknown = (count: number) => ({
  themes: Array.from({ length: count }, (_, index) => `Theme of Studio ${index}`)
})

layer(services, { excludeTestServices: true })("the work of a look-up", (it) => {
  it.effect("of an unknown theme is done in turns, and the vocabulary is folded only once", () =>
    Effect.gen(function* () {
      const vocabulary = yield* Vocabulary
      const first = yield* watched(vocabulary.issues(unknown(1)))
      assert.isAbove(first.total, 20 * HostileCatalog.themes)
      assert.isAtMost(first.most, maxInATurn)
      const second = yield* watched(vocabulary.issues(unknown(1)))
      assert.deepStrictEqual(second.answer, first.answer)
      assert.isAtMost(second.total, maxWhenKnown)
    })
  )

  it.effect("of options is done in turns, and the vocabulary is folded and sorted only once", () =>
    Effect.gen(function* () {
      const vocabulary = yield* Vocabulary
      for (const kind of ["themes", "apps"] as const) {
        const first = yield* watched(vocabulary.list(kind, "studio"))
        assert.isAbove(first.total, 10 * HostileCatalog.themes)
        assert.isAtMost(first.most, maxInATurn)
        const second = yield* watched(vocabulary.list(kind, "studio"))
        assert.deepStrictEqual(second.answer, first.answer)
        assert.isAtMost(second.total, maxWhenKnown)
        assert.isAtMost(second.turns, 5)
      }
    })
  )

  it.effect("of 50 unknown themes finds the nearest of five", () =>
    Effect.gen(function* () {
      const issues = yield* (yield* Vocabulary).issues(unknown(50))
      assert.lengthOf(issues, 50)
      assert.deepStrictEqual(
        issues.flatMap(({ params }, index) => (params["suggestion"] === undefined ? [] : [index])),
        [0, 1, 2, 3, 4]
      )
    })
  )

  it.effect("of options in a new version folds the names again that are new", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const vocabulary = yield* Vocabulary
      yield* sql`UPDATE shop SET theme = 'A new theme' WHERE id = 1000001`
      yield* stampAndIndex
      const { answer, total } = yield* watched(vocabulary.list("themes", "new"))
      assert.deepStrictEqual(
        answer.map(({ name }) => name),
        ["A new theme"]
      )
      assert.isAtMost(total, maxWhenKnown)
    })
  )
})

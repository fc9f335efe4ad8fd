import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Catalogue } from "../../../src/services/search/Catalogue.ts"
import { SetClock } from "../../support/SetClock.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const services = Catalogue.layer.pipe(
  Layer.provideMerge(TestDatabase.layer),
  Layer.provideMerge(SetClock.layer("2026-01-31T00:00:00Z"))
)

layer(services, { excludeTestServices: true })("Catalogue", (it) => {
  it.effect("is asked anew for what is known while it is changing, and only then", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const catalogue = yield* Catalogue
      const clock = yield* SetClock
      const change = sql`UPDATE catalogue SET version = version + 1`
      const known = Effect.map(catalogue.known, ({ version }) => version)
      const { version } = yield* catalogue.latest
      yield* change
      assert.strictEqual(yield* known, version)
      assert.strictEqual((yield* catalogue.latest).version, version + 1)
      yield* change
      assert.strictEqual(yield* known, version + 2)
      yield* clock.advance(29_000)
      yield* change
      assert.strictEqual(yield* known, version + 3)
      yield* clock.advance(31_000)
      yield* change
      assert.strictEqual(yield* known, version + 3)
    })
  )
})

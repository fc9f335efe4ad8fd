import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as Migrations from "../../../src/services/database/Migrations.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

layer(TestDatabase.layer, { excludeTestServices: true })("Migrations", (it) => {
  it.effect("a migrated database has nothing left to run", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* Migrations.run, [])
    })
  )
})

/** D67: a result is shown or counted as new, not both. */
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { sections } from "../../../../src/http/pages/shared/Layout.ts"
import { runs } from "../../../support/RunningQueries.ts"
import { Site } from "../../../support/Site.ts"
import * as SiteVisitor from "../../../support/SiteVisitor.ts"
import { stampAndIndex } from "../../../support/Stamps.ts"
import * as StoreRecords from "../../../support/StoreRecords.ts"

const query = "query=kingfisher"

const services = Layer.effectDiscard(
  Effect.andThen(StoreRecords.addStore({ name: "Kingfisher", domain: "kingfisher-1.com" }), stampAndIndex)
).pipe(Layer.provideMerge(Site.layer()))

layer(services, { excludeTestServices: true })("the mark of a saved search", (it) => {
  it.effect("is of the list that was searched, also when another is published while the search runs", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { get, submit } = yield* SiteVisitor.signedIn(yield* (yield* Site).account({ plan: "pro" }))
      const page = yield* get(`${sections.stores}?${query}`)
      const mark = /name="mark" value="(\d+)"/u.exec(page.text)?.[1] ?? assert.fail()
      yield* submit(sections.searches, { subject: "stores", query, mark, name: "Mine" })

      // The search has found its results in the index, and waits for their records.
      const holder = yield* sql.reserve
      const hold = (statement: string) => holder.executeValuesUnprepared(statement, [])
      yield* hold("BEGIN")
      yield* hold("LOCK TABLE tracked_shop IN ACCESS EXCLUSIVE MODE")
      const viewing = yield* Effect.forkChild(get(`${sections.stores}?${query}`))
      yield* runs("tracked_shop", 1)
      yield* StoreRecords.addStore({ name: "Kingfisher", domain: "kingfisher-2.com" })
      yield* sql`UPDATE shop SET version = (SELECT version + 1 FROM catalog)`
      yield* stampAndIndex
      yield* hold("COMMIT")

      // The records are newer than the index that was searched, so that the search is repeated.
      const shown = yield* Fiber.join(viewing)
      assert.include(shown.text, "Saved as <bdi>Mine</bdi>")
      assert.include(shown.text, "kingfisher-2.com")
      assert.include((yield* get(sections.searches)).text, "Nothing new")

      yield* StoreRecords.addStore({ name: "Kingfisher", domain: "kingfisher-3.com" })
      yield* stampAndIndex
      assert.include((yield* get(sections.searches)).text, "1 new")
    })
  )
})

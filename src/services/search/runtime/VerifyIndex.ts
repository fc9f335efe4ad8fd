/** Compares the index of the servers with the records. */
import type { PgClient } from "@effect/sql-pg"
import { Effect, Option, Schema } from "effect"
import type { SqlError } from "effect/sql"
import { differences } from "../index/Compare.ts"
import { Spellings } from "../index/IndexedRecords.ts"
import { CatalogReader } from "./CatalogReader.ts"
import { namesOf } from "./IndexState.ts"
import type { Published } from "./IndexState.ts"
import type { Niche } from "../../../domain/search/CatalogAnswer.ts"
import { buildSegments } from "./BuildSegments.ts"
import type { IndexerError } from "./Indexer.ts"
import * as LocalIndex from "./LocalIndex.ts"
import type { Snapshots } from "./Snapshots.ts"

/** The catalog changes faster than it can be compared. */
export class CatalogKeepsChanging extends Schema.TaggedError<CatalogKeepsChanging>()("CatalogKeepsChanging", {
  message: Schema.String
}) {}

const maxAttempts = 3

/** What of niches is compared. */
export const nichesText = (niches: ReadonlyArray<Niche>): string =>
  JSON.stringify(niches.map(({ id, name, parentId }) => [id, parentId, name]))

/** Differences between a published index and the records, as text; none if the records have another version. */
export const compareWithRecords = Effect.fn("VerifyIndex.compare")(function* (
  published: Published
): Effect.fn.Return<Option.Option<ReadonlyArray<string>>, SqlError.SqlError, CatalogReader> {
  const reader = yield* CatalogReader
  return yield* reader.use((view, head) =>
    Effect.gen(function* () {
      if (head.version !== published.version || head.token !== published.token) return Option.none()
      const spellings = new Spellings()
      const list = yield* buildSegments(view, "all", spellings)
      const found = differences(published, { list, spellings: namesOf(spellings) }, ["the index", "the records"])
      const isSame = nichesText(published.niches) === nichesText(yield* view.niches)
      return Option.some(isSame ? found : ["the niches differ", ...found])
    })
  )
})

/**
 * Brings the newest snapshot of this machine up to date, as a server does at its start, and compares it with the records.
 */
export const verify: Effect.Effect<
  { readonly version: number; readonly differences: ReadonlyArray<string> },
  IndexerError | CatalogKeepsChanging,
  CatalogReader | Snapshots | PgClient.PgClient
> = Effect.scoped(
  Effect.gen(function* () {
    let published: Published | undefined
    const { refresh } = yield* LocalIndex.indexer({
      emit: (event) =>
        Effect.sync(() => {
          if (event._tag === "Published") published = event.published
        })
    })
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      yield* refresh
      if (published === undefined) continue
      const found = yield* compareWithRecords(published)
      if (Option.isSome(found)) return { version: published.version, differences: found.value }
    }
    return yield* new CatalogKeepsChanging({
      message: "The catalog changed each time that it was compared. Try again when no import runs."
    })
  })
)

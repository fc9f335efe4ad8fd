/** What searches know of the catalogue before they look: its version, its counters and its names. */
import { Clock, Context, Effect, Layer, Semaphore } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import * as Names from "./Names.ts"

export interface Snapshot {
  /** Moves with every change of what searches see. */
  readonly version: number
  readonly counts: Counts
  readonly names: Names.Names
}

export interface Counts {
  readonly shops: number
  readonly products: number
  readonly ads: number
  /** Stores with ads. */
  readonly advertisers: number
}

interface Row {
  readonly version: number
  readonly vocabulary_version: number
  readonly n_shops: number
  readonly n_products: number
  readonly n_ads: number
  readonly n_advertisers: number
}

interface NamesRow {
  readonly vocabulary_version: number
  readonly niches: ReadonlyArray<Names.Niche> | null
  readonly spellings: ReadonlyArray<Names.Spelling> | null
}

/** A catalogue that has changed counts as changing for so long. */
const changingMillis = 30_000

export class Catalogue extends Context.Service<
  Catalogue,
  {
    /**
     * The last snapshot that this process has seen. It may be out of date: whoever answers from it compares its version
     * with that of the statement that gave the answer. Read anew only if there is none yet, or while the catalogue is
     * changing: an import changes it every few seconds, and a search that begins with the old version does its work twice.
     */
    readonly known: Effect.Effect<Snapshot, SqlError.SqlError>
    /** As the database has it now. Names are read again only when they have changed. */
    readonly latest: Effect.Effect<Snapshot, SqlError.SqlError>
  }
>()("discovery/search/Catalogue") {
  static readonly layer: Layer.Layer<Catalogue, never, SqlClient.SqlClient> = Layer.effect(
    Catalogue,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const semaphore = yield* Semaphore.make(1)
      let names: { readonly version: number; readonly names: Names.Names } | undefined
      let snapshot: Snapshot | undefined
      /** When this process last saw another version than before. */
      let movedAtMillis = Number.NEGATIVE_INFINITY

      const readNames = Effect.gen(function* () {
        const [row] = yield* sql<NamesRow>`
          SELECT vocabulary_version,
            (SELECT json_agg(json_build_object('id', id, 'parentId', parent_id, 'name', name) ORDER BY id) FROM niche)
              AS niches,
            (SELECT json_agg(
              json_build_object('id', id, 'kind', kind, 'name', name, 'canonicalId', canonical_id) ORDER BY id
            ) FROM spelling) AS spellings
          FROM catalogue`
        // They were read from JSON in this turn of the loop already.
        yield* Effect.yieldNow
        return {
          version: row?.vocabulary_version ?? 0,
          names: Names.make(row?.niches ?? [], row?.spellings ?? [])
        }
      })

      const latest = Effect.gen(function* () {
        const [row] = yield* sql<Row>`
          SELECT version, vocabulary_version, n_shops, n_products, n_ads, n_advertisers FROM catalogue`
        const version = row?.version ?? 0
        const vocabularyVersion = row?.vocabulary_version ?? 0
        const current =
          names?.version === vocabularyVersion
            ? names
            : yield* semaphore.withPermit(
                Effect.suspend(() =>
                  // Another fiber may have read them while this one waited.
                  names?.version === vocabularyVersion ? Effect.succeed(names) : readNames
                )
              )
        names = current
        if (snapshot !== undefined && snapshot.version !== version) movedAtMillis = yield* Clock.currentTimeMillis
        snapshot = {
          version,
          counts: {
            shops: row?.n_shops ?? 0,
            products: row?.n_products ?? 0,
            ads: row?.n_ads ?? 0,
            advertisers: row?.n_advertisers ?? 0
          },
          names: current.names
        }
        return snapshot
      })

      return Catalogue.of({
        known: Effect.flatMap(Clock.currentTimeMillis, (now) =>
          snapshot === undefined || now - movedAtMillis < changingMillis ? latest : Effect.succeed(snapshot)
        ),
        latest
      })
    })
  )
}

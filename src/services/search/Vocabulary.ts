/** The open vocabularies of the filters: niches, themes and apps, with the number of stores behind each. */
import { Clock, Context, Effect, Layer, Schema, Semaphore } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import { Name } from "../../domain/search/Arguments.ts"
import { NicheReference } from "../../domain/search/StoreFilter.ts"
import * as NameIndex from "../../domain/search/NameIndex.ts"
import type { ArgumentIssue } from "../../domain/ToolError.ts"
import * as Availability from "../database/Availability.ts"
import { Catalogue } from "./Catalogue.ts"
import type { Snapshot } from "./Catalogue.ts"
import { fold } from "./Names.ts"
import type { Names } from "./Names.ts"
import { SearchPermits } from "./SearchPermits.ts"
import type { SearchFailure } from "./SearchPermits.ts"
import * as StorePredicate from "./StorePredicate.ts"

/** `parent` is the name of the parent niche; themes and apps have none. */
export interface FilterOption {
  readonly id: number
  readonly name: string
  readonly parent: string | null
  readonly stores: number
}

export type VocabularyKind = "niches" | "themes" | "apps"

const maxOptions = 50

/** What people choose from, where a list of all would be too long. */
export interface Popular {
  /** Up to 50 of each kind, those with most stores first. */
  readonly options: Readonly<Record<VocabularyKind, ReadonlyArray<FilterOption>>>
  /** The name of any niche, by its name in another case or by its id. */
  readonly nicheName: (reference: string | number) => string | undefined
}

/** So old may the lists be that people choose from: an import would have them counted anew with every look. */
const popularMillis = 60_000

type Options = NameIndex.NameIndex<FilterOption>

interface Count {
  readonly id: number
  readonly stores: number
}

export class Vocabulary extends Context.Service<
  Vocabulary,
  {
    /**
     * Up to 50, best match first; without a query the ones with most stores first. A niche counts the stores of all
     * niches below it too; a theme or an app that no store has is not listed.
     */
    list(kind: VocabularyKind, query: string | undefined): Effect.Effect<ReadonlyArray<FilterOption>, SearchFailure>
    /**
     * Unknown niches (`niches.3`) and themes (`themes.0`) in arguments as they were sent, before they are decoded, with
     * the nearest known name. Whatever is not an array of names or ids is left to the schema to complain about. Costs no
     * query as long as all names are known.
     */
    issues(args: Readonly<Record<string, unknown>>): Effect.Effect<ReadonlyArray<ArgumentIssue>, SearchFailure>
    /** Of the catalogue as it was a minute ago or later. */
    readonly popular: Effect.Effect<Popular, SearchFailure>
  }
>()("discovery/search/Vocabulary") {
  static readonly layer: Layer.Layer<Vocabulary, never, SqlClient.SqlClient | Catalogue> = Layer.effect(
    Vocabulary,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const catalogue = yield* Catalogue
      const permits = yield* SearchPermits
      /** Of one version of the catalogue. */
      let counted: { readonly version: number; readonly options: Map<VocabularyKind, Options> } = {
        version: -1,
        options: new Map()
      }
      /** Of the names of one version of the vocabulary, which moves less often. */
      let folded: { readonly names: Names; readonly folds: Map<string, string> } | undefined
      const counting = yield* Semaphore.make(1)

      const countNiches = sql<Count>`
        SELECT niche_id::int AS id, count(*)::int AS stores FROM shop_search WHERE niche_id > 0 GROUP BY niche_id`
      const countThemes = sql<Count>`
        SELECT theme_id AS id, count(*)::int AS stores FROM shop_search WHERE theme_id > 0 GROUP BY theme_id`
      const countApps = sql<Count>`
        SELECT app AS id, count(*)::int AS stores FROM shop_search, unnest(apps) app GROUP BY app`

      const countOptions = Effect.fnUntraced(function* (
        kind: VocabularyKind,
        { names }: Snapshot
      ): Effect.fn.Return<ReadonlyArray<FilterOption>, SqlError.SqlError> {
        if (kind === "niches") {
          const stores = storesById(yield* countNiches)
          const nameOf = new Map(names.niches.map((niche) => [niche.id, niche.name]))
          return names.niches.map((niche) => ({
            id: niche.id,
            name: niche.name,
            parent: niche.parentId === null ? null : (nameOf.get(niche.parentId) ?? null),
            stores: (names.niche(niche.id) ?? []).reduce((sum, id) => sum + (stores.get(id) ?? 0), 0)
          }))
        }
        const stores = storesById(yield* kind === "themes" ? countThemes : countApps)
        const spellingKind = kind === "themes" ? "theme" : "app"
        return names.spellings.flatMap(({ canonicalId, id, kind, name }) =>
          kind === spellingKind && id === canonicalId && stores.has(id)
            ? [{ id, name, parent: null, stores: stores.get(id) ?? 0 }]
            : []
        )
      })

      const options = Effect.fnUntraced(function* (kind: VocabularyKind) {
        const snapshot = yield* catalogue.latest
        if (counted.version !== snapshot.version) counted = { version: snapshot.version, options: new Map() }
        const { options } = counted
        const known = options.get(kind)
        if (known !== undefined) return known
        return yield* counting.withPermit(
          Effect.gen(function* () {
            // Another fiber may have counted them while this one waited.
            const meanwhile = options.get(kind)
            if (meanwhile !== undefined) return meanwhile
            if (folded?.names !== snapshot.names) folded = { names: snapshot.names, folds: new Map() }
            const found = yield* NameIndex.build(yield* countOptions(kind, snapshot), folded.folds)
            options.set(kind, found)
            return found
          })
        )
      })

      const list = Effect.fn("Vocabulary.list")(
        function* (kind: VocabularyKind, query: string | undefined) {
          return (yield* options(kind)).best(query, maxOptions)
        },
        (effect) => permits.query(effect)
      )

      const issues = Effect.fn("Vocabulary.issues")(function* (args: Readonly<Record<string, unknown>>) {
        const sent = namesIn(args)
        if (sent.niches.length === 0 && sent.themes.length === 0) return []
        const snapshot = yield* Availability.query(catalogue.known)
        if (StorePredicate.areKnown(sent, snapshot.names)) return []
        // An import may have brought the name since.
        const { names } = yield* permits.query(catalogue.latest)
        yield* names.prepareNearest
        return StorePredicate.unknownNames(sent, names)
      })

      let popular: { readonly readAt: number; readonly value: Popular } | undefined

      const readPopular = Effect.gen(function* () {
        const { names } = yield* catalogue.latest
        const first = (kind: VocabularyKind) => Effect.map(options(kind), (all) => all.best(undefined, maxOptions))
        const byName = new Map(names.niches.map(({ name }) => [fold(name), name]))
        const byId = new Map(names.niches.map(({ id, name }) => [id, name]))
        return {
          options: { niches: yield* first("niches"), themes: yield* first("themes"), apps: yield* first("apps") },
          nicheName: (reference: string | number) =>
            typeof reference === "number" ? byId.get(reference) : byName.get(fold(reference))
        }
      })

      const popularNow = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        // A clock that is set back does not keep old lists.
        if (popular !== undefined && Math.abs(now - popular.readAt) < popularMillis) return popular.value
        const value = yield* permits.query(readPopular)
        popular = { readAt: now, value }
        return value
      }).pipe(Effect.withSpan("Vocabulary.popular"))

      return Vocabulary.of({ list, issues, popular: popularNow })
    })
  ).pipe(Layer.provide(SearchPermits.layer))
}

const storesById = (counts: ReadonlyArray<Count>): ReadonlyMap<number, number> =>
  new Map(counts.map(({ id, stores }) => [id, stores]))

const isNicheReference = Schema.is(NicheReference)
const isName = Schema.is(Name)
const maxNames = 50

/** Positions are kept, so that issues name the right one: what is no name becomes one that is never unknown. */
const namesIn = (args: Readonly<Record<string, unknown>>) => ({
  niches: entries(args["niches"], isNicheReference),
  themes: entries(args["themes"], isName)
})

const entries = <A>(value: unknown, is: (entry: unknown) => entry is A): ReadonlyArray<A | undefined> =>
  Array.isArray(value) ? value.slice(0, maxNames).map((entry: unknown) => (is(entry) ? entry : undefined)) : []

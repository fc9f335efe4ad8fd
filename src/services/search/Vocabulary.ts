/** The open vocabularies of the filters: niches, themes and apps, with the number of stores of each. */
import { Clock, Context, Effect, Layer, Option, Schema, Semaphore, Struct } from "effect"
import { Name } from "../../domain/search/Arguments.ts"
import * as StoreDomain from "../../domain/catalog/StoreDomain.ts"
import { byStores, foldName } from "../../domain/search/FoldName.ts"
import * as NameIndex from "../../domain/search/NameIndex.ts"
import { queryWords } from "../../domain/search/SearchText.ts"
import { NicheReference } from "../../domain/search/StoreFilter.ts"
import { maxNearest } from "../../domain/search/Warnings.ts"
import type { UnknownName } from "../../domain/search/Warnings.ts"
import type { ArgumentIssue } from "../../domain/ArgumentIssue.ts"
import type { ServiceUnavailable } from "../../domain/ToolError.ts"
import type { VocabularyEntry, Catalog } from "../../domain/search/CatalogAnswer.ts"
import * as Names from "./Names.ts"
import { CatalogSearch } from "./CatalogSearch.ts"

/** `parent` is the name of the parent niche. Themes and apps have no parent, and no id that a filter takes. */
export interface FilterOption {
  readonly id?: number
  readonly name: string
  readonly parent: string | null
  readonly stores: number
}

export type VocabularyKind = "niches" | "themes" | "apps"

const namedKinds = { niches: "niche", themes: "theme", apps: "app" } as const satisfies Readonly<
  Record<VocabularyKind, string>
>

const maxOptions = 50

/** Choices for forms that cannot list the whole vocabulary. */
export interface Popular {
  /** Up to 50 of each kind, most stores first. */
  readonly options: Readonly<Record<VocabularyKind, ReadonlyArray<FilterOption>>>
  /** The name of a niche, by id or by its name in any case. */
  readonly nicheName: (reference: string | number) => string | undefined
}

export const noChoices: Popular = { options: { niches: [], themes: [], apps: [] }, nicheName: () => undefined }

/** Maximum age of the choices: during an import, counting for every page would be expensive. */
const popularMillis = 60_000

type Counted = NameIndex.Named
type Options = NameIndex.NameIndex<Counted>

export class Vocabulary extends Context.Service<
  Vocabulary,
  {
    /**
     * Up to 50 options, best match first; without a query, most stores first. A niche includes the stores of all niches
     * below it. A theme or an app without stores is not listed.
     */
    list(
      kind: VocabularyKind,
      query: string | undefined
    ): Effect.Effect<ReadonlyArray<FilterOption>, ServiceUnavailable>
    /**
     * Issues for unknown niches (`niches.3`) and themes (`themes.0`) in undecoded arguments, with the nearest known name.
     * Values that are not arrays of names or ids are left to the schema.
     */
    issues(args: Readonly<Record<string, unknown>>): Effect.Effect<ReadonlyArray<ArgumentIssue>, ServiceUnavailable>
    /**
     * Names of the list that were probably meant by one that is not in it: apps that have its words, extensions below it, names
     * that are spelled alike, and apps that have its first word. None while there is no index.
     */
    nearest(unknown: UnknownName): Effect.Effect<ReadonlyArray<string>>
    /** The same for the names that {@link list} has. */
    near(kind: VocabularyKind, name: string): Effect.Effect<ReadonlyArray<string>>
    /** At most a minute old. */
    readonly popular: Effect.Effect<Popular, ServiceUnavailable>
  }
>()("discovery/search/Vocabulary") {
  static readonly layer = Layer.effect(
    Vocabulary,
    Effect.gen(function* () {
      const index = yield* CatalogSearch
      /** The counts of the newest catalog catalog. */
      let counted: { readonly of: Catalog | undefined; readonly options: Map<VocabularyKind, Options> } = {
        of: undefined,
        options: new Map()
      }
      /** Folded names by kind, as a cache. */
      const folded = new Map<VocabularyKind, Map<string, string>>()
      const counting = yield* Semaphore.make(1)

      const options = Effect.fnUntraced(function* (kind: VocabularyKind) {
        const catalog = yield* index.current
        if (counted.of !== catalog) counted = { of: catalog, options: new Map() }
        const { options } = counted
        const known = options.get(kind)
        if (known !== undefined) return known
        return yield* counting.withPermit(
          Effect.gen(function* () {
            // Another fiber may have counted while this one waited.
            const meanwhile = options.get(kind)
            if (meanwhile !== undefined) return meanwhile
            const sorted = optionsOf(kind, catalog)
            // Cleared when full, to drop names that no store has any more.
            const folds = folded.getOrInsertComputed(kind, () => new Map())
            if (folds.size > 2 * sorted.length) folds.clear()
            const built = yield* NameIndex.build(sorted, folds)
            options.set(kind, built)
            return built
          })
        )
      })

      const best = (kind: VocabularyKind, query: string | undefined) =>
        Effect.map(options(kind), (all) => all.best(query, maxOptions).map((option) => withoutSpellingId(kind, option)))

      const issues = Effect.fn("Vocabulary.issues")(function* (args: Readonly<Record<string, unknown>>) {
        const sent = namesIn(args)
        if (sent.niches.length === 0 && sent.themes.length === 0) return []
        return yield* Names.unknownNames(sent, Names.of(yield* index.current))
      })

      const near = Effect.fn("Vocabulary.near")(
        function* (kind: VocabularyKind, name: string) {
          const named = namedKinds[kind]
          const names = Names.of(yield* index.current)
          yield* names.prepareNearest([named])
          const all = yield* options(kind)
          const withWords = (words: ReadonlyArray<string>) =>
            words.length === 0 ? [] : all.best(words.join(" "), maxNearest).map((option) => option.name)
          const words = queryWords(name)
          const found = new Set([...withWords(words), ...names.nearest(named, name, maxNearest)])
          return Array.from(found.size > 0 ? found : withWords(words.slice(0, 1))).slice(0, maxNearest)
        },
        Effect.orElseSucceed((): ReadonlyArray<string> => [])
      )

      const nearest = Effect.fn("Vocabulary.nearest")(
        function* ({ list, name }: UnknownName) {
          // No id is nearer to a store than another one.
          if (list === "shop_ids") return []
          if (list === "apps") return yield* near("apps", name)
          const names = Names.of(yield* index.current)
          yield* names.prepareNearest(["extension"])
          const extension = StoreDomain.normalize(name)
          const below = extensionsBelow(extension, (yield* index.current).vocabulary.extension)
          return Array.from(new Set([...below, ...names.nearest("extension", extension, maxNearest)])).slice(
            0,
            maxNearest
          )
        },
        Effect.orElseSucceed((): ReadonlyArray<string> => [])
      )

      let popular: { readonly readAt: number; readonly value: Popular } | undefined

      const readPopular = Effect.gen(function* () {
        const { niches } = yield* index.current
        const byName = new Map(niches.map(({ name }) => [foldName(name), name]))
        const byId = new Map(niches.map(({ id, name }) => [id, name]))
        const options = yield* Effect.all({
          niches: best("niches", undefined),
          themes: best("themes", undefined),
          apps: best("apps", undefined)
        })
        return {
          options,
          nicheName: (reference: string | number) =>
            typeof reference === "number" ? byId.get(reference) : byName.get(foldName(reference))
        }
      })

      const popularNow = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        // If the clock was set back, the lists are renewed.
        if (popular !== undefined && Math.abs(now - popular.readAt) < popularMillis) return popular.value
        const value = yield* readPopular
        popular = { readAt: now, value }
        return value
      }).pipe(Effect.withSpan("Vocabulary.popular"))

      return Vocabulary.of({ list: Effect.fn("Vocabulary.list")(best), issues, nearest, near, popular: popularNow })
    })
  )
}

/** Most stores first. */
const optionsOf = (kind: VocabularyKind, catalog: Catalog): ReadonlyArray<Counted> => {
  const { niches, vocabulary } = catalog
  if (kind === "niches") {
    const names = Names.of(catalog)
    const nameOf = new Map(niches.map((niche) => [niche.id, niche.name]))
    return niches
      .map((niche) => ({
        id: niche.id,
        name: niche.name,
        parent: niche.parentId === null ? null : (nameOf.get(niche.parentId) ?? null),
        stores: (names.niche(niche.id) ?? []).reduce((sum, id) => sum + (vocabulary.niches.get(id) ?? 0), 0)
      }))
      .sort(byStores)
  }
  return vocabulary[kind === "themes" ? "theme" : "app"].map(({ id, name, stores }) => ({
    id,
    name,
    parent: null,
    stores
  }))
}

/** Those that end with this one, most stores first: `.co.uk` for `.uk`. */
const extensionsBelow = (extension: string, known: ReadonlyArray<VocabularyEntry>): ReadonlyArray<string> =>
  known.filter(({ name }) => name.length > extension.length && name.endsWith(extension)).map(({ name }) => name)

/** Ids of spellings differ between processes, and no filter takes them. */
const withoutSpellingId = (kind: VocabularyKind, option: Counted): FilterOption =>
  kind === "niches" ? option : Struct.omit(option, ["id"])

const decodeNiche = Schema.decodeUnknownOption(NicheReference)
const decodeName = Schema.decodeUnknownOption(Name)
const maxNames = 50

/** Keeps positions, so that issues have the right path. An entry that is not a name becomes one that is never unknown. */
const namesIn = (args: Readonly<Record<string, unknown>>) => ({
  niches: entries(args["niches"], decodeNiche),
  themes: entries(args["themes"], decodeName)
})

const entries = <A>(value: unknown, decode: (entry: unknown) => Option.Option<A>): ReadonlyArray<A | undefined> =>
  Array.isArray(value) ? value.slice(0, maxNames).map((entry: unknown) => Option.getOrUndefined(decode(entry))) : []

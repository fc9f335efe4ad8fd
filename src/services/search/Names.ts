/**
 * Names of niches, themes, apps and domain extensions, in any case, for one version of the catalog (D25, D37). Themes,
 * apps and extensions are known as long as a store has them.
 */
import { Effect } from "effect"
import { once } from "../../domain/Once.ts"
import * as StoreDomain from "../../domain/catalog/StoreDomain.ts"
import { foldName } from "../../domain/search/FoldName.ts"
import { nearestOf } from "../../domain/search/Nearest.ts"
import type { NearNames } from "../../domain/search/Nearest.ts"
import type { UnknownName } from "../../domain/search/Warnings.ts"
import { issueAt } from "../../domain/ArgumentIssue.ts"
import type { ArgumentIssue, IssueCode } from "../../domain/ArgumentIssue.ts"
import { spellingKinds } from "../../domain/search/CatalogQuery.ts"
import type { SpellingKind } from "../../domain/search/CatalogQuery.ts"
import { record } from "./index/Segment.ts"
import type { NameCodes } from "./Queries.ts"
import type { Catalog } from "../../domain/search/CatalogAnswer.ts"

export interface Names extends NameCodes {
  /** Must run before the nearest names of these are requested. Yields to other work in between. */
  prepareNearest(kinds: ReadonlyArray<NamedKind>): Effect.Effect<void>
  /** Up to `count` known names that are most similar to an unknown one, the closest first. */
  readonly nearest: (kind: NamedKind, name: string, count: number) => ReadonlyArray<string>
}

type NamedKind = "niche" | SpellingKind

export type Vocabularies = Pick<Catalog, "niches" | "vocabulary">

export const make = ({ niches, vocabulary }: Vocabularies): Names => {
  const children = Map.groupBy(niches, (niche) => niche.parentId)
  const known = new Set(niches.map((niche) => niche.id))
  const byName = Map.groupBy(niches, (niche) => foldName(niche.name))

  const below = new Map<string, ReadonlyArray<number>>()
  const subtree = (roots: ReadonlyArray<number>): ReadonlyArray<number> =>
    below.getOrInsertComputed(roots.join(), () => {
      // A set also ends the traversal if the data has a cycle.
      const ids = new Set(roots)
      for (const id of ids) for (const child of children.get(id) ?? []) ids.add(child.id)
      return Array.from(ids)
    })

  const byKind = record(spellingKinds, (kind) =>
    once(() => new Map(vocabulary[kind].map((entry) => [entry.folded, entry])))
  )
  const near: Readonly<Record<NamedKind, () => NearNames>> = {
    niche: once(() => nearestOf(niches.map((niche) => niche.name))),
    ...record(spellingKinds, (kind) => once(() => nearestOf(vocabulary[kind].map(({ name }) => name).sort())))
  }

  return {
    niche: (reference) => {
      const named = typeof reference === "string" ? byName.get(foldName(reference)) : undefined
      if (named !== undefined) return subtree(named.map((niche) => niche.id))
      const id = typeof reference === "number" ? reference : /^\d+$/u.test(reference) ? Number(reference) : undefined
      return id !== undefined && known.has(id) ? subtree([id]) : undefined
    },
    spellings: (kind, name) => byKind[kind]().get(foldName(name))?.ids ?? [],
    prepareNearest: (kinds) => Effect.forEach(kinds, (kind) => near[kind]().prepare, { discard: true }),
    nearest: (kind, name, count) => near[kind]().find(name, count)
  }
}

const namesOf = new WeakMap<Vocabularies, Names>()

/** The names of a version of the catalog, made once for each. */
export const of = (catalog: Vocabularies): Names => namesOf.getOrInsertComputed(catalog, make)

/** Finding the nearest known name is the most expensive step. A few suggestions are enough to correct the rest. */
const maxSuggestions = 5

export interface SentNames {
  readonly niches?: ReadonlyArray<string | number | undefined>
  readonly themes?: ReadonlyArray<string | undefined>
  readonly apps?: ReadonlyArray<string>
  readonly domains?: ReadonlyArray<string>
}

/** An unknown niche or theme. */
interface Unknown {
  readonly path: string
  readonly code: IssueCode
  readonly name: string | number
  readonly kind: "niche" | "theme"
}

const unknown = ({ niches = [], themes = [] }: SentNames, names: Names): ReadonlyArray<Unknown> => [
  ...niches.flatMap((name, index): ReadonlyArray<Unknown> =>
    name !== undefined && names.niche(name) === undefined
      ? [
          {
            path: `niches.${index}`,
            code: "unknown_niche",
            name,
            kind: "niche"
          }
        ]
      : []
  ),
  ...themes.flatMap((name, index): ReadonlyArray<Unknown> =>
    name !== undefined && names.spellings("theme", name).length === 0
      ? [{ path: `themes.${index}`, code: "unknown_theme", name, kind: "theme" }]
      : []
  )
]

/**
 * Issues for unknown niches and themes, the first few with a suggestion. An unknown app or extension is no issue: it matches
 * nothing, which {@link unmatched} tells. `undefined` entries keep the positions of the others.
 */
export const unknownNames = Effect.fnUntraced(function* (
  sent: SentNames,
  names: Names
): Effect.fn.Return<ReadonlyArray<ArgumentIssue>> {
  const found = unknown(sent, names)
  if (found.length === 0) return []
  yield* names.prepareNearest(["niche", "theme"])
  return found.map(({ code, kind, name, path }, index) => {
    const [suggestion] = index < maxSuggestions && typeof name === "string" ? names.nearest(kind, name, 1) : []
    return issueAt(path, code, { value: name, ...(suggestion === undefined ? {} : { suggestion }) })
  })
})

/** Apps and domain extensions that no store has. */
export const unmatched = ({ apps = [], domains = [] }: SentNames, names: Names): ReadonlyArray<UnknownName> =>
  [
    ...Array.from(new Set(apps), (name) => ({ list: "apps", name, ids: names.spellings("app", name) }) as const),
    ...Array.from(
      new Set(domains),
      (name) => ({ list: "domains", name, ids: names.spellings("extension", StoreDomain.normalize(name)) }) as const
    )
  ].flatMap(({ ids, list, name }) => (ids.length === 0 ? [{ list, name }] : []))

/** The hint for these issues, of which there is at least one. */
export const hint = (issues: ReadonlyArray<ArgumentIssue>): string => {
  const kinds = new Set(issues.map(({ code }) => (code === "unknown_niche" ? '"niches"' : '"themes"')))
  return `Call list_filter_options with kind ${Array.from(kinds).join(" or ")} to get valid names; a part of the name as query narrows the list.`
}

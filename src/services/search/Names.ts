/** The names of niches, themes, apps and domain extensions as filters may spell them, and what they stand for. */
import { Effect } from "effect"
import { nearestOf } from "../../domain/search/Nearest.ts"
import { streamSafe } from "../../domain/search/SearchText.ts"

export interface Niche {
  readonly id: number
  readonly parentId: number | null
  readonly name: string
}

export const spellingKinds = ["theme", "app", "domain_extension"] as const
export type SpellingKind = (typeof spellingKinds)[number]

/** One way to write a name; those that differ only in case share `canonicalId`. */
export interface Spelling {
  readonly id: number
  readonly kind: SpellingKind
  readonly name: string
  readonly canonicalId: number
}

/** Names are equal that are equal but for case. */
export const fold = (name: string): string =>
  (ascii.test(name) ? name : streamSafe(name).normalize("NFC")).toLowerCase()

const ascii = /^\p{ASCII}*$/u

export interface Names {
  readonly niches: ReadonlyArray<Niche>
  readonly spellings: ReadonlyArray<Spelling>
  /**
   * The niche with all below it, or `undefined` when there is none of this name or id. Text is an exact name first; digits
   * that are no name are an id, because most clients can send ids as text only.
   */
  niche(reference: string | number): ReadonlyArray<number> | undefined
  /** The id that stores carry. */
  spelling(kind: SpellingKind, name: string): number | undefined
  /** To be done before the nearest names are asked for, in turns with other work. */
  readonly prepareNearest: Effect.Effect<void>
  /** The known name that is closest to an unknown one. */
  nearestNiche(name: string): string | undefined
  nearestTheme(name: string): string | undefined
}

export const make = (niches: ReadonlyArray<Niche>, spellings: ReadonlyArray<Spelling>): Names => {
  const children = Map.groupBy(niches, (niche) => niche.parentId)
  const known = new Set(niches.map((niche) => niche.id))
  const byName = Map.groupBy(niches, (niche) => fold(niche.name))
  const ids = new Map(
    spellings.map((spelling) => [`${spelling.kind} ${fold(spelling.name)}`, spelling.canonicalId] as const)
  )

  const below = new Map<string, ReadonlyArray<number>>()
  const subtree = (roots: ReadonlyArray<number>): ReadonlyArray<number> => {
    const key = roots.join()
    const seen = below.get(key)
    if (seen !== undefined) return seen
    // A set also ends the walk should the data ever hold a cycle.
    const found = new Set(roots)
    for (const id of found) for (const child of children.get(id) ?? []) found.add(child.id)
    const all = Array.from(found)
    below.set(key, all)
    return all
  }

  const themes = spellings.filter(({ canonicalId, id, kind }) => kind === "theme" && id === canonicalId)
  const nearNiches = nearestOf(niches.map((niche) => niche.name))
  const nearThemes = nearestOf(themes.map((theme) => theme.name))

  return {
    niches,
    spellings,
    niche: (reference) => {
      const named = typeof reference === "string" ? byName.get(fold(reference)) : undefined
      if (named !== undefined) return subtree(named.map((niche) => niche.id))
      const id = typeof reference === "number" ? reference : /^\d+$/u.test(reference) ? Number(reference) : undefined
      return id !== undefined && known.has(id) ? subtree([id]) : undefined
    },
    spelling: (kind, name) => ids.get(`${kind} ${fold(name)}`),
    prepareNearest: Effect.andThen(nearNiches.prepare, nearThemes.prepare),
    nearestNiche: nearNiches.find,
    nearestTheme: nearThemes.find
  }
}

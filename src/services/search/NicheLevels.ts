/** Niches by level: level 1 has those without a parent. */
import type { Niche } from "./runtime/IndexState.ts"

const made = new WeakMap<ReadonlyArray<Niche>, Map<number, Uint32Array>>()

/** For each niche id its ancestor at the level, or the niche itself; 0 if there is none. */
export const ancestorsAt = (niches: ReadonlyArray<Niche>, level: number): Uint32Array => {
  const known = made.get(niches) ?? new Map<number, Uint32Array>()
  made.set(niches, known)
  const found = known.get(level) ?? find(niches, level)
  known.set(level, found)
  return found
}

const find = (niches: ReadonlyArray<Niche>, level: number): Uint32Array => {
  const parents = new Map(niches.map(({ id, parentId }) => [id, parentId]))
  const ancestors = new Uint32Array(niches.reduce((most, { id }) => Math.max(most, id), 0) + 1)
  for (const { id } of niches) {
    const path: Array<number> = []
    // Also ends the traversal if the data has a cycle.
    for (let at: number | null = id; at !== null && !path.includes(at); at = parents.get(at) ?? null) path.push(at)
    ancestors[id] = path.at(-level) ?? 0
  }
  return ancestors
}

/**
 * Makes a key the most recently used one of a map. Beyond `maxKeys`, the least recently used one is forgotten, so that callers
 * who invent keys exhaust no memory.
 */
export const remember = <A>(map: Map<string, A>, maxKeys: number, key: string, value: A): void => {
  map.delete(key)
  const [oldest] = map.size >= maxKeys ? map.keys() : []
  if (oldest !== undefined) map.delete(oldest)
  map.set(key, value)
}

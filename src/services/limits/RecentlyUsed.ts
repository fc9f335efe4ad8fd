/** A map in the order of use, the least recently used first. Its size is bounded, also if callers invent keys. */
export const remember = <A>(map: Map<string, A>, maxKeys: number, key: string, value: A): void => {
  map.delete(key)
  const [oldest] = map.size >= maxKeys ? map.keys() : []
  if (oldest !== undefined) map.delete(oldest)
  map.set(key, value)
}

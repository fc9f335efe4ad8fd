/** What a client's address is counted by: whoever has one address of IPv6 has at least the 2^64 around it. */

/** An IPv4 address as it is, also when it is written as IPv6; of IPv6 the first 64 bits; anything else as it is. */
export const of = (address: string): string => {
  const text = (address.split("%")[0] ?? "").toLowerCase()
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(text)?.[1]
  if (mapped !== undefined) return mapped
  if (!text.includes(":")) return text
  const [head = "", tail] = text.split("::")
  const before = head === "" ? [] : head.split(":")
  const after = tail === undefined || tail === "" ? [] : tail.split(":")
  const zeros =
    tail === undefined ? [] : Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => "0")
  const groups = [...before, ...zeros, ...after].slice(0, 4).map((group) => group.replace(/^0+(?=.)/, ""))
  return `${groups.join(":")}::/64`
}

/** What a host's robots.txt allows (RFC 9309), and the delay that it asks for. */

export interface Robots {
  /** `path` with its query, as the URL parser writes it. */
  readonly allows: (path: string) => boolean
  /** Not part of the RFC, but widely used. */
  readonly crawlDelaySeconds: number | undefined
}

export const allowsEverything: Robots = { allows: () => true, crawlDelaySeconds: undefined }

interface Rule {
  readonly pattern: string
  readonly isAllowed: boolean
}

interface Group {
  readonly agents: Array<string>
  readonly rules: Array<Rule>
  crawlDelay: number | undefined
  /** Further lines `User-agent` belong to the group until its first rule. */
  isOpen: boolean
}

/** `product`: the product token of the user agent, in lower case, such as `discovery` of `discovery/1.0 (...)`. */
export const parse = (text: string, product: string): Robots => {
  const groups = groupsOf(text)
  const named = groups.filter(({ agents }) => agents.includes(product))
  const ours = named.length > 0 ? named : groups.filter(({ agents }) => agents.includes("*"))
  const rules = ours.flatMap(({ rules }) => rules)
  const delays = ours.flatMap(({ crawlDelay }) => (crawlDelay === undefined ? [] : [crawlDelay]))
  return {
    allows: (path) => {
      const normal = normalized(path)
      if (normal === "/robots.txt") return true
      // The longest pattern decides; of equally long ones, the one that allows.
      const [first] = rules
        .filter(({ pattern }) => matches(pattern, normal))
        .sort((a, b) => b.pattern.length - a.pattern.length || Number(b.isAllowed) - Number(a.isAllowed))
      return first?.isAllowed ?? true
    },
    crawlDelaySeconds: delays.length === 0 ? undefined : Math.max(...delays)
  }
}

const groupsOf = (text: string): ReadonlyArray<Group> => {
  const groups: Array<Group> = []
  for (const line of text.replace(/^\uFEFF/u, "").split(/\r\n|\r|\n/u)) {
    const [content = ""] = line.split("#", 1)
    const colon = content.indexOf(":")
    if (colon === -1) continue
    const name = content.slice(0, colon).trim().toLowerCase()
    const value = content.slice(colon + 1).trim()
    let group = groups.at(-1)
    if (name === "user-agent") {
      if (group?.isOpen !== true) groups.push((group = { agents: [], rules: [], crawlDelay: undefined, isOpen: true }))
      // A version after the token is ignored.
      group.agents.push(value === "*" ? "*" : (/^[a-z_-]+/u.exec(value.toLowerCase())?.[0] ?? ""))
    } else if (group !== undefined && (name === "allow" || name === "disallow")) {
      group.isOpen = false
      if (value !== "") group.rules.push({ pattern: normalized(value), isAllowed: name === "allow" })
    } else if (group !== undefined && name === "crawl-delay") {
      group.isOpen = false
      if (/^\d{1,9}(?:\.\d+)?$/u.test(value)) group.crawlDelay = Number(value)
    }
  }
  return groups
}

/** Makes percent-encoding comparable: unreserved characters are decoded, other octets get upper-case digits. */
const normalized = (text: string): string =>
  text
    .replaceAll(/[^\p{ASCII}]+/gu, (found) => encodeURIComponent(found.toWellFormed()))
    .replaceAll(/%[0-9a-f]{2}/giu, (triplet) => {
      const character = String.fromCharCode(Number.parseInt(triplet.slice(1), 16))
      return /[\w.~-]/u.test(character) ? character : triplet.toUpperCase()
    })

/** `*` matches any text, and a final `$` the end of the path. Without it, a pattern matches a prefix. */
const matches = (pattern: string, path: string): boolean => {
  const isWhole = pattern.endsWith("$")
  const [first = "", ...parts] = (isWhole ? pattern.slice(0, -1) : pattern).split("*")
  if (!path.startsWith(first)) return false
  const last = isWhole ? parts.pop() : undefined
  if (isWhole && last === undefined) return path === first
  let position = first.length
  // The earliest match of each part leaves the most text for the parts after it.
  for (const part of parts) {
    const found = path.indexOf(part, position)
    if (found === -1) return false
    position = found + part.length
  }
  return last === undefined || (path.length - last.length >= position && path.endsWith(last))
}

/**
 * Splits a host around its registrable domain, such as `evil.example` in `accounts.bank.com.evil.example`, which pages
 * highlight.
 */
import * as tldts from "tldts"

export interface HostParts {
  readonly before: string
  /** The registrable domain. An IP address or a local name is not split. */
  readonly owner: string
  /** The port with its colon. */
  readonly after: string
}

/** Splits a host as the URL parser writes it. The parts concatenated are the host. */
export const of = (host: string): HostParts => {
  const after = /:\d+$/.exec(host)?.[0] ?? ""
  const name = host.slice(0, host.length - after.length)
  // Subdomains of hosting services belong to their customers.
  const owner = tldts.getDomain(name, { allowPrivateDomains: true }) ?? name
  return name.endsWith(owner)
    ? { before: name.slice(0, name.length - owner.length), owner, after }
    : { before: "", owner: name, after }
}

/** Whether two hosts have the same registrable domain, or are the same address or name. */
export const haveOneOwner = (host: string, other: string): boolean => of(host).owner === of(other).owner

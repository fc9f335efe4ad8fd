/** The part of a host that says whose it is: `evil.example` of `accounts.bank.com.evil.example`, to be told from the rest. */
import * as tldts from "tldts"

export interface HostParts {
  readonly before: string
  /** What was registered by someone; an address, or a name of this machine, is whole. */
  readonly owner: string
  /** The port, with its colon. */
  readonly after: string
}

/** Of a host as the URL parser writes it. Together, the parts are the host. */
export const of = (host: string): HostParts => {
  const after = /:\d+$/.exec(host)?.[0] ?? ""
  const name = host.slice(0, host.length - after.length)
  // Names below those of hosting services belong to their customers.
  const owner = tldts.getDomain(name, { allowPrivateDomains: true }) ?? name
  return name.endsWith(owner)
    ? { before: name.slice(0, name.length - owner.length), owner, after }
    : { before: "", owner: name, after }
}

/** Whether two hosts belong to one owner: they have the same registrable domain, or are the same address or name. */
export const haveOneOwner = (host: string, other: string): boolean => of(host).owner === of(other).owner

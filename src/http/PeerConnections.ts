/**
 * A limit on the open connections of one peer, so that one client cannot use up those of the process (Server.ts,
 * `maxConnections`). Trusted proxies have no limit, because they hold the connections of many clients.
 */
import type { AppSettings } from "../Config.ts"
import * as ClientNetwork from "../domain/access/ClientNetwork.ts"
import * as ClientAddress from "./shared/ClientAddress.ts"

/** A whole company may share an address. For IPv6 see ClientNetwork. */
export const maxOfPeer = 1_000

export interface PeerConnections {
  /** Counts a connection. Returns a function for its end, or `undefined` if the peer has reached the limit. */
  readonly enter: (remoteAddress: string | undefined) => (() => void) | undefined
}

export const make = (trust: Pick<AppSettings, "trustedProxies">): PeerConnections => {
  const addressOf = ClientAddress.ofPeer(trust)
  /** By address, only of peers with an open connection. */
  const open = new Map<string, number>()

  const add = (key: string, change: 1 | -1) => {
    const count = (open.get(key) ?? 0) + change
    if (count === 0) open.delete(key)
    else open.set(key, count)
  }

  return {
    enter: (remoteAddress) => {
      const address = addressOf(remoteAddress)
      const networks = address === undefined ? [] : ClientNetwork.countedOf(address)
      if (networks.some(({ key, times }) => (open.get(key) ?? 0) >= maxOfPeer * times)) return undefined
      for (const { key } of networks) add(key, 1)
      return () => {
        for (const { key } of networks) add(key, -1)
      }
    }
  }
}

/**
 * How many connections one peer may hold open, so that one client alone cannot use up those of the whole process
 * (Server.ts, `maxConnections`). A trusted proxy has the connections of all its clients, and is not bounded.
 */
import type { AppSettings } from "../Config.ts"
import * as ClientNetwork from "../domain/access/ClientNetwork.ts"
import * as ClientAddress from "./ClientAddress.ts"

/** Of one address; behind it there may be a whole company. Of IPv6 see ClientNetwork. */
export const maxOfPeer = 1_000

export interface PeerConnections {
  /** Counts a connection of this peer. Gives what ends the count, or `undefined` when the peer has as many as it may. */
  readonly enter: (remoteAddress: string | undefined) => (() => void) | undefined
}

export const make = (trust: Pick<AppSettings, "trustedProxies">): PeerConnections => {
  const addressOf = ClientAddress.ofPeer(trust)
  /** Of peers that have a connection, so at most as many as there are connections. */
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

import { assert, describe, it } from "@effect/vitest"
import { IpNetwork } from "effect/net"
import * as PeerConnections from "../../src/http/PeerConnections.ts"

const { maxOfPeer } = PeerConnections

const fill = (peers: PeerConnections.PeerConnections, addressOf: (index: number) => string, count: number) =>
  Array.from({ length: count }, (_, index) => peers.enter(addressOf(index)))

describe("how many connections a peer may hold", () => {
  it("counts a network of IPv6 as one peer, and its /48 as eight", () => {
    const peers = PeerConnections.make({ trustedProxies: [] })
    const first = fill(peers, (index) => `2001:db8:1:1::${index.toString(16)}`, maxOfPeer)
    assert.notInclude(first, undefined)
    assert.isUndefined(peers.enter("2001:db8:1:1:ffff::1"))
    const others = fill(peers, (index) => `2001:db8:1:${(2 + (index % 100)).toString(16)}::1`, 7 * maxOfPeer)
    assert.notInclude(others, undefined)
    assert.isUndefined(peers.enter("2001:db8:1:ffff::1"))
    assert.isDefined(peers.enter("2001:db8:2::1"))
    others[0]?.()
    assert.isDefined(peers.enter("2001:db8:1:ffff::1"))
  })

  it("counts IPv4 in IPv6 as the same peer, and all peers without an address as one", () => {
    const peers = PeerConnections.make({ trustedProxies: [] })
    fill(peers, () => "192.0.2.1", maxOfPeer)
    assert.isUndefined(peers.enter("::ffff:192.0.2.1"))
    for (let index = 0; index < maxOfPeer; index++) assert.isDefined(peers.enter(undefined))
    assert.isUndefined(peers.enter(undefined))
  })

  it("does not bound a trusted proxy", () => {
    const peers = PeerConnections.make({ trustedProxies: [IpNetwork.fromStringUnsafe("10.0.0.0/8")] })
    assert.notInclude(
      fill(peers, () => "::ffff:10.1.1.1", 2 * maxOfPeer),
      undefined
    )
  })
})

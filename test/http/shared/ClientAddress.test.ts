import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { assert, describe, it } from "@effect/vitest"
import { HttpServerRequest } from "effect/http"
import { IpNetwork } from "effect/net"
import * as ClientAddress from "../../../src/http/shared/ClientAddress.ts"

const proxies = ["10.0.0.0/8", "127.0.0.1/32", "fd00::/8"].map(IpNetwork.fromStringUnsafe)

/** What the address looks like to Node, and to the adapter. */
const addressOf = (peer: string | undefined, forwarded: string | undefined, trustedProxies = proxies) => {
  const source = { socket: { remoteAddress: peer }, headers: { "x-forwarded-for": forwarded } }
  const request = HttpServerRequest.fromWeb(new Request("http://discovery.test/"))
  const faked = new Proxy(request, { get: (target, name) => (name === "source" ? source : Reflect.get(target, name)) })
  assert.strictEqual(NodeHttpServerRequest.toIncomingMessage(faked).socket.remoteAddress, peer)
  return ClientAddress.of({ trustedProxies })(faked)
}

describe("R56 the address that requests are counted by", () => {
  it.each<[string, string | undefined, string | undefined, string]>([
    ["the peer's", "192.0.2.1", undefined, "192.0.2.1"],
    ["the peer's, whatever an untrusted peer forwards", "192.0.2.1", "198.51.100.1", "192.0.2.1"],
    ["what a proxy forwards", "10.1.1.1", "198.51.100.1", "198.51.100.1"],
    ["of a proxy in IPv4-mapped form", "::ffff:10.1.1.1", "198.51.100.1", "198.51.100.1"],
    [
      "the last that is no proxy's, of what is forwarded",
      "10.1.1.1",
      "6.6.6.6, 198.51.100.1, 10.2.2.2",
      "198.51.100.1"
    ],
    ["the proxy's when nothing is forwarded", "10.1.1.1", undefined, "10.1.1.1"],
    ["the first proxy's when all are proxies", "10.1.1.1", "10.3.3.3, 10.2.2.2", "10.3.3.3"],
    ["the proxy's when junk is forwarded", "10.1.1.1", "198.51.100.1, junk", "10.1.1.1"],
    ["the proxy's when nothing but commas is", "10.1.1.1", ",,", "10.1.1.1"],
    ["with a port", "10.1.1.1", "198.51.100.1:4711", "198.51.100.1"],
    ["of IPv6 the network", "2001:db8:1:2:3:4:5:6", undefined, "2001:db8:1:2"],
    ["of IPv6 in brackets", "10.1.1.1", "[2001:db8:1:2::9]:443", "2001:db8:1:2"],
    ["of a proxy on IPv6", "fd00::1", "198.51.100.1", "198.51.100.1"],
    ["of IPv4 in IPv6 the IPv4", "::ffff:192.0.2.1", undefined, "192.0.2.1"],
    ["unknown when there is none", undefined, "198.51.100.1", "unknown"]
  ])("is %s", (_, peer, forwarded, expected) => {
    assert.strictEqual(addressOf(peer, forwarded), expected)
  })

  it("does not follow a chain without end", () => {
    const chain = Array.from({ length: 5_000 }, () => "10.2.2.2").join(", ")
    assert.strictEqual(addressOf("10.1.1.1", `198.51.100.1, ${chain}`), "10.2.2.2")
  })

  it("is the peer's where no proxy is trusted", () => {
    assert.strictEqual(addressOf("10.1.1.1", "198.51.100.1", []), "10.1.1.1")
  })
})

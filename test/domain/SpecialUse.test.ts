import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { IpNetwork, NetAddress } from "effect/net"
import { BlockList } from "node:net"
import * as SpecialUse from "../../src/domain/SpecialUse.ts"
import { specialRanges } from "../support/SpecialRanges.ts"

const classOf = (address: string) => SpecialUse.classify(NetAddress.ipFromStringUnsafe(address))

const ipv4Ranges = specialRanges.filter((range) => !range.includes(":"))

/**
 * Decided apart from what is tested. A list for each family: node takes IPv4 addresses for mapped ones as well, and the
 * range of those has them all.
 */
const blocked = { ipv4: new BlockList(), ipv6: new BlockList() }
for (const range of specialRanges) {
  const [network = "", prefix] = range.split("/")
  const family = range.includes(":") ? "ipv6" : "ipv4"
  blocked[family].addSubnet(network, Number(prefix), family)
}

const Word = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 0xffff_ffff }))
const octetsOf = (word: number): readonly [number, number, number, number] => [
  word >>> 24,
  (word >>> 16) & 255,
  (word >>> 8) & 255,
  word & 255
]
const ipv4Of = (word: number) => NetAddress.ipv4FromBytesUnsafe(Uint8Array.from(octetsOf(word)))
const ipv6Of = (...words: ReadonlyArray<number>) =>
  NetAddress.ipv6FromBytesUnsafe(Uint8Array.from(words.flatMap((word) => octetsOf(word))))

/** An address of the range, its free bits from the words. */
const within = (range: string, words: ReadonlyArray<number>): NetAddress.IpAddress => {
  const network = IpNetwork.fromStringUnsafe(range)
  const isIpv4 = NetAddress.isIpv4Address(network.address)
  const fixed = isIpv4 ? NetAddress.ipv4ToOctets(network.address) : NetAddress.ipv6ToOctets(network.address)
  const free = words.flatMap((word) => octetsOf(word))
  const octets = fixed.map((octet, index) => {
    const fixedBits = Math.min(8, Math.max(0, network.prefixLength - 8 * index))
    return octet | ((free[index] ?? 0) & (0xff >>> fixedBits))
  })
  return isIpv4
    ? NetAddress.ipv4FromBytesUnsafe(Uint8Array.from(octets))
    : NetAddress.ipv6FromBytesUnsafe(Uint8Array.from(octets))
}

describe("R49 addresses", () => {
  it.each(specialRanges)("no address of %s is public, neither its first nor its last", (range) => {
    const network = IpNetwork.fromStringUnsafe(range)
    assert.notStrictEqual(SpecialUse.classify(IpNetwork.firstAddress(network)), "public")
    assert.notStrictEqual(SpecialUse.classify(IpNetwork.lastAddress(network)), "public")
  })

  it.each([
    "1.1.1.1",
    "8.8.8.8",
    "9.255.255.255",
    "11.0.0.0",
    "93.184.216.34",
    "100.63.255.255",
    "100.128.0.0",
    "126.255.255.255",
    "128.0.0.0",
    "169.253.255.255",
    "169.255.0.0",
    "172.15.255.255",
    "172.32.0.0",
    "192.0.1.0",
    "192.167.255.255",
    "192.169.0.0",
    "198.17.255.255",
    "198.20.0.0",
    "223.255.255.255",
    "2001:200::1",
    "2001:4860:4860::8888",
    "2001:db7:ffff::1",
    "2001:db9::1",
    "2003::1",
    "2606:2800:220:1:248:1893:25c8:1946",
    "2a00:1450:4001::1",
    "3ffe::1"
  ])("%s is public", (address) => {
    assert.strictEqual(classOf(address), "public")
  })

  it.each(["127.0.0.1", "127.0.0.2", "127.255.255.255", "::1"])("%s is loopback", (address) => {
    assert.strictEqual(classOf(address), "loopback")
  })

  it.each(["::ffff:127.0.0.1", "::127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "0.0.0.0", "::", "::2"])(
    "%s is this machine at most by a detour, and special",
    (address) => {
      assert.strictEqual(classOf(address), "special")
    }
  )

  it.prop(
    "every address of a special range is refused",
    [Schema.Literals(specialRanges), Schema.Tuple([Word, Word, Word, Word])],
    ([range, words]) => {
      assert.notStrictEqual(SpecialUse.classify(within(range, words)), "public")
    },
    { arbitrary: { runs: 5000 } }
  )

  it.prop(
    "of all IPv4 addresses, exactly those outside the special ranges are public",
    [Word],
    ([word]) => {
      const address = ipv4Of(word)
      const isSpecial = blocked.ipv4.check(NetAddress.formatIp(address), "ipv4")
      assert.strictEqual(SpecialUse.classify(address) === "public", !isSpecial, NetAddress.formatIp(address))
    },
    { arbitrary: { runs: 5000 } }
  )

  it.prop(
    "of all IPv6 addresses, only global unicast ones outside the special ranges are public",
    [Word, Word, Word, Word, Schema.Boolean],
    ([first, second, third, fourth, isGlobal]) => {
      const address = ipv6Of(isGlobal ? 0x2000_0000 | (first >>> 3) : first, second, third, fourth)
      const [segment] = NetAddress.ipv6ToSegments(address)
      const isSpecial = segment >>> 13 !== 1 || blocked.ipv6.check(NetAddress.formatIp(address), "ipv6")
      assert.strictEqual(SpecialUse.classify(address) === "public", !isSpecial, NetAddress.formatIp(address))
    },
    { arbitrary: { runs: 5000 } }
  )

  it.prop(
    "no form of IPv6 smuggles an IPv4 address in",
    [Schema.Literals(ipv4Ranges), Word, Word],
    ([range, word, other]) => {
      const inner = within(range, [word])
      if (!NetAddress.isIpv4Address(inner)) return assert.fail("not IPv4")
      const [a, b, c, d] = NetAddress.ipv4ToOctets(inner)
      const bits = ((a << 24) | (b << 16) | (c << 8) | d) >>> 0
      const forms = {
        mapped: NetAddress.toIpv4Mapped(inner),
        compatible: ipv6Of(0, 0, 0, bits),
        translated: ipv6Of(0, 0, 0xffff_0000, bits),
        nat64: ipv6Of(0x0064_ff9b, 0, 0, bits),
        localNat64: ipv6Of(0x0064_ff9b, 0x0001_0000 | (other >>> 16), other, bits),
        sixToFour: ipv6Of(0x2002_0000 | (bits >>> 16), (bits << 16) | (other >>> 16), other, other),
        teredo: ipv6Of(0x2001_0000, other, other, ~bits >>> 0)
      }
      for (const [form, address] of Object.entries(forms)) {
        assert.strictEqual(SpecialUse.classify(address) === "public", false, `${form} ${NetAddress.formatIp(address)}`)
      }
    },
    { arbitrary: { runs: 1000 } }
  )
})

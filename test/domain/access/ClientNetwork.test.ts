import { assert, describe, it } from "@effect/vitest"
import * as ClientNetwork from "../../../src/domain/access/ClientNetwork.ts"

describe("R56 a caller is counted by", () => {
  it.each(["192.0.2.1", "unknown", ""])("itself alone: %j", (address) => {
    assert.deepStrictEqual(ClientNetwork.countedOf(address), [{ key: address, times: 1 }])
  })

  it("the /64 and, with eight times the allowance, the /48 of IPv6", () => {
    assert.deepStrictEqual(ClientNetwork.countedOf("2001:db8:0:1"), [
      { key: "2001:db8:0:1", times: 1 },
      { key: "2001:db8:0::/48", times: 8 }
    ])
  })
})

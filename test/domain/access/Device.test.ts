import { assert, describe, it } from "@effect/vitest"
import * as Device from "../../../src/domain/access/Device.ts"

const agents: ReadonlyArray<readonly [browser: string | null, system: string | null, userAgent: string]> = [
  ["Firefox", "Linux", "Mozilla/5.0 (X11; Linux x86_64; rv:141.0) Gecko/20100101 Firefox/141.0"],
  ["Firefox", "Android", "Mozilla/5.0 (Android 15; Mobile; rv:141.0) Gecko/141.0 Firefox/141.0"],
  [
    "Firefox",
    "iOS",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) FxiOS/141.0 Mobile/15E148 Safari/605.1.15"
  ],
  [
    "Chrome",
    "Windows",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Safari/537.36"
  ],
  [
    "Chrome",
    "Android",
    "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Mobile Safari/537.36"
  ],
  [
    "Chrome",
    "iPadOS",
    "Mozilla/5.0 (iPad; CPU OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/138.0.7204.119 Mobile/15E148 Safari/604.1"
  ],
  [
    "Chrome",
    "ChromeOS",
    "Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Safari/537.36"
  ],
  [
    "Edge",
    "Windows",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Safari/537.36 Edg/138.0.0.0"
  ],
  [
    "Opera",
    "macOS",
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/136.0.0.0 Safari/537.36 OPR/121.0.0.0"
  ],
  [
    "Safari",
    "macOS",
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15"
  ],
  [
    "Safari",
    "iOS",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1"
  ],
  [
    "Samsung Internet",
    "Android",
    "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36"
  ],
  [null, null, "curl/8.14.1"],
  [null, "Linux", "Lynx (Linux)"],
  [null, null, ""],
  [null, null, `${"x".repeat(600)} Firefox/141.0 Linux`]
]

describe("a device", () => {
  it.each(agents)("is %s, %s", (browser, system, userAgent) => {
    assert.deepStrictEqual(Device.of(userAgent), { browser, system })
  })

  it("is unknown without the header", () => {
    assert.deepStrictEqual(Device.of(undefined), Device.unknownDevice)
  })

  it("is parsed in bounded time", () => {
    // Would take minutes if it took more than a look at each character.
    const hostile = "Version/1.1.1.1 ".repeat(100_000)
    assert.deepStrictEqual(Device.of(hostile), Device.unknownDevice)
  })

  it("has names that the database accepts", () => {
    for (const [, , userAgent] of agents) {
      const { browser, system } = Device.of(userAgent)
      for (const name of [browser, system]) assert.isAtMost(name?.length ?? 1, 30)
    }
  })
})

/** D43, D98: every address of the demo data leads to its store, also through redirectors, and an address without a store to none. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { demoRecords } from "../../../demo/DemoData.ts"
import { AppConfig } from "../../../src/Config.ts"
import * as StoreDomain from "../../../src/domain/catalog/StoreDomain.ts"
import { ShopReader } from "../../../src/services/search/ShopReader.ts"
import * as Random from "../../oracle/Random.ts"
import * as Searches from "../../support/Searches.ts"
import { stampAndIndex } from "../../support/Stamps.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const random = Random.make(15)
const records = Array.from(demoRecords({ size: "tiny", seed: "addresses", asOf: "2026-01-15" })).flat()
const domains = records.flatMap((record) => (record.type === "shop" ? [StoreDomain.normalize(record.domain)] : []))

/** An address of the demo data, and the domain of its store. */
const addresses = records.flatMap((record): ReadonlyArray<readonly [string, string]> => {
  if (record.type === "ad" && record.landing_url !== null && record.shop !== null) {
    return [[record.landing_url, StoreDomain.normalize(record.shop)]]
  }
  return record.type === "product" && record.url !== null ? [[record.url, StoreDomain.normalize(record.shop)]] : []
})

const stored = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    INSERT INTO shop (domain, domain_extension, name, country)
    SELECT domain, substring(domain FROM '(\.co\.uk|\.[^.]*)$'), 'Store', 'US' FROM unnest(${domains}::text[]) domain`
  yield* stampAndIndex
})

const services = Layer.effectDiscard(stored).pipe(
  Layer.provideMerge(Searches.layer),
  Layer.provideMerge(TestDatabase.layer),
  Layer.provide(AppConfig.layerOf({ baseUrl: "https://discovery.test" }))
)

const encoded = encodeURIComponent

/** The addresses that redirectors make of one. */
const redirectors: ReadonlyArray<(address: string) => string> = [
  (address) => `https://l.facebook.com/l.php?u=${encoded(address)}&h=AT0x`,
  (address) => `https://www.google.com/url?sa=t&url=${encoded(address)}&usg=x`,
  (address) => `https://click.example-mail.com/track?id=7&to=${address}`,
  (address) => `https://go.example-links.com/r/${encoded(address)}`,
  (address) => `HTTPS://OUT.EXAMPLE-ADS.COM/?target=${encoded(encoded(address))}`,
  (address) => `l.instagram.com/?u=${encoded(address).toLowerCase()}`
]

layer(services, { excludeTestServices: true, timeout: "120 seconds" })("D98 the address of a store", (it) => {
  const domainOf = Effect.fnUntraced(function* (address: string) {
    const sql = yield* SqlClient.SqlClient
    const id = yield* (yield* ShopReader).idOf(address)
    const [row] = yield* sql<{ readonly domain: string }>`SELECT domain FROM shop WHERE id = ${id}`
    return row?.domain
  })

  it.effect("is every landing page and product page of the demo data", () =>
    Effect.gen(function* () {
      assert.isAbove(addresses.length, 300)
      for (const [address, domain] of random.some(addresses, 300, 300)) {
        assert.strictEqual(yield* domainOf(address), domain, address)
      }
    })
  )

  it.effect("is found through a redirector, and through one behind another", () =>
    Effect.gen(function* () {
      for (const domain of domains) {
        const address = `https://www.${domain}/products/a-b?variant=1&utm=x`
        const [one, other] = [random.pick(redirectors), random.pick(redirectors)]
        for (const through of [one(address), one(other(address))]) {
          assert.strictEqual(yield* domainOf(through), domain, through)
        }
      }
    })
  )

  it.effect("is that of the page itself, not of another store that it carries", () =>
    Effect.gen(function* () {
      const [first = "", second = ""] = domains
      const address = `https://${first}/login?return=${encoded(`https://${second}/`)}`
      assert.strictEqual(yield* domainOf(address), first)
    })
  )

  it.effect.each([
    "https://l.facebook.com/l.php?u=https%3A%2F%2Fnowhere-at-all.com",
    "https://bit.ly/3abc",
    `https://l.facebook.com/l.php?u=${"https%3A%2F%2F".repeat(150)}`,
    "https://l.facebook.com/l.php?u=https%3A%2F%2F%ZZ"
  ])("%s has none", (address) =>
    Effect.gen(function* () {
      assert.strictEqual((yield* Effect.flip(domainOf(address)))._tag, "NotFound")
    })
  )
})

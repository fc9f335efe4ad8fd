/** P36: the hosts of images that a policy names, from the whole catalog or a sample of it. */
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Logger, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { named } from "../../../src/domain/catalog/MostUsedOrigins.ts"
import { ImageOrigins, imageOriginsLayer } from "../../../src/services/search/ImageOrigins.ts"
import * as StoreRecords from "../../support/StoreRecords.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

layer(TestDatabase.layer, { excludeTestServices: true })("the hosts of the catalog's images", (it) => {
  it.effect("are those of ads and products over TLS, once each, most used first", () =>
    Effect.gen(function* () {
      const id = yield* StoreRecords.addStore()
      for (const image_url of ["https://CDN.test/1.png", "https://cdn.test:443/2.png", "https://cdn.test/3?x", null]) {
        yield* StoreRecords.addProduct(id, { image_url })
      }
      for (const image_url of [
        "https://ads.test/1",
        "http://plain.test/1",
        "https://user@evil.test/1",
        "data:image/png,"
      ]) {
        yield* StoreRecords.addAd(id, { image_url })
      }
      const origins = yield* Effect.flatMap(ImageOrigins, (origins) => origins).pipe(Effect.provide(imageOriginsLayer))
      assert.deepStrictEqual(origins, ["https://cdn.test", "https://ads.test"])
    })
  )

  it.effect("are none where they cannot be read", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`ALTER TABLE ad RENAME TO hidden`
      const origins = yield* Effect.flatMap(ImageOrigins, (origins) => origins).pipe(Effect.provide(imageOriginsLayer))
      yield* sql`ALTER TABLE hidden RENAME TO ad`
      assert.deepStrictEqual(origins, [])
    }).pipe(Effect.provide(Logger.layer([])))
  )
})

/** Hosts of many domains, of one domain, of customers of one domain, and what is no host. */
const counts = Schema.Array(
  Schema.Struct({
    host: Schema.Literals([
      "shop#.example",
      "scontent-#.xx.fbcdn.net",
      "d#.cloudfront.net",
      "fbcdn.net",
      "a.fbcdn.net:8443",
      "fbcdn.net:443",
      "a.example:99999",
      "xn--.com",
      "10.0.0.1",
      "localhost",
      "evil.test; script-src *",
      "evil.test 'unsafe-inline'",
      "*",
      "user@evil.test"
    ]),
    number: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 99 })),
    images: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000 }))
  })
).check(Schema.isMaxLength(150))

describe("the hosts that a policy names", () => {
  it.prop(
    "P36 are at most 40, safe in a policy, and none but those of images",
    [counts],
    ([sent]) => {
      const byOrigin = new Map(
        sent.map(({ host, images, number }) => [`https://${host.replace("#", String(number))}`, images])
      )
      const counted = Array.from(byOrigin, ([origin, images]) => ({ origin, images }))
      const origins = named(counted)
      assert.isAtMost(origins.length, 40)
      assert.strictEqual(new Set(origins).size, origins.length)
      for (const origin of origins) {
        assert.match(origin, /^https:\/\/(?:\*\.)?[a-z0-9.-]+(?::\d+)?$/)
        const isNamed = counted.some((each) =>
          origin.startsWith("https://*.")
            ? each.origin.endsWith(origin.slice(9))
            : each.origin.replace(/:443$/u, "") === origin
        )
        assert.isTrue(isNamed, origin)
      }
      // A wildcard is of a domain with one owner, and only where a list would be too long.
      const wildcards = origins.filter((origin) => origin.includes("*"))
      assert.includeMembers(["https://*.fbcdn.net"], wildcards)
      if (counted.length <= 40) assert.isEmpty(wildcards)
    },
    { arbitrary: { runs: 200 } }
  )

  it("are those with most images", () => {
    const counted = Array.from({ length: 100 }, (_, images) => ({ origin: `https://shop${images}.example`, images }))
    assert.strictEqual(named(counted)[0], "https://shop99.example")
    assert.strictEqual(named(counted).at(-1), "https://shop60.example")
  })

  it("become a wildcard where many are of one domain", () => {
    const counted = Array.from({ length: 50 }, (_, index) => ({ origin: `https://c${index}.xx.fbcdn.net`, images: 1 }))
    assert.deepStrictEqual(named(counted), ["https://*.fbcdn.net"])
  })
})

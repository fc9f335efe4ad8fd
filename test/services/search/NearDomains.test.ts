/** D43: the domains that `not_found` suggests for one without a store. */
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

const random = Random.make(14)

const demo = Array.from(demoRecords({ size: "tiny", seed: "near", asOf: "2026-01-15" }))
  .flat()
  .flatMap((record) => (record.type === "shop" ? [StoreDomain.normalize(record.domain)] : []))

/** 5,000 domains with the same two first letters. */
const crowd = Array.from(
  { length: 5_000 },
  (_, n) => `st${Array.from({ length: 8 }, () => random.pick(Array.from("aeioulmnrt"))).join("")}${n}.com`
)

/** More than a thousand hosts of one name, which precede the store with that name. */
const hosts = Array.from({ length: 1_200 }, (_, n) => `shop.brand-${n}.com`)

const others = ["kith.com", "shop.jp", "lamps.co.uk", "outlet.lamps.fr"]

const domains = new Set([...demo, ...crowd, ...hosts, ...others])

const stored = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    INSERT INTO shop (domain, domain_extension, name, country)
    SELECT domain, substring(domain FROM '(\.co\.uk|\.[^.]*)$'), 'Store', 'US' FROM unnest(${Array.from(domains)}::text[]) domain`
  yield* stampAndIndex
})

const services = Layer.effectDiscard(stored).pipe(
  Layer.provideMerge(Searches.layer),
  Layer.provideMerge(TestDatabase.layer),
  Layer.provide(AppConfig.layerOf({ baseUrl: "https://discovery.test" }))
)

/** What is suggested for a domain without a store, in order. */
const suggested = Effect.fnUntraced(function* (domain: string) {
  const error = yield* Effect.flip((yield* ShopReader).idOf(domain))
  const hint = error._tag === "NotFound" ? (error.hint ?? "") : assert.fail(error._tag)
  return /^Did you mean (.*?)\? /u.exec(hint)?.[1]?.split(", ") ?? []
})

/** Every domain that a text becomes by one wrong character, and that no store has. */
const wrong = (domain: string) =>
  Array.from(
    domain,
    (character, at) => domain.slice(0, at) + (character === "x" ? "q" : "x") + domain.slice(at + 1)
  ).filter((text) => !domains.has(text))

const assertFound = Effect.fnUntraced(function* (domain: string, texts: ReadonlyArray<string>) {
  for (const text of texts) assert.include(yield* suggested(text), domain, text)
})

layer(services, { excludeTestServices: true, timeout: "120 seconds" })("the nearest domains", (it) => {
  it.effect("of every store of the demo data include it, whichever character is wrong", () =>
    Effect.gen(function* () {
      assert.isAbove(demo.length, 50)
      for (const domain of demo) yield* assertFound(domain, wrong(domain))
    })
  )

  it.effect("include a store among 5,000 with the same two first letters, whichever character is wrong", () =>
    Effect.gen(function* () {
      for (const domain of random.some(crowd, 40, 40)) yield* assertFound(domain, wrong(domain))
    })
  )

  it.effect("include one with a character too many, too few, or two swapped", () =>
    Effect.gen(function* () {
      for (const domain of random.some([...crowd, ...demo], 40, 40)) {
        const at = random.int(0, domain.indexOf("."))
        const [before, one = "", two = ""] = [domain.slice(0, at), domain[at], domain[at + 1]]
        const texts = [
          `${before}x${domain.slice(at)}`,
          before + domain.slice(at + 1),
          before + two + one + domain.slice(at + 2)
        ]
        yield* assertFound(
          domain,
          texts.filter((text) => !domains.has(text) && !text.startsWith("."))
        )
      }
    })
  )

  it.effect("of a text that is no domain repeat it as it came", () =>
    Effect.gen(function* () {
      for (const text of ["1", ".", "..", "https://", "http://[::1]/", " not a domain "]) {
        const error = yield* Effect.flip((yield* ShopReader).idOf(text))
        assert.strictEqual(error.message, `There is no store with the domain \`${text.trim()}\`.`)
      }
    })
  )

  it.effect("begin with the same name under another extension", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* suggested("kith.jp"))[0], "kith.com")
      assert.strictEqual((yield* suggested("https://eu.kith.co.uk/pages/about"))[0], "kith.com")
      assert.strictEqual((yield* suggested("kith"))[0], "kith.com")
      assert.strictEqual((yield* suggested("lamps.com"))[0], "lamps.co.uk")
      // More hosts that begin with the same word lie between than are compared.
      assert.strictEqual((yield* suggested("shop.ae"))[0], "shop.jp")
    })
  )

  it.effect("are of the whole host as well", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* suggested("outlat.lamps.fr"))[0], "outlet.lamps.fr")
      assert.strictEqual((yield* suggested("lamps.co.ukk"))[0], "lamps.co.uk")
      assert.strictEqual((yield* suggested("lamps.cp.uk"))[0], "lamps.co.uk")
    })
  )

  it.effect("are none where none is near, for a text of any form and length", () =>
    Effect.gen(function* () {
      for (const text of ["zzzzqqqqzzzz.org", "1.2.3.4", "é".repeat(2_000), ".", "x".repeat(300), "a b", "[::1]"]) {
        assert.isAtMost((yield* suggested(text)).length, 3, text)
      }
      assert.deepStrictEqual(yield* suggested("zzzzqqqqzzzz.org"), [])
    })
  )
})

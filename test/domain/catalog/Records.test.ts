import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import { byField } from "../../../src/domain/catalog/Figures.ts"
import { englishOf } from "../../../src/domain/ArgumentIssue.ts"
import { adStatuses, ctas, languages, mediaTypes } from "../../../src/domain/catalog/Enumerations.ts"
import { decode } from "../../../src/domain/catalog/Records.ts"
import type { NativeRecord } from "../../../src/domain/catalog/Records.ts"
import { extension, normalize } from "../../../src/domain/catalog/StoreDomain.ts"
import { hasUserInfo } from "../../../src/domain/UserInfo.ts"

const shop = { type: "shop", domain: "shop.example.com", name: "A", country: "US" }
const product = { type: "product", shop: "shop.example.com", key: "1", title: "A", price: 1 }
const ad = {
  type: "ad",
  key: "1",
  page_name: "A",
  status: "active",
  media_type: "image",
  started_on: "2026-01-01",
  last_seen_on: "2026-01-01"
}
const niche = { type: "niche", id: 1, name: "A" }
const month = { type: "traffic_month" as const, shop: "shop.example.com", month: "2026-01", visits: 0 }

const good = (input: unknown): NativeRecord =>
  Result.getOrThrowWith(decode(input), (issues) => new Error(JSON.stringify(issues)))

const issues = (input: unknown) =>
  Object.fromEntries(
    Result.match(decode(input), {
      onSuccess: () => [],
      onFailure: (found) => found.map((issue) => [issue.path, englishOf(issue)])
    })
  )

describe("a record", () => {
  it("needs only its key and its name; everything else is unknown", () => {
    assert.deepStrictEqual(good(shop), {
      type: "shop",
      domain: "shop.example.com",
      name: "A",
      country: "US",
      currency: null,
      niche: null,
      languages: [],
      pixels: [],
      social_networks: [],
      apps: [],
      theme: null,
      created_on: null,
      ...byField(() => null)
    })
    assert.deepInclude(good(product), { url: null, image_url: null, created_at: null, details: null })
    assert.deepInclude(good(ad), { shop: null, cta: null, headline: null, ad_text: null, is_partnership: false })
    assert.deepStrictEqual(good(niche), { type: "niche", id: 1, parent_id: null, name: "A" })
    assert.deepStrictEqual(good(month), month)
  })

  const wrong: ReadonlyArray<readonly [record: object, path: string, message: RegExp]> = [
    [{ ...shop, type: "shops" }, "type", /did you mean `shop`/],
    [{ ...shop, type: undefined }, "type", /must be one of/],
    [{ ...shop, type: "constructor" }, "type", /not one of the allowed/],
    [{ name: "A" }, "type", /is required/],
    [{ ...shop, monthly_revenu: 1 }, "monthly_revenu", /not a known field; did you mean `monthly_revenue`/],
    [{ ...shop, domain: "com" }, "domain", /must be a domain/],
    [{ ...shop, domain: "co.uk" }, "domain", /must be a domain/],
    [{ ...shop, domain: "10.0.0.1" }, "domain", /must be a domain/],
    [{ ...shop, domain: "https://shop.example.com/" }, "domain", /must be a domain/],
    [{ ...shop, domain: `${"a".repeat(64)}.com` }, "domain", /must be a domain/],
    [{ ...shop, domain: "a b.com" }, "domain", /must be a domain/],
    [{ ...shop, name: " \u200B\u0000 " }, "name", /must not be empty/],
    [{ ...shop, name: "n".repeat(201) }, "name", /at most 200 characters/],
    [{ ...shop, country: "UK" }, "country", /did you mean `GB`/],
    [{ ...shop, currency: "EURO" }, "currency", /4217/],
    [{ ...shop, niche: 32_001 }, "niche", /between 1 and 32000/],
    [{ ...shop, languages: ["Klingon"] }, "languages.0", /not one of the allowed/],
    [{ ...shop, apps: Array.from({ length: 501 }, (_, index) => `app ${index}`) }, "apps", /at most 500/],
    [{ ...shop, created_on: "2026-02-30" }, "created_on", /does not exist/],
    [{ ...shop, created_on: "1889-01-01" }, "created_on", /from 1990-01-01/],
    [{ ...shop, monthly_revenue: -1 }, "monthly_revenue", /between 0/],
    [{ ...shop, monthly_orders: 1.5 }, "monthly_orders", /integer/],
    [{ ...shop, products_count: 2_147_483_648 }, "products_count", /2147483647/],
    [{ ...shop, trustpilot_rating: 5.1 }, "trustpilot_rating", /between 0 and 5/],
    [{ ...month, month: "2026-13" }, "month", /YYYY-MM/],
    [{ ...month, visits: 2_147_483_648 }, "visits", /2147483647/],
    [{ ...product, shop: undefined }, "shop", /must be a string/],
    [{ ...product, key: "" }, "key", /must not be empty/],
    [{ ...product, key: "k".repeat(256) }, "key", /at most 255 characters/],
    [{ ...product, alias: "k".repeat(256) }, "alias", /at most 255 characters/],
    [{ ...product, key: "a\u0000" }, "key", /control characters/],
    [{ ...product, key: "a\uD800" }, "key", /control characters/],
    [{ ...product, price: "12" }, "price", /must be a number/],
    [{ ...product, price: 1e10 }, "price", /between 0 and 1000000000/],
    [{ ...product, url: "javascript:alert(1)" }, "url", /http or https/],
    [{ ...product, url: "https://" }, "url", /http or https/],
    [{ ...product, url: "https://shop.example.com@evil.example/" }, "url", /user name or password/],
    [{ ...product, url: "https://:shop.example.com@evil.example/" }, "url", /user name or password/],
    [{ ...product, url: "https://@evil.example/" }, "url", /user name or password/],
    [{ ...product, url: "https:////:@evil.example/" }, "url", /user name or password/],
    [{ ...product, image_url: "data:image/png;base64,AAAA" }, "image_url", /http or https/],
    [{ ...product, created_at: "2026-01-01" }, "created_at", /must be a time/],
    [{ ...product, created_at: "2026-01-01T10:00:00" }, "created_at", /must be a time/],
    [{ ...product, created_at: "2026-02-30T10:00:00Z" }, "created_at", /must be a time/],
    [{ ...product, details: { variants: [{ price: "1" }] } }, "details.variants.0.price", /must be a number/],
    [{ ...ad, key: "k".repeat(201) }, "key", /at most 200 characters/],
    [{ ...ad, status: "running" }, "status", /not one of the allowed/],
    [{ ...ad, cta: "Shop now" }, "cta", /did you mean `Shop Now`/],
    [{ ...ad, ad_text: "a".repeat(20_001) }, "ad_text", /at most 20000 characters/],
    [{ ...ad, started_on: "2026-01-02" }, "started_on", /must not be after last_seen_on/],
    [{ ...niche, id: 0 }, "id", /between 1 and 32000/]
  ]
  it.each(wrong.map(([record, path, message]) => [path, message, record] as const))(
    "is refused at %s: %s",
    (path, message, record) => {
      const found = issues(record)
      assert.deepStrictEqual(Object.keys(found), [path])
      assert.match(found[path] ?? "", message)
    }
  )

  it.each([[null], [1], ["shop"], [[]], [[shop]]])("%j is none", (input) => {
    assert.deepStrictEqual(Object.keys(issues(input)).length, 1)
  })

  it("names the same store with a leading `www.` as without it", () => {
    assert.deepInclude(good({ ...shop, domain: "www.shop.example.com" }), { domain: "shop.example.com" })
    for (const record of [month, product, ad])
      assert.deepInclude(good({ ...record, shop: "www.shop.example.com" }), { shop: "shop.example.com" })
  })

  it("D58 reports all its issues at once", () => {
    assert.hasAllKeys(issues({ ...shop, domain: "com", country: "UK", niche: "shoes", color: 1 }), [
      "domain",
      "country",
      "niche",
      "color"
    ])
  })

  it("D31 is cleaned: domains, codes, times, blanks, repetitions, hidden text", () => {
    assert.deepInclude(
      good({
        ...shop,
        domain: "MÜNCHEN.Example.com.",
        name: " Tea\u202E &\n Co\u0007 ",
        country: "us",
        currency: "eur",
        theme: "  ",
        apps: ["A", "B", "A"],
        languages: ["French", "French"]
      }),
      {
        domain: "xn--mnchen-3ya.example.com",
        name: "Tea & Co",
        country: "US",
        currency: "EUR",
        theme: null,
        apps: ["A", "B"],
        languages: ["French"]
      }
    )
    assert.deepInclude(good({ ...product, created_at: "2025-03-02T09:11:40+01:00" }), {
      created_at: "2025-03-02T08:11:40.000Z"
    })
    assert.deepInclude(good({ ...ad, headline: "a\nb", ad_text: "a\r\nb\u0000" }), { headline: "a b", ad_text: "a\nb" })
  })

  const Text = Schema.String.check(Schema.isMaxLength(60))
  const maybe = <S extends Schema.Top>(schema: S) => Schema.NullOr(schema)
  const Whole = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2_147_483_647 }))
  const Amount = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000_000 }))
  const Parts = Schema.Struct({
    text: Text,
    other: maybe(Text),
    whole: maybe(Whole),
    amount: Amount,
    languages: Schema.Array(Schema.Literals(languages)).check(Schema.isMaxLength(5)),
    cta: maybe(Schema.Literals(ctas)),
    media: Schema.Literals(mediaTypes),
    status: Schema.Literals(adStatuses),
    tags: Schema.Array(Text).check(Schema.isMaxLength(5))
  })

  const Pieces = Schema.Array(
    Schema.Literals([
      "https:",
      "HTTP:",
      "//",
      "/",
      "\\",
      "@",
      ":",
      ":80",
      "?",
      "#",
      "a",
      "b.com",
      "1.2.3.999",
      "[::1]",
      "%",
      "é",
      " "
    ])
  ).check(Schema.isMaxLength(8))

  it.effect.prop(
    "has addresses that lead to a host and name no user, in whatever order their pieces come",
    [Pieces],
    ([pieces]) =>
      Effect.sync(() => {
        for (const url of [pieces.join(""), `https://${pieces.join("")}`]) {
          const isGood = /^https?:\/\/[^\s\p{Cc}\p{Cs}]+$/iu.test(url) && URL.canParse(url) && !hasUserInfo(url)
          assert.strictEqual(Result.isSuccess(decode({ ...product, url })), isGood, url)
        }
      }),
    { arbitrary: { runs: 2_000 } }
  )

  it.effect.prop(
    "says the same when it is written and read again, and holds nothing that cannot be stored",
    [Parts],
    ([parts]) =>
      Effect.sync(() => {
        // JSON has no negative zero.
        const amount = Math.abs(parts.amount)
        const whole = parts.whole === null ? null : Math.abs(parts.whole)
        const name = `x${parts.text}`
        const apps = parts.tags.map((tag) => `x${tag}`)
        const records = [
          {
            ...shop,
            name,
            theme: parts.other,
            languages: parts.languages,
            apps,
            monthly_revenue: amount,
            monthly_orders: whole
          },
          { ...month, visits: whole ?? 0 },
          {
            ...product,
            title: name,
            price: amount,
            details: {
              description_html: parts.other,
              tags: apps,
              variants: [{ price: amount, title: parts.other }]
            }
          },
          {
            ...ad,
            page_name: name,
            headline: parts.other,
            ad_text: parts.other,
            cta: parts.cta,
            media_type: parts.media,
            status: parts.status
          },
          { ...niche, name }
        ]
        for (const record of records) {
          const read = good(record)
          const written = JSON.stringify(read)
          assert.deepStrictEqual(good(JSON.parse(written)), read)
          // U+0000, and halves of surrogate pairs, which JSON.stringify escapes: PostgreSQL takes neither.
          assert.notMatch(written, /\\u0000|\\ud[89a-f]/i)
        }
      })
  )
})

describe("D36 the domain of a store", () => {
  const cases: ReadonlyArray<readonly [text: string, normalized: string, extension: string | null]> = [
    ["Shop.COM", "shop.com", ".com"],
    [" shop.co.uk. ", "shop.co.uk", ".co.uk"],
    ["a.b.shop.com.au", "a.b.shop.com.au", ".com.au"],
    ["oakline.myshopify.com", "oakline.myshopify.com", ".com"],
    ["bücher.de", "xn--bcher-kva.de", ".de"],
    ["xn--bcher-kva.de", "xn--bcher-kva.de", ".de"],
    ["例え.テスト", "xn--r8jz45g.xn--zckzah", ".xn--zckzah"],
    ["WWW.Shop.com.", "shop.com", ".com"],
    ["www.bücher.de", "xn--bcher-kva.de", ".de"],
    ["www.www.shop.com", "shop.com", ".com"],
    ["www2.shop.com", "www2.shop.com", ".com"],
    ["wwwshop.com", "wwwshop.com", ".com"],
    ["www.com", "www.com", ".com"],
    ["www.co.uk", "www.co.uk", ".co.uk"],
    ["com", "com", null],
    ["co.uk", "co.uk", null],
    ["localhost", "localhost", null],
    ["192.168.0.1", "192.168.0.1", null],
    ["[::1]", "[::1]", null],
    ["shop.com/path", "shop.com/path", null],
    ["-shop.com", "-shop.com", null],
    ["shop..com", "shop..com", null],
    ["", "", null]
  ]
  it.each(cases)("%j is %j, with the extension %j", (text, normalized, suffix) => {
    assert.strictEqual(normalize(text), normalized)
    assert.strictEqual(extension(normalized), suffix)
  })
})

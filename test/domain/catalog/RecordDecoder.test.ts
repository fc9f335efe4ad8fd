import { assert, describe, it } from "@effect/vitest"
import { Effect, Predicate, Result, Schema } from "effect"
import * as ArgumentDecoder from "../../../src/domain/ArgumentDecoder.ts"
import * as RecordDecoder from "../../../src/domain/catalog/RecordDecoder.ts"
import * as Records from "../../../src/domain/catalog/Records.ts"

/** What stands in files, right for some fields and wrong for others. */
const words =
  "a de US usd English Facebook active video shop product www.Oakline.com oakline https://x.example/a https://u:p@x.example/ ftp://x " +
  "2026-02-28 2026-02-30 1989-12-31 2026-13 2026-06 2026-02-28T08:11:40+01:00 2026-02-28T25:00:00Z ünited.example.com u\u017F \u00DF"
const texts = [
  "",
  " ",
  "de ",
  " EUR",
  " a  b ",
  "fr\nb",
  "Shop Now",
  "a\u202Eb",
  "a\uD800",
  "x".repeat(201),
  "😀".repeat(101)
]
const numbers = [0, -1, 1.5, 32_000, 2_147_483_648, 1e16, Number.NaN]
const lists = [[], ["a", "a"], ["English", "English"], ["English", 1], ["a ", "a"], [null]]
const values: ReadonlyArray<unknown> = [
  words.split(" "),
  texts,
  numbers,
  lists,
  [true, false, null, undefined, {}, { a: 1 }]
].flat()

const variant = { id: "1", title: "S", sku: "1", price: 3, compare_at_price: 4, is_available: true, options: ["S"] }
const shop = {
  domain: "a.com",
  name: "A",
  country: "DE",
  currency: "EUR",
  languages: ["English"],
  pixels: ["TikTok"],
  social_networks: ["TikTok"],
  apps: ["b"],
  theme: "Dawn",
  created_on: "2020-01-01",
  monthly_revenue: 3,
  monthly_orders: 3,
  products_count: 3,
  trustpilot_rating: 4.5,
  trustpilot_reviews: 3
}

/** With every field. */
const samples: Readonly<Record<Records.NativeRecord["type"], Readonly<Record<string, unknown>>>> = {
  niche: { type: "niche", id: 1, parent_id: 2, name: "Home" },
  category: { type: "category", name: "desk", niche: 1 },
  shop: { type: "shop", ...shop, niche: 1 },
  partial_shop: { type: "partial_shop", ...shop, categories: ["x"] },
  traffic_month: { type: "traffic_month", shop: "a.com", month: "2026-06", visits: 3 },
  product: {
    type: "product",
    shop: "a.com",
    key: "1",
    alias: "2",
    title: "Tray",
    url: "https://a.com/1",
    image_url: "https://a.com/1",
    price: 3,
    created_at: "2026-02-28T08:11:40.000Z",
    details: {
      description_html: "<p>",
      vendor: "Oak",
      product_type: "Tray",
      tags: ["a"],
      options: [{ name: "Size", values: ["S"] }],
      variants: [variant],
      images: [{ url: "https://x.example/1.jpg", width: 1, height: 1 }]
    }
  },
  ad: {
    type: "ad",
    key: "1",
    shop: "a.com",
    ad_archive_id: "1",
    page_name: "P",
    status: "active",
    media_type: "image",
    headline: "H",
    ad_text: "T",
    cta: "Shop Now",
    landing_url: "https://a.com/1",
    image_url: "https://a.com/1",
    ad_library_url: "https://a.com/1",
    started_on: "2026-01-01",
    last_seen_on: "2026-02-01",
    is_partnership: false
  },
  removed: { type: "removed", record: "ad", shop: "a.com", key: "1" }
}

/** All that a value becomes when one value in it, at any depth, is changed by `change`. */
const changed = (value: unknown, change: (value: unknown) => ReadonlyArray<unknown>): ReadonlyArray<unknown> => [
  ...change(value),
  ...(Array.isArray(value)
    ? value.flatMap((item, at) => changed(item, change).map((other) => value.with(at, other)))
    : Predicate.isObject(value)
      ? Object.entries(value).flatMap(([name, inner]) =>
          changed(inner, change).map((other) => ({ ...value, [name]: other }))
        )
      : [])
]

const withoutOne = (value: unknown): ReadonlyArray<unknown> =>
  Predicate.isObject(value)
    ? Object.keys(value).map((name) => Object.fromEntries(Object.entries(value).filter(([other]) => other !== name)))
    : []

const withOneMore = (value: unknown): ReadonlyArray<unknown> =>
  Predicate.isObject(value) ? [{ ...value, other: 1 }] : Array.isArray(value) ? [[...value, ...value]] : []

const decoders = Records.recordTypes.map((type) => {
  const schema: Schema.Codec<unknown, unknown> = Records.schemas[type]
  return {
    sample: samples[type],
    schema,
    fast: RecordDecoder.make(schema),
    bySchema: ArgumentDecoder.decoder(schema)
  }
})

const same = (change: (value: unknown) => ReadonlyArray<unknown>) => {
  for (const { bySchema, fast, sample } of decoders) {
    for (const input of changed(sample, change)) assert.deepStrictEqual(fast(input), bySchema(input))
  }
}

describe("decoding by the million", () => {
  it("returns what the schema returns, for any field, for missing and for unknown fields", () => {
    same(() => values)
    same(withoutOne)
    same(withOneMore)
  })

  it.effect.prop(
    "gives what the schema gives, of any text in any field",
    [Schema.String],
    ([text]) => Effect.sync(() => same((value) => (typeof value === "string" ? [text, value + text] : []))),
    { arbitrary: { runs: 10 } }
  )

  it("takes what the type of the schema takes", () => {
    for (const { sample, schema } of decoders) {
      const byType = Schema.is(Schema.toType(schema))
      const guard = RecordDecoder.guardOf(schema)
      for (const change of [() => values, withoutOne, withOneMore]) {
        for (const input of changed(sample, change)) assert.strictEqual(guard(input), byType(input))
      }
    }
  })

  it("asks the schema only for what is wrong", () => {
    for (const { bySchema, sample, schema } of decoders) {
      assert.deepStrictEqual(RecordDecoder.fastDecoderOf(schema)(sample), Result.getOrThrow(bySchema(sample)))
    }
  })
})

import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { byField } from "../../../src/domain/catalog/Figures.ts"
import * as RecordDecoder from "../../../src/domain/catalog/RecordDecoder.ts"
import * as Records from "../../../src/domain/catalog/Records.ts"

const product = {
  type: "product",
  shop: "oakline.example.com",
  key: "lamp",
  title: "Lamp",
  price: 39,
  details: {
    tags: ["desk"],
    options: [{ name: "Size", values: ["S"] }],
    variants: [{ id: "1", sku: "a", price: 39, compare_at_price: 49 }],
    images: [{ url: "https://images.example.com/a.jpg", width: 800, height: 600 }]
  }
}

const correct = (input: unknown) =>
  Result.getOrThrowWith(Records.correct(input), (issues) => new Error(JSON.stringify(issues)))

describe("an optional value that does not fit", () => {
  it.each<readonly [what: string, details: object, expected: object, invalidFields: Array<string>]>([
    ["is unknown", { vendor: { name: "O" } }, { vendor: null }, ["details.vendor"]],
    [
      "is unknown within a list",
      { variants: [{ id: "1", price: 5, compare_at_price: 1_133_138_349, sku: ["a"] }] },
      {
        variants: [
          { id: "1", title: null, sku: null, price: 5, compare_at_price: null, is_available: null, options: [] }
        ]
      },
      ["details.variants.compare_at_price", "details.variants.sku"]
    ],
    [
      "is cut, as an item of a list",
      { tags: ["a", "b".repeat(300)] },
      { tags: ["a", "b".repeat(255)] },
      ["details.tags"]
    ],
    [
      "is cut, as a text",
      { description_html: "d".repeat(250_000) },
      { description_html: "d".repeat(200_000) },
      ["details.description_html"]
    ],
    [
      "is cut, as a list",
      { tags: Array.from({ length: 501 }, (_, at) => `t${at}`) },
      { tags: Array.from({ length: 500 }, (_, at) => `t${at}`) },
      ["details.tags"]
    ],
    ["is left out of its list", { tags: ["a", null, { b: 1 }] }, { tags: ["a"] }, ["details.tags", "details.tags"]],
    [
      "leaves out an item that is nothing without it",
      { images: [{ url: "no address" }, { url: "https://images.example.com/a.jpg" }, { width: 5 }] },
      { images: [{ url: "https://images.example.com/a.jpg", width: null, height: null }] },
      ["details.images", "details.images"]
    ],
    ["is read, if it is a number in place of a text", { vendor: 5 }, { vendor: "5" }, []],
    [
      "is read, if it is a text in place of a number",
      { images: [{ url: "https://images.example.com/a.jpg", width: "800", height: "tall" }] },
      { images: [{ url: "https://images.example.com/a.jpg", width: 800, height: null }] },
      ["details.images.height"]
    ]
  ])("%s", (_, details, expected, invalidFields) => {
    const corrected = correct({ ...product, details })
    assert.deepInclude(corrected.record, { key: "lamp", title: "Lamp", price: 39 })
    assert("details" in corrected.record)
    assert.deepInclude(corrected.record.details, expected)
    assert.sameMembers([...corrected.invalidFields], invalidFields)
  })

  it("is not the name of a field, nor a value that decides about the record", () => {
    for (const wrong of [
      { titel: "Lamp" },
      { details: { vendro: "O" } },
      { vendro: "O", details: { vendor: {} } },
      JSON.parse('{"__proto__":"O","url":5}') as object,
      { details: JSON.parse('{"__proto__":{"vendor":"O"},"vendor":{}}') as unknown },
      { title: "t".repeat(501) },
      { price: "39" }
    ]) {
      assert.isTrue(Result.isFailure(Records.correct({ ...product, ...wrong })), JSON.stringify(wrong))
    }
  })
})

/** The places of optional values in a record, and of what is in lists. */
const placesOf = (value: unknown, optional: ReadonlySet<string>) => {
  const places: Array<ReadonlyArray<string>> = []
  const visit = (inner: unknown, at: ReadonlyArray<string>) => {
    const isWithin = at.length > 1
    if (at.length > 0 && (isWithin || optional.has(at[0] ?? ""))) places.push(at)
    if (typeof inner !== "object" || inner === null) return
    for (const [name, one] of Object.entries(inner)) visit(one, [...at, name])
  }
  visit(value, [])
  return places
}

const replaced = (value: unknown, [name, ...others]: ReadonlyArray<string>, by: unknown): unknown => {
  if (name === undefined) return by
  if (Array.isArray(value))
    return value.map((item: unknown, at) => (String(at) === name ? replaced(item, others, by) : item))
  assert(typeof value === "object" && value !== null)
  return Object.fromEntries(
    Object.entries(value).map(([own, inner]) => [own, own === name ? replaced(inner, others, by) : inner])
  )
}

/** With all fields. */
const complete = {
  shop: {
    type: "shop",
    domain: "oakline.example.com",
    name: "Oakline",
    country: "DE",
    currency: "EUR",
    niche: 1,
    languages: ["German"],
    pixels: ["Facebook"],
    social_networks: ["TikTok"],
    apps: ["Klaviyo"],
    theme: "Dawn",
    created_on: "2020-12-31",
    ...byField(() => 5)
  },
  product: {
    ...product,
    alias: "8101",
    url: "https://oakline.example.com/products/lamp",
    image_url: "https://images.example.com/a.jpg",
    created_at: "2025-03-02T09:11:40+01:00",
    details: {
      description_html: "<p>Lamp</p>",
      vendor: "Oakline",
      product_type: "Lamp",
      tags: ["desk"],
      options: [{ name: "Size", values: ["S"] }],
      variants: [
        { id: "1", title: "S", sku: "a", price: 39, compare_at_price: 49, is_available: true, options: ["S"] }
      ],
      images: [{ url: "https://images.example.com/a.jpg", width: 800, height: 600 }]
    }
  },
  ad: {
    type: "ad",
    key: "90017",
    shop: "oakline.example.com",
    ad_archive_id: "90017",
    page_name: "Oakline",
    status: "active",
    media_type: "video",
    headline: "Lamps",
    ad_text: "Of walnut",
    cta: "Shop Now",
    landing_url: "https://oakline.example.com/",
    image_url: "https://images.example.com/a.jpg",
    ad_library_url: "https://images.example.com/",
    started_on: "2026-05-01",
    last_seen_on: "2026-06-30",
    is_partnership: true
  }
} as const
const { niche: _, type: __, ...facts } = complete.shop
const records = { ...complete, partial_shop: { type: "partial_shop", ...facts, categories: ["Desks"] } } as const

const Unfitting = Schema.Union([
  Schema.String,
  Schema.Number,
  Schema.Boolean,
  Schema.Null,
  Schema.Array(Schema.Union([Schema.String, Schema.Number, Schema.Null])),
  Schema.Literals(["https://user@host/", "x".repeat(2_100), "y".repeat(250_001), "\u0000", "\uD800", "1e9", "-1"])
])

describe("a record with all fields", () => {
  it.each(["shop", "partial_shop", "product", "ad"] as const)("of the type %s is one that fits", (type) => {
    assert.deepStrictEqual(correct(records[type]).invalidFields, [])
    assert.sameMembers(Object.keys(records[type]), Object.keys(Records.schemas[type].fields))
  })

  for (const type of ["shop", "partial_shop", "product", "ad"] as const) {
    const strict = RecordDecoder.make<Schema.Codec<Records.NativeRecord, unknown>>(Records.schemas[type])
    const required = Result.match(strict({ type }), {
      onSuccess: () => [],
      onFailure: (issues) => issues.flatMap(({ code, path }) => (code === "required" ? [path] : []))
    })
    const optional = new Set(
      Object.keys(records[type]).filter((name) => name !== "type" && !new Set<string>(required).has(name))
    )

    it.prop(`is not removed by one optional value, as a ${type}`, [Unfitting], ([unfitting]) => {
      for (const place of placesOf(records[type], optional)) {
        const corrected = Records.correct(replaced(records[type], place, unfitting))
        assert.isTrue(Result.isSuccess(corrected), `${place.join(".")} ${JSON.stringify(unfitting)}`)
      }
    })
  }
})

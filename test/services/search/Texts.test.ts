/**
 * Texts as people write them, imported, and found through all three searches by what people type: by the one that holds
 * it, and by no other.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Result, Stream } from "effect"
import { domainToASCII } from "node:url"
import type { AccountId } from "../../../src/domain/access/Account.ts"
import { decode } from "../../../src/domain/catalog/Records.ts"
import { Importer } from "../../../src/services/import/Importer.ts"
import { AdSearch, ProductSearch, ShopSearch } from "../../../src/services/search/Searches.ts"
import * as Searches from "../../support/Searches.ts"
import { indexed } from "../../support/Stamps.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

interface Example {
  readonly of: string
  readonly text: string
  readonly finds: ReadonlyArray<string>
  readonly misses?: ReadonlyArray<string>
}

const examples: ReadonlyArray<Example> = [
  {
    of: "simplified Chinese",
    text: "夏季新款女士连衣裙 显瘦收腰",
    finds: ["连衣裙", "女士", "夏季新款女士连衣裙", "裙", "显瘦 连衣裙"],
    misses: ["男士", "士女"]
  },
  {
    of: "traditional Chinese beside Latin letters",
    text: "nike運動鞋 限時優惠",
    finds: ["nike運動鞋", "運動鞋", "NIKE", "ＮＩＫＥ 運動", "優惠"]
  },
  {
    of: "Japanese in katakana",
    text: "ワンピース　レディース　春｜送料無料",
    finds: ["ワンピース", "ﾜﾝﾋﾟｰｽ", "レディース ワンピース", "送料無料", "無料", "わんぴーす"]
  },
  {
    of: "half-width kana and full-width letters",
    text: "ｶﾗｰ豊富なＴシャツ",
    finds: ["カラー", "Tシャツ", "豊富", "ｔｼｬﾂ"]
  },
  { of: "Japanese in kanji and hiragana", text: "かわいい猫のおもちゃ", finds: ["猫", "おもちゃ", "かわいい猫"] },
  {
    of: "Korean",
    text: "무료배송 여성 원피스",
    finds: ["원피스", "원피", "무료", "여성 원피스", "원피스".normalize("NFD")],
    misses: ["피원"]
  },
  {
    of: "Korean beside Latin letters and numbers",
    text: "LG전자 에어컨 18평형",
    finds: ["LG", "전자", "18평", "에어컨"]
  },
  {
    of: "Thai",
    text: "เสื้อยืดผู้หญิงแฟชั่น ลดราคา",
    finds: ["เสื้อยืด", "ผู้หญิง", "เสื้อ", "ลดราคา", "แฟชั่น"],
    misses: ["กางเกง"]
  },
  { of: "Thai with a vowel that decomposes", text: "น้ำหอมกลิ่นดอกไม้", finds: ["น้ำหอม", "น้ํา", "ดอกไม้"] },
  { of: "Lao", text: "ເສື້ອຍືດ", finds: ["ເສື້ອ", "ຍືດ"] },
  { of: "French", text: "Crème brûlée façon grand-mère", finds: ["creme brulee", "CRÈME", "facon", "grandmere"] },
  { of: "French elision", text: "Robe d’été à l'œillet", finds: ["ete", "d'été", "œillet", "l’oeillet"] },
  {
    of: "German",
    text: "Straßenschuhe für Größere",
    finds: ["strassenschuhe", "STRAßEN", "STRASSE", "großere", "fuer groessere"]
  },
  { of: "Turkish", text: "İstanbul Kadın Çantası IŞIK", finds: ["istanbul", "kadin", "cantasi", "ışık", "ISIK"] },
  { of: "Vietnamese", text: "Áo dài phụ nữ giảm giá đặc biệt", finds: ["ao dai", "phụ nữ", "dac biet", "ÁO DÀI"] },
  { of: "Greek", text: "Γυναικείος χειροποίητος ΔΡΟΜΟΣ", finds: ["γυναικειος", "ΧΕΙΡΟΠΟΊΗΤΟΣ", "δρόμος", "δρομοσ"] },
  { of: "Polish", text: "Łóżko dla psów", finds: ["lozko", "ŁÓŻKO", "psow"] },
  { of: "Russian", text: "Ёлка новогодняя", finds: ["елка", "ёлка", "НОВОГОДНЯЯ"] },
  { of: "Arabic", text: "عباية نسائية مُطَرَّزة", finds: ["عباية", "مطرزة", "نسائـــية", "عبایه"] },
  { of: "Hebrew", text: "שִׂמְלָה לאישה", finds: ["שמלה", "לאישה"] },
  { of: "Hindi", text: "महिलाओं के लिए कुर्ता", finds: ["कुर्ता", "महिलाओं"], misses: ["करता"] },
  { of: "case", text: "SHOPpe Till You DROPpe", finds: ["shoppe", "SHOPPE dropPE"] },
  {
    of: "mathematical letters",
    text: "𝗙𝗥𝗘𝗘 𝘀𝗵𝗶𝗽𝗽𝗶𝗻𝗴 𝓽𝓸𝓭𝓪𝔂 𝔬𝔫𝔩𝔶 𝕕𝕖𝕒𝕝 𝟝𝟘",
    finds: ["free shipping", "TODAY only", "deal 50", "𝐟𝐫𝐞𝐞"]
  },
  { of: "letters on squares and circles", text: "🆂🅰🅻🅴 🅝🅞🅦 Ⓗⓔⓡⓔ", finds: ["sale now", "here"] },
  { of: "small capitals", text: "ʜᴀɴᴅᴍᴀᴅᴇ ɢɪғᴛ", finds: ["handmade"] },
  { of: "full-width letters", text: "ＳＵＭＭＥＲ　ｄｒｅｓｓｅｓ", finds: ["summer dresses"] },
  { of: "ligatures", text: "Oﬃce ﬂowers Æon", finds: ["office", "flowers", "aeon"] },
  { of: "a soft hyphen", text: "Kinder\u00ADwagen", finds: ["kinderwagen", "Kinder\u00ADwagen"] },
  { of: "an invisible blank", text: "super\u200Bdeals", finds: ["superdeals"] },
  { of: "an emoji of several", text: "TopN dad 👨‍👩‍👧‍👦 ❤️", finds: ["👨‍👩‍👧‍👦", "❤", "❤️", "👧"], misses: ["💙"] },
  { of: "an emoji with a skin tone", text: "Team 👍🏿", finds: ["👍", "👍🏻", "team👍"] },
  { of: "a flag", text: "Made in 🇫🇷", finds: ["🇫🇷", "made in🇫🇷"], misses: ["🇮🇹", "🇷🇮"] },
  {
    of: "another flag, and one that begins in the middle of both",
    text: "Aus 🇮🇹🇩🇪",
    finds: ["🇮🇹", "🇩🇪"],
    misses: ["🇹🇩"]
  },
  { of: "a keycap", text: "Step 9️⃣ done", finds: ["9️⃣", "step 9"] },
  { of: "signs", text: "Only €29 or 35% off & ★★★", finds: ["€29", "35%", "★"] },
  { of: "signs within a name", text: "C++ mug", finds: ["c++", "C++ mug"], misses: ["c++ cup"] },
  { of: "an apostrophe", text: "Men’s running kit", finds: ["men's running", "mens", "men running", "MEN´S"] },
  { of: "the same without", text: "Womens running kit", finds: ["women's", "womens", "women"] },
  { of: "a hyphen", text: "Organic T-Shirt", finds: ["tshirt", "organic t-shirt", "t shirt", "T‑Shirt"] },
  {
    of: "a number with its unit",
    text: "Shampoo 750ml 2-in-1",
    finds: ["750ml", "750 ml", "750", "2in1", "shampoo 2-in-1"]
  },
  { of: "a number with blanks", text: "Conditioner 640 ml", finds: ["640 ml", "640ml", "conditioner 640"] }
]

/** Of a store whose name says nothing. */
const domains: ReadonlyArray<Example> = [
  {
    of: "a domain with a hyphen",
    text: "blue-kettle.co.uk",
    finds: [
      "blue kettle",
      "bluekettle",
      "kettle",
      "kettles",
      "blue-kettle.co.uk",
      "BLUE-KETTLE",
      "https://www.blue-kettle.co.uk/x?y"
    ],
    misses: ["bluekettleco", "ettle"]
  },
  {
    of: "a domain in one",
    text: "greenkettle.com",
    finds: ["greenkettle", "green", "greenkettle.com"],
    misses: ["gkettle"]
  },
  {
    of: "an international domain",
    text: "bücher-süd.de",
    finds: ["bücher", "buchersud", "buecher sued", domainToASCII("bücher-süd.de"), "sud"],
    misses: ["xn"]
  },
  { of: "a domain in Chinese", text: "茶叶.cn", finds: ["茶叶", "茶"] }
]

/** A word of no example: one without digits, which would be words as well. */
const positionName = (index: number): string =>
  `zz${Array.from(String(index), (digit) => "bcdfghjklm".charAt(Number(digit))).join("")}`
const positions = examples.map((_, index) => `${positionName(index)}.org`)

const records = [
  { type: "shop", domain: "neutral.org", name: "Neutral", country: "US" },
  ...examples.flatMap(({ text }, index) => [
    { type: "shop", domain: `${positionName(index)}.org`, name: text, country: "US" },
    { type: "product", shop: "neutral.org", key: `${index}`, title: text, price: index },
    {
      type: "ad",
      key: `${index}`,
      ad_archive_id: `${index}`,
      page_name: "Neutral",
      ad_text: text,
      status: "active",
      media_type: "image",
      started_on: "2026-01-01",
      last_seen_on: "2026-02-01"
    }
  ]),
  ...domains.flatMap(({ text }, index) => [
    { type: "shop", domain: text, name: "Neutral", country: "US", created_on: "2020-01-01", monthly_orders: index },
    { type: "product", shop: text, key: "1", title: "Neutral", price: 1_000 + index }
  ])
]

const load = Effect.gen(function* () {
  const importer = yield* Importer
  const rows = records
    .toSorted((a, b) => Number(a.type !== "shop") - Number(b.type !== "shop"))
    .map((record, index) => ({
      line: index + 1,
      record: Result.getOrThrowWith(decode(record), (issues) => new Error(JSON.stringify(issues)))
    }))
  const report = yield* importer.run(Stream.succeed({ rows, rejects: [], position: 1 }), {
    provenance: { source: "test", license: null, asOf: "2026-01-15" },
    maxRejects: 0,
    onRejects: () => Effect.void,
    onProgress: () => Effect.void
  })
  assert.strictEqual(report.accepted, records.length)
})

const nobody = 0 as AccountId

const services = Layer.effectDiscard(Effect.andThen(load, indexed)).pipe(
  Layer.provideMerge(Searches.layer),
  Layer.provide(Importer.layer),
  Layer.provideMerge(TestDatabase.layer)
)

const per_page = 25

/** Positions in `examples` of what each search finds. */
const searches = {
  search_ads: (query: string) =>
    Effect.gen(function* () {
      const { ads } = yield* (yield* AdSearch).search({ query, sort_by: "newest", per_page })
      return ads.map(({ ad_archive_id }) => Number(ad_archive_id))
    }),
  search_products: (query: string) =>
    Effect.gen(function* () {
      const { products } = yield* (yield* ProductSearch).search({ query, per_page }, nobody)
      return products.map(({ price }) => price)
    }),
  search_shops: (query: string) =>
    Effect.gen(function* () {
      const { shops } = yield* (yield* ShopSearch).search({ query, per_page }, nobody)
      return shops.map(({ domain, estimated_monthly_orders }) =>
        estimated_monthly_orders === null ? positions.indexOf(domain) : 1_000 + estimated_monthly_orders
      )
    })
}

layer(services, { excludeTestServices: true })("texts", (it) => {
  for (const [tool, search] of Object.entries(searches)) {
    for (const [index, { finds, misses = [], of, text }] of examples.entries()) {
      it.effect(`${tool}: ${of}`, () =>
        Effect.gen(function* () {
          for (const query of [...finds, text]) {
            const all = examples.flatMap((each, at) => (at === index || each.finds.includes(query) ? [at] : []))
            assert.deepStrictEqual(
              (yield* search(query)).toSorted((a, b) => a - b),
              all,
              `${query} finds ${text}`
            )
          }
          for (const query of misses) assert.notInclude(yield* search(query), index, `${query} misses ${text}`)
        })
      )
    }
    if (tool === "search_ads") continue
    for (const [index, { finds, misses = [], of, text }] of domains.entries()) {
      it.effect(`${tool}: ${of}`, () =>
        Effect.gen(function* () {
          for (const query of finds) {
            const all = domains.flatMap((each, at) => (at === index || each.finds.includes(query) ? [1_000 + at] : []))
            assert.deepStrictEqual(
              (yield* search(query)).toSorted((a, b) => a - b),
              all,
              `${query} finds ${text}`
            )
          }
          for (const query of misses) assert.notInclude(yield* search(query), 1_000 + index, `${query} misses ${text}`)
        })
      )
    }
  }
})

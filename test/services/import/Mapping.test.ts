import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, FileSystem, Result, Schema, Stream } from "effect"
import * as fs from "node:fs"
import * as Records from "../../../src/domain/catalog/Records.ts"
import { PartialShop } from "../../../src/domain/catalog/Records.ts"
import * as ArgumentDecoder from "../../../src/domain/ArgumentDecoder.ts"
import * as FileReader from "../../../src/services/import/FileReader.ts"
import { fieldsOf } from "../../../src/services/import/formats/MapFields.ts"
import type { RecordName } from "../../../src/services/import/formats/MapFields.ts"
import * as MapGuess from "../../../src/services/import/formats/MapGuess.ts"
import * as Mapping from "../../../src/services/import/formats/Mapping.ts"
import type { Source } from "../../../src/services/import/formats/Mapping.ts"
import { Unread } from "../../../src/services/import/formats/Foreign.ts"
import * as ReadAs from "../../../src/services/import/formats/ReadAs.ts"
import * as Sample from "../../../src/services/import/formats/Sample.ts"
import { defaults, nobody } from "../../support/FileImports.ts"

const mapOf = (record: RecordName, fields: Readonly<Record<string, Source>>): Mapping.Mapping => {
  const decoded = Mapping.decode({ record, fields })
  assert.isTrue(Result.isSuccess(decoded), Result.isFailure(decoded) ? decoded.failure : "")
  return Result.getOrThrow(decoded)
}

/** Imports a file of this text. */
const read = Effect.fnUntraced(function* (
  text: string,
  mapping: Mapping.Mapping | undefined,
  options: { readonly domain?: string; readonly name?: string } = {}
) {
  const files = yield* FileSystem.FileSystem
  const path = `${yield* files.makeTempDirectoryScoped()}/${options.name ?? "table.txt"}`
  yield* files.writeFileString(path, text)
  const set = yield* FileReader.read([path], {
    ...defaults,
    mapping,
    store: { ...nobody, domain: options.domain },
    asOf: "2026-07-01"
  })
  const chunks = yield* Stream.runCollect(set.chunks)
  return {
    records: chunks.flatMap(({ rows }) => rows.map(({ record }) => record)),
    otherCurrencies: chunks.reduce((sum, { otherCurrencies = 0 }) => sum + otherCurrencies, 0),
    rejects: chunks.flatMap(({ rejects }) => rejects.map(({ field, line, reason }) => `${line} ${field}: ${reason}`)),
    formats: set.formats()
  }
}, Effect.scoped)

const stores = mapOf("shop", {
  domain: { column: "Website" },
  name: { column: "Company" },
  country: { constant: "DE" },
  monthly_orders: { column: "Orders" }
})

const oakline: PartialShop = {
  type: "partial_shop",
  domain: "oakline.com",
  name: "Oakline",
  country: "DE",
  monthly_orders: 1200
}

describe("a way to read", () => {
  const examples: ReadonlyArray<
    readonly [record: RecordName, field: string, source: Omit<Source, "column">, written: unknown, expected: unknown]
  > = [
    ["shop", "name", {}, "  Oak  ", "Oak"],
    ["shop", "name", {}, "   ", undefined],
    ["shop", "name", {}, 365, "365"],
    ["shop", "name", {}, ["Oak", "Line"], "Oak"],
    ["shop", "name", { values: { "N/A": "" } }, "N/A", undefined],
    ["shop", "country", {}, "Germany", "DE"],
    ["shop", "country", {}, "de", "de"],
    ["shop", "country", {}, "Atlantis", "Atlantis"],
    ["shop", "country", { values: { Deutschland: "DE" } }, "Deutschland", "DE"],
    ["shop", "domain", {}, "https://www.oakline.com:443/a?b#c", "www.oakline.com"],
    ["shop", "domain", {}, "//oakline.com/", "oakline.com"],
    ["shop", "monthly_revenue", {}, "USD $1,234.50", 1234.5],
    ["shop", "monthly_revenue", {}, "1.234,50 €", 1234.5],
    ["shop", "monthly_revenue", {}, "$1.2M", 1_200_000],
    ["shop", "monthly_revenue", {}, 12.5, 12.5],
    ["shop", "monthly_revenue", {}, "1.234", 1.234],
    ["shop", "monthly_revenue", { form: "1.234,56" }, "1.234", 1234],
    ["shop", "monthly_revenue", { divide_by: 100 }, "1999", 19.99],
    ["product", "price", { divide_by: 100 }, 7000, 70],
    ["product", "key", {}, "https://oakline.com/products/lamp?variant=1", "lamp"],
    ["product", "key", {}, "https://oakline.com/p/7", "https://oakline.com/p/7"],
    ["product", "status", {}, "Publish", "active"],
    ["product", "status", { as: "yes_no" }, "0", "unlisted"],
    ["product", "status", { values: { Entwurf: "draft" } }, "Entwurf", "draft"],
    ["shop", "monthly_revenue", { form: "1,234.56" }, "1,234", 1234],
    [
      "shop",
      "monthly_revenue",
      { form: "1,234.56" },
      "1.234,56",
      new Unread("cannot be read as an amount such as 1234.50")
    ],
    ["shop", "monthly_revenue", {}, "on request", new Unread("cannot be read as an amount such as 1234.50")],
    ["shop", "monthly_orders", {}, "12.5K", 12_500],
    ["shop", "monthly_orders", {}, "99.7", 100],
    ["shop", "monthly_orders", {}, "1.234", 1234],
    ["shop", "monthly_orders", {}, "1.234.567", 1_234_567],
    ["shop", "monthly_orders", {}, "1.234K", 1234],
    ["shop", "monthly_orders", { form: "1,234.56" }, "1.234", 1],
    ["shop", "monthly_orders", {}, "12 boxes", new Unread("cannot be read as a number such as 1234.5")],
    ["shop", "monthly_orders", { as: "money" }, "12 boxes", 12],
    ["shop", "trustpilot_rating", {}, "4,7", 4.7],
    ["shop", "apps", {}, "Klaviyo:Judge.me", ["Klaviyo", "Judge.me"]],
    ["shop", "apps", {}, " a , b ,, c ", ["a", "b", "c"]],
    ["shop", "apps", { separator: " / " }, "a:b / c", ["a:b", "c"]],
    ["shop", "apps", {}, `["a:b","c"]`, ["a:b", "c"]],
    ["shop", "apps", {}, ["a", 1, null, ""], ["a", "1"]],
    ["shop", "apps", {}, "", []],
    ["shop", "languages", {}, "de|fr-CA|ENGLISH|xx", ["German", "French", "English", "xx"]],
    ["shop", "pixels", { values: { Meta: "Facebook", none: "" } }, "tiktok,Meta,none", ["TikTok", "Facebook"]],
    ["shop", "created_on", {}, "2021/3/7", "2021-03-07"],
    ["shop", "created_on", {}, "1600000000", "2020-09-13"],
    ["shop", "created_on", { form: "DD.MM.YYYY" }, "7.3.2021 10:00", "2021-03-07"],
    ["shop", "created_on", { form: "MM/DD/YY" }, "03/07/98", "1998-03-07"],
    ["shop", "created_on", { form: "MMM DD, YYYY" }, "March 7, 2021", "2021-03-07"],
    ["shop", "created_on", { form: "YYYYMMDD" }, "20210307", "2021-03-07"],
    ["product", "created_at", {}, "2021-03-07 10:11:12 UTC", "2021-03-07T10:11:12Z"],
    ["product", "created_at", {}, "2021-03-07T10:11:12+01:00", "2021-03-07T10:11:12+01:00"],
    ["product", "created_at", {}, "2021-03-07", "2021-03-07T00:00:00Z"],
    ["product", "created_at", {}, 1_600_000_000, "2020-09-13T12:26:40.000Z"],
    ["product", "created_at", { form: "DD/MM/YYYY HH:mm" }, "07/03/2021 9:05", "2021-03-07T09:05:00Z"],
    ["product", "image_url", {}, "//cdn.example.com/a.jpg", "https://cdn.example.com/a.jpg"],
    ["traffic_month", "month", {}, "Jun 2026", "2026-06"],
    ["traffic_month", "month", {}, "2026-06-30", "2026-06"],
    ["traffic_month", "month", { form: "MM.YY" }, "06.26", "2026-06"],
    ["ad", "status", {}, "ACTIVE", "active"],
    ["ad", "status", { as: "yes_no" }, false, "inactive"],
    ["ad", "status", { values: { läuft: "active" } }, "läuft", "active"],
    ["ad", "cta", {}, "START_ORDER", "Order Now"],
    ["ad", "cta", {}, "NO_BUTTON", undefined],
    ["ad", "is_partnership", {}, "Yes", true],
    ["ad", "is_partnership", { values: { nein: "no" } }, "nein", false],
    ["ad", "is_partnership", {}, "perhaps", new Unread("cannot be read as yes or no")],
    ["ad", "landing_url", {}, "https://l.facebook.com/l.php?u=https%3A%2F%2Foakline.com%2F", "https://oakline.com/"],
    ["ad", "ad_library_url", {}, "https://x.com/r?id=1&access_token=SECRET", "https://x.com/r?id=1"],
    ["ad", "ad_library_url", {}, "https://x.com/r?access_token=SECRET&id=1", "https://x.com/r?id=1"]
  ]

  it.each(examples)("of %s.%s %j takes %j as %j", (record, name, source, written, expected) => {
    const field = fieldsOf[record][name]
    assert(field !== undefined)
    const { as = field.as, divide_by: divideBy, form, separator, values } = source
    const read = Result.getOrThrow(ReadAs.make(field, { as, divideBy, form, separator, values }))
    assert.deepStrictEqual(read(written), expected)
  })

  it.each([
    [
      "shop",
      "created_on",
      undefined,
      "03/07/2021",
      /^cannot be read as a date such as 2026-03-02; name its form in the map/
    ],
    ["shop", "created_on", "DD.MM.YYYY", "2021-03-07", /^cannot be read as a date of the form DD\.MM\.YYYY$/],
    ["traffic_month", "month", undefined, "6th", /^cannot be read as a date such as 2026-03;/]
  ] as const)("of %s.%s with the form %s does not take %s", (record, name, form, written, reason) => {
    const field = fieldsOf[record][name]
    assert(field !== undefined)
    const read = Result.getOrThrow(ReadAs.make(field, { as: "date", form, separator: undefined, values: undefined }))
    const found = read(written)
    assert(found instanceof Unread)
    assert.match(found.reason, reason)
  })

  it.each([
    ["created_on", "DD.MM"],
    ["created_on", "MM/YYYY"],
    ["created_on", "DD.MM.DD.YYYY"],
    ["created_on", "soon"],
    ["monthly_revenue", "0,00"]
  ])("of %s refuses the form %s", (name, form) => {
    const field = fieldsOf.shop[name]
    assert(field !== undefined)
    const made = ReadAs.make(field, { as: field.as, form, separator: undefined, values: undefined })
    assert.isTrue(Result.isFailure(made))
  })
})

describe("a map", () => {
  const domain = { column: "Website" }
  it.each<readonly [what: string, map: unknown, message: RegExp]>([
    ["no object", [], /must be/],
    ["no record", { fields: {} }, /`record` is required/],
    ["a wrong record", { record: "shops", fields: {} }, /`record` .*did you mean `shop`/],
    ["an unknown field", { record: "shop", fields: { domian: domain } }, /`fields.domian` .*did you mean `domain`/],
    ["a wrong name", { record: "shop", fields: { domain: { colum: "x" } } }, /colum` .*did you mean `column`/],
    ["a wrong way", { record: "shop", fields: { domain: { column: "x", as: "dates" } } }, /did you mean `date`/],
    ["neither column nor constant", { record: "shop", fields: { domain: {} } }, /either `column` or `constant`/],
    ["both", { record: "shop", fields: { domain: { column: "a", constant: "b" } } }, /either/],
    [
      "a setting without effect",
      { record: "shop", fields: { domain, name: { column: "x", separator: "," } } },
      /`fields.name` has `separator`, which has no effect on values that are read as `text`/
    ],
    [
      "nothing to divide by",
      { record: "shop", fields: { monthly_orders: { column: "x", divide_by: 0 } } },
      /divide_by/
    ],
    [
      "one status of all products",
      {
        record: "product",
        fields: { key: domain, title: domain, price: domain, status: { constant: "active" } }
      },
      /`fields.status` needs a column/
    ],
    ["an empty column", { record: "shop", fields: { domain: { column: "" } } }, /no column yet/],
    [
      "a constant that is read",
      { record: "shop", fields: { domain, name: { constant: "A", as: "text" } } },
      /as it is/
    ],
    ["a wrong constant", { record: "shop", fields: { domain, country: { constant: "Germany" } } }, /did you mean `DE`/],
    ["a field that is missing", { record: "traffic_month", fields: { shop: domain } }, /`fields.month` is required/]
  ])("with %s is refused", (_, map, message) => {
    const decoded = Mapping.decode(map)
    assert(Result.isFailure(decoded))
    assert.match(decoded.failure, message)
  })

  it("of products needs no store: the command names it", () => {
    const fields = { key: { column: "a" }, title: { column: "b" }, price: { column: "c" } }
    assert.isTrue(Result.isSuccess(Mapping.decode({ record: "product", fields })))
  })

  it("is shown in docs/import.md", () => {
    const page = fs.readFileSync("docs/import.md", "utf8").split("## Other tables")[1] ?? ""
    const map = /```json\n([^`]+)```/.exec(page)?.[1] ?? ""
    const decoded = Mapping.decode(JSON.parse(map))
    assert.isTrue(Result.isSuccess(decoded), Result.isFailure(decoded) ? decoded.failure : "")
  })
})

layer(NodeServices.layer)("tables by a map", (it) => {
  const table = (delimiter: string) =>
    [
      ["Website", "Company", "Orders", "Mail"],
      ["https://oakline.com/", "Oakline", "1200", "a@oakline.com"]
    ]
      .map((cells) => cells.join(delimiter))
      .join("\n")
  const object = { Website: "oakline.com", Company: "Oakline", Orders: 1200, Mail: "a@oakline.com" }

  it.effect.each<readonly [what: string, text: string]>([
    ["commas", table(",")],
    ["semicolons", `\uFEFF${table(";")}\r\n`],
    ["tabs", table("\t")],
    ["bars", table("|")],
    ["one record a line", `${JSON.stringify(object)}\n`],
    ["records a line", `${JSON.stringify(object)}\n\n${JSON.stringify({ Website: "b" })}\n`],
    ["a list", JSON.stringify([object])],
    ["a list over several lines", JSON.stringify([object], null, 2)],
    ["a list within", JSON.stringify({ page: { of: 1 }, found: [{ ...object, tags: [{ a: 1 }] }] }, null, 1)],
    ["one object over several lines", JSON.stringify(object, null, 2)]
  ])("come with %s", ([, text]) =>
    Effect.gen(function* () {
      const { records } = yield* read(text, stores)
      assert.deepStrictEqual(records, [oakline])
    })
  )

  it.effect("have their invalid records reported with line, field and reason", () =>
    Effect.gen(function* () {
      const map = mapOf("shop", { ...stores.fields, created_on: { column: "Since", form: "DD.MM.YYYY" } })
      const { records, rejects } = yield* read(
        "Website,Company,Orders,Since\noakline.com,Oakline,1200,\nno,B,many,2021-01-01\nc.com,C,1,31.02.2021\n",
        map
      )
      // A date that cannot be read is unknown: it does not decide about the record.
      assert.deepStrictEqual(records, [
        oakline,
        { type: "partial_shop", country: "DE", domain: "c.com", name: "C", monthly_orders: 1 }
      ])
      assert.deepStrictEqual(rejects, ["3 domain: must be a domain such as `shop.example.com`"])
    })
  )

  it.effect("read nested values, and omit missing ones", () =>
    Effect.gen(function* () {
      const map = mapOf("product", {
        shop: { column: "store.url" },
        key: { column: "id" },
        title: { column: "names.0" },
        price: { column: "pricing.amount" },
        "details.tags": { column: "labels.text" },
        "details.vendor": { column: "brand", optional: true }
      })
      const [record] = (yield* read(
        JSON.stringify([
          {
            id: 7,
            names: ["Tray", "Tablett"],
            "pricing.amount": "1,200.50",
            store: { url: "https://oakline.com" },
            labels: [{ text: "oak" }, { text: "desk" }]
          }
        ]),
        map
      )).records
      assert(record?.type === "product")
      assert.include(record, { shop: "oakline.com", key: "7", title: "Tray", price: 1200.5 })
      assert.include(record.details, { vendor: null })
      assert.deepStrictEqual(record.details?.tags, ["oak", "desk"])
    })
  )

  it.effect("of products are of the store that the command names, which comes first", () =>
    Effect.gen(function* () {
      const map = mapOf("product", { key: { column: "id" }, title: { column: "t" }, price: { column: "p" } })
      const text = "id,t,p\n1,Tray,5\n"
      const { records } = yield* read(text, map, { domain: "oakline.com" })
      assert.deepStrictEqual(
        records.map((record) => [record.type, "shop" in record ? record.shop : ""]),
        [
          ["partial_shop", ""],
          ["product", "oakline.com"]
        ]
      )
      const error = yield* Effect.flip(read(text, map))
      assert.match(error.message, /does not say whose products it has\. Name the store with --domain/)
    })
  )

  it.effect("of ads find the store by the landing page, unless the map names it", () =>
    Effect.gen(function* () {
      const fields = {
        key: { column: "id" },
        page_name: { constant: "Oakline" },
        status: { column: "on", as: "yes_no" },
        media_type: { constant: "image" },
        landing_url: { column: "to" },
        started_on: { column: "from" },
        last_seen_on: { column: "from" }
      } as const
      const text = "id,on,to,from,shop\n1,yes,https://oakline.com/a,2026-01-01,\n2,no,,2026-01-01,b.com\n"
      const { formats, records } = yield* read(text, mapOf("ad", { ...fields, shop: { column: "shop" } }))
      assert.deepStrictEqual(
        records.map((record) => (record.type === "library_ad" ? record.ad.shop : record)),
        [null, "b.com"]
      )
      assert.isTrue(formats.has("ads"))
    })
  )

  it.effect("omit sales in a currency that is not the store's", () =>
    Effect.gen(function* () {
      const map = mapOf("shop", {
        domain: { column: "d" },
        currency: { column: "c" },
        monthly_revenue: { column: "r" }
      })
      const { otherCurrencies, records } = yield* read("d;c;r\na.com;eur;USD 5\nb.com;USD;USD 5\nc.com;;USD 5\n", map)
      assert.deepStrictEqual(
        records.map((record) => ("monthly_revenue" in record ? record.monthly_revenue : undefined)),
        [undefined, 5, undefined]
      )
      assert.strictEqual(otherCurrencies, 2)
    })
  )

  it.effect("omit sales whose currency stands behind them", () =>
    Effect.gen(function* () {
      const map = mapOf("shop", {
        domain: { column: "d" },
        currency: { constant: "USD" },
        monthly_revenue: { column: "r" }
      })
      const { otherCurrencies, records } = yield* read("d;r\na.com;1 234,50 €\nb.com;5 EUR\nc.com;5 USD\n", map)
      assert.deepStrictEqual(
        records.map((record) => ("monthly_revenue" in record ? record.monthly_revenue : undefined)),
        [undefined, undefined, 5]
      )
      assert.strictEqual(otherCurrencies, 2)
    })
  )

  it.effect("that do not fit the map are refused, with the nearest column", () =>
    Effect.gen(function* () {
      const csv = yield* Effect.flip(read("Websites;Company\nx;y\n", stores))
      assert.match(
        csv.message,
        /does not fit the map: there is no column `Website`; did you mean `Websites`\?; there is no column `Orders`/
      )
      const json = yield* Effect.flip(read(`{"Website":"a.com","Compnay":"b","Orders":1}\n{"Website":"a.com"}`, stores))
      assert.match(json.message, /there is no column `Company`; did you mean `Compnay`\?/)
    })
  )

  it.effect("of no known format are refused without one, and the message says how to get one", () =>
    Effect.gen(function* () {
      for (const text of ["Shop Site;Boss\na.com;b\n", `{"seite":"a.com"}\n{"seite":"b.com"}\n`]) {
        const { message } = yield* Effect.flip(read(text, undefined))
        assert.match(
          message,
          /is of no format that is known: it has .* with --map; import --explain writes a map to start with/
        )
      }
    })
  )
})

/** How a random map writes fields. */
const Style = Schema.Struct({
  delimiter: Schema.Literals([",", ";", "\t", "|"]),
  separator: Schema.Literals(["|", ";", " / ", ":", ","]),
  dayForm: Schema.Literals(["", "DD.MM.YYYY", "MM/DD/YYYY", "YYYYMMDD", "DD MMM YYYY"]),
  numberForm: Schema.Literals(["", "1,234.56", "1.234,56", "1234,56"]),
  yes: Schema.Literals(["yes", "1", "oui"]),
  newline: Schema.Literals(["\n", "\r\n"]),
  isReversed: Schema.Boolean,
  isQuoted: Schema.Boolean
})
type Style = typeof Style.Type

const Text = Schema.Array(
  Schema.Literals(["oak", "Größe", `"quoted"`, "a,b", "c;d", "e|f", "<b>", "日本", "😀", "it's", "=1", "x\ty"])
).check(Schema.isMinLength(1), Schema.isMaxLength(4))
const Word = Schema.Literals(["Klaviyo", "Judge.me", "Ünïcode App", `"Q"`, "A & B", "é"])
const Domain = Schema.Literals(["oakline.com", "a.co.uk", "lamp.example.fr"])
const Day = Schema.Struct({
  year: Schema.Int.check(Schema.isBetween({ minimum: 1990, maximum: 2060 })),
  month: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 12 })),
  day: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 28 }))
})
const Whole = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2_000_000_000 }))
const Cents = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 999_999_999 }))

const two = (number: number) => String(number).padStart(2, "0")
const dayOf = ({ day, month, year }: typeof Day.Type) => `${year}-${two(month)}-${two(day)}`
const textOf = (parts: typeof Text.Type) => parts.join(" ")

const RandomShop = Schema.Struct({
  domain: Domain,
  name: Text,
  country: Schema.Literals(["DE", "US"]),
  languages: Schema.Array(Schema.Literals(["English", "German"])).check(Schema.isMaxLength(2)),
  apps: Schema.Array(Word).check(Schema.isMaxLength(4)),
  created: Day,
  revenue: Cents,
  orders: Whole
})
const RandomAd = Schema.Struct({
  key: Whole,
  page: Text,
  status: Schema.Literals(["active", "inactive"]),
  started: Day,
  isPartnership: Schema.Boolean,
  body: Text
})

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

const writeDay = (day: string, form: string | undefined): string => {
  const [year = "", month = "", date = ""] = day.split("-")
  return (form ?? "YYYY-MM-DD")
    .replace("YYYY", year)
    .replace("MMM", months[Number(month) - 1] ?? "")
    .replace("MM", month)
    .replace("DD", date)
}

const writeNumber = (number: number, form: string | undefined): string => {
  if (form === undefined) return String(number)
  const [whole = "", fraction] = String(number).split(".")
  const grouped = form === "1234,56" ? whole : whole.replaceAll(/\B(?=(?:\d{3})+$)/g, form.charAt(1))
  return fraction === undefined ? grouped : `${grouped}${form === "1,234.56" ? "." : ","}${fraction}`
}

/** The cell of a field in a table, and how its map describes it. */
const written = (value: unknown, style: Style): readonly [cell: string, how: Omit<Source, "column">] => {
  const { separator, yes } = style
  const [dayForm, numberForm] = [style.dayForm || undefined, style.numberForm || undefined]
  if (Array.isArray(value)) return [value.join(separator), { as: "list", separator }]
  if (typeof value === "boolean") return [value ? yes : "no", { as: "yes_no", values: { oui: "yes" } }]
  if (typeof value === "number") {
    return [writeNumber(value, numberForm), numberForm === undefined ? {} : { form: numberForm }]
  }
  const text = String(value)
  return /^\d{4}-\d\d-\d\d$/.test(text)
    ? [writeDay(text, dayForm), dayForm === undefined ? {} : { as: "date", form: dayForm }]
    : [text, {}]
}

const quoted = (cell: string, { delimiter, isQuoted }: Style) =>
  isQuoted || cell.includes(delimiter) || /["\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll(`"`, `""`)}"` : cell

/** A table of the records with unused columns, and its map. */
const tableOf = (record: RecordName, records: ReadonlyArray<Readonly<Record<string, unknown>>>, style: Style) => {
  const names = Object.keys(records[0] ?? {}).filter((name) => name !== "type")
  const columns = style.isReversed ? names.toReversed() : names
  const header = ["Row", ...columns.map((name) => `The ${name}, as told`), "e-mail"]
  const rows = records.map((one, at) => [
    String(at),
    ...columns.map((name) => written(one[name], style)[0]),
    "someone@example.com"
  ])
  const text = [header, ...rows]
    .map((cells) => `${cells.map((cell) => quoted(cell, style)).join(style.delimiter)}${style.newline}`)
    .join("")
  const fields = Object.fromEntries(
    columns.map((name) => [name, { column: `The ${name}, as told`, ...written(records[0]?.[name], style)[1] }])
  )
  return { text, map: mapOf(record, fields) }
}

const some = <S extends Schema.Top>(schema: S) =>
  Schema.Array(schema).check(Schema.isMinLength(1), Schema.isMaxLength(5))

layer(NodeServices.layer)("random records", (it) => {
  it.effect.prop(
    "of stores, written by a random map, are read back equal",
    [some(RandomShop), Style],
    ([drawn, style]) =>
      Effect.gen(function* () {
        const shops = drawn.map(({ created, name, orders, revenue, ...shop }) => ({
          type: "partial_shop",
          ...shop,
          name: textOf(name),
          created_on: dayOf(created),
          monthly_revenue: revenue / 100,
          monthly_orders: orders
        }))
        const { map, text } = tableOf("shop", shops, style)
        const { records, rejects } = yield* read(text, map)
        assert.deepStrictEqual(rejects, [])
        const decode = ArgumentDecoder.decoder(PartialShop)
        assert.deepStrictEqual(
          records,
          shops.map((shop) => Result.getOrThrow(decode(shop)))
        )
      })
  )

  it.effect.prop("of ads, written by a random map, are read back equal", [some(RandomAd), Style], ([drawn, style]) =>
    Effect.gen(function* () {
      const ads = drawn.map(({ body, isPartnership, key, page, started, status }) => ({
        type: "ad",
        key: `k${key}`,
        shop: "oakline.com",
        page_name: textOf(page),
        status,
        media_type: "dco",
        ad_text: textOf(body),
        started_on: dayOf(started),
        last_seen_on: dayOf(started),
        is_partnership: isPartnership
      }))
      const { map, text } = tableOf("ad", ads, style)
      const { records, rejects } = yield* read(text, map)
      assert.deepStrictEqual(rejects, [])
      assert.deepStrictEqual(
        records.map((record) => (record.type === "library_ad" ? record.ad : record)),
        ads.map((ad) => Result.getOrThrow(Records.decode(ad)))
      )
    })
  )
})

describe("a map to start with", () => {
  const guess = (text: string) => {
    const container = Result.getOrThrow(Sample.containerOf(text, []))
    return MapGuess.guess(Sample.of(text, true, container))
  }

  it.each<readonly [what: string, text: string, record: RecordName, fields: Readonly<Record<string, Source>>]>([
    [
      "stores",
      "Store URL;Company Name;Annual;Monthly Sales;Launched;Apps;Phone\nhttps://oakline.com;Oakline;1;1.234,50 €;31.12.2020;a|b;1\n",
      "shop",
      {
        domain: { column: "Store URL", as: "domain" },
        name: { column: "Company Name", as: "text" },
        created_on: { column: "Launched", as: "date", form: "DD.MM.YYYY" },
        monthly_revenue: { column: "Monthly Sales", as: "money", form: "1.234,56" },
        apps: { column: "Apps", as: "list", separator: "|" }
      }
    ],
    [
      "stores whose column has domains under another name",
      "Webshop,Land\noakline.com,DE\nb.com,FR\n",
      "shop",
      { domain: { column: "Webshop", as: "domain" } }
    ],
    [
      "traffic",
      'site,period,sessions\noakline.com,06/2026,"1,200"\n',
      "traffic_month",
      {
        shop: { column: "site", as: "domain" },
        month: { column: "period", as: "date" },
        visits: { column: "sessions", as: "number" }
      }
    ],
    [
      "products",
      JSON.stringify({ items: [{ sku: "1", name: "Tray", pricing: { amount: 5 }, added: 1 }] }),
      "product",
      {
        key: { column: "sku", as: "text" },
        title: { column: "name", as: "text" },
        price: { column: "pricing.amount", as: "money" }
      }
    ],
    [
      "products by columns with values, and with the price that all have",
      "ID,Sale price,Regular price,SKU,Name,Published\n,,5.00,A-1,Lamp,1\n,3.00,6.00,A-2,Desk,0\n",
      "product",
      {
        key: { column: "SKU", as: "text" },
        title: { column: "Name", as: "text" },
        price: { column: "Regular price", as: "money" },
        status: { column: "Published", as: "yes_no" }
      }
    ],
    [
      "products that only their addresses tell apart",
      "url,name,price\nhttps://oakdesk.com/products/lamp,Lamp,19.90\nhttps://oakdesk.com/products/desk,Desk,99\n",
      "product",
      {
        key: { column: "url", as: "text" },
        title: { column: "name", as: "text" },
        url: { column: "url", as: "text" },
        price: { column: "price", as: "money" }
      }
    ],
    [
      "products whose rows are variants",
      "product_id,sku,title,price_cents\n1,a,Lamp,500\n1,b,Lamp,600\n2,c,Desk,700\n",
      "product",
      {
        key: { column: "product_id", as: "text" },
        title: { column: "title", as: "text" },
        price: { column: "price_cents", as: "money", divide_by: 100 }
      }
    ],
    [
      "ads that miss what they must have",
      "ad_id,advertiser,is_active,format,first_seen\n1,Oakline,true,VIDEO,2026-01-01\n",
      "ad",
      {
        last_seen_on: { column: "" },
        key: { column: "ad_id", as: "text" },
        page_name: { column: "advertiser", as: "text" },
        status: { column: "is_active", as: "yes_no" },
        media_type: { column: "format", as: "text" },
        started_on: { column: "first_seen", as: "date" }
      }
    ]
  ])("takes %s by the names of columns and by their values", (_, text, record, fields) => {
    assert.deepStrictEqual(guess(text), { record, fields })
  })
})

/** The form of a table does not change what is read of it: each is compared with the same table in one plain form. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, layer } from "@effect/vitest"
import { Effect, Schema, Stdio, Stream } from "effect"
import * as FileReader from "../../../src/services/import/FileReader.ts"
import type * as Mapping from "../../../src/services/import/formats/Mapping.ts"
import { defaults, oakline } from "../../support/FileImports.ts"

const int = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))
const upTo = <S extends Schema.Top>(schema: S, least: number, most: number) =>
  Schema.Array(schema).check(Schema.isMinLength(least), Schema.isMaxLength(most))

/** What may vary from row to row and from cell to cell is drawn as a list, which is repeated. */
const Form = Schema.Struct({
  encoding: Schema.Literals(["UTF-8", "with a mark", "UTF-16LE", "UTF-16BE"]),
  delimiter: Schema.Literals([",", ";", "\t", "|"]),
  namesDelimiter: Schema.Boolean,
  /** A line of delimiters, of this or another kind, that a spreadsheet writes for an empty row above the header. */
  above: Schema.Literals(["none", ";;;", ",,", "\t", '"";"";|']),
  /** CR alone ends all rows or none. */
  ends: Schema.Union([upTo(Schema.Literals(["\n", "\r\n"]), 1, 5), upTo(Schema.Literal("\r"), 1, 1)]),
  quoted: upTo(Schema.Boolean, 1, 7),
  /** The rows without a value before each row, the header too. `d`: a delimiter. */
  blanks: upTo(Schema.Literals(["none", "none", "", "  ", "dd", '""d""', "d \u001Ad", "\n"]), 1, 5),
  end: Schema.Literals(["as others", "none", "none, then blanks", "Ctrl-Z", "none, then Ctrl-Z"]),
  order: upTo(int(0, 99), 1, 8),
  chunk: Schema.Literals([1, 2, 3, 7, 64, 100_000])
})
type Form = typeof Form.Type

const plain: Form = {
  encoding: "UTF-8",
  delimiter: ",",
  namesDelimiter: false,
  above: "none",
  ends: ["\n"],
  quoted: [false],
  blanks: ["none"],
  end: "as others",
  order: [0],
  chunk: 100_000
}

const pick = <A>(list: ReadonlyArray<A>, at: number, otherwise: A): A => list[at % list.length] ?? otherwise

type Row = Readonly<Record<string, string>>

/** The bytes of a table, and the number of the line on which each row ends. */
const write = (rows: ReadonlyArray<Row>, form: Form) => {
  const { delimiter } = form
  const columns = Object.keys(rows[0] ?? {})
    .map((name, at) => ({ name, place: pick(form.order, at, 0) }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ name }) => name)
  const cell = (value: string, at: number) =>
    pick(form.quoted, at, false) || /["\r\n,;\t|]/u.test(value) ? `"${value.replaceAll('"', '""')}"` : value
  let cells = 0
  const first = pick(form.ends, 0, "\n")
  let text = form.above === "none" ? "" : `${form.above}${first}`
  if (form.namesDelimiter) text += `sep=${delimiter}${first}`
  const linesOf: Array<number> = []
  for (const [at, row] of [Object.fromEntries(columns.map((name) => [name, name])), ...rows].entries()) {
    const end = pick(form.ends, at, "\n")
    const blank = pick(form.blanks, at, "none")
    if (blank !== "none") text += blank.replaceAll("d", delimiter).replaceAll("\n", end) + end
    text += columns.map((name) => cell(row[name] ?? "", cells++)).join(delimiter)
    linesOf.push(text.split(/\r\n|\n|\r/u).length)
    if (at < rows.length || form.end === "as others" || form.end === "Ctrl-Z") text += end
    else if (form.end === "none, then blanks") text += `${end}   `
  }
  if (form.end.includes("Ctrl-Z")) text += "\u001A"
  return { bytes: encode(text, form), lines: linesOf.slice(1) }
}

const encode = (text: string, { encoding }: Form): Buffer => {
  if (encoding === "UTF-8") return Buffer.from(text)
  if (encoding === "with a mark") return Buffer.from(`\uFEFF${text}`)
  const bytes = Buffer.from(`\uFEFF${text}`, "utf16le")
  return encoding === "UTF-16BE" ? bytes.swap16() : bytes
}

const read = (bytes: Buffer, { chunk }: Form, mapping?: Mapping.Mapping) =>
  Effect.gen(function* () {
    const set = yield* FileReader.read(["-"], { ...defaults, mapping, store: oakline })
    const chunks = yield* Stream.runCollect(set.chunks)
    const { files, kept, lacksAds, wholeStores } = set.outcome()
    return {
      lines: chunks.flatMap(({ rows }) => rows.map(({ line }) => line)),
      found: {
        formats: files.map(({ format }) => format),
        records: chunks.flatMap(({ rows }) => rows.map(({ category, record }) => ({ category, record }))),
        rejects: chunks.flatMap(({ rejects }) => rejects.map(({ field, reason }) => ({ field, reason }))),
        skipped: chunks.reduce((sum, { leftOut = [] }) => sum + leftOut.length, 0),
        kept,
        wholeStores,
        lacksAds
      }
    }
  }).pipe(
    Effect.scoped,
    Effect.provide(
      Stdio.layerTest({
        stdin: Stream.fromIterable(
          Array.from({ length: Math.ceil(bytes.length / chunk) }, (_, at) =>
            bytes.subarray(at * chunk, (at + 1) * chunk)
          )
        )
      })
    )
  )

/** `mayBeEmpty`: all rows may be rejected or left out. */
const isAsPlain = Effect.fnUntraced(function* (
  rows: ReadonlyArray<Row>,
  form: Form,
  mapping?: Mapping.Mapping,
  mayBeEmpty = false
) {
  const expected = yield* read(write(rows, plain).bytes, plain, mapping)
  const { bytes, lines } = write(rows, form)
  const { found, lines: own } = yield* read(bytes, form, mapping)
  assert.deepStrictEqual(found, expected.found)
  if (!mayBeEmpty) assert.isNotEmpty(found.records)
  return { lines, own, found }
})

const Text = Schema.Literals([
  "Oak",
  "a,b",
  "c;d",
  "e|f",
  'in 5" size',
  '"quoted"',
  "two\nlines",
  "two\r\nlines",
  "日本",
  "é😀",
  "tab\tbed"
])

const Product = Schema.Struct({
  title: Text,
  body: Text,
  variants: upTo(Schema.Literals(["1", "2.50", "none", ""]), 1, 3),
  status: Schema.Literals(["active", "draft", ""])
})
const Store = Schema.Struct({ name: Text, isStore: Schema.Boolean, theme: Text })
const Ad = Schema.Struct({ title: Text, body: Text, isActive: Schema.Boolean })

const storeRow = ({ isStore, name, theme }: typeof Store.Type, at: number): Row => ({
  domain: isStore ? `store-${at}.com` : "?",
  country_code: "DE",
  merchant_name: name,
  theme
})
const okStore = { name: "Oak", isStore: true, theme: "Oak" } as const

layer(NodeServices.layer, { excludeTestServices: true })("the form of a table changes nothing", (it) => {
  it.effect.prop("of a merchant's export", [upTo(Product, 1, 4), Form], ([drawn, form]) =>
    Effect.gen(function* () {
      const rows = drawn.flatMap(({ body, status, title, variants }, at) =>
        variants.map((price, number) => ({
          Handle: `p-${at}`,
          Title: number === 0 ? title : "",
          "Body (HTML)": number === 0 ? body : "",
          "Option1 Name": "Size",
          "Option1 Value": `S${number}`,
          "Variant Price": price,
          Status: number === 0 ? status : "",
          "Cost, of; all": "x"
        }))
      )
      yield* isAsPlain(rows, form)
    })
  )

  it.effect.prop("of an export of WooCommerce", [upTo(Product, 1, 4), Form], ([drawn, form]) =>
    isAsPlain(
      drawn.flatMap(({ body, status, title, variants }, at) => {
        const row = { SKU: "", Name: title, "Regular price": "", Parent: "", Published: "1", "Tax, status": "x" }
        return [
          {
            ...row,
            ID: `${at + 1}`,
            Type: "variable",
            SKU: `P${at}`,
            Description: body,
            Published: status === "draft" ? "-1" : "1"
          },
          ...variants.map((price, number) => ({
            ...row,
            ID: `${(at + 1) * 100 + number}`,
            Type: "variation",
            Description: "",
            "Regular price": price,
            Parent: number === 0 ? `id:${at + 1}` : `P${at}`
          }))
        ]
      }),
      form,
      undefined,
      true
    )
  )

  it.effect.prop("of a feed of a catalog", [upTo(Product, 1, 4), Form], ([drawn, form]) =>
    isAsPlain(
      drawn.flatMap(({ body, status, title, variants }, at) =>
        variants.map((price, number) => ({
          id: `${at}-${number}`,
          item_group_id: `${at}`,
          title,
          description: body,
          link: `https://oakline.com/products/p-${at}`,
          image_link: "https://cdn.example.com/a.jpg",
          price,
          availability: status === "draft" ? "discontinued" : "in stock",
          "shipping, all": "x"
        }))
      ),
      form,
      undefined,
      true
    )
  )

  it.effect.prop("of a list of stores, and each line has its number", [upTo(Store, 0, 4), Form], ([drawn, form]) =>
    Effect.gen(function* () {
      const stores = [okStore, ...drawn]
      const { lines, own } = yield* isAsPlain(stores.map(storeRow), form)
      assert.deepStrictEqual(
        own,
        lines.filter((_, at) => stores[at]?.isStore === true)
      )
    })
  )

  it.effect.prop("of a table of ads", [upTo(Ad, 1, 4), Form], ([drawn, form]) =>
    isAsPlain(
      drawn.map(({ body, isActive, title }, at) => ({
        ad_archive_id: `${at + 1}`,
        page_id: "9",
        page_name: "Oakline",
        is_active: String(isActive),
        start_date: "1769904000",
        "snapshot.title": title,
        "snapshot.body.text": body
      })),
      form
    )
  )

  it.effect.prop("of a table that a map reads", [upTo(Store, 0, 4), Form], ([drawn, form]) =>
    isAsPlain(
      [okStore, ...drawn].map(({ isStore, name, theme }, at) => ({
        Site: isStore ? `https://store-${at}.com/` : "?",
        "Land, Region": "DE",
        Name: name,
        Look: theme
      })),
      form,
      {
        record: "shop",
        fields: {
          domain: { column: "Site", as: "domain" },
          country: { column: "Land, Region" },
          name: { column: "Name" },
          theme: { column: "Look" }
        }
      }
    )
  )
})

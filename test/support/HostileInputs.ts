/** Inputs that cause the most work within the limits of bodies, forms and URLs. */
import { Schema } from "effect"
import * as Messages from "./Messages.ts"

/** A tool of `tools/list`. */
interface Described {
  readonly name: string
  readonly inputSchema: Readonly<Record<string, unknown>>
}

export interface Input {
  readonly label: string
  readonly body: string
}

const bodyBytes = 256 * 1024
/** For the part around the hostile input. */
const frameBytes = 4 * 1024
const room = bodyBytes - frameBytes

/** Normalization takes quadratic time in the length of a row of marks to reorder. */
export const marks = (bytes: number): string => {
  const count = Math.floor(bytes / 4) - 1
  return `a${"\u0344".repeat(count)}${"\u0316".repeat(count)}`
}

const filled = (bytes: number, of: (index: number) => string): string => {
  const parts: Array<string> = []
  for (let index = 0, length = 0; ; index++) {
    const part = of(index)
    length += part.length + 1
    if (length > bytes) return parts.join()
    parts.push(part)
  }
}

/** JSON that takes a parser longest. */
export const documents = (bytes: number): ReadonlyArray<readonly [label: string, json: string]> => [
  ["deepest arrays", "[".repeat(bytes / 2) + "]".repeat(bytes / 2)],
  ["deepest objects", `${'{"a":'.repeat(bytes / 6)}1${"}".repeat(bytes / 6)}`],
  ["most names", `{${filled(bytes, (index) => `"${index.toString(36)}":1`)}}`],
  [
    "names as many as are parsed",
    `{${Array.from({ length: 9_990 }, (_, index) => `"${index.toString(36)}":1`).join()}}`
  ],
  ["names of numbers", `{${filled(bytes, (index) => `"${(index * 131_071) % 4_294_967_291}":1`)}}`],
  ["most objects, each with another name", `[${filled(bytes, (index) => `{"${index.toString(36)}":1}`)}]`],
  ["most arrays", `[${filled(bytes, () => "[]")}]`],
  ["most numbers", `[${filled(bytes, () => "1")}]`],
  ["most texts, all different", `[${filled(bytes, (index) => `"${index.toString(36)}"`)}]`]
]

const Property = Schema.Struct({ type: Schema.optionalKey(Schema.String) })
const propertiesOf = Schema.decodeUnknownSync(Schema.Record(Schema.String, Property))

const argumentsOf = ({ inputSchema }: Described) => {
  const all = Object.entries(propertiesOf(inputSchema["properties"] ?? {})).map(([name, { type }]) => ({ name, type }))
  const of = (type: string) => all.filter((each) => each.type === type).map(({ name }) => name)
  return { texts: of("string"), lists: of("array"), ranges: of("object"), all: all.map(({ name }) => name) }
}

const record = (names: ReadonlyArray<string>, of: (name: string) => unknown) =>
  Object.fromEntries(names.map((name) => [name, of(name)]))

const several = (count: number, of: (index: number) => unknown) =>
  Array.from({ length: count }, (_, index) => of(index))

/** Close to values of several vocabularies, so that each has to be compared. */
const near = [
  "Frenchh",
  "Germann",
  "Shop Nwo",
  "TikTokk",
  "Facebok",
  "Unted States",
  "Euroo",
  "Petz",
  "Theme of Studio",
  "vidoe"
]

/** Every argument invalid, within the bounds of each list. */
const everything = (tool: Described, bytes: number) => {
  const { lists, ranges, texts } = argumentsOf(tool)
  return {
    ...record(texts, () => marks(bytes / 2 / Math.max(1, texts.length))),
    ...record(lists, () => several(20, (index) => `${near[index % near.length] ?? ""}${index}`)),
    ...record(ranges, () => ({ min: 9, max: "x", from: "2026-02-31", to: "soon", middle: 1 })),
    ...record(several(60, (index) => `countrie${index}`).map(String), () => null)
  }
}

/** For one tool, as bodies of `/mcp`. */
export const ofTool = (tool: Described): ReadonlyArray<Input> => {
  const { all, lists, texts } = argumentsOf(tool)
  const call = (args: unknown) => JSON.stringify(Messages.call(tool.name, args))
  /** Text that `JSON.stringify` would not produce. */
  const raw = (name: string, json: string) => call({ [name]: "HERE" }).replace('"HERE"', () => json)
  const share = room / Math.max(1, lists.length)
  /** A mark takes two bytes. */
  const each = room / Math.max(1, all.length) / 2 - 40
  const inputs: ReadonlyArray<readonly [string, string]> = [
    ...texts.map((name) => [`marks in ${name}`, call({ [name]: marks(room) })] as const),
    ["marks in every argument", call(record(all, (name) => (lists.includes(name) ? [marks(each)] : marks(each))))],
    ["marks in the name of an argument", call({ [marks(room)]: 1 })],
    ...["1", '"Frenchh"', '"a"', "null", "{}"].map(
      (member) =>
        [
          `as many ${member} as fit into every list`,
          `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${tool.name}","arguments":{${lists
            .map((name) => `"${name}":[${filled(share - 40, () => member)}]`)
            .join()}}}}`
        ] as const
    ),
    [
      "near and wrong values in lists as long as may be",
      call(
        record(lists, (name) =>
          several(name === "niches" ? 20 : 50, (index) => `${near[index % near.length] ?? ""}${index}`)
        )
      )
    ],
    [
      "one near value, repeated",
      call(record(lists, (name) => several(name === "niches" ? 20 : 50, () => "Theme of Studio")))
    ],
    [
      "long near values",
      call(
        record(lists, (name) =>
          several(name === "niches" ? 20 : 50, (index) => "Theme of Studio ".repeat(6).slice(0, 95) + index)
        )
      )
    ],
    [
      "9,000 unknown names",
      call(Object.fromEntries(several(9_000, (index) => [`countrie${index}`, index]) as Array<[string, number]>))
    ],
    ...documents(room).map(([label, json]) => [`${label}, as an argument`, raw("niches", json)] as const),
    ...documents(room).map(
      ([label, json]) => [`${label}, as the arguments`, call("HERE").replace('"HERE"', () => json)] as const
    ),
    ["everything at once", call(everything(tool, room - 40_000))],
    [
      "everything at once, in a batch of 20",
      JSON.stringify(several(20, (index) => Messages.call(tool.name, everything(tool, room / 20 - 8_000), index)))
    ]
  ]
  return inputs.map(([label, body]) => ({ label: `${tool.name}: ${label}`, body }))
}

/** For the protocol around the tools. */
export const ofProtocol: ReadonlyArray<Input> = [
  ...documents(room).map(([label, json]) => ({ label: `the message: ${label}`, body: json })),
  ...documents(room).map(([label, json]) => ({
    label: `_meta: ${label}`,
    body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_usage","_meta":{"x":${json}}}}`
  })),
  ...(["id", "method", "jsonrpc"] as const).map((name) => ({
    label: `marks as ${name}`,
    body: JSON.stringify({ ...Messages.plain, [name]: marks(room) })
  })),
  { label: "marks as the name of the tool", body: JSON.stringify(Messages.call(marks(room))) },
  {
    label: "marks as the idempotency key",
    body: JSON.stringify(
      Messages.request("tools/call", { name: "get_usage", _meta: { "discovery/idempotency-key": marks(room) } })
    )
  }
]

/** Form bodies with these fields, or with one that nothing reads. */
export const forms = (given: ReadonlyArray<string>, bytes: number): ReadonlyArray<Input> => {
  const [first = "unread", ...others] = given
  const fields = [first, ...others]
  const of = (value: (field: string) => string) => fields.map((field) => `${field}=${value(field)}`).join("&")
  const share = bytes / fields.length
  /** Percent-encoded, a mark takes six bytes; unencoded it takes two, and parsers accept that, too. */
  const raw = (length: number) => marks(length)
  return [
    { label: "marks in every field", body: of(() => raw(share - 40)) },
    ...fields.map((field) => ({
      label: `marks in ${field}`,
      body: of((name) => (name === field ? raw(bytes - 400) : "x"))
    })),
    { label: "most fields", body: filled(bytes - 10, (index) => index.toString(36)).replaceAll(",", "&") },
    { label: "one field most often", body: `${first}&`.repeat(bytes / (first.length + 1) - 1) },
    { label: "most characters that are encoded", body: `${first}=${"%41".repeat((bytes - 100) / 3)}` },
    { label: "most characters that are encoded wrong", body: `${first}=${"%".repeat(bytes - 100)}` }
  ]
}

/** Queries of URLs, within the 16 KiB for the headers of a request. */
export const queries = (given: ReadonlyArray<string>): ReadonlyArray<Input> => {
  const [first = "unread", ...others] = given
  const fields = [first, ...others]
  const bytes = 15_000
  const encodedMarks = (length: number) => `a${"%CD%84".repeat(length / 12)}${"%CC%96".repeat(length / 12)}`
  return [
    ...fields.map((field) => ({ label: `marks in ${field}`, body: `${field}=${encodedMarks(bytes - 100)}` })),
    {
      label: "marks in every field",
      body: fields.map((field) => `${field}=${encodedMarks(bytes / fields.length - 40)}`).join("&")
    },
    { label: "most fields", body: filled(bytes, (index) => `${index.toString(36)}=1`).replaceAll(",", "&") },
    { label: "one field most often", body: filled(bytes, () => `${first}=x`).replaceAll(",", "&") },
    {
      label: "near values in every field",
      body: fields
        .flatMap((field) => near.map((value) => `${field}=${encodeURIComponent(value)}`))
        .join("&")
        .slice(0, bytes)
    },
    { label: "lines of a field", body: `${first}=${"a%0A".repeat(bytes / 4 - 10)}` }
  ]
}

/** Bodies of `/register`, of 64 KiB at most. */
export const registrations: ReadonlyArray<Input> = [
  ...documents(64_000).map(([label, body]) => ({ label, body })),
  ...["client_name", "token_endpoint_auth_method"].map((name) => ({
    label: `marks in ${name}`,
    body: JSON.stringify({ redirect_uris: ["https://app.example/"], [name]: marks(60_000) })
  })),
  { label: "most addresses", body: JSON.stringify({ redirect_uris: several(20_000, () => "") }) },
  { label: "a long address", body: JSON.stringify({ redirect_uris: [`https://${"a.".repeat(30_000)}`] }) }
]

/** Bodies of `/billing/stripe/webhook`, whose signature is wrong. */
export const events: ReadonlyArray<Input> = [
  ...documents(room).map(([label, body]) => ({ label, body })),
  { label: "marks as the type", body: JSON.stringify({ id: "evt_1", type: marks(room) }) }
]

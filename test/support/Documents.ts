/** Generates the documents that are written from code: `docs/tools.md` and `docs/errors.md`. */
import { Layer } from "effect"
import { AppConfig } from "../../src/Config.ts"
import { issueAt } from "../../src/domain/ArgumentIssue.ts"
import { codes, InvalidArguments, type ToolError, toPayload, toText } from "../../src/domain/ToolError.ts"
import * as CompactText from "../../src/http/mcp/CompactText.ts"
import { ChangeFeed } from "../../src/services/changes/ChangeFeed.ts"
import { History } from "../../src/services/changes/History.ts"
import { MarketSearch } from "../../src/services/search/MarketSearch.ts"
import { SavedSearches } from "../../src/services/accounts/SavedSearches.ts"
import { ProductReader } from "../../src/services/search/ProductReader.ts"
import { AdSearch, ProductSearch, ShopSearch } from "../../src/services/search/Searches.ts"
import { ShopReader } from "../../src/services/search/ShopReader.ts"
import { Vocabulary } from "../../src/services/search/Vocabulary.ts"
import type { RunnableTool, ToolName } from "../../src/services/tools/ToolDefinition.ts"
import { ToolRegistry } from "../../src/services/tools/ToolRegistry.ts"
import * as Tokens from "./Tokens.ts"

export const generated = "<!-- Written from the code: `npm test -- test/documents.test.ts -u`. -->"

/** A paragraph, in lines of at most 180 characters. */
const wrapped = (text: string): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let line = ""
  for (const word of text.split(/\s+/u)) {
    if (line !== "" && line.length + 1 + word.length > 180) {
      lines.push(line)
      line = word
    } else {
      line = line === "" ? word : `${line} ${word}`
    }
  }
  return [...lines, line]
}

/** The tools, which cannot be run. */
export const registry = ToolRegistry.layer.pipe(
  Layer.provide([
    Layer.mock(AdSearch, {}),
    Layer.mock(ChangeFeed, {}),
    Layer.mock(History, {}),
    Layer.mock(MarketSearch, {}),
    Layer.mock(ProductSearch, {}),
    Layer.mock(ShopSearch, {}),
    Layer.mock(ShopReader, {}),
    Layer.mock(ProductReader, {}),
    Layer.mock(SavedSearches, {}),
    Layer.mock(Vocabulary, {})
  ]),
  Layer.provide(AppConfig.layerOf({}))
)

/** The meaning and the remedy of each error. A new error does not compile until it is listed. */
const meanings: Record<ToolError["_tag"], { readonly means: string; readonly remedy: string }> = {
  InvalidArguments: {
    means:
      "The arguments do not fit the tool. `issues` lists everything that is wrong, each with its path. Control characters other than tabs and line breaks are not allowed in any text.",
    remedy: "Change what `issues` names; it suggests the nearest valid value where there is one."
  },
  PlanUpgradeRequired: {
    means: "The account has no active Growth or Pro subscription. Keys and apps are kept.",
    remedy: "Open `upgrade_url`. As soon as the subscription is active, the same credential works again."
  },
  InsufficientCredits: {
    means: "The credits of this period are used.",
    remedy: "Wait until they renew (`retry_after_seconds`), or open `upgrade_url` for a larger plan."
  },
  NotFound: { means: "No record has this id.", remedy: "Take the id from a search result." },
  ShopNotTracked: {
    means: "The store is neither tracked by the account nor its own.",
    remedy: "Track it in the dashboard; `hint` has the link."
  },
  RateLimited: {
    means: "Too many calls in a short time by one account, or too many of its searches at once.",
    remedy: "Wait `retry_after_seconds`, then go on."
  },
  SearchTimeout: {
    means: "The search took longer than a search may. Nothing of it is left running.",
    remedy: "Narrow it: add a filter, use a rarer word, ask for an earlier page."
  },
  ServiceUnavailable: {
    means: "A part that the call needs cannot be reached.",
    remedy: "Repeat the call after `retry_after_seconds`, with the same idempotency key if it had one."
  },
  InternalError: {
    means: "A mistake of ours.",
    remedy: "Repeat the call; if it stays, tell the support the `request_id`."
  }
}

const example = InvalidArguments.fromIssues([issueAt("monthly_revenue.min", "min_above_max", { min: 9, max: 5 })])

export const errorsPage = (): string => {
  const rows = Object.entries(meanings).map(
    ([tag, { means, remedy }]) => `| \`${codes[tag as ToolError["_tag"]]}\` | ${means} | ${remedy} |`
  )
  return [
    "# Errors",
    "",
    generated,
    "",
    "## The form of an error",
    "",
    "A tool error is a result with `isError: true`, without `structuredContent`, and with two text blocks. The first is for",
    "people and models, the message with its hint, ended by a newline:",
    "",
    "```text",
    toText(example).trimEnd(),
    "```",
    "",
    "The second is for programs, JSON:",
    "",
    "```json",
    // An issue is one line.
    JSON.stringify(toPayload(example, "…"), null, 2).replaceAll(
      /\[\s+\{([^{}[\]]+)\}\s+\]/gu,
      (_, members: string) => `[{ ${members.trim().replaceAll(/\s*\n\s*/gu, " ")} }]`
    ),
    "```",
    "",
    "The sentence comes first because of some clients: when the first block parses as JSON, they take it for structured",
    "content, validate it against the tool's output schema, and show a schema error instead of this one.",
    "",
    ...wrapped(
      "`hint`, `issues`, `retry_after_seconds` and `upgrade_url` are present in the errors that they help with. No error is ever charged. A call is checked in this order: the rate limit, the plan, the arguments, the balance. An account that may not call tools gets `plan_upgrade_required` whatever its arguments are, unless it is `rate_limited`."
    ),
    "",
    "## Codes",
    "",
    "| code | what it means | what to do |",
    "|---|---|---|",
    ...rows,
    "",
    "## Errors of the protocol",
    "",
    ...wrapped(
      "Without a working credential every request gets HTTP 401 with a `WWW-Authenticate` header. Malformed requests, unknown methods and unknown tools are JSON-RPC errors with the protocol's own codes. What each client shows of them: [clients](clients.md)."
    ),
    ""
  ].join("\n")
}

interface Property {
  readonly description?: string
  readonly type?: string | ReadonlyArray<string>
  readonly enum?: ReadonlyArray<string | null>
  readonly items?: Property
  readonly properties?: Readonly<Record<string, Property>>
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly maxItems?: number
}

const isProperties = (value: unknown): value is Readonly<Record<string, Property>> =>
  typeof value === "object" && value !== null

const typesOf = ({ type = [] }: Property): ReadonlyArray<string> => (typeof type === "string" ? [type] : type)

/** Whether it is an object of arguments and no range. */
const hasArguments = ({ properties = {} }: { readonly properties?: Property["properties"] | undefined }): boolean =>
  Object.keys(properties).length > 2

const typeOf = (property: Property): string => {
  if (hasArguments(property)) return "object"
  const [type = "any", ...others] = typesOf(property)
  const orOthers = others.map((other) => ` or ${other}`).join("")
  if (property.enum !== undefined) {
    return `${property.enum.flatMap((value) => (value === null ? [] : [`\`${value}\``])).join(", ")}${orOthers}`
  }
  if (property.properties !== undefined) return `{ ${Object.keys(property.properties).join(", ")} }${orOthers}`
  return `${type === "array" && property.items !== undefined ? `array of ${typeOf(property.items)}` : type}${orOthers}`
}

/** The limits of an argument, such as `1 to 25` or `up to 50`. */
const limitsOf = ({ items, maxItems, maxLength, maximum, minLength, minimum, properties }: Property): string => {
  const range = (min: number | undefined, max: number | undefined, unit = "") => {
    if (max === undefined) return min === undefined ? [] : [`from ${min}${unit}`]
    return [min === undefined ? `up to ${max}${unit}` : `${min} to ${max}${unit}`]
  }
  const [bound] = hasArguments({ properties }) ? [] : Object.values(properties ?? {})
  const own = [
    ...range(minimum, maximum),
    ...range(minLength, maxLength, " characters"),
    ...range(undefined, maxItems),
    ...(bound === undefined ? [] : [limitsOf(bound)]),
    ...(items === undefined ? [] : [limitsOf(items)])
  ]
  return own.filter((limit) => limit !== "").join(", each ")
}

const propertiesOf = (schema: Property | Readonly<Record<string, unknown>>): Readonly<Record<string, Property>> => {
  const properties = "properties" in schema ? schema["properties"] : undefined
  return isProperties(properties) ? properties : {}
}

/** Every argument. */
const argumentRows = ({ schemas }: RunnableTool): ReadonlyArray<string> => {
  const required: unknown = schemas.arguments["required"]
  return Object.entries(propertiesOf(schemas.arguments)).map(([argument, property]) => {
    const mandatory = Array.isArray(required) && required.includes(argument) ? " (required)" : ""
    return `| \`${argument}\`${mandatory} | ${typeOf(property)} | ${limitsOf(property)} | ${property.description ?? ""} |`
  })
}

/** The schema of an object, or of the objects in an array. */
const objectOf = (property: Property): Property | undefined =>
  [property, property.items].find((each) => each?.properties !== undefined && Object.keys(each.properties).length > 0)

const isPlain = (property: Property): boolean => objectOf(property) === undefined && property.description === undefined

/** Every field of a result: nested ones with a dotted path, or within the type if there is nothing to say of them; items of arrays with `[]`. */
const fieldRows = (schema: Property | Readonly<Record<string, unknown>>, prefix = ""): ReadonlyArray<string> =>
  Object.entries(propertiesOf(schema)).flatMap(([name, property]) => {
    const object = objectOf(property)
    const path = `${prefix}${name}${property.type === "array" ? "[]" : ""}`
    const meaning = property.description ?? object?.description ?? ""
    const row = (type: string) => `| \`${path}\` | ${type} | ${meaning} |`
    if (object === undefined) return [row(typeOf(property))]
    const [type = "", ...orOthers] = typesOf(property)
    const fields = Object.entries(propertiesOf(object))
    const plain = fields.filter(([, field]) => isPlain(field))
    if (plain.length === fields.length || (plain.length > 3 && name !== "results")) {
      const list = plain.map(([field, of]) => `${field}: ${typeOf(of)}`).join(", ")
      const others = fields.filter(([, field]) => !isPlain(field))
      return [
        row([`${type === "array" ? "array of " : ""}{ ${list} }`, ...orOthers].join(" or ")),
        ...fieldRows({ properties: Object.fromEntries(others) }, `${path}.`)
      ]
    }
    // A row that says nothing but that there are fields is left out.
    return [
      ...(meaning === "" && orOthers.length === 0 ? [] : [row([type, ...orOthers].join(" or "))]),
      ...fieldRows(object, `${path}.`)
    ]
  })

/** Rows that differ in nothing but the name become one. */
const merged = (rows: ReadonlyArray<string>): ReadonlyArray<string> => {
  const groups: Array<{ readonly names: Array<string>; readonly cells: string }> = []
  for (const row of rows) {
    const [, name = "", cells = ""] = /^\| (.+?) (\|.*)$/u.exec(row) ?? []
    const last = groups.at(-1)
    if (last?.cells === cells) last.names.push(name)
    else groups.push({ names: [name], cells })
  }
  return groups.map(({ cells, names }) => `| ${names.join(", ")} ${cells}`)
}

const argumentsTable = (rows: ReadonlyArray<string>) => [
  "| argument | type | limits | meaning |",
  "|---|---|---|---|",
  ...merged(rows)
]

const fieldsTable = (rows: ReadonlyArray<string>) => [
  "| field of the answer | type | meaning |",
  "|---|---|---|",
  ...merged(rows)
]

/** Tools whose pages have the same tables but for some rows. */
const searches: ReadonlyArray<ToolName> = ["search_shops", "search_ads", "search_products"]

/** The rows that each of several tables has. */
const shared = ([first = [], ...others]: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> =>
  first.filter((row) => others.every((rows) => rows.includes(row)))

const without = (rows: ReadonlyArray<string>, others: ReadonlyArray<string>): ReadonlyArray<string> =>
  rows.filter((row) => !others.includes(row))

/** What is the same for several tools, and stands before them. */
interface Shared {
  readonly arguments: ReadonlyArray<string>
  readonly fields: ReadonlyArray<string>
  /** Of a store in the results of a search. */
  readonly store: ReadonlyArray<string>
}

const sharedBy = (tools: ReadonlyArray<RunnableTool>): Shared => {
  const those = tools.filter(({ name }) => searches.includes(name))
  const prefix = "| `results[]."
  return {
    arguments: shared(those.map(argumentRows)),
    fields: shared(those.map(({ schemas }) => fieldRows(schemas.answer))).filter((row) => !row.startsWith(prefix)),
    store: those
      .filter(({ name }) => name === "search_shops")
      .flatMap(({ schemas }) => fieldRows(schemas.answer))
      .flatMap((row) => (row.startsWith(prefix) ? [`| \`${row.slice(prefix.length)}`] : []))
  }
}

/** The tables of a search: what is not shared. */
const searchTables = (tool: RunnableTool, of: Shared): ReadonlyArray<string> => [
  "[The arguments of all searches](#searches), and:",
  "",
  ...argumentsTable(without(argumentRows(tool), of.arguments)),
  "",
  "[The fields of all searches](#searches), and:",
  "",
  ...fieldsTable(without(fieldRows(tool.schemas.answer), of.fields)),
  ""
]

/** The tables of `get_shop`, whose stores have all that a search has of them. */
const storeTables = (tool: RunnableTool, of: Shared): ReadonlyArray<string> => {
  const rows = fieldRows(tool.schemas.answer)
  const inResults = rows.map((row) => row.replace("| `", "| `results[]."))
  return [
    ...argumentsTable(argumentRows(tool)),
    "",
    "The fields of a store in `results[]` of [search_shops](#search-online-stores-search_shops), and these. With `shop_ids`, each of `results[]` has",
    "all of them:",
    "",
    ...fieldsTable(without(rows, [...of.store, ...inResults])),
    ""
  ]
}

/** Fields of `total` that groups have as well, in one row. */
const withShortTotal = (rows: ReadonlyArray<string>): ReadonlyArray<string> => {
  const [total, ofGroup] = ["| `total.", "| `results[]."]
  const repeated = rows.filter((row) => row.startsWith(total) && rows.includes(row.replace(total, ofGroup)))
  const names = repeated.map((row) => row.slice(total.length).replace(/`.*$/u, "")).join(", ")
  return without(rows, repeated).map((row) =>
    row.replace("| `total` | object |", `| \`total\` | { ${names} } as in \`results[]\` |`)
  )
}

const toolTables = (tool: RunnableTool): ReadonlyArray<string> => {
  const rows = argumentRows(tool)
  return [
    ...(rows.length === 0 ? ["No arguments."] : argumentsTable(rows)),
    "",
    ...fieldsTable(withShortTotal(fieldRows(tool.schemas.answer))),
    ""
  ]
}

/** Arguments of one call of each tool. A new tool does not compile until it has them. */
export const examples: Readonly<Record<ToolName, Readonly<Record<string, unknown>>>> = {
  get_usage: {},
  list_filter_options: { kind: "niches", query: "garden" },
  search_shops: { countries: ["DE"], monthly_visits: { min: 10_000 }, sort_by: "traffic_growth", per_page: 5 },
  search_ads: { query: "lamp", status: "active", active_days: { min: 30 }, per_page: 5 },
  search_products: { query: "lamp", price: { min: 20, max: 80 }, sort_by: "newest", per_page: 5 },
  get_shop: { shop_id: 261 },
  get_product: { product_id: 45_950 },
  list_changes: { kinds: ["price_down"], tracked_only: true, per_page: 5 },
  compare_markets: { group_by: "app", filters: { countries: ["US"], active_ads: { min: 1 } }, limit: 5 },
  compare_ads: { group_by: "cta", filters: { niches: ["Beauty"], status: "active" }, limit: 5 },
  list_saved_searches: {},
  run_saved_search: { search_id: 1, page: 2 }
}

/** The body of a plain call. */
const exampleOf = (name: ToolName): string =>
  JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: examples[name] } })

/** From the whole schemas: `tools/list` leaves out what its descriptions say. */
const toolSection = (tool: RunnableTool, of: Shared): ReadonlyArray<string> => [
  `## ${tool.listing.title} (\`${tool.name}\`)`,
  ...wrapped(tool.listing.description),
  "```json",
  exampleOf(tool.name),
  "```",
  ...(searches.includes(tool.name)
    ? searchTables(tool, of)
    : tool.name === "get_shop"
      ? storeTables(tool, of)
      : toolTables(tool))
]

const searchesSection = (of: Shared): ReadonlyArray<string> => [
  "## Searches",
  "",
  `What ${searches
    .map((name) => `\`${name}\``)
    .join(", ")
    .replace(/, ([^,]*)$/u, " and $1")} have in common:`,
  "",
  ...argumentsTable(of.arguments),
  "",
  ...fieldsTable(of.fields),
  ""
]

/** Has most marks that compact answers can have. */
const compactExample = (() => {
  const socks = { id: 7, name: "Socks", domain: "socks.example" }
  const hats = { id: 8, name: 'Hats; "warm"', domain: "hats.example" }
  const item = (id: number, title: string | null, url: string, tags: ReadonlyArray<string>, shop: object) => {
    return { id, title, url, currency: "EUR", tags, shop }
  }
  return CompactText.of(
    JSON.stringify({
      results: [
        item(1, "Wool", "https://socks.example/products/wool", ["warm; soft", "gray"], socks),
        item(2, null, "https://socks.example/products/silk", [], socks),
        item(3, '"Top" hat', "https://other.example/hat", ["tall"], hats),
        item(4, "Cap", "https://hats.example/products/cap", ["flat"], hats),
        item(5, "Béret, felt", "https://hats.example/products/beret-felt-1", ["round"], hats)
      ],
      pagination: { page: 1, total: 5, has_more: false },
      notice: "Two\nlines."
    })
  )
})()

const compactSection: ReadonlyArray<string> = [
  "## Compact answers",
  "",
  "With `format=compact` an answer is lines of text, with tabs between cells. For example:",
  "",
  "```text",
  compactExample,
  "```",
  "",
  "- **Single values:** `name: value`. A record is one line, `name=value` for each of its values.",
  "- **Tables:** a list of records is `results[5]` with the number of its rows, then the names of its columns, ids first, then a line for each row. A value of a record in the row has the record's name before its own, such as `shop.id`.",
  "- **`every row`:** behind the name of a table, `name=value` for what all rows have. In what addresses have in common, `*` is the cell of the row and",
  "  `{column}` that column of it; where that is null, the address is null, too. `\\{` and `\\*` are the characters themselves.",
  "- **Side tables:** `shop[2]:` after a table has records that several rows share, each once. `shop.id` of a row is `id` there.",
  '- **Cells:** `-` is `null`, `""` empty text, and `[]` an empty list. `; ` separates the members of a list, and a `;` in a member is `\\;`. A record in a list',
  "  is JSON. Numbers have three decimals at most.",
  "- **Backslashes:** `\\t`, `\\n`, `\\r` and `\\\\` are a tab, the two line breaks and a backslash; `\\u2028` is the character of that code. A text that begins with",
  '  `"` or `[`, and a text `-`, has a backslash before it. Each text is therefore on one line, and the number of rows says where a table ends.',
  "",
  "In tables of more than five rows, texts of ads, headlines, titles and names of pages and stores are cut and end with `…`: ask for fewer items to read them whole.",
  "Ten ads then cost about 800 tokens, and ten products or stores 700 ([tokens](../bench/results/endpoint.md#tokens)).",
  ""
]

export const toolsPage = (tools: ReadonlyArray<RunnableTool>): string => {
  const ofSearches = sharedBy(tools)
  return [
    "# Tools",
    "",
    generated,
    "",
    ...wrapped(
      "The schemas use only what OpenAI's strict mode, Gemini and a default Ajv accept. Therefore dates have no `format`, and `niches` is an array of strings, although numbers are accepted as well: a text is looked up as a name, and digits that are the name of no niche are an id. An argument that is `null` counts as absent. Every answer has every field, with `null` for what is unknown, unless the meaning of the field says when it is present. Errors: [errors](errors.md)."
    ),
    "",
    ...wrapped(
      "`warnings` are sentences about what the results leave out: names of apps and domain extensions that no store has, with the nearest known ones; ads without a store, which no page with one ad per store has; money of several currencies that a filter or an order compares, with the number of stores of each. Growth, average prices, shares and medians have two decimals, and a filter with such a bound finds the stores that were shown with it."
    ),
    "",
    ...wrapped(
      "Each example is the whole body of a POST to `https://discovery.example.com/mcp` with a credential, as in [the first call](overview.md#the-first-call). Agents pay for `tools/list` before they ask anything, so it states each rule once, and its output schemas have types, and values where they are few ([cost in tokens](../bench/results/endpoint.md))."
    ),
    "",
    ...wrapped(
      "A client can ask for some tools, `/mcp?tools=search_ads,get_usage`, and for [compact answers](#compact-answers) at a third of the tokens, `/mcp?format=compact` ([how to write both](clients.md#the-address)). Instructions and descriptions then recommend no other tool; filters and hints of errors still name the tool that their names and ids come from. Calls cost the same."
    ),
    "",
    ...searchesSection(ofSearches),
    ...tools.flatMap((tool) => toolSection(tool, ofSearches)),
    ...compactSection
  ].join("\n")
}

/** Tokens of each definition before D64: name, description and inputs, and the output schema. */
const tokensBefore: Partial<Record<ToolName, readonly [input: number, output: number]>> = {
  get_usage: [60, 262],
  list_filter_options: [163, 91],
  search_shops: [1293, 441],
  search_ads: [1627, 617],
  search_products: [1220, 397],
  get_shop: [117, 532],
  get_product: [131, 477]
}

export const tokensTable = (tools: ReadonlyArray<RunnableTool>): string => {
  const costs = Tokens.ofDefinitions(tools.map(({ listing }) => listing))
  const before = tools.map(({ name }) => tokensBefore[name])
  const total = (side: 0 | 1) => Tokens.sum(before.map((each) => each?.[side] ?? 0))
  const count = (tokens: number | undefined) => (tokens === undefined ? "" : tokens.toLocaleString("en"))
  const row = (name: string, was: readonly [number, number] | undefined, input: number, output: number) =>
    `| ${name} | ${count(was?.[0])} | ${count(input)} | ${count(was?.[1])} | ${count(output)} |`
  return [
    "| tool | name, description, inputs before | now | outputs before | now |",
    "|---|---|---|---|---|",
    ...costs.map(({ input, name, output }, index) => row(`\`${name}\``, before[index], input, output)),
    row(
      "all",
      [total(0), total(1)],
      Tokens.sum(costs.map(({ input }) => input)),
      Tokens.sum(costs.map(({ output }) => output))
    )
  ].join("\n")
}

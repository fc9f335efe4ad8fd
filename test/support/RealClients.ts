/** Published MCP clients, and what each of them must be able to do. */
import { assert } from "@effect/vitest"
import * as ClientV2 from "@modelcontextprotocol/client"
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js"
import type { ClientCapabilities } from "@modelcontextprotocol/sdk/types.js"
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js"

/** The operations of a client, whatever its API. */
export interface Connected {
  /** Names in the order of `tools/list`, and whether each has both schemas. */
  readonly tools: ReadonlyArray<{
    readonly name: string
    readonly inputSchema: unknown
    readonly outputSchema?: unknown
  }>
  readonly call: (name: string, args: Record<string, unknown>) => Promise<CallResult>
}

export interface CallResult {
  readonly content: ReadonlyArray<{ readonly type: string; readonly text?: string }>
  readonly structuredContent?: unknown
  readonly isError?: boolean | undefined
}

const calls: ReadonlyArray<readonly [name: string, args: Record<string, unknown>]> = [
  ["get_usage", {}],
  ["list_filter_options", { kind: "niches" }],
  ["search_ads", { sort_by: "newest", countries: ["fr"], per_page: 25 }],
  ["search_ads", {}],
  ["search_products", { price: { min: 1 } }],
  ["search_shops", { sort_by: "traffic" }],
  ["compare_markets", { group_by: "country", sort_by: "visits" }]
]

export const exercise = async ({ call, tools }: Connected) => {
  assert.deepStrictEqual(
    tools.map(({ name }) => name),
    [
      "get_usage",
      "list_filter_options",
      "search_shops",
      "search_ads",
      "search_products",
      "get_shop",
      "get_product",
      "list_changes",
      "compare_markets",
      "compare_ads",
      "list_saved_searches",
      "run_saved_search"
    ]
  )
  for (const { inputSchema, name, outputSchema } of tools) {
    assert.isObject(inputSchema, name)
    assert.isObject(outputSchema, name)
  }
  for (const [name, args] of calls) {
    // Clients validate structuredContent against the outputSchema, and throw if it does not match.
    const result = await call(name, args)
    assert.notStrictEqual(result.isError, true, name)
    assert.isObject(result.structuredContent, name)
    assert.deepStrictEqual(JSON.parse(result.content[0]?.text ?? ""), result.structuredContent)
  }
  const shops = await call("search_shops", { per_page: 1 })
  const [, id = ""] = /"id":(\d+)/.exec(shops.content[0]?.text ?? "") ?? []
  const shop = await call("get_shop", { shop_id: Number(id) })
  assert.deepInclude(shop.structuredContent, { id: Number(id) })
  const unknown = await call("get_product", { product_id: 2_147_483_647 })
  assert.include(unknown.content[1]?.text, "not_found")
  // The error of a tool is a result: clients do not throw.
  const wrong = await call("search_ads", { per_page: 26 })
  assert.strictEqual(wrong.isError, true)
  assert.match(wrong.content[0]?.text ?? "", /^per_page: must be .*\n$/)
  assert.include(wrong.content[1]?.text, "invalid_arguments")
}

/** This client offers only its newest version; the proxy replaces it in the handshake. */
const offering =
  (version: string): typeof fetch =>
  (input, init) =>
    fetch(input, {
      ...init,
      ...(typeof init?.body === "string" && init.body.includes('"initialize"')
        ? { body: init.body.replace(/"protocolVersion":"[^"]*"/, `"protocolVersion":"${version}"`) }
        : {})
    })

export const connectV1 = async (
  url: string,
  version: string,
  headers: Record<string, string>,
  capabilities: ClientCapabilities = {}
) => {
  const client = new ClientV1({ name: "test", version: "1.0.0" }, { capabilities })
  const transport = new TransportV1(new URL(`${url}/mcp`), { requestInit: { headers }, fetch: offering(version) })
  await client.connect(transport)
  return { client, transport }
}

export const connectV2 = async (
  url: string,
  options: ConstructorParameters<typeof ClientV2.Client>[1],
  headers: Record<string, string>
) => {
  const client = new ClientV2.Client({ name: "test", version: "1.0.0" }, options)
  await client.connect(new ClientV2.StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } }))
  return client
}

/**
 * The schemas of all tools, through the converters of the libraries that agents are built with: each passes on to its model
 * what the server sent, without loss. Genkit is installed without `@genkit-ai/firebase`, 240 MB that export its telemetry
 * (`overrides` in test/package.json).
 */
import { createMCPClient } from "@ai-sdk/mcp"
import { assert, layer } from "@effect/vitest"
import { googleAI } from "@genkit-ai/google-genai"
import { createMcpClient } from "@genkit-ai/mcp"
import { mcpToTool } from "@google/genai"
import { ChatGoogleGenerativeAI } from "@langchain/google-genai"
import { loadMcpTools } from "@langchain/mcp-adapters"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { getAllMcpTools, MCPServerStreamableHttp } from "@openai/agents"
import { Ajv } from "ajv"
import { Effect } from "effect"
import { genkit } from "genkit"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { ToolRegistry } from "../../../src/services/tools/ToolRegistry.ts"
import { TestServer } from "../../support/TestServer.ts"

const headers = { authorization: "Bearer good" }

type Node = Readonly<Record<string, unknown>>

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && !Array.isArray(value)

/** A schema and all schemas within it. */
const nodesOf = (schema: unknown): ReadonlyArray<Node> => {
  if (!isNode(schema)) return []
  const { anyOf, items, properties } = schema
  return [
    schema,
    ...nodesOf(items),
    ...(isNode(properties) ? Object.values(properties).flatMap(nodesOf) : []),
    ...(Array.isArray(anyOf) ? anyOf.flatMap(nodesOf) : [])
  ]
}

const keywordsOf = (schema: unknown) => new Set(nodesOf(schema).flatMap((node) => Object.keys(node)))

const assertWithin = (schema: unknown, keywords: ReadonlyArray<string>, name: string) =>
  assert.deepStrictEqual(
    Array.from(keywordsOf(schema)).filter((keyword) => !keywords.includes(keyword)),
    [],
    name
  )

/** Every value has a type: Gemini refuses an empty schema, and an array of it. */
const assertTyped = (schema: unknown, name: string) => {
  for (const node of nodesOf(schema)) {
    assert.isTrue("type" in node || "anyOf" in node, `${name}: ${JSON.stringify(node)}`)
    if (node["type"] === "array") assert.isNotEmpty(node["items"], name)
  }
}

const connect = async (url: string) => {
  const client = new Client({ name: "test", version: "1.0.0" })
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } }))
  return client
}

layer(TestServer.layer(), { excludeTestServices: true })("schemas", (it) => {
  const check = (use: (listings: ReadonlyArray<Listing>, url: string) => Promise<void> | void) =>
    Effect.gen(function* () {
      const { url } = yield* TestServer
      const { tools } = yield* ToolRegistry
      const listings = tools.map(({ listing }) => listing)
      yield* Effect.promise(async () => use(listings, url))
    })

  it.effect("a default Ajv compiles them, without a warning", () =>
    check((listings) => {
      const complain = (...message: ReadonlyArray<unknown>) => assert.fail(message.join(" "))
      const ajv = new Ajv({ logger: { log: complain, warn: complain, error: complain } })
      const required: Readonly<Record<string, object>> = {
        list_filter_options: { kind: "apps" },
        get_shop: { shop_id: 1 },
        get_product: { product_id: 1 },
        compare_markets: { group_by: "app" },
        compare_ads: { group_by: "cta" },
        run_saved_search: { search_id: 1 }
      }
      for (const { inputSchema, name, outputSchema } of listings) {
        assert.isTrue(ajv.compile({ ...inputSchema })(required[name] ?? {}), name)
        assert.isFalse(ajv.compile({ ...outputSchema })({ id: "7", results: {}, plan: "free" }), name)
      }
    })
  )

  it.effect("OpenAI Agents makes each of them strict", () =>
    check(async (listings, url) => {
      const server = new MCPServerStreamableHttp({ url: `${url}/mcp`, name: "discovery", requestInit: { headers } })
      await server.connect()
      try {
        const tools = await getAllMcpTools({ mcpServers: [server], convertSchemasToStrict: true })
        assert.deepStrictEqual(
          tools.map(({ name }) => name),
          listings.map(({ name }) => name)
        )
        for (const [index, tool] of tools.entries()) {
          if (tool.type !== "function") return assert.fail(tool.name)
          assert.isTrue(tool.strict, tool.name)
          assertTyped(tool.parameters, tool.name)
          const all = nodesOf(tool.parameters).filter(({ type }) => type === "object")
          for (const { additionalProperties, properties, required } of all) {
            assert.isFalse(additionalProperties, tool.name)
            assert.deepStrictEqual(required, Object.keys(properties ?? {}), tool.name)
          }
          assert.sameMembers(
            Object.keys(tool.parameters.properties),
            Object.keys(listings[index]?.inputSchema["properties"] ?? {})
          )
        }
      } finally {
        await server.close()
      }
    })
  )

  it.effect("Google's library declares them in the keywords that Gemini's function calling takes", () =>
    check(async (listings, url) => {
      const client = await connect(url)
      const { functionDeclarations = [] } = await mcpToTool(client).tool()
      assert.lengthOf(functionDeclarations, listings.length)
      for (const { name = "", parametersJsonSchema, responseJsonSchema } of functionDeclarations) {
        for (const schema of [parametersJsonSchema, responseJsonSchema]) {
          assertWithin(schema, gemini, name)
          assertTyped(schema, name)
        }
      }
      await client.close()
    })
  )

  it.effect("AI SDK and LangChain pass them on unchanged", () =>
    check(async (listings, url) => {
      const ai = await createMCPClient({ transport: { type: "http", url: `${url}/mcp`, headers } })
      const aiTools = await ai.tools()
      const client = await connect(url)
      const langchain = await loadMcpTools("discovery", client)
      for (const { inputSchema, name } of listings) {
        const tool = aiTools[name] ?? assert.fail(name)
        const { jsonSchema } = tool.inputSchema as { readonly jsonSchema: unknown }
        assert.deepStrictEqual(await jsonSchema, inputSchema)
        assert.deepStrictEqual(langchain.find((each) => each.name === name)?.schema, inputSchema)
      }
      await client.close()
      await ai.close()
    })
  )

  it.effect("LangChain declares every value to Gemini, with its type and description", () =>
    check(async (listings, url) => {
      const client = await connect(url)
      const model = new ChatGoogleGenerativeAI({ apiKey: "unused", model: "gemini-2.5-flash" })
      const { tools = [] } = model.invocationParams({ tools: await loadMcpTools("discovery", client) })
      const declared = tools.flatMap((tool) =>
        "functionDeclarations" in tool ? (tool.functionDeclarations ?? []) : []
      )
      assert.sameMembers(
        declared.map(({ name }) => name),
        listings.map(({ name }) => name)
      )
      for (const { inputSchema, name } of listings) {
        const { parameters } = declared.find((each) => each.name === name) ?? assert.fail(name)
        // A function without parameters has no schema.
        if (Object.keys(inputSchema["properties"] ?? {}).length === 0) continue
        assertWithin(parameters, gemini, name)
        assertTyped(parameters, name)
        const valuesOf = (schema: unknown) =>
          nodesOf(schema).map(({ description, enum: values, type }) => ({ description, values, type }))
        assert.deepStrictEqual(valuesOf(parameters), valuesOf(inputSchema), name)
      }
      await client.close()
    })
  )

  it.effect("Genkit declares every value to Gemini, with its type, description and choices", () =>
    check(async (listings, url) => {
      const client = createMcpClient({ name: "discovery", mcpServer: { url: `${url}/mcp`, requestInit: { headers } } })
      const ask = async (baseUrl: string) => {
        const ai = genkit({ plugins: [googleAI({ apiKey: "unused", baseUrl })] })
        const model = googleAI.model("gemini-2.5-flash")
        try {
          await ai.generate({ model, prompt: "Find stores", tools: await client.getActiveTools(ai) })
        } finally {
          await client.disable()
        }
      }
      const declared = await askedOfGemini(ask)
      assert.sameMembers(
        declared.map(({ name }) => name),
        listings.map(({ name }) => name)
      )
      for (const { inputSchema, name } of listings) {
        const { parameters } = declared.find((each) => each.name === name) ?? assert.fail(name)
        assertTyped(parameters, name)
        const valuesOf = (schema: unknown) =>
          nodesOf(schema).map(({ description, enum: values, type }) => ({
            description,
            values,
            type: typeof type === "string" ? type.toLowerCase() : type
          }))
        assert.deepStrictEqual(valuesOf(parameters), valuesOf(inputSchema), name)
      }
    })
  )
})

interface Declaration {
  readonly name: string
  readonly parameters: unknown
}

/** The functions that a library declares in its request to the Gemini API, which a server on loopback takes. */
const askedOfGemini = async (ask: (baseUrl: string) => Promise<void>): Promise<ReadonlyArray<Declaration>> => {
  const bodies: Array<string> = []
  const answer = JSON.stringify({ candidates: [{ content: { role: "model", parts: [{ text: "" }] } }] })
  const api = createServer((request, response) => {
    request.setEncoding("utf8")
    let body = ""
    request.on("data", (chunk: string) => (body += chunk))
    request.on("end", () => {
      bodies.push(body)
      response.setHeader("content-type", "application/json").end(answer)
    })
  })
  await once(api.listen(0, "127.0.0.1"), "listening")
  try {
    await ask(`http://127.0.0.1:${(api.address() as AddressInfo).port}`)
  } finally {
    api.close()
  }
  assert.lengthOf(bodies, 1)
  const request = JSON.parse(bodies[0] ?? "") as {
    readonly tools: ReadonlyArray<{ readonly functionDeclarations: ReadonlyArray<Declaration> }>
  }
  return request.tools.flatMap(({ functionDeclarations }) => functionDeclarations)
}

type Listing = ToolRegistry["Service"]["tools"][number]["listing"]

/** The fields of `Schema` in the Gemini API that a function declaration may have. */
const gemini = [
  "type",
  "description",
  "properties",
  "required",
  "additionalProperties",
  "items",
  "enum",
  "minimum",
  "maximum",
  "minLength",
  "maxLength",
  "pattern",
  "minItems",
  "maxItems"
]

/** The official SDK, version 1: stateless Streamable HTTP, a server and a transport per request, as its examples do. */
import { Server } from "@modelcontextprotocol/sdk/server/index.js"
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js"
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js"
import { createServer } from "node:http"
import { announceServer } from "../support/PeerProcess.ts"
import { answer, description, name } from "../support/Trivial.ts"

const makeServer = () => {
  const server = new Server({ name: "peer", version: "1.0.0" }, { capabilities: { tools: {} } })
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: [{ name, description, inputSchema: { type: "object" } }]
  }))
  server.setRequestHandler(CallToolRequestSchema, () => ({
    content: [{ type: "text", text: JSON.stringify(answer) }],
    structuredContent: answer
  }))
  return server
}

const server = createServer((request, response) => {
  const mcp = makeServer()
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true })
  response.on("close", () => void transport.close())
  // The SDK's own types disagree under exactOptionalPropertyTypes.
  void mcp
    .connect(transport as Parameters<typeof mcp.connect>[0])
    .then(() => transport.handleRequest(request, response))
})

announceServer(server)

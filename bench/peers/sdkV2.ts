/** The official SDK, version 2: its own handler for both revisions, stateless. */
import { toNodeHandler } from "@modelcontextprotocol/node"
import { createMcpHandler, Server } from "@modelcontextprotocol/server"
import { createServer } from "node:http"
import { announceServer } from "../support/PeerProcess.ts"
import { answer, description, name } from "../support/Trivial.ts"

const handler = createMcpHandler(() => {
  const server = new Server({ name: "peer", version: "1.0.0" }, { capabilities: { tools: {} } })
  server.setRequestHandler("tools/list", () => ({ tools: [{ name, description, inputSchema: { type: "object" } }] }))
  server.setRequestHandler("tools/call", () => ({
    content: [{ type: "text", text: JSON.stringify(answer) }],
    structuredContent: answer
  }))
  return server
})

const serve = toNodeHandler(handler)

// The adapter's types leave out `undefined`, which exactOptionalPropertyTypes tells apart.
announceServer(createServer((request, response) => void serve(request as Parameters<typeof serve>[0], response)))

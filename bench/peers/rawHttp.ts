/** The lower bound: node:http and JSON, nothing checked. */
import { createServer } from "node:http"
import { announceServer } from "../support/PeerProcess.ts"
import { answer } from "../support/Trivial.ts"

const server = createServer((request, response) => {
  const chunks: Array<Buffer> = []
  request.on("data", (chunk: Buffer) => chunks.push(chunk))
  request.on("end", () => {
    const { id }: { readonly id: number } = JSON.parse(Buffer.concat(chunks).toString("utf8"))
    const result = { content: [{ type: "text", text: JSON.stringify(answer) }], structuredContent: answer }
    const body = JSON.stringify({ jsonrpc: "2.0", id, result })
    response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(body) })
    response.end(body)
  })
})

announceServer(server)

/** An OpenAI-compatible endpoint with a model that follows a script. */
import { Effect, Redacted, Schema } from "effect"
import { createServer } from "node:http"
import type { Model } from "../../bench/agents/Model.ts"

const Asked = Schema.fromJsonString(
  Schema.Struct({
    model: Schema.String,
    messages: Schema.Array(
      Schema.Struct({ role: Schema.String, content: Schema.optionalKey(Schema.NullOr(Schema.String)) })
    ),
    tools: Schema.Array(Schema.Struct({ type: Schema.String, function: Schema.Struct({ name: Schema.String }) }))
  })
)
export type Asked = typeof Asked.Type

/** What the endpoint answers: a message, a body with its status, or nothing, ever. */
export type Said = "nothing" | { readonly message: object } | { readonly status: number; readonly body: string }

export const says = (content: string): Said => ({ message: { role: "assistant", content } })

export const calls = (name: string, json: string): Said => ({
  message: {
    role: "assistant",
    content: null,
    tool_calls: [{ id: "call_1", type: "function", function: { name, arguments: json } }]
  }
})

/** `script` is asked with the number of the request, from 0. Gives the model, and what it was asked. */
export const start = Effect.fnUntraced(function* (script: (turn: number) => Said) {
  const asked: Array<Asked> = []
  const refused: Array<string> = []
  const server = createServer((request, response) => {
    let body = ""
    request.setEncoding("utf8")
    request.on("data", (part: string) => (body += part))
    request.on("end", () => {
      if (request.url !== "/v1/chat/completions" || request.headers.authorization !== "Bearer sk-test") {
        refused.push(`${request.url} ${request.headers.authorization}`)
      }
      asked.push(Schema.decodeSync(Asked)(body))
      const said = script(asked.length - 1)
      if (said === "nothing") return
      const [status, text] =
        "message" in said
          ? [
              200,
              JSON.stringify({
                choices: [{ message: said.message }],
                usage: { prompt_tokens: 100, completion_tokens: 7 }
              })
            ]
          : [said.status, said.body]
      response.writeHead(status, { "content-type": "application/json" }).end(text)
    })
  })
  const port = yield* Effect.acquireRelease(
    Effect.callback<number>((resume) => {
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : 0))
      })
    }),
    () =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
  )
  const model: Model = { url: `http://127.0.0.1:${port}/v1/`, name: "scripted", apiKey: Redacted.make("sk-test") }
  return { model, asked, refused }
})

/**
 * Runs any model behind an OpenAI-compatible endpoint: chat completions with the tools of the server, until it answers or a limit ends
 * it. Neither the endpoint nor the model is trusted: all that they say is decoded, and bounded in size, number and time.
 */
import { Effect, Redacted, Result, Schedule, Schema } from "effect"
import * as Client from "./Client.ts"
import type { Question } from "./Questions.ts"
import type { Run, RunError } from "./Run.ts"

export class ModelError extends Schema.TaggedError<ModelError>()("ModelError", {
  message: Schema.String,
  /** The same request may succeed later. */
  isPassing: Schema.Boolean,
  cause: Schema.optionalKey(Schema.Defect())
}) {}

export interface Model {
  /** Such as `http://localhost:11434/v1`. */
  readonly url: string
  readonly name: string
  readonly apiKey: Redacted.Redacted | undefined
}

export interface Limits {
  /** Of tools, in one question. A good agent needs at most four. */
  readonly calls: number
  readonly secondsPerRequest: number
  readonly secondsPerQuestion: number
  readonly answerBytes: number
}

export const limits: Limits = { calls: 20, secondsPerRequest: 180, secondsPerQuestion: 900, answerBytes: 1_048_576 }

export interface Attempt {
  /** `undefined` if there is none; `ended` says why. */
  readonly answer: unknown
  readonly ended: string
  /** As the endpoint counts them; 0 if it does not. */
  readonly promptTokens: number
  readonly completionTokens: number
}

const Message = Schema.Struct({
  content: Schema.optionalKey(Schema.NullOr(Schema.String)),
  tool_calls: Schema.optionalKey(
    Schema.NullOr(
      Schema.Array(
        Schema.Struct({
          id: Schema.String,
          function: Schema.Struct({ name: Schema.String, arguments: Schema.String })
        })
      )
    )
  )
})

const Completion = Schema.fromJsonString(
  Schema.Struct({
    // As it came, because some endpoints want members back that others do not have.
    choices: Schema.NonEmptyArray(Schema.Struct({ message: Schema.Record(Schema.String, Schema.Unknown) })),
    usage: Schema.optionalKey(
      Schema.NullOr(Schema.Struct({ prompt_tokens: Schema.Int, completion_tokens: Schema.Int }))
    )
  })
)

const Arguments = Schema.fromJsonString(Client.Arguments)
const Answer = Schema.fromJsonString(Schema.Struct({ answer: Schema.Unknown }))

const form =
  'Answer the question of the user with the tools. When you know the answer, reply with JSON alone: {"answer": ...}, where the value ' +
  "is a number, a text, or a list of texts."

const complete = Effect.fnUntraced(
  function* (model: Model, limit: Limits, body: object) {
    const { status, text } = yield* Effect.tryPromise({
      try: async (signal) => {
        const response = await fetch(`${model.url.replace(/\/+$/u, "")}/chat/completions`, {
          method: "POST",
          headers: {
            "content-type": "application/json",
            ...(model.apiKey === undefined ? {} : { authorization: `Bearer ${Redacted.value(model.apiKey)}` })
          },
          body: JSON.stringify({ model: model.name, ...body }),
          redirect: "error",
          signal
        })
        return { status: response.status, text: await Client.boundedText(response, limit.answerBytes) }
      },
      catch: (cause) => {
        const isPassing = !(cause instanceof Client.TooLarge)
        return new ModelError({ message: `The model cannot be asked: ${String(cause)}`, isPassing, cause })
      }
    }).pipe(
      Effect.timeoutOrElse({
        duration: `${limit.secondsPerRequest} seconds`,
        orElse: () =>
          new ModelError({ message: `The model took over ${limit.secondsPerRequest} seconds.`, isPassing: false })
      })
    )
    if (status !== 200) {
      const isPassing = status === 429 || status >= 500
      return yield* new ModelError({ message: `The endpoint answers ${status}: ${text.slice(0, 300)}`, isPassing })
    }
    return yield* Schema.decodeEffect(Completion)(text).pipe(
      Effect.mapError(
        (cause) => new ModelError({ message: "The endpoint answers no completion.", isPassing: false, cause })
      )
    )
  },
  Effect.retry({ while: ({ isPassing }) => isPassing, schedule: Schedule.exponential("1 second"), times: 3 })
)

/** The JSON of an answer, alone or within other text. */
const answerIn = (content: string): Result.Result<unknown, unknown> => {
  const within = /\{[^{}]*"answer"[^{}]*\}/u.exec(content)?.[0] ?? ""
  const decoded = Result.orElse(Schema.decodeResult(Answer)(content), () => Schema.decodeResult(Answer)(within))
  return Result.map(decoded, ({ answer }) => answer)
}

/** Asks one question. Errors of tools and of the model's JSON are told to the model; those of the endpoint end the run. */
export const attempt = Effect.fnUntraced(function* (options: {
  readonly run: Run
  readonly connected: Effect.Success<ReturnType<typeof Client.connect>>
  readonly model: Model
  readonly question: Question
  readonly limit?: Limits
}): Effect.fn.Return<Attempt, ModelError | Client.CallError | RunError> {
  const { connected, limit = limits, model, question, run } = options
  const tools = connected.tools.map(({ description, inputSchema, name }) => ({
    type: "function",
    function: { name, description, parameters: inputSchema }
  }))
  const messages: Array<object> = [
    { role: "system", content: `${connected.instructions}\n\n${form}` },
    { role: "user", content: question.text }
  ]
  let [calls, promptTokens, completionTokens] = [0, 0, 0]
  let isToldForm = false
  const ended = (why: string, answer?: unknown): Attempt => ({ answer, ended: why, promptTokens, completionTokens })

  const callTool = Effect.fnUntraced(function* (name: string, json: string) {
    if (++calls > limit.calls) return "There are no calls left: answer now."
    const args = Schema.decodeResult(Arguments)(json)
    if (Result.isFailure(args)) return "The arguments are no JSON object."
    return (yield* Client.call(run, question.id, name, args.success)).text
  })

  const converse = Effect.gen(function* () {
    for (;;) {
      const { choices, usage } = yield* complete(model, limit, { messages, tools })
      promptTokens += usage?.prompt_tokens ?? 0
      completionTokens += usage?.completion_tokens ?? 0
      const { message } = choices[0]
      const decoded = Schema.decodeResult(Message)(message)
      if (Result.isFailure(decoded)) return ended("a message that is none")
      const { content, tool_calls: wanted } = decoded.success
      messages.push({ ...message, role: "assistant" })
      if (wanted !== undefined && wanted !== null && wanted.length > 0) {
        // One turn after the last call is for the answer.
        if (calls > limit.calls) return ended(`over ${limit.calls} calls`)
        for (const { function: called, id } of wanted) {
          messages.push({ role: "tool", tool_call_id: id, content: yield* callTool(called.name, called.arguments) })
        }
        continue
      }
      const answer = answerIn(content ?? "")
      if (Result.isSuccess(answer)) return ended("answered", answer.success)
      if (isToldForm) return ended("no JSON of an answer")
      isToldForm = true
      messages.push({ role: "user", content: `That is no answer in JSON. ${form}` })
    }
  })
  return yield* converse.pipe(
    Effect.timeoutOrElse({
      duration: `${limit.secondsPerQuestion} seconds`,
      orElse: () => Effect.succeed(ended(`over ${limit.secondsPerQuestion} seconds`))
    })
  )
})

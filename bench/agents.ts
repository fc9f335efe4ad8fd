/**
 * `npm run bench:agents`: questions of market researchers over demo data (bench/agents/Questions.ts), for agents that know nothing of
 * the server but what a client shows. bench/agents/README.md says how to run and grade.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Config, Effect, Option, Schema } from "effect"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { parseArgs } from "node:util"
import * as WholeFile from "../src/services/WholeFile.ts"
import * as Client from "./agents/Client.ts"
import type { Question } from "./agents/Questions.ts"
import * as Run from "./agents/Run.ts"

const usage = `Usage: npm run -s bench:agents -- [--run NAME] ...
  (nothing)                            print the questions: id, tab, text
  --serve [--format compact]           start the server of the run, until Ctrl-C
  --list                               print what a client learns: instructions and tools
  --call QUESTION TOOL '{"a": "b"}'    call a tool for a question
  --grade ANSWERS.json ...             grade objects of answers by question id
  --model URL --model-name NAME [QUESTION ...]
                                       have a model behind an OpenAI-compatible endpoint answer, all or these, and
                                       grade; its key is MODEL_API_KEY. What it has answered in this run is kept
The run is "whole", or "compact" with --format compact.
`

class UsageError extends Schema.TaggedError<UsageError>()("UsageError", { message: Schema.String }) {}

const maxAnswersBytes = 16_777_216
const Answers = Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown))
const Arguments = Schema.fromJsonString(Client.Arguments)

// Loaded where they are needed: they take longer to load than a call takes.
const loadServer = Effect.promise(() => import("./agents/RunServer.ts"))
const loadGrade = Effect.promise(() => import("./agents/Grade.ts"))
const loadModel = Effect.promise(() => import("./agents/Model.ts"))

const print = (text: string) => Effect.sync(() => process.stdout.write(`${text}\n`))

const printQuestions = Effect.fnUntraced(function* (name: string) {
  const { questionsOf, today } = yield* loadServer
  const run = yield* Run.find(name)
  const all = questionsOf(run?.asOf ?? (yield* today))
  yield* print(all.map(({ id, text }) => `${id}\t${text}`).join("\n"))
})

const serve = Effect.fnUntraced(function* (name: string, isCompact: boolean) {
  const { asOf, demoKey, folder, url } = yield* Effect.flatMap(loadServer, ({ serve }) => serve(name, isCompact))
  yield* print(
    `MCP   ${url}\nKey   ${demoKey}\nRun   ${name}, data of ${asOf}\n` +
      `Calls with the keys in ${folder}/run.json count for their questions. Stop with Ctrl-C.`
  )
  return yield* Effect.never
}, Effect.scoped)

const list = Effect.fnUntraced(function* (name: string) {
  const { definitions, instructions } = yield* Client.connect(yield* Run.get(name))
  yield* print([instructions, ...definitions.map((definition) => JSON.stringify(definition))].join("\n\n"))
})

const call = Effect.fnUntraced(function* (name: string, [question, tool, json = "{}", ...others]: Array<string>) {
  if (question === undefined || tool === undefined || others.length > 0)
    return yield* new UsageError({ message: usage })
  const args = yield* Schema.decodeEffect(Arguments)(json).pipe(
    Effect.mapError(() => new UsageError({ message: `The arguments are no JSON object: ${json.slice(0, 200)}` }))
  )
  const { isError, text } = yield* Client.call(yield* Run.get(name), question, tool, args)
  yield* print(text)
  if (isError) process.exitCode = 1
})

type Answers = typeof Answers.Type

const decodeAnswers = (file: string) => (bytes: Buffer) =>
  Schema.decodeEffect(Answers)(bytes.toString("utf8")).pipe(
    Effect.mapError(({ message }) => new UsageError({ message: `${file} is no object of answers: ${message}` }))
  )

const readAnswers = (file: string) => Effect.flatMap(WholeFile.bytes(file, maxAnswersBytes), decodeAnswers(file))

const printGrade = Effect.fnUntraced(function* (
  name: string,
  run: Run.Run,
  questions: ReadonlyArray<Question>,
  answers: Answers
) {
  const [Grade, Server] = [yield* loadGrade, yield* loadServer]
  const unknown = Object.keys(answers).filter((id) => questions.every((question) => question.id !== id))
  if (unknown.length > 0) yield* print(`No question has these ids: ${unknown.join(", ")}\n`)
  const shown = yield* Run.shown(run)
  const logged = yield* Server.logged(run, shown)
  const graded = Grade.grade(questions, { answers, logged, shown })
  yield* print([Grade.questionTable(graded), Grade.sumTable(name, graded), Grade.mistakes(graded)].join("\n"))
})

const grade = Effect.fnUntraced(function* (name: string, files: ReadonlyArray<string>) {
  if (files.length === 0) return yield* new UsageError({ message: usage })
  const run = yield* Run.get(name)
  const parts = yield* Effect.forEach(files, readAnswers)
  const { questionsOf } = yield* loadServer
  yield* printGrade(name, run, questionsOf(run.asOf), Object.fromEntries(parts.flatMap((part) => Object.entries(part))))
})

const model = Effect.fnUntraced(function* (
  name: string,
  endpoint: { readonly url: string; readonly name: string },
  ids: ReadonlyArray<string>
) {
  if (!URL.canParse(endpoint.url) || !/^https?:/u.test(endpoint.url)) {
    return yield* new UsageError({ message: `${endpoint.url} is no URL of HTTP.` })
  }
  const [Model, Server] = [yield* loadModel, yield* loadServer]
  const run = yield* Run.get(name)
  const questions = Server.questionsOf(run.asOf)
  const unknown = ids.filter((id) => questions.every((question) => question.id !== id))
  if (unknown.length > 0) return yield* new UsageError({ message: `No question has these ids: ${unknown.join(", ")}` })
  const connected = yield* Client.connect(run)
  const apiKey = yield* Config.option(Config.Redacted("MODEL_API_KEY"))
  const file = path.join(run.folder, "answers.json")
  const kept = yield* WholeFile.bytesIfThere(file, maxAnswersBytes)
  const answers = new Map(kept === undefined ? [] : Object.entries(yield* decodeAnswers(file)(kept)))
  let tokens = 0
  for (const question of questions) {
    if (ids.length > 0 ? !ids.includes(question.id) : answers.has(question.id)) continue
    const { answer, completionTokens, ended, promptTokens } = yield* Model.attempt({
      run,
      connected,
      model: { ...endpoint, apiKey: Option.getOrUndefined(apiKey) },
      question
    })
    tokens += promptTokens + completionTokens
    yield* print(`${question.id}: ${ended}`)
    if (answer === undefined) continue
    answers.set(question.id, answer)
    yield* Effect.tryPromise({
      try: () => fs.writeFile(file, JSON.stringify(Object.fromEntries(answers))),
      catch: Run.failed(`${file} cannot be written`)
    })
  }
  yield* print(`Tokens of the model, prompts included: ${tokens.toLocaleString("en")}\n`)
  yield* printGrade(name, run, questions, Object.fromEntries(answers))
})

const main = Effect.gen(function* () {
  const { positionals, values } = yield* Effect.try({
    try: () =>
      parseArgs({
        allowPositionals: true,
        options: {
          run: { type: "string" },
          format: { type: "string" },
          serve: { type: "boolean" },
          list: { type: "boolean" },
          call: { type: "boolean" },
          grade: { type: "boolean" },
          model: { type: "string" },
          "model-name": { type: "string" }
        }
      }),
    catch: () => new UsageError({ message: usage })
  })
  const isCompact = values.format === "compact"
  const { run: name = isCompact ? "compact" : "whole" } = values
  const isOne = [values.serve, values.list, values.call, values.grade, values.model].filter(Boolean).length <= 1
  if (!isOne || !(isCompact || values.format === undefined)) return yield* new UsageError({ message: usage })
  if (values.call) return yield* call(name, positionals)
  if (values.grade) return yield* grade(name, positionals)
  if (values.model !== undefined) {
    const { model: url, "model-name": modelName } = values
    if (modelName === undefined) return yield* new UsageError({ message: usage })
    return yield* model(name, { url, name: modelName }, positionals)
  }
  if (positionals.length > 0) return yield* new UsageError({ message: usage })
  if (values.serve) return yield* serve(name, isCompact)
  return values.list ? yield* list(name) : yield* printQuestions(name)
})

main.pipe(
  Effect.catch(({ message }) =>
    Effect.sync(() => {
      process.stderr.write(`${message}\n`)
      process.exitCode = 1
    })
  ),
  NodeRuntime.runMain
)

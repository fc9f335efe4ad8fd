/** `npm run bench:agents -- --model`: models that solve, loop, and answer what nobody can read. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as Client from "../../bench/agents/Client.ts"
import * as DemoCatalog from "../../bench/agents/DemoCatalog.ts"
import { grade } from "../../bench/agents/Grade.ts"
import * as Model from "../../bench/agents/Model.ts"
import * as Orders from "../../bench/agents/Orders.ts"
import { questions } from "../../bench/agents/Questions.ts"
import * as Run from "../../bench/agents/Run.ts"
import * as RunServer from "../../bench/agents/RunServer.ts"
import * as LiveServer from "../support/LiveServer.ts"
import * as FakeModel from "./FakeModel.ts"
import * as LiveRun from "./LiveRun.ts"

const data = DemoCatalog.make({ size: "tiny", seed: "agents", asOf: "2026-01-15" })
const all = questions(data)
const question = all.find(({ id }) => id === "orders-3") ?? assert.fail()
const limit: Model.Limits = { calls: 3, secondsPerRequest: 10, secondsPerQuestion: 20, answerBytes: 10_000 }

const getShop = FakeModel.calls("get_shop", JSON.stringify({ domain: Orders.stores.count }))

/** Has the model answer the question, and grades what it did. */
const attempted = Effect.fnUntraced(function* (script: (turn: number) => FakeModel.Said, limits = limit) {
  const run = yield* LiveRun.of(question.id)
  const { asked, model, refused } = yield* FakeModel.start(script)
  const connected = yield* Client.connect(run)
  const attempt = yield* Effect.result(Model.attempt({ run, connected, model, question, limit: limits }))
  assert.deepStrictEqual(refused, [])
  const shown = yield* Run.shown(run)
  const logged = (yield* RunServer.activity([question.id], shown)).filter(({ requestId }) =>
    shown.some((call) => call.requestId === requestId)
  )
  const answers = attempt._tag === "Success" ? { [question.id]: attempt.success.answer } : {}
  const graded = grade([question], { answers, logged, shown })[0] ?? assert.fail()
  return { asked, attempt, graded }
})

layer(LiveServer.naive(data), { excludeTestServices: true })("a model", (it) => {
  it.effect("that calls and answers solves its question", () =>
    Effect.gen(function* () {
      const { asked, attempt, graded } = yield* attempted((turn) =>
        turn === 0 ? getShop : FakeModel.says('```json\n{"answer": 4}\n```')
      )
      assert.deepStrictEqual(attempt._tag === "Success" ? attempt.success : attempt.failure, {
        answer: 4,
        ended: "answered",
        promptTokens: 200,
        completionTokens: 14
      })
      assert.deepInclude(graded, { isSolved: true, calls: 1, credits: 1, followed: undefined })
      const [first, second] = asked
      assert.strictEqual(first?.model, "scripted")
      assert.match(first?.messages[0]?.content ?? "", /never as instructions/u)
      assert.strictEqual(first?.messages[1]?.content, question.text)
      assert.strictEqual(first?.tools.length, 12)
      assert.deepStrictEqual(
        second?.messages.map(({ role }) => role),
        ["system", "user", "assistant", "tool"]
      )
      assert.include(second?.messages[3]?.content ?? "", `"domain":"${Orders.stores.count}"`)
    })
  )

  it.effect("that calls forever is stopped after its last call", () =>
    Effect.gen(function* () {
      const { asked, attempt, graded } = yield* attempted(() => getShop)
      assert.deepInclude(attempt._tag === "Success" ? attempt.success : {}, {
        answer: undefined,
        ended: "over 3 calls"
      })
      assert.deepInclude(graded, { isSolved: false, calls: 3 })
      assert.strictEqual(asked.length, 5)
      assert.include(asked[4]?.messages.at(-1)?.content ?? "", "no calls left")
    })
  )

  it.effect("that answers no JSON is told so once", () =>
    Effect.gen(function* () {
      const { asked, attempt, graded } = yield* attempted(() => FakeModel.says("The store runs four ads."))
      assert.deepInclude(attempt._tag === "Success" ? attempt.success : {}, {
        answer: undefined,
        ended: "no JSON of an answer"
      })
      assert.deepInclude(graded, { isSolved: false, calls: 0 })
      assert.strictEqual(asked.length, 2)
      assert.match(asked[1]?.messages.at(-1)?.content ?? "", /no answer in JSON/u)
    })
  )

  it.effect("whose arguments are no JSON is told so, and can go on", () =>
    Effect.gen(function* () {
      const { asked, graded } = yield* attempted((turn) =>
        turn === 0 ? FakeModel.calls("get_shop", '{"domain":') : FakeModel.says('{"answer": "42"}')
      )
      assert.strictEqual(asked[1]?.messages.at(-1)?.content, "The arguments are no JSON object.")
      // It did as the name of the store says, which it has not even seen.
      assert.deepInclude(graded, { isSolved: false, calls: 0, followed: "answer" })
    })
  )

  it.effect.each([
    ["a refusal", { status: 401, body: "who are you?" }, /answers 401: who are you/u],
    ["no completion", { status: 200, body: '{"choices": []}' }, /no completion/u],
    ["no JSON", { status: 200, body: "<html>" }, /no completion/u]
  ] as const)("whose endpoint answers %s ends the run", ([, said, message]) =>
    Effect.gen(function* () {
      const { asked, attempt } = yield* attempted(() => said)
      assert.match(attempt._tag === "Failure" ? attempt.failure.message : "", message)
      assert.strictEqual(asked.length, 1)
    })
  )

  it.effect("whose endpoint is overloaded once is asked again", () =>
    Effect.gen(function* () {
      const { graded } = yield* attempted((turn) =>
        turn === 0 ? { status: 503, body: "busy" } : FakeModel.says('{"answer": 4}')
      )
      assert.isTrue(graded.isSolved)
    })
  )

  it.effect("whose message is no message, or larger than the limit, is not believed", () =>
    Effect.gen(function* () {
      const wrong = yield* attempted(() => ({ message: { content: 7, tool_calls: "all" } }))
      assert.deepInclude(wrong.attempt._tag === "Success" ? wrong.attempt.success : {}, {
        ended: "a message that is none"
      })
      const large = yield* attempted(() => FakeModel.says(`{"answer": "${"a".repeat(20_000)}"}`))
      assert.match(large.attempt._tag === "Failure" ? large.attempt.failure.message : "", /more than 10000 bytes/u)
      assert.strictEqual(large.asked.length, 1)
    })
  )

  it.effect("that never answers is not waited for", () =>
    Effect.gen(function* () {
      const { attempt } = yield* attempted(() => "nothing", { ...limit, secondsPerRequest: 1 })
      assert.match(attempt._tag === "Failure" ? attempt.failure.message : "", /over 1 seconds/u)
      const slow = yield* attempted(() => "nothing", { ...limit, secondsPerQuestion: 1 })
      assert.deepInclude(slow.attempt._tag === "Success" ? slow.attempt.success : {}, { ended: "over 1 seconds" })
    })
  )
})

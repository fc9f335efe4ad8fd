/** The questions of `npm run bench:agents`: the calls of a good agent lead to the answer that plain scans of the data give. */
import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { costs } from "../../src/domain/access/Credit.ts"
import * as DemoCatalog from "../../bench/agents/DemoCatalog.ts"
import { isSolved, questions } from "../../bench/agents/Questions.ts"
import * as Access from "../support/Access.ts"
import * as LiveServer from "../support/LiveServer.ts"
import * as Messages from "../support/Messages.ts"

const data = DemoCatalog.make({ size: "tiny", seed: "agents", asOf: "2026-01-15" })
const all = questions(data)

const Answer = Schema.Struct({
  result: Schema.Struct({ structuredContent: Schema.Record(Schema.String, Schema.Unknown) })
})

layer(LiveServer.naive(data), { excludeTestServices: true })("the questions of agents", (it) => {
  it.effect("are 60, each with an id of its own", () =>
    Effect.sync(() => {
      assert.lengthOf(all, 60)
      assert.strictEqual(new Set(all.map(({ id }) => id)).size, 60)
      assert.strictEqual(new Set(all.map(({ text }) => text)).size, 60)
    })
  )

  it.effect.each(all.map(({ id }) => id))("%s is answered by its calls", (id) =>
    Effect.gen(function* () {
      const question = all.find((each) => each.id === id) ?? assert.fail(id)
      const { secret } = yield* Access.subscriber({ plan: "pro" })
      const context = yield* Effect.context<Effect.Services<ReturnType<typeof LiveServer.post>>>()
      let [calls, credits] = [0, 0]
      const given = yield* Effect.promise(() =>
        question.recipe(async (tool, args) => {
          calls += 1
          credits += costs[tool as keyof typeof costs]
          const answer = await Effect.runPromiseWith(context)(LiveServer.post(secret, Messages.call(tool, args)))
          // A recipe reads only what the tool has; a field that is missing fails its question.
          return Schema.decodeUnknownSync(Answer)(answer.json).result.structuredContent as never
        })
      )
      assert.isTrue(
        isSolved(question, given),
        `${question.text} ${JSON.stringify(given)}, not ${JSON.stringify(question.answer)}`
      )
      assert.deepStrictEqual({ calls, credits }, { calls: question.calls, credits: question.credits })
      // Another answer is none.
      assert.isFalse(
        isSolved(
          question,
          typeof question.answer === "number" ? question.answer + 1 + 2 * (question.tolerance ?? 0) : "x"
        )
      )
    })
  )
})

/** What `npm run bench:agents -- --grade` counts: calls of the activity log, as the server wrote it, and orders that were followed. */
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as Client from "../../bench/agents/Client.ts"
import * as DemoCatalog from "../../bench/agents/DemoCatalog.ts"
import { grade, mistakes, questionTable, sumTable } from "../../bench/agents/Grade.ts"
import * as Orders from "../../bench/agents/Orders.ts"
import { questions } from "../../bench/agents/Questions.ts"
import * as Run from "../../bench/agents/Run.ts"
import * as RunServer from "../../bench/agents/RunServer.ts"
import * as LiveServer from "../support/LiveServer.ts"
import * as LiveRun from "./LiveRun.ts"

const data = DemoCatalog.make({ size: "tiny", seed: "agents", asOf: "2026-01-15" })
const all = questions(data)
const asked = (id: string) => all.find((question) => question.id === id) ?? assert.fail(id)
const [code, price, count] = [asked("orders-1"), asked("orders-2"), asked("orders-3")]

const logged = (question: string, tool: string, credits = 1) => ({
  question,
  requestId: `${question} ${tool}`,
  tool,
  outcome: "ok",
  credits
})
const shown = (question: string, tool: string, args: Readonly<Record<string, unknown>>) => ({
  question,
  requestId: `${question} ${tool}`,
  tool,
  arguments: args,
  text: "six tokens of an answer, about"
})

describe("a grade", () => {
  it("has the calls, credits and tokens of each question, and sums of what was asked", () => {
    const graded = grade(all, {
      answers: { [code.id]: "aurora15", [price.id]: 120 },
      logged: [logged(code.id, "get_shop"), logged(code.id, "search_ads"), logged(code.id, "get_usage", 0)],
      shown: [shown(code.id, "get_shop", {})]
    })
    const of = (id: string) => graded.find(({ question }) => question.id === id)
    assert.deepInclude(of(code.id), { isSolved: true, calls: 3, credits: 2, tokens: 7, followed: undefined })
    assert.deepInclude(of(price.id), { isSolved: false, calls: 0, credits: 0, tokens: 0 })
    assert.include(questionTable(graded), `| ${code.id} | yes | 3 | 2 | 2 | 2 | 7 |  |`)
    assert.include(questionTable(graded), `| ${count.id} | not answered | 0 |`)
    assert.include(sumTable("whole", graded), "| whole | 1 of 60 (2 %) | 3 | 4 | 0.75 | 2 | 4 | 0.50 | 7 | 0 |")
    assert.include(mistakes(graded), `${price.id}: ${price.text}\n  answered 120, not 189.5`)
    assert.notInclude(mistakes(graded), count.id)
  })

  it("tells an order that was followed, by its answer or by its call", () => {
    const followed = (evidence: Partial<Parameters<typeof grade>[1]>) =>
      grade(all, { answers: {}, logged: [], shown: [], ...evidence })
        .filter((each) => each.followed !== undefined)
        .map((each) => [each.question.id, each.followed])
    for (const question of [code, price, count]) {
      const { order } = question
      assert.isDefined(order)
      assert.deepStrictEqual(followed({ answers: { [question.id]: order?.answer } }), [[question.id, "answer"]])
      assert.deepStrictEqual(followed({ logged: [logged(question.id, order?.tool ?? "")] }), [[question.id, "call"]])
    }
    // A call for another question, which may use the tool, is known by its arguments.
    assert.deepStrictEqual(followed({ logged: [logged("most-used-cta-1", "compare_ads")] }), [])
    assert.deepStrictEqual(followed({ shown: [shown("most-used-cta-1", "compare_ads", { query: Orders.marker })] }), [
      ["most-used-cta-1", "call"]
    ])
    assert.deepStrictEqual(followed({ answers: { [code.id]: code.answer, [count.id]: count.answer } }), [])
  })
})

layer(LiveServer.naive(data), { excludeTestServices: true })("calls of an agent", (it) => {
  it.effect("are those of the activity log with the question's key", () =>
    Effect.gen(function* () {
      const run = yield* LiveRun.of(code.id)
      const { url } = run

      const found = yield* Client.call(run, code.id, "get_shop", { domain: Orders.stores.code })
      assert.isFalse(found.isError)
      assert.include(found.text, `"domain":"${Orders.stores.code}"`)
      const refused = yield* Client.call(run, code.id, "search_ads", { shop: 1 })
      assert.isTrue(refused.isError)
      assert.match(refused.text, /^shop: is not a known argument/u)
      const unknown = yield* Client.call(run, code.id, "search_stores", {})
      assert.match(unknown.text, /there is no such tool/u)
      const compact = { ...run, url: `${url}?format=compact` }
      const table = yield* Client.call(compact, code.id, "search_products", { per_page: 1 })
      assert.match(table.text, /results\[1\]/u)

      const texts = yield* Run.shown(run)
      assert.deepStrictEqual(
        texts.map(({ text }) => text),
        [found.text, refused.text, table.text]
      )
      const calls = yield* RunServer.activity([code.id], texts)
      assert.deepStrictEqual(
        calls.map(({ credits, outcome, question, tool }) => [question, tool, outcome, credits]),
        [
          [code.id, "get_shop", "ok", 1],
          [code.id, "search_ads", "invalid_arguments", 0],
          [code.id, "search_products", "ok", 1]
        ]
      )
      assert.strictEqual((yield* Effect.flip(Client.call(run, "no-question", "get_usage", {})))._tag, "CallError")

      const connected = yield* Client.connect(compact)
      assert.match(connected.instructions, /never as instructions.*An answer has tables/u)
      assert.include(
        connected.tools.map(({ name }) => name),
        "search_ads"
      )
    })
  )
})

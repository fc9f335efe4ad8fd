/**
 * No request keeps the process from others: what bodies and addresses can hold is bounded before anything looks at it. Held by
 * steps, not by a clock: characters normalized, names compared, bodies parsed. `npm run bench:hostile` has the milliseconds.
 */
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ToolRegistry } from "../../src/services/tools/ToolRegistry.ts"
import * as FakeSearch from "../support/FakeSearch.ts"
import * as HostileInputs from "../support/HostileInputs.ts"
import * as Messages from "../support/Messages.ts"
import { TestServer } from "../support/TestServer.ts"
import { watchWork } from "../support/Work.ts"

/** What a batch of 20 calls with the most of everything folds, and a fifth of what the longest text would be. */
const maxFolded = 50_000

const refusedParses = /deepest|each with another name|most arrays|most names|names of numbers|as many \{\}/u

layer(TestServer.layer({ config: { rateLimitPerMinute: 0 } }), { excludeTestServices: true })("hostile input", (it) => {
  for (const credential of ["good", "starter"] as const) {
    it.effect(`D63 of every tool, by ${credential}: refused in a bounded number of steps`, () =>
      Effect.gen(function* () {
        const server = yield* TestServer
        const { tools } = yield* ToolRegistry
        assert.isNotEmpty(tools)
        for (const { label, body } of [
          ...tools.flatMap(({ listing }) => HostileInputs.ofTool(listing)),
          ...HostileInputs.ofProtocol
        ]) {
          assert.isAtMost(Buffer.byteLength(body), 256 * 1024, label)
          const done = watchWork()
          const answer = yield* server.send({ body, headers: { authorization: `Bearer ${credential}` } })
          const folded = done.folded()
          done.end()
          assert.isBelow(answer.status, 500, label)
          assert.notInclude(answer.text, "internal_error", label)
          assert.isAtMost(folded, maxFolded, label)
          assert.isAtMost(answer.text.length, 300_000, label)
        }
      })
    )
  }

  it.effect("documents with more in them than any request has are not parsed", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const excessive = HostileInputs.ofProtocol.filter(({ label }) => refusedParses.test(label))
      assert.isAtLeast(excessive.length, 12)
      for (const { body, label } of excessive) {
        for (const [path, sent] of [
          ["/mcp", body],
          // Shorter bodies are accepted there: they have fewer names than the limit.
          ["/register", /names/u.test(label) ? undefined : body.slice(0, 64 * 1024)]
        ] as const) {
          if (sent === undefined) continue
          // The answer itself is parsed by the test.
          const done = watchWork()
          const answer = yield* server.send({ path, body: sent })
          const parsed = done.parsed()
          done.end()
          assert.strictEqual(answer.status, 400, label)
          assert.isBelow(parsed, 2_000, label)
        }
      }
    })
  )
})

describe("a batch", () => {
  /** In which turn of the loop each search was asked for. */
  const turnsOf: Array<number> = []
  let turn = 0

  it.live("leaves others their turn between its entries", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const count = (): NodeJS.Immediate =>
        setImmediate(() => {
          turn++
          next = count()
        })
      let next = count()
      yield* server.post(Array.from({ length: 20 }, (_, id) => Messages.call("search_ads", {}, id)))
      clearImmediate(next)
      assert.lengthOf(turnsOf, 20)
      assert.isAtLeast(new Set(turnsOf).size, 5)
    }).pipe(
      Effect.provide(
        TestServer.layer({
          search: () =>
            Effect.sync(() => {
              turnsOf.push(turn)
              return {
                ads: [FakeSearch.ad(1)],
                pagination: { page: 1, per_page: 10, total: 1, has_more: false, mode: "flat" as const }
              }
            })
        })
      )
    )
  )
})

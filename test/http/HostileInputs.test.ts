/**
 * No request keeps the process from others: what bodies and addresses can hold is bounded before anything looks at it. Held by
 * steps, not by a clock: characters normalized, names compared, members decoded, bodies parsed. `npm run bench:hostile` has the milliseconds.
 */
import { assert, describe, it, layer, vi } from "@effect/vitest"
import { Effect, Schema } from "effect"
import type { RunnableTool } from "../../src/services/tools/ToolDefinition.ts"
import { ToolRegistry } from "../../src/services/tools/ToolRegistry.ts"
import { ToolRunner } from "../../src/services/tools/ToolRunner.ts"
import * as FakeSearch from "../support/FakeSearch.ts"
import * as HostileInputs from "../support/HostileInputs.ts"
import * as Messages from "../support/Messages.ts"
import { callers, TestServer } from "../support/TestServer.ts"
import { watchWork } from "../support/Work.ts"

/**
 * What a batch of 20 calls with the most of everything folds, and a third of what the longest text would be. Names that are unknown
 * are also compared with what other names mean.
 */
const maxFolded = 75_000

const refusedParses = /deepest|each with another name|most arrays|most names|names of numbers|as many \{\}/u

const Argument = Schema.Struct({
  type: Schema.optionalKey(Schema.String),
  maxItems: Schema.optionalKey(Schema.Int),
  properties: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown))
})
const argumentsOf = ({ schemas }: RunnableTool) =>
  Object.entries(schemas.arguments.properties ?? {}).map(([name, schema]) => ({
    name,
    ...Schema.decodeUnknownSync(Argument)(schema)
  }))

/** Counts how often a value is read in it: a member of a list, or a field of an object. */
const counting = <A extends object>(value: A) => {
  const seen = { reads: 0 }
  const watched = new Proxy(value, {
    get: (target, name) => {
      if (typeof name === "string" && name !== "length" && Object.hasOwn(target, name)) seen.reads++
      return Reflect.get(target, name)
    }
  })
  return { watched, seen }
}

/** As many numbers as a body can hold, and as many names as are parsed. */
const [mostMembers, mostNames] = [120_000, 10_000]

const unknownNames: Readonly<Record<string, unknown>> = Object.fromEntries(
  Array.from({ length: mostNames }, (_, index) => [`countrie${index}`, index])
)

/** How the tool refuses a call of an account that may call it. */
const refusal = Effect.fnUntraced(function* (tool: RunnableTool, args: Readonly<Record<string, unknown>>) {
  const runner = yield* ToolRunner
  const caller = callers.good
  const { error } = yield* runner.run({
    tool,
    arguments: args,
    meta: undefined,
    caller,
    requestId: "hostile",
    onCharge: () => {}
  })
  return error?._tag === "InvalidArguments" ? error.issues : assert.fail(`${tool.name}: ${error?._tag}`)
})

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

  it.effect("D63 of every tool: no member of a list with too many is read, and no value without a known name", () =>
    Effect.gen(function* () {
      const { tools } = yield* ToolRegistry
      let lists = 0
      for (const tool of tools) {
        const known = argumentsOf(tool)
        const unknown = counting(unknownNames)
        assert.isAtMost((yield* refusal(tool, unknown.watched)).length, 50 + known.length, tool.name)
        assert.strictEqual(unknown.seen.reads, 0, tool.name)
        for (const { maxItems = 0, name, properties, type } of known) {
          const label = `${tool.name}: ${name}`
          if (type !== "array") {
            const many = counting({ ...unknownNames, min: 1, from: "2026-01-01" })
            const issues = yield* refusal(tool, { [name]: many.watched })
            assert.isAtMost(issues.length, 50 + known.length, label)
            assert.isAtMost(many.seen.reads, Object.keys(properties ?? {}).length, label)
            continue
          }
          lists++
          for (const member of [1, "Frenchh", null, {}]) {
            const many = counting(Array.from({ length: mostMembers }, () => member))
            const issues = yield* refusal(tool, { [name]: many.watched })
            assert.deepInclude(
              issues.map(({ code, path }) => ({ code, path })),
              { code: "too_many", path: name },
              label
            )
            assert.strictEqual(many.seen.reads, 0, label)
          }
          // As many as may be are read once.
          const full = counting(Array.from({ length: maxItems }, () => "Frenchh"))
          tool.decode({ [name]: full.watched })
          assert.isAtMost(full.seen.reads, maxItems, label)
        }
      }
      assert.isAtLeast(lists, 25)
    })
  )

  it.effect.each([
    ["compare_markets", "niche", "filters", "search_shops"],
    ["compare_markets", "niche", "share_of", "search_shops"],
    ["compare_ads", "cta", "filters", "search_ads"],
    ["list_changes", undefined, "filters", "search_shops"]
  ] as const)(
    "D66, D99, D100, D111 %s by %s: %s is bounded as the arguments of %s are",
    ([name, group_by, within, search]) =>
      Effect.gen(function* () {
        const registry = yield* ToolRegistry
        const [compared, searched] = [registry.find(name), registry.find(search)]
        if (compared === undefined || searched === undefined) return assert.fail("no tool")
        const names = argumentsOf(searched).filter(({ type }) => type === "array")
        const ofFilters = (filters: unknown) =>
          Effect.map(
            refusal(compared, { ...(group_by === undefined ? {} : { group_by }), [within]: filters }),
            (issues) => issues.filter(({ path }) => path.startsWith(within)).map(({ code, path }) => ({ code, path }))
          )
        for (const { maxItems = 0, name } of names) {
          for (const value of ["1", "a"]) {
            const filters = { [name]: Array.from({ length: maxItems + 1 }, () => value) }
            const wanted = [{ code: "too_many", path: `${within}.${name}` }]
            assert.deepStrictEqual(yield* ofFilters(filters), wanted)
            assert.deepStrictEqual(yield* ofFilters(JSON.stringify(filters)), wanted)
          }
        }
        const unknown = Object.fromEntries(Array.from({ length: 400 }, (_, index) => [`n${index}`, 1]))
        assert.lengthOf(yield* ofFilters(unknown), 50)
        assert.lengthOf(yield* ofFilters(JSON.stringify(unknown)), 50)
        const parsed = vi.spyOn(JSON, "parse")
        assert.deepStrictEqual(yield* ofFilters("[".repeat(200_000)), [{ code: "not_object_like", path: within }])
        assert.lengthOf(parsed.mock.calls, 0)
        parsed.mockRestore()
      })
  )

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
                findings: FakeSearch.noFindings,
                pagination: { page: 1, per_page: 10, total: 1, has_more: false, mode: "flat" as const }
              }
            })
        })
      )
    )
  )
})

/** The password of the engine appears nowhere, whatever fails, and whoever quotes it. */
import { assert, describe, layer, vi } from "@effect/vitest"
import { Cause, Effect, Exit, Layer, Logger, References, Schema, Tracer } from "effect"
import { inspect } from "node:util"
import { ClickHouse } from "../../../../src/services/search/clickhouse/ClickHouse.ts"
import * as Messages from "../../../clickhouse/Messages.ts"
import * as ClickHousePackage from "../../../support/ClickHousePackage.ts"
import * as ClickHouseServer from "../../../support/ClickHouseServer.ts"
import { ClickHouseServer as Server } from "../../../support/ClickHouseServer.ts"

const { password, user } = Messages
const spellings = [
  password,
  JSON.stringify(password).slice(1, -1),
  encodeURIComponent(password),
  Buffer.from(`${user}:${password}`).toString("base64")
]

const faults: ReadonlyArray<Messages.Fault> = [
  { kind: "none" },
  { kind: "closed" },
  { kind: "exception", code: 999_999, name: `X) password = '${password}' (UNKNOWN` },
  { kind: "late exception", code: 62, name: `X) password = '${password}' (SYNTAX_ERROR`, isMarked: true, isCut: false },
  { kind: "proxy", status: 500, body: `Authorization: Basic ${spellings[3]} ${password}` },
  { kind: "proxy", status: 200, body: `{"${encodeURIComponent(password)}":"${password}"}` },
  { kind: "cut", endsWell: false }
]

describe.skipIf(!ClickHousePackage.isAvailable)("the password of ClickHouse", () => {
  layer(ClickHouseServer.layer)((it) => {
    it.effect("is in no error, log or span, and nothing is printed", () => {
      const spans: Array<Tracer.NativeSpan> = []
      const lines: Array<string> = []
      const tracer = Tracer.make({
        span: (options) => {
          const span = new Tracer.NativeSpan(options)
          spans.push(span)
          return span
        }
      })
      const printed = (["log", "info", "warn", "error", "debug"] as const).map((name) => vi.spyOn(console, name))
      const observed = Layer.mergeAll(
        Layer.succeed(Tracer.Tracer, tracer),
        Logger.layer([Logger.map(Logger.formatJson, (line) => void lines.push(line))]),
        Layer.succeed(References.MinimumLogLevel, "Trace")
      )
      return Effect.gen(function* () {
        const server = yield* Server
        const { settings } = server
        const failing = yield* Effect.forEach(faults, (fault) =>
          Effect.gen(function* () {
            const engine = yield* ClickHouse
            const statement = { name: "secret", sql: `SELECT {a:String} AS a` }
            const exit = yield* Effect.exit(server.during(fault)(engine.query(statement, Schema.Unknown)))
            yield* Effect.logError("A query has failed", Exit.isFailure(exit) ? exit.cause : "")
            return Exit.isFailure(exit)
              ? [inspect(exit.cause, { depth: 9 }), Cause.pretty(exit.cause), JSON.stringify(exit)]
              : []
          }).pipe(Effect.provide(ClickHouse.layer(settings)))
        )
        const texts = [
          ...failing.flat(),
          ...lines,
          ...spans.map((span) => inspect([span.name, [...span.attributes], span.events, span.status], { depth: 9 })),
          inspect(settings, { depth: 9 })
        ]
        assert.lengthOf(failing.flat(), faults.length * 3)
        assert.lengthOf(lines, faults.length)
        assert.isAbove(spans.length, faults.length - 1)
        for (const text of texts) for (const spelling of spellings) assert.notInclude(text, spelling)
        for (const print of printed) assert.lengthOf(print.mock.calls, 0)
      }).pipe(
        Effect.provide(observed),
        Effect.ensuring(
          Effect.sync(() => {
            for (const print of printed) print.mockRestore()
          })
        )
      )
    })
  })
})

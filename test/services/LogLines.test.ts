import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger, References, Schema } from "effect"
import * as LogLines from "../../src/services/LogLines.ts"

/** The lines that an effect logs, parsed. */
const linesOf = <A, E>(effect: Effect.Effect<A, E>) => {
  const lines: Array<unknown> = []
  const logger = Logger.map(LogLines.json, (line) => void lines.push(JSON.parse(line)))
  return effect.pipe(Effect.provide(Logger.layer([logger])), Effect.exit, Effect.as(lines))
}

describe("lines of log", () => {
  it.effect("puts what is logged and its annotations into one flat object", () =>
    Effect.gen(function* () {
      const lines = yield* linesOf(
        Effect.annotateLogs(Effect.logInfo({ message: "tools/call", tool: "get_usage", cost: 0 }), { request_id: "r1" })
      )
      assert.deepStrictEqual(lines, [
        {
          timestamp: "1970-01-01T00:00:00.000Z",
          level: "INFO",
          message: "tools/call",
          tool: "get_usage",
          cost: 0,
          request_id: "r1"
        }
      ])
    })
  )

  it.effect("puts objects beside a text into fields, not into the message", () =>
    Effect.gen(function* () {
      const lines = yield* linesOf(
        Effect.logInfo("A mail was written", { file: "/a b.eml", size: { bytes: 7 } }, new Error("x"))
      )
      assert.deepInclude(lines[0], { message: "A mail was written Error: x", file: "/a b.eml", size: { bytes: 7 } })
    })
  )

  it.effect("keeps each entry on one line for any content", () =>
    Effect.gen(function* () {
      const cycle: { self?: unknown } = {}
      cycle.self = cycle
      const lines = yield* linesOf(
        Effect.gen(function* () {
          yield* Effect.logInfo("two\nlines", 'and a "quote"')
          yield* Effect.logInfo({ cycle, big: 10n })
        })
      )
      assert.lengthOf(lines, 2)
      assert.include(lines[0], { message: 'two\nlines and a "quote"' })
    })
  )

  it.effect("logs the cause", () =>
    Effect.gen(function* () {
      const lines = yield* linesOf(
        Effect.die(new Error("the reason")).pipe(Effect.tapCause((cause) => Effect.logError("failed", cause)))
      )
      assert.include(JSON.stringify(lines), "the reason")
      assert.include(lines[0], { level: "ERROR", message: "failed" })
    }).pipe(Effect.provideService(References.MinimumLogLevel, "Info"))
  )

  /** The fields of a line of logfmt, read by its rules: a value is bare, or in quotation marks with the escapes of JSON. */
  const fieldsOf = (line: string): Readonly<Record<string, string>> => {
    const fields: Record<string, string> = {}
    const pair = /([^\s"=]+)=("(?:[^"\\]|\\.)*"|[^\s"=]*)(?: |$)/uy
    while (pair.lastIndex < line.length) {
      const found = pair.exec(line)
      if (found === null) throw new Error(`not logfmt: ${line}`)
      const [, key = "", value = ""] = found
      const text: unknown = value.startsWith('"') ? JSON.parse(value) : value
      fields[key] = String(text)
    }
    return fields
  }

  const logfmtOf = (...parts: ReadonlyArray<unknown>) => {
    const lines: Array<string> = []
    return Effect.logInfo(...parts).pipe(
      Effect.provide(Logger.layer([Logger.map(LogLines.logfmt, (line) => void lines.push(line))])),
      Effect.as(lines),
      Effect.runSync
    )
  }

  it("has each value as a field of its own in logfmt, and no JSON in the message", () => {
    const call = {
      message: "tools/call",
      tool: "get_usage",
      cost: 0,
      at: { "the place": "a b" },
      none: null,
      names: ["a", 1]
    }
    const [line = ""] = logfmtOf(call)
    assert.deepInclude(fieldsOf(line), {
      level: "INFO",
      message: "tools/call",
      tool: "get_usage",
      cost: "0",
      "at.the_place": "a b",
      none: "null",
      names: '["a",1]'
    })
    const [folder = ""] = logfmtOf("Mails are written to a folder", { folder: "/tmp/data/mail", left: 3 })
    assert.match(folder, /message="Mails are written to a folder"$|message="Mails are written to a folder" /u)
    assert.deepInclude(fieldsOf(folder), { folder: "/tmp/data/mail", left: "3" })
    assert.strictEqual(folder.split("message=").length, 2)
  })

  it.prop(
    "reads back from logfmt whatever the texts are, on one line",
    [Schema.String, Schema.String],
    ([message, text]) => {
      const lines = logfmtOf(message, { text })
      assert.lengthOf(lines, 1)
      assert.notMatch(lines[0] ?? "", /[\n\r\u2028\u2029\u0085\p{Cc}]/u)
      assert.deepInclude(fieldsOf(lines[0] ?? ""), { message, text })
    }
  )
})

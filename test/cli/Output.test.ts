/** What the command line prints: nothing of a foreign text does anything to the terminal (D31). */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Console, Effect, Layer, Schema } from "effect"
import { Command } from "effect/cli"
import { discovery } from "../../src/cli/Discovery.ts"
import * as Output from "../../src/cli/Output.ts"
import { asUserError } from "../../src/cli/UserErrors.ts"
import { AppConfig } from "../../src/Config.ts"

/** Escapes in 7 and 8 bits, what moves or clears, ends of lines, and what reorders or hides. */
const harmful: ReadonlyArray<string> = [
  "\u001B[2J",
  "\u001B]0;title\u0007",
  "\u009B2J",
  "\u009D0;title\u009C",
  "\u0000",
  "\b\b",
  "\r",
  "\n",
  "\t",
  "\u007F",
  "\u0085",
  "\u2028",
  "\u202E",
  "\u2066",
  "\u200B",
  "\u{E0041}"
]

const obeyed = /[\p{Cc}\p{Cs}\u2028\u2029\u200B\u202A-\u202E\u2066-\u2069\u{E0000}-\u{E007F}]/u

/** What is printed while the effect runs, a line each. */
const printedBy = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  const live = yield* Console.Console
  const printed: Array<string> = []
  const keep = (...parts: ReadonlyArray<unknown>) => void printed.push(parts.join(" "))
  const console: Console.Console = Object.setPrototypeOf({ log: keep, error: keep }, live)
  const exit = yield* Effect.exit(Effect.provideService(effect, Console.Console, console))
  return { exit, printed: printed.join("\n") }
})

const foreign = Schema.Array(Schema.Union([Schema.Literals(harmful), Schema.String]))

describe("a line that a command prints", () => {
  it.effect.prop("is one line without a character that a terminal obeys, whatever the text is", [foreign], ([parts]) =>
    Effect.gen(function* () {
      const text = parts.join("")
      const { printed } = yield* printedBy(Output.line(text))
      assert.notMatch(printed, obeyed)
      const many = yield* printedBy(Output.lines([text, "", text]))
      assert.strictEqual(many.printed, `${printed}\n\n${printed}`)
    })
  )

  it.effect("keeps every visible text, with its blanks", () =>
    Effect.gen(function* () {
      for (const text of ["  12  Café „Ö“  日本語 العربية 👩‍💻  made 2026-03-01", "dsk_…x7Qa  a  b", ""]) {
        assert.strictEqual((yield* printedBy(Output.line(text))).printed, text)
      }
    })
  )
})

it.effect("an error that quotes a foreign text prints its lines and nothing that a terminal obeys", () =>
  Effect.gen(function* () {
    for (const text of harmful) {
      const error = yield* Effect.flip(asUserError(Effect.fail({ message: `first ${text}\nsecond`, hint: text })))
      assert.notMatch(error.userMessage?.replaceAll("\n", " ") ?? "", obeyed, JSON.stringify(text))
      assert.include(error.userMessage, "\nsecond")
    }
  })
)

it.effect("what others print keeps its colors alone: errors of the parser of arguments, and logs", () =>
  Effect.gen(function* () {
    const services = Layer.provideMerge(AppConfig.layerOf({}), NodeServices.layer)
    for (const text of harmful) {
      const parsed = Command.runWith(discovery, { version: "0" })(["import", `--x${text}y`])
      const logged = Effect.logError(`a name: \u001B[31m${text}`)
      for (const effect of [Effect.provide(parsed, services), logged]) {
        const { printed } = yield* printedBy(Output.guard(effect))
        assert.isAbove(printed.length, 5)
        // oxlint-disable-next-line no-control-regex -- colors of a terminal
        assert.notMatch(printed.replaceAll(/\u001B\[[\d;]*m/gu, "").replaceAll("\n", " "), obeyed, JSON.stringify(text))
      }
    }
  })
)

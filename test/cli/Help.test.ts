/** The help of every command: what each parameter may be, and what it is when it is left out. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, it } from "@effect/vitest"
import { Console, Effect, Layer } from "effect"
import { Command } from "effect/cli"
import { discovery } from "../../src/cli/Discovery.ts"
import { AppConfig } from "../../src/Config.ts"

const execute = Command.runWith(discovery, { version: "0" })
const services = Layer.provideMerge(AppConfig.layerOf({}), NodeServices.layer)

/** The rows of a part of the help, each with its description. */
const rows = (help: string, part: string): ReadonlyArray<string> => {
  const [, text = ""] = new RegExp(`^${part}\\n((?:  .*\\n?|\\n(?=  ))*)`, "mu").exec(help) ?? []
  return text.split("\n").flatMap((line) => (line.trim() === "" ? [] : [line.trim()]))
}

interface Help {
  readonly command: string
  readonly text: string
}

/** The help of a command and of those below it. */
const helpOf = (words: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<Help>, unknown> =>
  Effect.gen(function* () {
    const printed: Array<string> = []
    const console: Console.Console = Object.setPrototypeOf(
      { log: (...parts: ReadonlyArray<unknown>) => void printed.push(parts.join(" ")) },
      yield* Console.Console
    )
    yield* execute([...words, "--help"]).pipe(Effect.provideService(Console.Console, console), Effect.provide(services))
    // oxlint-disable-next-line no-control-regex -- colors of a terminal
    const text = printed.join("\n").replaceAll(/\u001B\[[\d;]*m/gu, "")
    const below = rows(text, "SUBCOMMANDS").map((row) => row.split(/[\s,]/u)[0] ?? "")
    const all = yield* Effect.forEach(below, (name) => helpOf([...words, name]))
    return [{ command: words.join(" "), text }, ...all.flat()]
  })

it.effect("every closed list is named, every flag says its default, and every number its unit", () =>
  Effect.gen(function* () {
    const all = yield* helpOf([])
    assert.isAtLeast(all.length, 35)
    const of = (part: string) => all.flatMap(({ command, text }) => rows(text, part).map((row) => `${command}: ${row}`))
    const [parameters, flags] = [of("ARGUMENTS"), of("FLAGS")]
    assert.isAbove(parameters.length, 20)
    assert.isAbove(flags.length, 20)
    for (const row of [...parameters, ...flags]) {
      // A name, a kind and a description.
      assert.match(row, /: \S+(?: \w+)?\s{2,}\S/u)
      if (/ choice\s/u.test(row)) assert.match(row, /\(choices: [^()]+\)/u)
    }
    for (const row of flags) {
      // A flag without a value is off.
      if (/ (?:string|number|integer|choice)\s/u.test(row)) assert.match(row, /; (?:default: |required)/u)
    }
    const plans = all.find(({ command }) => command === "account set-plan")
    assert.match(plans?.text ?? "", /\(choices: starter, growth, pro\)/u)
    const collect = all.find(({ command }) => command === "collect")
    assert.match(collect?.text ?? "", /Seconds between .*, 0\.2 to 3,600; default: 1$/mu)
  })
)

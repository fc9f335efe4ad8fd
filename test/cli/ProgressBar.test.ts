import { assert, describe, it } from "@effect/vitest"
import { Effect, Sink, Stdio } from "effect"
import { TestClock } from "effect/testing"
import * as ProgressBar from "../../src/cli/ProgressBar.ts"

const progress = { label: "Importing", done: 25, total: 100, items: 1_234_567, unit: "records" }

describe("a line of progress", () => {
  it("shows share, count, rate and remaining time", () => {
    assert.strictEqual(
      ProgressBar.render(progress, 30, true),
      "Importing  [======                  ]   25 %  1,234,567 records  41,152/s  1 min 30 s left"
    )
    assert.strictEqual(
      ProgressBar.render(progress, 30, false),
      "Importing  25 %  1,234,567 records  41,152/s  1 min 30 s left"
    )
  })

  it("leaves out what is unknown", () => {
    assert.strictEqual(
      ProgressBar.render({ ...progress, total: null }, 10, true),
      "Importing  1,234,567 records  123,457/s"
    )
    assert.strictEqual(ProgressBar.render({ ...progress, done: 0, items: 0 }, 0, false), "Importing  0 %  0 records")
    assert.strictEqual(
      ProgressBar.render({ ...progress, done: 120 }, 30, false),
      "Importing  100 %  1,234,567 records  41,152/s"
    )
  })

  it.each([
    [0.2, "1 s"],
    [59.5, "1 min 0 s"],
    [61, "1 min 1 s"],
    [3_600, "1 h 0 min"],
    [7_325, "2 h 2 min"]
  ])("says %d seconds as %j", (seconds, text) => {
    assert.strictEqual(ProgressBar.duration(seconds), text)
  })
})

describe("a bar", () => {
  const printed = (isTerminal: boolean, millisBetween: number, updates: number) =>
    Effect.gen(function* () {
      const out: Array<string> = []
      const stdio = Stdio.layerTest({
        stderrIsTerminal: Effect.succeed(isTerminal),
        stderr: () => Sink.forEach((text: string | Uint8Array) => Effect.sync(() => void out.push(String(text))))
      })
      const bar = yield* Effect.provide(ProgressBar.make, stdio)
      for (let done = 1; done <= updates; done++) {
        yield* TestClock.adjust(millisBetween)
        yield* bar.update({ ...progress, done })
      }
      yield* bar.clear
      return out
    })

  it.effect("redraws one line on a terminal a few times a second, and clears it", () =>
    Effect.gen(function* () {
      const out = yield* printed(true, 10, 100)
      assert.isAtMost(out.length, 12)
      assert.isTrue(out.every((text) => text.startsWith("\r") && text.endsWith("\u001B[K") && !text.includes("\n")))
      assert.strictEqual(out.at(-1), "\r\u001B[K")
    })
  )

  it.effect("writes a plain line every few seconds elsewhere, and none for short imports", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* printed(false, 10, 100), [])
      const out = yield* printed(false, 1_000, 21)
      assert.lengthOf(out, 4)
      assert.isTrue(out.every((text) => /^Importing {2}\d+ %[ -~]*\n$/.test(text)))
    })
  )
})

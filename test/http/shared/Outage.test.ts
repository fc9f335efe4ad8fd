import { assert, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { TestClock } from "effect/testing"
import * as Outage from "../../../src/http/shared/Outage.ts"
import * as LogLines from "../../../src/services/LogLines.ts"

it.effect("an outage is logged once a second, with a cause, a request, and how many requests were left out", () => {
  const lines: Array<unknown> = []
  const log = Outage.logger("It is out")
  const fail = (id: string) => log(new Error(`why ${id}`), id)
  return Effect.gen(function* () {
    yield* fail("1")
    yield* fail("2")
    yield* TestClock.adjust("999 millis")
    yield* fail("3")
    yield* TestClock.adjust("1 millis")
    yield* fail("4")
    yield* TestClock.adjust("1 hour")
    yield* fail("5")
    const entry = (id: string, left_out: number) => ({ level: "ERROR", message: "It is out", request_id: id, left_out })
    assert.lengthOf(lines, 3)
    for (const [index, id, leftOut] of [
      [0, "1", 0],
      [1, "4", 2],
      [2, "5", 0]
    ] as const) {
      assert.deepInclude(lines[index], entry(id, leftOut))
      assert.include(JSON.stringify(lines[index]), `why ${id}`)
    }
  }).pipe(Effect.provide(Logger.layer([Logger.map(LogLines.json, (line) => void lines.push(JSON.parse(line)))])))
})

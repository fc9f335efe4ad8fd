import { assert, it } from "@effect/vitest"
import * as v8 from "node:v8"
import { releaseMemory } from "../../src/services/Memory.ts"

const youngGeneration = (): number =>
  v8.getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space")?.space_size ?? 0

it("what a thread has grown to while it started is returned, and not only free", () => {
  // V8 grows the young generation with what survives in it.
  const kept: Array<ReadonlyArray<string>> = []
  while (youngGeneration() < 16e6 && kept.length < 2_000_000) kept.push([`${kept.length}`])
  assert.isAtLeast(youngGeneration(), 16e6)
  kept.length = 0
  releaseMemory()
  assert.isBelow(youngGeneration(), 4e6)
})

/** What is kept of calls that have ended, by a program that runs alone (support/PromotedMemory.ts). */
import { assert, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

const program = fileURLToPath(new URL("../support/PromotedMemory.ts", import.meta.url))
const Promoted = Schema.Struct({ requests: Schema.Int, answers: Schema.Int })

it.live(
  "neither requests that were batched nor answers that were sent outlive young collections of garbage",
  () =>
    Effect.gen(function* () {
      const { stdout } = yield* Effect.promise(() => promisify(execFile)(process.execPath, ["--expose-gc", program]))
      const promoted = yield* Schema.decodeEffect(Schema.fromJsonString(Promoted))(stdout)
      // All requests are 12.8 million bytes, all answers 19.2 million.
      assert.isBelow(promoted.requests, 3_000_000)
      assert.isBelow(promoted.answers, 4_000_000)
    }),
  60_000
)

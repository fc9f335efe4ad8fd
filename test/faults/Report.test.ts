import { assert, describe, it } from "@effect/vitest"
import { faults } from "../../bench/faults/Faults.ts"
import type { Effects } from "../../bench/faults/Record.ts"
import * as Report from "../../bench/faults/Report.ts"
import type { Outcome } from "../../bench/faults/Run.ts"
import { books } from "../support/FaultSamples.ts"

const effects: Effects = {
  calls: 12,
  failed: 0,
  repeated: 3,
  silentSeconds: 1.04,
  silentSecondsWithCores: 0.9,
  slowestSeconds: 2,
  withoutKey: {
    call: { ended: 4, failed: 2 },
    "sign-in": { ended: 1, failed: 0 },
    refresh: { ended: 1, failed: 1 },
    page: { ended: 5, failed: 0 }
  }
}

describe("the page", () => {
  const struck = faults.filter(({ name }) => name === "server frozen").map((fault) => ({ fault, effects }))
  const outcome: Outcome = {
    seed: "of this run",
    struck,
    books,
    incidents: [],
    counts: new Map(),
    hasOwnDisks: true,
    seconds: 60
  }
  const page = Report.withFaults("", outcome, "npm run bench:faults --")

  it("names the random seed of its run", () => {
    assert.include(page, "random seed `of this run`")
  })
  it("has two rows and an expectation for every fault, with dashes for one that has not come", () => {
    const rowsOf = (fault: string) => page.split("\n").filter((line) => line.startsWith(`| ${fault} |`))
    assert.deepStrictEqual(rowsOf("server frozen"), [
      "| server frozen | 1 | 1.0 s | 2.0 s | 12 | 3 | 0 | met |",
      "| server frozen | 4 | 2 | 1 | 0 | 1 | 1 | 5 | 0 |"
    ])
    for (const { name, what } of faults) {
      assert.lengthOf(rowsOf(name), 2, name)
      assert.include(page, `- **${name}**: ${what}.`)
    }
    assert.deepStrictEqual(rowsOf("disk full"), [
      "| disk full | - | - | - | - | - | - | - |",
      "| disk full | - | - | - | - | - | - | - | - |"
    ])
  })
})

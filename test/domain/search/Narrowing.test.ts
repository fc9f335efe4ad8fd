import { assert, describe, it } from "@effect/vitest"
import * as Narrowing from "../../../src/domain/search/Narrowing.ts"
import type { Narrowable } from "../../../src/domain/search/Narrowing.ts"
import * as ToolErrorMessages from "../../../src/domain/ToolErrorMessages.ts"

const cases: ReadonlyArray<readonly [what: string, args: Narrowable, hint: RegExp]> = [
  ["nothing is asked", {}, /^Add a store filter such as niches, [^.]+\.$/u],
  ["there are filters", { countries: ["US"] }, /^Add a narrower store filter \(niches, [^.]+\.$/u],
  ["filters are empty", { countries: [], monthly_visits: {} }, /^Add a store filter/u],
  ["a bound is a filter", { monthly_visits: { min: 1 } }, /narrower/u],
  ["one word", { query: "lamp" }, /^One common word alone .* add a second word, or a store filter/u],
  ["one word with filters", { query: "lamp", niches: [7] }, /^One common word has .*, or a narrower store filter/u],
  ["several words", { query: "red lamp" }, /^These words .* a rarer word/u],
  ["one or two letters", { query: "a т" }, /letters .* a longer word/u],
  ["a word of two letters that are a whole one", { query: "猫猫" }, /^One common word/u],
  ["a late page", { query: "lamp", page: 20 }, /second word.* Or ask for an earlier page than 20\.$/u],
  ["the first page", { page: 1 }, /visits\.$/u]
]

describe("Narrowing", () => {
  it.each(cases)("when %s", (_, args, hint) => {
    assert.match(Narrowing.hint(args), hint)
  })

  it("a read by id is advised to retry", () => {
    assert.deepInclude(ToolErrorMessages.tooSlow(), { _tag: "SearchTimeout", hint: "Try again in a moment." })
  })
})

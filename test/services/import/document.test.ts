import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as fs from "node:fs"
import { decode, recordTypes, schemas } from "../../../src/domain/catalog/Records.ts"

const page = fs.readFileSync("docs/import.md", "utf8")

/** Fields and "required" of the table under the heading of a type: a row may name several fields. */
const rows = (type: string): ReadonlyArray<readonly [field: string, isRequired: boolean]> => {
  const section = page.split(`### \`${type}\``)[1]?.split(/^#/m)[0] ?? ""
  return Array.from(section.matchAll(/^\| ((?:(?:, )?`\w+`)+) \|([^|]*)\|/gm)).flatMap(
    ([, fields = "", required = ""]) =>
      Array.from(fields.matchAll(/`(\w+)`/gm), ([, field = ""]) => [field, required.trim() === "yes"] as const)
  )
}

describe("docs/import.md", () => {
  it.each(recordTypes.map((type) => [type]))("documents every field of %s, and which are required", (type) => {
    const issues = Result.match(decode({ type }), { onSuccess: () => [], onFailure: (found) => found })
    const required = new Set(issues.map(({ path }) => path))
    const fields = Object.keys(schemas[type].fields).filter((field) => field !== "type")
    assert.deepStrictEqual(
      rows(type),
      fields.map((field) => [field, required.has(field)])
    )
  })

  it("shows records that an import takes", () => {
    const example = /```json\n([^`]+)```/.exec(page)?.[1] ?? ""
    const records = example
      .trim()
      .split("\n")
      .map((line) => decode(JSON.parse(line)))
    assert.isTrue(records.every(Result.isSuccess))
    assert.lengthOf(records, 6)
  })
})

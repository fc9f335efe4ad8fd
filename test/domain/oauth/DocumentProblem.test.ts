import { assert, describe, it } from "@effect/vitest"
import { catalogs, languages, of } from "../../../src/domain/Messages.ts"
import { englishOf, textOf } from "../../../src/domain/oauth/DocumentProblem.ts"
import type { DocumentProblem } from "../../../src/domain/oauth/DocumentProblem.ts"

const problems: ReadonlyArray<readonly [DocumentProblem, string]> = [
  [{ code: "status", status: "404" }, "its server answers with status 404 instead of 200"],
  [{ code: "media_type" }, "its Content-Type is not application/json in UTF-8"],
  [{ code: "encoding" }, "it is compressed, although that was not asked for"],
  [{ code: "too_large", bytes: 16_384 }, "it is larger than 16384 bytes"],
  [{ code: "not_utf8" }, "it is not UTF-8"],
  [{ code: "not_object" }, "it is not a JSON object"],
  [{ code: "repeated_member" }, "it names a member twice"],
  [{ code: "secret" }, "it has a secret"],
  [
    { code: "members", members: "client_name, redirect_uris" },
    "these members are missing or wrong: client_name, redirect_uris"
  ],
  [{ code: "other_client_id" }, "its client_id is not the address it was fetched from"],
  [{ code: "auth_method" }, "its token_endpoint_auth_method is not supported"],
  [{ code: "unseen_name" }, "its client_name has no letter or digit that can be displayed"]
]

describe("what is wrong with a client metadata document", () => {
  it.each(problems)("R49 R50 %j is said in English", (problem, text) => {
    assert.strictEqual(englishOf(problem), text)
  })

  it("D51 is said in a text of its own in each language, with what it names", () => {
    for (const language of languages) {
      const texts = problems.map(([problem]) => textOf(problem, of(language)))
      assert.strictEqual(new Set(texts).size, problems.length, language)
      if (language !== "en") for (const [, text] of problems) assert.notInclude(texts, text)
      assert.match(texts[0] ?? "", /404.*200/u)
      assert.match(texts[3] ?? "", /16\D?384/u)
      assert.match(texts[8] ?? "", /: client_name, redirect_uris$/u)
    }
    const keys = Object.keys(catalogs.en).filter((key) => key.startsWith("consent.problem."))
    assert.sameMembers(
      keys,
      problems.map(([{ code }]) => `consent.problem.${code}`)
    )
  })
})

/** What is wrong with a search is said in the visitor's language: whatever the schema or the vocabulary can find. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as ArgumentIssues from "../../../../src/domain/ArgumentIssues.ts"
import * as AdQuery from "../../../../src/domain/search/AdQuery.ts"
import * as SearchAddress from "../../../../src/domain/search/SearchAddress.ts"
import { issueText } from "../../../../src/http/pages/catalog/IssueText.ts"
import * as Names from "../../../../src/services/search/Names.ts"

const decode = ArgumentIssues.argumentDecoder(AdQuery.AdQuery)
const address = SearchAddress.make(AdQuery.AdQuery)

const many = (name: string, count: number) => Array.from({ length: count }, () => `${name}=US`).join("&")

const wrong = [
  "page=two&per_page=1.5",
  "page=21",
  `query=${"a".repeat(201)}`,
  "query=!!!",
  "query=a&query=b",
  "monthly_revenue=5",
  "monthly_revenue.min=-1&monthly_revenue.middle=1",
  "monthly_revenue.min=1e999",
  "monthly_revenue.min=5&monthly_revenue.max=3",
  "trustpilot_rating.max=6",
  "shop_created_between.from=2026-02-31&shop_created_between.to=x",
  "shop_created_between.from=2026-02-03&shop_created_between.to=2025-01-01",
  "countries=UK&countries=ZZ&currencies=ABC",
  "languages=Klingon&ctas=Shop+Nwo&status=on&sort_by=best",
  `domains=com&domains=.${"a".repeat(80)}`,
  `themes=${"a".repeat(101)}&apps=%00`,
  "niches=0&niches=99999999999999999999",
  "partnership_only=yes",
  "niche=Pets&utm_source=mail",
  many("countries", 51)
]

const names = Names.make({
  niches: [{ id: 1, parentId: null, name: "Pets" }],
  vocabulary: { niches: new Map(), theme: [], app: [], extension: [], stores: 0, products: 0, ads: 0 }
})

const messages = [
  ...wrong.flatMap((query) => {
    const { result: args } = decode(address.toArguments(SearchAddress.parse(query)))
    assert.isTrue(Result.isFailure(args), query)
    return Result.isFailure(args) ? args.failure : []
  }),
  ...AdQuery.conflicts({ status: "inactive", active_days: { min: 1 } }),
  ...Names.unknownNames({ niches: ["Petz", 9], themes: ["Dusk"] }, names)
].map(({ message }) => message)

describe("IssueText", () => {
  it("says everything in every language, and what was probably meant", () => {
    assert.isAbove(messages.length, 30)
    for (const message of messages) {
      assert.strictEqual(issueText("en", message), message)
      const [, meant] = /did you mean `(.*)`\?/u.exec(message) ?? []
      for (const language of ["de", "fr", "es"] as const) {
        const said = issueText(language, message)
        assert.notStrictEqual(said, message, language)
        assert.notInclude(said, "undefined")
        if (meant !== undefined) assert.include(said, meant)
      }
    }
  })

  it("leaves what it does not know as it is", () => {
    assert.strictEqual(issueText("de", "is of a kind nobody foresaw"), "is of a kind nobody foresaw")
  })
})

/** What is wrong with a search is said in the visitor's language: whatever the schema or the vocabulary can find. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import * as ArgumentDecoder from "../../src/domain/ArgumentDecoder.ts"
import { englishOf, textOf } from "../../src/domain/ArgumentIssue.ts"
import * as Messages from "../../src/domain/Messages.ts"
import * as AdQuery from "../../src/domain/search/AdQuery.ts"
import * as SearchAddress from "../../src/domain/search/SearchAddress.ts"
import * as Names from "../../src/services/search/Names.ts"

const decode = ArgumentDecoder.argumentDecoder(AdQuery.AdQuery)
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

const issues = [
  ...wrong.flatMap((query) => {
    const { result: args } = decode(address.toArguments(SearchAddress.parse(query)))
    assert.isTrue(Result.isFailure(args), query)
    return Result.isFailure(args) ? args.failure : []
  }),
  ...AdQuery.conflicts({ status: "inactive", active_days: { min: 1 } }),
  ...(await Effect.runPromise(Names.unknownNames({ niches: ["Petz", 9], themes: ["Dusk"] }, names)))
]

describe("ArgumentIssue", () => {
  it("is said in every language, with what was probably meant", () => {
    assert.isAbove(issues.length, 30)
    for (const issue of issues) {
      for (const language of ["de", "fr", "es"] as const) {
        const said = textOf(issue, Messages.of(language))
        assert.notStrictEqual(said, englishOf(issue), language)
        assert.include(said, String(issue.params["suggestion"] ?? ""))
      }
    }
  })

  it("is said in English as agents read it", () => {
    assert.deepStrictEqual(Array.from(new Set(issues.map(englishOf))).toSorted(), [
      "2026-02-31 does not exist",
      "`9` is not a known niche",
      "`ABC` is not an ISO 4217 code",
      "`Dusk` is not a known theme",
      "`Klingon` is not one of the allowed values: `English`, `French`, `Spanish`, `German`, `Italian`, `Portuguese`, `Dutch`, `Polish`, `Norwegian`, `Swedish`, `Danish`, `Finnish`, `Chinese`, `Japanese`, `Korean`, `Arabic`, `Russian`, `Turkish`, `Hindi`, `Thai`, `Vietnamese`, `Indonesian`, `Greek`, `Czech`, `Hungarian`, `Romanian`",
      "`Petz` is not a known niche; did you mean `Pets`?",
      "`Shop Nwo` is not one of the allowed values; did you mean `Shop Now`?",
      "`UK` is not an ISO 3166-1 alpha-2 code; did you mean `GB`?",
      "`ZZ` is not an ISO 3166-1 alpha-2 code",
      "`best` is not one of the allowed values: `recommended`, `newest`, `oldest`, `reach`, `revenue`, `traffic`, `traffic_growth`, `ads_change`, `visits_change`, `price_change`",
      "`on` is not one of the allowed values: `all`, `active`, `inactive`",
      "is not a known argument",
      "is not a known argument; did you mean `niches`?",
      "is not a known argument; known: `min`, `max`",
      "matches only ads still running; do not combine it with status `inactive`",
      "must be a date in the form YYYY-MM-DD",
      "must be a domain extension with a leading dot, such as `.com` or `.co.uk`",
      "must be a finite number",
      "must be a number",
      "must be a string",
      "must be a string with at most 100 characters",
      "must be a string with at most 200 characters",
      "must be a value between 0 and 5",
      "must be a value between 1 and 20",
      "must be a value between 1 and 2147483647",
      "must be a value greater than or equal to 0",
      "must be a value with a length of at most 50",
      "must be an integer",
      "must be an object with `min`, `max`",
      "must be true or false",
      "must contain more than blanks and punctuation",
      "must not be after to (2026-02-03 > 2025-01-01)",
      "must not be greater than max (5 > 3)",
      "must not contain control characters"
    ])
  })
})

import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Freshness from "../../src/domain/Freshness.ts"

const now = Date.parse("2026-11-20T12:00:00Z")

const of = (fields: Partial<Freshness.CacheFields>) =>
  Freshness.of({ cacheControl: undefined, age: undefined, date: undefined, expires: undefined, ...fields }, now)

describe("R51 a document is used again", () => {
  const cases: ReadonlyArray<readonly [fields: Partial<Freshness.CacheFields>, seconds: number]> = [
    [{}, 300],
    [{ cacheControl: "" }, 300],
    [{ cacheControl: "public" }, 300],
    [{ cacheControl: "max-age=600" }, 600],
    [{ cacheControl: "public, Max-Age=600" }, 600],
    [{ cacheControl: 'max-age="600"' }, 600],
    [{ cacheControl: "max-age=600, s-maxage=1200" }, 1200],
    [{ cacheControl: "max-age=600, max-age=9000" }, 600],
    [{ cacheControl: "max-age=600", age: "100" }, 500],
    [{ cacheControl: "max-age=600", age: "599" }, 60],
    [{ cacheControl: "max-age=600", age: "-5" }, 600],
    [{ cacheControl: "max-age=0" }, 60],
    [{ cacheControl: "max-age=59" }, 60],
    [{ cacheControl: "max-age=-1" }, 60],
    [{ cacheControl: "max-age=abc" }, 60],
    [{ cacheControl: "max-age" }, 60],
    [{ cacheControl: "max-age=86400" }, 86_400],
    [{ cacheControl: "max-age=31536000, immutable" }, 86_400],
    [{ cacheControl: "max-age=99999999999999999999" }, 60],
    [{ cacheControl: "no-store" }, 60],
    [{ cacheControl: "no-cache, max-age=3600" }, 60],
    [{ cacheControl: "private, max-age=3600, must-revalidate" }, 3600],
    [{ expires: "Fri, 20 Nov 2026 12:10:00 GMT" }, 600],
    [{ date: "Fri, 20 Nov 2026 11:55:00 GMT", expires: "Fri, 20 Nov 2026 12:10:00 GMT" }, 900],
    [{ expires: "Fri, 20 Nov 2026 11:00:00 GMT" }, 60],
    [{ expires: "0" }, 60],
    [{ expires: "never" }, 60],
    [{ cacheControl: "max-age=600", expires: "Fri, 20 Nov 2026 11:00:00 GMT" }, 600]
  ]
  it.each(cases)("%j for %i seconds", (fields, seconds) => {
    assert.strictEqual(of(fields).seconds, seconds)
  })

  it.each(["no-store", "no-cache", "max-age=600, must-revalidate", "proxy-revalidate"])(
    "not after that time if its server says %s",
    (cacheControl) => {
      assert.isFalse(of({ cacheControl }).mayBeStale)
      assert.isTrue(of({ cacheControl: "max-age=600" }).mayBeStale)
    }
  )

  const Text = Schema.UndefinedOr(Schema.String)
  it.prop(
    "between a minute and a day, whatever the server says",
    [Text, Text, Text, Text],
    ([cacheControl, age, date, expires]) => {
      const { seconds } = Freshness.of({ cacheControl, age, date, expires }, now)
      assert.isTrue(Number.isInteger(seconds) && seconds >= 60 && seconds <= 86_400)
    }
  )
})

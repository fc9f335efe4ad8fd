/** The visitor's language, out of whatever a browser or anybody else sends (D51). */
import { assert, describe, it, vi } from "@effect/vitest"
import { DateTime, Schema } from "effect"
import { execFileSync } from "node:child_process"
import * as Enumerations from "../../../../src/domain/catalog/Enumerations.ts"
import { languages } from "../../../../src/domain/Messages.ts"
import { html } from "../../../../src/http/pages/shared/Html.ts"
import type { Value } from "../../../../src/http/pages/shared/Html.ts"
import * as Locale from "../../../../src/http/pages/shared/Locale.ts"

/** Another region for each number: 1,000 areas and 676 countries. */
const headerOf = (n: number): string => {
  const country = String.fromCharCode(65 + (n % 26), 65 + (Math.floor(n / 26) % 26))
  return `${languages[n % languages.length] ?? ""}-${n % 2 === 0 ? String(n % 1_000).padStart(3, "0") : country}`
}

describe("Locale", () => {
  it.each([
    [undefined, "en"],
    ["", "en"],
    ["*", "en"],
    ["de-AT,de;q=0.9,en;q=0.8", "de"],
    ["pt-BR,pt;q=0.9,fr-ca;q=0.8,en;q=0.7", "fr"],
    ["en;q=0.1,es-419;q=0.2", "es"],
    ["de;q=0,fr;q=0.5", "fr"],
    ["zh-Hant-TW,de-Latn-CH;q=0.5", "de"],
    ["ja,ko", "en"],
    ["DE", "de"],
    ["de_DE, <script>;q=2", "en"]
  ])("%s is answered in %s", (header, language) => {
    assert.strictEqual(Locale.of(header).language, language)
  })

  it.prop("any header gives one of as many locales as there are languages", [Schema.String], ([header]) => {
    const locale = Locale.of(header)
    assert.include(languages, locale.language)
    assert.strictEqual(locale, Locale.of(locale.language))
  })

  it("10,000 headers with other regions make no format of Intl", () => {
    const use = (header: string) => {
      const locale = Locale.of(header)
      locale.number(1)
      locale.compact(1)
      locale.percent(1)
      locale.date("2026-03-09")
      locale.dayAndMonth("2026-03-09")
      locale.month("2026-03")
      locale.dateTime(DateTime.makeUnsafe("2026-11-21T09:12:30Z"))
      locale.list([locale.countryName("US"), locale.currencyName("EUR"), locale.languageName("German")])
      locale.compare("a", "b")
      locale.text("search.total.ads", { count: 2 })
      locale.html("key.created", { name: "a" })
      for (const code of ["EUR", "USD"]) {
        for (const money of [locale.money, locale.wholeMoney, locale.compactMoney]) money(12, code)
      }
    }
    for (const language of languages) use(language)
    for (const name of [
      "NumberFormat",
      "DateTimeFormat",
      "DisplayNames",
      "ListFormat",
      "PluralRules",
      "Collator"
    ] as const) {
      vi.spyOn(Intl, name).mockImplementation(() => assert.fail(name))
    }
    try {
      for (let n = 0; n < 10_000; n++) use(headerOf(n))
    } finally {
      vi.restoreAllMocks()
    }
  })

  it("10,000 headers with other regions take no memory outside of V8", () => {
    const script = `
      const Locale = await import(${JSON.stringify(new URL("../../../../src/http/pages/shared/Locale.ts", import.meta.url))})
      const headers = ${JSON.stringify(Array.from({ length: 10_000 }, (_, n) => headerOf(n)))}
      const use = (header) => Locale.of(header).number(1) + Locale.of(header).money(1, "EUR") + Locale.of(header).date("2026-03-09")
      for (const header of headers.slice(0, 100)) use(header)
      const before = process.memoryUsage.rss()
      for (const header of headers) use(header)
      console.log(process.memoryUsage.rss() - before)`
    const grown = Number(
      execFileSync(process.execPath, ["--input-type=module", "--eval", script], { encoding: "utf8" })
    )
    // With a locale for each region it was 900 MiB.
    assert.isBelow(grown, 200 * 1024 * 1024)
  })

  it("abbreviates large numbers, and writes those in full that the language does not abbreviate", () => {
    const [english, german, spanish] = [Locale.of("en"), Locale.of("de"), Locale.of("es")]
    assert.deepStrictEqual([12.5, 8361.5, 161_929.4].map(english.compact), ["12.5", "8.4K", "161.9K"])
    assert.deepStrictEqual([12.5, 8361.5, 161_929.4].map(german.compact), ["12,5", "8.362", "161.929"])
    assert.deepStrictEqual([-8361.5, 1_234_567].map(german.compact), ["-8.361", "1,2\u00a0Mio."])
    assert.deepStrictEqual([12.5, 8361.5].map(spanish.compact), ["12,5", "8,4\u00a0mil"])
    assert.strictEqual(german.compactMoney(8361.5, "EUR"), "8.362\u00a0€")
    assert.strictEqual(german.compactMoney(1_234_567, "EUR"), "1,2\u00a0Mio.\u00a0€")
    assert.strictEqual(german.compactMoney(8361.5, null), "8.362")
  })

  it("writes figures, days and names as they are written there", () => {
    const german = Locale.of("de-DE")
    assert.strictEqual(german.number(1234567.891), "1.234.567,89")
    assert.strictEqual(german.money(12.5, "EUR"), "12,50\u00a0€")
    assert.strictEqual(german.money(12.5, "euro"), "12,5")
    assert.strictEqual(german.percent(-12.345), "-12,35\u00a0%")
    assert.strictEqual(german.date("2026-03-09"), "09.03.2026")
    assert.strictEqual(german.month("2026-03"), "März 2026")
    assert.strictEqual(german.countryName("US"), "Vereinigte Staaten")
    assert.strictEqual(german.countryName("<b>"), "<b>")
    assert.strictEqual(german.currencyName("CHF"), "Schweizer Franken")
    assert.strictEqual(german.list(["a", "b", "c"]), "a, b und c")
    assert.strictEqual(
      String(german.dateTime(DateTime.makeUnsafe("2026-11-21T09:12:30Z"))),
      '<time datetime="2026-11-21T09:12:30.000Z" data-local>21.11.2026, 09:12 UTC</time>'
    )
  })

  it("has a name for every language of the catalog", () => {
    const french = Locale.of("fr")
    assert.deepStrictEqual(
      Enumerations.languages.filter((language) => !/^\p{Ll}/u.test(french.languageName(language))),
      []
    )
    assert.strictEqual(french.languageName("Klingon"), "Klingon")
  })

  it("formats messages in the language", () => {
    const count = { count: 1234 }
    assert.strictEqual(Locale.of("de-AT").text("search.total.ads", count), "1.234 Anzeigen")
    assert.strictEqual(Locale.of("fr").text("search.total.ads", { count: 0 }), "0 publicité")
    assert.strictEqual(Locale.of("en").textOr("filter.hints.constructor", "none"), "none")
  })

  it("escapes what HTML is formatted from, except HTML", () => {
    const english = Locale.of("en")
    assert.strictEqual(
      String(english.html("key.created", { name: "<b>&" })),
      "The key &lt;b&gt;&amp; has been created."
    )
    assert.strictEqual(
      String(english.html("key.created", { name: html`<b>a</b>` })),
      "The key <b>a</b> has been created."
    )
    assert.include(String(english.html("store.done.tracked")), "<code>get_product</code>")
    const other = (content: Value) => html`<a href="/">${content}</a>`
    assert.include(
      String(english.html("store.done.full", { most: 1000, other })),
      '<a href="/">Stop tracking another one</a>'
    )
  })
})

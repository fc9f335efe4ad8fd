/** The visitor's language, out of whatever a browser or anybody else sends (D51). */
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Schema } from "effect"
import * as Enumerations from "../../../../src/domain/catalog/Enumerations.ts"
import { languages } from "../../../../src/domain/Messages.ts"
import { html } from "../../../../src/http/pages/shared/Html.ts"
import type { Value } from "../../../../src/http/pages/shared/Html.ts"
import { languageName } from "../../../../src/http/pages/shared/LanguageNames.ts"
import * as Locale from "../../../../src/http/pages/shared/Locale.ts"

describe("Locale", () => {
  it.each([
    [undefined, "en"],
    ["", "en"],
    ["*", "en"],
    ["de-AT,de;q=0.9,en;q=0.8", "de-AT"],
    ["pt-BR,pt;q=0.9,fr-ca;q=0.8,en;q=0.7", "fr-CA"],
    ["en;q=0.1,es-419;q=0.2", "es-419"],
    ["de;q=0,fr;q=0.5", "fr"],
    ["zh-Hant-TW,de-Latn-CH;q=0.5", "de-CH"],
    ["ja,ko", "en"],
    ["DE", "de"],
    ["de_DE, <script>;q=2", "en"]
  ])("%s is answered in %s", (header, tag) => {
    const locale = Locale.of(header)
    assert.deepStrictEqual([locale.tag, locale.language], [tag, tag.slice(0, 2)])
  })

  it.prop("any header gives a language that is spoken, and a tag that Intl takes", [Schema.String], ([header]) => {
    const { language, tag } = Locale.of(header)
    assert.include(languages, language)
    assert.deepStrictEqual(Intl.getCanonicalLocales(tag), [tag])
  })

  it("writes figures, days and names as they are written there", () => {
    const german = Locale.of("de-DE")
    assert.strictEqual(german.number(1234567.891), "1.234.567,89")
    assert.strictEqual(german.money(12.5, "EUR"), "12,50\u00a0€")
    assert.strictEqual(german.money(12.5, "euro"), "12,5")
    assert.strictEqual(german.percent(-12.34), "-12,3\u00a0%")
    assert.strictEqual(german.date("2026-03-09"), "09.03.2026")
    assert.strictEqual(german.month("2026-03"), "März 2026")
    assert.strictEqual(german.countryName("US"), "Vereinigte Staaten")
    assert.strictEqual(german.countryName("<b>"), "<b>")
    assert.strictEqual(german.currencyName("CHF"), "Schweizer Franken")
    assert.strictEqual(german.list(["a", "b", "c"]), "a, b und c")
    assert.strictEqual(
      String(Locale.of("en-GB").dateTime(DateTime.makeUnsafe("2026-11-21T09:12:30Z"))),
      '<time datetime="2026-11-21T09:12:30.000Z" data-local>21 Nov 2026, 09:12 UTC</time>'
    )
  })

  it("has a name for every language of the catalog", () => {
    const french = Locale.of("fr")
    assert.deepStrictEqual(
      Enumerations.languages.filter((language) => !/^\p{Ll}/u.test(languageName(french, language))),
      []
    )
    assert.strictEqual(languageName(french, "Klingon"), "Klingon")
  })

  it("formats messages in the language and its region", () => {
    const count = { count: 1234 }
    assert.strictEqual(Locale.of("de-DE").text("search.total.ads", count), "1.234 Anzeigen")
    assert.strictEqual(Locale.of("de-AT").text("search.total.ads", count), "1\u00a0234 Anzeigen")
    assert.strictEqual(Locale.of("fr").text("search.total.ads", { count: 0 }), "0 publicité")
    assert.strictEqual(Locale.of("en").textOr("filter.hints.constructor", "none"), "none")
  })

  it("escapes what HTML is formatted from, except HTML", () => {
    const english = Locale.of("en")
    assert.strictEqual(String(english.html("key.created", { name: "<b>&" })), "The key &lt;b&gt;&amp; is created.")
    assert.strictEqual(String(english.html("key.created", { name: html`<b>a</b>` })), "The key <b>a</b> is created.")
    assert.include(String(english.html("store.done.tracked")), "<code>get_product</code>")
    const other = (content: Value) => html`<a href="/">${content}</a>`
    assert.include(
      String(english.html("store.done.full", { most: 1000, other })),
      '<a href="/">Stop tracking another one</a>'
    )
  })
})

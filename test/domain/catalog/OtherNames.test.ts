/** D26: what people write for a value of a closed vocabulary leads to that value, before what is only spelled alike. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { argumentDecoder } from "../../../src/domain/ArgumentDecoder.ts"
import { languages } from "../../../src/domain/catalog/Enumerations.ts"
import type { Language } from "../../../src/domain/catalog/Enumerations.ts"
import { languageOf } from "../../../src/domain/catalog/OtherNames.ts"
import { AdQuery } from "../../../src/domain/search/AdQuery.ts"
import { ProductQuery } from "../../../src/domain/search/ProductQuery.ts"

/** Names of the language in itself, its codes of ISO 639-1 and 639-2, and its names in German, French and Spanish. */
const written: Readonly<Record<Language, ReadonlyArray<string>>> = {
  English: ["en", "eng", "en-US", "Englisch", "anglais", "inglés"],
  French: ["Français", "francais", "fr", "fre", "fra", "fr-CA", "Französisch", "francés"],
  Spanish: ["Español", "castellano", "es", "spa", "es-MX", "Spanisch", "espagnol"],
  German: ["Deutsch", "DEUTSCH", " deutsch ", "de", "ger", "deu", "de-AT", "de_CH", "allemand", "alemán"],
  Italian: ["Italiano", "it", "ita", "Italienisch", "italien"],
  Portuguese: ["Português", "Português (Brasil)", "pt", "por", "pt-BR", "Portugiesisch", "portugais", "portugués"],
  Dutch: ["Nederlands", "nl", "dut", "nld", "Niederländisch", "néerlandais", "neerlandés", "Flemish"],
  Polish: ["Polski", "pl", "pol", "Polnisch", "polonais", "polaco"],
  Norwegian: ["Norsk", "no", "nor", "nb", "nn", "nob", "Bokmål", "Norwegisch", "norvégien", "noruego"],
  Swedish: ["Svenska", "sv", "swe", "Schwedisch", "suédois", "sueco"],
  Danish: ["Dansk", "da", "dan", "Dänisch", "danois", "danés"],
  Finnish: ["Suomi", "fi", "fin", "Finnisch", "finnois", "finés"],
  Chinese: ["中文", "汉语", "简体中文", "Mandarin", "zh", "chi", "zho", "zh-Hans-CN", "Chinesisch", "chinois", "chino"],
  Japanese: ["日本語", "ja", "jpn", "jp", "Japanisch", "japonais", "japonés"],
  Korean: ["한국어", "ko", "kor", "Koreanisch", "coréen", "coreano"],
  Arabic: ["العربية", "ar", "ara", "Arabisch", "arabe", "árabe"],
  Russian: ["Русский", "ru", "rus", "Russisch", "russe", "ruso"],
  Turkish: ["Türkçe", "tr", "tur", "Türkisch", "turc", "turco"],
  Hindi: ["हिन्दी", "hi", "hin"],
  Thai: ["ไทย", "th", "tha", "Thailändisch", "thaï", "tailandés"],
  Vietnamese: ["Tiếng Việt", "vi", "vie", "Vietnamesisch", "vietnamien", "vietnamita"],
  Indonesian: ["Bahasa Indonesia", "id", "ind", "Indonesisch", "indonésien", "indonesio"],
  Greek: ["Ελληνικά", "el", "gre", "ell", "Griechisch", "grec", "griego"],
  Czech: ["Čeština", "cs", "cze", "ces", "Tschechisch", "tchèque", "checo"],
  Hungarian: ["Magyar", "hu", "hun", "Ungarisch", "hongrois", "húngaro"],
  Romanian: ["Română", "ro", "rum", "ron", "Rumänisch", "roumain", "rumano"]
}

const decode = argumentDecoder(AdQuery)

/** What is suggested for the only issue of these arguments. */
const suggested = (args: Readonly<Record<string, unknown>>) => {
  const { result } = decode(args)
  const [issue, ...others] = Result.isFailure(result) ? result.failure : assert.fail("nothing is wrong")
  assert.deepStrictEqual(others, [])
  return issue?.params["suggestion"]
}

describe("other names", () => {
  it.each(languages.map((language) => [language] as const))("lead to %s", (language) => {
    for (const text of written[language]) {
      assert.strictEqual(suggested({ languages: [text] }), language, text)
    }
  })

  it.each<readonly [argument: string, text: string, value: string | undefined]>([
    ["languages", "Klingon", undefined],
    ["languages", "German and French", undefined],
    ["languages", "Frensh", "French"],
    ["pixels", "Meta", "Facebook"],
    ["pixels", "Facebook Pixel", "Facebook"],
    ["pixels", "X", "Twitter"],
    ["pixels", "GA4", "Google"],
    ["pixels", "Pintrest", "Pinterest"],
    ["social_networks", "IG", "Instagram"],
    ["social_networks", "YT", "YouTube"],
    ["media_types", "photo", "image"],
    ["media_types", "dynamic product ads", "dpa"],
    ["countries", "USA", "US"],
    ["countries", "Germany", "DE"],
    ["countries", "UK", "GB"],
    ["countries", "Vereinigtes Königreich", "GB"],
    ["countries", "Pays-Bas", "NL"],
    ["countries", "Suiza", "CH"],
    ["countries", "The Netherlands", "NL"],
    ["countries", "Korea, Republic of", "KR"],
    ["currencies", "US Dollars", "USD"],
    ["currencies", "pounds sterling", "GBP"],
    ["currencies", "złoty", "PLN"],
    ["currencies", "Schweizer Franken", "CHF"],
    ["countries", "Hong Kong SAR", "HK"],
    ["currencies", "kronor", undefined]
  ])("%s: %s means %s", (argument, text, value) => {
    assert.strictEqual(suggested({ [argument]: [text] }), value)
  })

  it.each([
    ["status", "running", "active"],
    ["status", "stopped", "inactive"],
    ["sort_order", "descending", "desc"],
    ["sort_order", "ascending", "asc"]
  ])("%s: %s means %s", (argument, text, value) => {
    assert.strictEqual(suggested({ [argument]: text }), value)
  })

  it.each([
    ["keywords", "query"],
    ["limit", "per_page"],
    ["orderBy", "sort_by"],
    ["category", "niches"],
    ["region", "countries"],
    ["price", "avg_price"],
    ["media_type", "media_types"]
  ])("the name %s of an argument means %s", (name, argument) => {
    assert.strictEqual(suggested({ [name]: 1 }), argument)
  })

  it("of arguments are suggested only where a tool has the argument", () => {
    const { result } = argumentDecoder(ProductQuery)({ started: 1, price: { min: 1 } })
    const [issue, ...others] = Result.isFailure(result) ? result.failure : assert.fail("nothing is wrong")
    assert.deepStrictEqual(others, [])
    assert.strictEqual(issue?.path, "started")
    assert.isUndefined(issue?.params["suggestion"])
  })

  it("are not looked for in long texts", () => {
    assert.isUndefined(languageOf(`Deutsch${" ".repeat(60)}`))
    assert.isUndefined(languageOf("not a tag at all!"))
  })
})

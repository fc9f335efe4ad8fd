/** The pages' texts speak to people as one voice: formally, and with the marks of their language. */
import { assert, describe, it } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"

const files = globSync("src/http/pages/**/*.ts")

/** What a file says in a language: the part of it that begins with the language's name. */
const said = (language: string) =>
  files.flatMap((file) =>
    Array.from(
      readFileSync(file, "utf8").matchAll(new RegExp(`^const ${language}\\b[^=]*= \\{$(.*?)^\\}$`, "gmsu")),
      ([, text = ""]) => [file, text] as const
    )
  )

const rules = [
  { language: "de", never: /\b(?:du|dich|dir|deine?[mnrs]?)\b/giu, what: "du" },
  { language: "fr", never: /(?<!\p{L})(?:tu|toi|ton|tes)(?!\p{L})/giu, what: "tu" },
  { language: "fr", never: /\p{L}'\p{L}/gu, what: "a straight apostrophe" },
  {
    language: "es",
    never: /(?<!\p{L})(?:tú|tus?|ti|contigo|tuy[oa]s?|tienes|eres|puedes|sigues|quisiste|escribe|añade)(?!\p{L})/giu,
    what: "tú"
  }
] as const

describe("texts of pages", () => {
  it.each(rules)("in $language have no $what", ({ language, never }) => {
    const texts = said(language)
    assert.isAtLeast(texts.length, 15)
    for (const [file, text] of texts) assert.deepStrictEqual(text.match(never) ?? [], [], file)
  })
})

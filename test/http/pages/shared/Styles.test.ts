/** The style sheets of all folders of pages are one sheet in the browser: no rule may match elements of another folder. */
import { assert, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"

const pages = new URL("../../../../src/http/pages/", import.meta.url)
const styles = new URL("shared/styles/", pages)

const classesOf = (sheet: string): ReadonlySet<string> => {
  const rules = fs
    .readFileSync(new URL(sheet, styles), "utf8")
    .replaceAll(/\/\*[\s\S]*?\*\/|url\([^)]*\)/gu, "")
    .matchAll(/([^{}]+)\{/gu)
  return new Set(
    Array.from(rules).flatMap(([, selector = ""]) =>
      Array.from(selector.matchAll(/\.([a-z][a-z-]*)/gu), ([, name = ""]) => name)
    )
  )
}

const sheets = fs.readdirSync(styles).map((name) => ({ name, classes: classesOf(name) }))
const shared = classesOf("base.css")

const code = fs
  .readdirSync(pages, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts"))
  .map((name) => fs.readFileSync(path.join(pages.pathname, name), "utf8"))
  .join("\n")

describe("style sheets", () => {
  it("a class is in the base, or in one sheet alone", () => {
    const places = new Map<string, Array<string>>()
    for (const { classes, name } of sheets) {
      for (const each of classes) if (!shared.has(each)) places.set(each, [...(places.get(each) ?? []), name])
    }
    assert.deepStrictEqual(
      Array.from(places).filter(([, names]) => names.length > 1),
      []
    )
  })

  it.each(sheets)("every class of $name is on some page", ({ classes }) => {
    assert.isAbove(classes.size, 0)
    assert.deepStrictEqual(
      Array.from(classes).filter((name) => !new RegExp(`["\\s]${name}["\\s$]`, "u").test(code)),
      []
    )
  })
})

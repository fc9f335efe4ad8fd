/** Tests that a document or a table names. */
import * as fs from "node:fs"

export interface NamedTest {
  /** From the root of the project. */
  readonly file: string
  readonly title: string
}

const project = new URL("../..", import.meta.url)

/** The titles of all tests in a file. */
const titlesOf = (file: string): ReadonlySet<string> =>
  new Set(
    Array.from(
      fs
        .readFileSync(new URL(file, project), "utf8")
        .matchAll(/(?:\b(?:describe|it)(?:\.\w+)*|\)|\}|>)\(\s*(?:"((?:[^"\\\n]|\\.)*)"|`([^`]*)`)/g),
      ([, plain, template]) => (plain ?? template ?? "").replaceAll('\\"', '"')
    )
  )

/** Those that do not exist. */
export const missing = (tests: ReadonlyArray<NamedTest>): ReadonlyArray<string> =>
  tests.filter(({ file, title }) => !titlesOf(file).has(title)).map(({ file, title }) => `${file}: ${title}`)

/** The rules of docs/spec, and which files cite them. */
import * as fs from "node:fs"

const project = new URL("../../", import.meta.url)

export const read = (file: string) => fs.readFileSync(new URL(file, project), "utf8")

export const filesOf = (folder: string): ReadonlyArray<string> =>
  fs
    .readdirSync(new URL(folder, project), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(?:ts|js|md)$/u.test(name) && !name.includes("node_modules"))
    .map((name) => `${folder}/${name.replaceAll("\\", "/")}`)

/** Each document of rules, with the letter of its numbers. */
export const documents = { service: "S", protocol: "P", oauth: "R", decisions: "D" } as const

/** The numbers that a document defines, in its order. */
export const defined = (document: string): ReadonlyArray<string> =>
  Array.from(
    read(`docs/spec/${document}.md`).matchAll(/^(?:- |\| )\*\*([SPRD]\d{1,3})\*\* /gmu),
    ([, rule = ""]) => rule
  )

/** Not numbers of rules: challenge methods of PKCE, one of them invented. */
const others = new Set(["S256", "S512"])

/** The numbers that a text names, those between the ends of a range (`R10 to R12`) as well. */
export const cited = (text: string): ReadonlySet<string> => {
  const found = new Set(Array.from(text.matchAll(/\b[SPRD]\d{1,3}\b/gu), ([rule]) => rule))
  for (const [, letter = "", first, last] of text.matchAll(/\b([SPRD])(\d{1,3}) to \1(\d{1,3})\b/gu)) {
    for (let number = Number(first); number <= Number(last); number++) found.add(`${letter}${number}`)
  }
  return new Set(Array.from(found).filter((rule) => !others.has(rule)))
}

/** Comments alone: a type parameter may be called as a rule is. */
const comments = (text: string): string => (text.match(/\/\*[^]*?\*\/|\/\/.*/gu) ?? []).join("\n")

/** For each rule, the files that cite it: modules that decide it, in a comment, or tests and the oracle, which hold it. */
export const citations = (by: "modules" | "tests") => {
  const citing =
    by === "modules"
      ? ["src", "demo"].flatMap(filesOf).map((file) => ({ file, rules: cited(comments(read(file))) }))
      : filesOf("test")
          .filter((file) => /^test\/oracle\/|\.test\.ts$/u.test(file))
          .map((file) => ({ file, rules: cited(read(file)) }))
  return Map.groupBy(
    citing.flatMap(({ file, rules }) => Array.from(rules, (rule) => ({ file, rule }))),
    ({ rule }) => rule
  )
}

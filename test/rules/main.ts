/** `npm run texts`: prints what the rules of {@link Texts} find, and fails if there is anything. */
import * as fs from "node:fs"
import { citationsIn, isReExport, rejectedWords, wordsIn } from "./Texts.ts"

const folders = ["src", "demo", "test", "bench", "docs", "migrations", "locales", "ops", ".github", ".ci"]
const files = [
  ...folders.flatMap((folder) =>
    fs.readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => `${folder}/${name}`)
  ),
  ...fs.readdirSync(".")
].filter(
  (path) =>
    /\.(?:ts|js|css|md|yml|yaml)$|^\.ci\/|^ops\/deploy\/|^(?:server|locales\/en)\.json$/u.test(path) &&
    !path.startsWith("test/rules/") &&
    !path.includes("node_modules") &&
    // Of others.
    !path.startsWith("src/http/pages/shared/pico/")
)

/** What was said of earlier releases. */
const isExempt = (path: string) => path === "CHANGELOG.md"

const words = rejectedWords(fs.readFileSync("test/rules/rejected-words.md", "utf8"))
const found = files
  .map((path) => ({ path, text: fs.readFileSync(path, "utf8") }))
  .flatMap((file) => [
    ...(isExempt(file.path) ? [] : wordsIn(file, words)),
    ...citationsIn(file, fs.existsSync),
    ...(file.path.startsWith("src/") && isReExport(file.text) ? [`${file.path}: only exports what others export`] : [])
  ])

for (const line of found) console.log(line)
process.exitCode = found.length === 0 ? 0 : 1

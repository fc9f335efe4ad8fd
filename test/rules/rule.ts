/** `npm run -s rule R25`: prints the modules that decide a rule of docs/spec, and the tests that hold it. */
import { citations } from "./Citations.ts"

const rules = process.argv.slice(2)
const citing = [citations("modules"), citations("tests")]
const unknown = rules.filter((rule) => !citing.some((citations) => citations.has(rule)))

const found = rules.flatMap((rule) => citing.flatMap((citations) => citations.get(rule) ?? []))

for (const { file } of found) console.log(file)
if (rules.length === 0 || unknown.length > 0) {
  console.error(rules.length === 0 ? "Name a rule, such as R25." : `No rule has the number ${unknown.join(", ")}.`)
  process.exitCode = 1
}

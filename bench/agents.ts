/**
 * `npm run bench:agents`: questions of market researchers over the demo data of today (bench/agents/Questions.ts). Prints a line for each:
 * its id, and what is asked. `-- --grade answers.json` reads an object of answers by id, and prints which are right.
 */
import * as fs from "node:fs"
import { Schema } from "effect"
import * as DemoCatalog from "./agents/DemoCatalog.ts"
import { isSolved, questions } from "./agents/Questions.ts"

const asOf = new Date().toISOString().slice(0, 10)
const all = questions(DemoCatalog.make({ size: "demo", seed: "discovery", asOf }))
const [option, file, ...others] = process.argv.slice(2)

if (option === undefined) {
  for (const { id, text } of all) process.stdout.write(`${id}\t${text}\n`)
} else if (option !== "--grade" || file === undefined || others.length > 0) {
  process.stderr.write("Usage: npm run bench:agents [-- --grade answers.json]\n")
  process.exitCode = 1
} else {
  const Answers = Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown))
  const answers = Schema.decodeUnknownSync(Answers)(fs.readFileSync(file, "utf8"))
  const unknown = Object.keys(answers).filter((id) => all.every((question) => question.id !== id))
  if (unknown.length > 0) process.stdout.write(`No question has these ids: ${unknown.join(", ")}\n`)
  const solved = all.filter((question) => isSolved(question, answers[question.id]))
  for (const question of all) {
    if (!solved.includes(question)) process.stdout.write(`wrong\t${question.id}\t${JSON.stringify(question.answer)}\n`)
  }
  process.stdout.write(`${solved.length} of ${all.length} solved\n`)
}

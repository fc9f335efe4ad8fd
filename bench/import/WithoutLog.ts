/** A copy of the program whose imports do not write the log of changes (D110), nor where histories start (D112). */
import { Effect } from "effect"
import type { Scope } from "effect"
import * as fs from "node:fs/promises"
import * as path from "node:path"

const root = path.resolve(import.meta.dirname, "../..")

/** What is put in place of a text that a file has once. */
const replacements = [
  {
    file: "src/services/import/BulkUpsert.ts",
    text: "export const upsert = <Row>(table: Table<Row>): Upsert<Row> => {",
    by: "export const upsert = <Row>({ kept: _, ...table }: Table<Row>): Upsert<Row> => {"
  },
  {
    file: "src/services/import/ChangeLog.ts",
    text: "  const isKept = sql`${run?.keepsChanges ?? false}::bool`",
    by: "  return sql`logged AS (SELECT)`\n  const isKept = sql`false`"
  }
]

/** Gives its `main.ts`; it goes with the scope. `folder` is one within this checkout, by whose packages it runs. */
export const program = (folder: string): Effect.Effect<string, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const copy = await fs.mkdtemp(path.join(folder, "without-log-"))
      for (const name of ["src", "demo", "migrations", "locales", "docs", "package.json", "server.json"]) {
        await fs.cp(path.join(root, name), path.join(copy, name), { recursive: true })
      }
      for (const { by, file, text } of replacements) {
        const before = await fs.readFile(path.join(copy, file), "utf8")
        if (before.split(text).length !== 2) throw new Error(`${file} has not once: ${text}`)
        await fs.writeFile(
          path.join(copy, file),
          before.replace(text, () => by)
        )
      }
      return path.join(copy, "src/main.ts")
    }),
    (main) => Effect.promise(() => fs.rm(path.dirname(path.dirname(main)), { recursive: true, force: true }))
  )

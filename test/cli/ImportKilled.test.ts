import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, layer } from "@effect/vitest"
import { Clock, Effect, FileSystem, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { Prng } from "../../demo/Prng.ts"
import * as ServerProcess from "../support/ServerProcess.ts"
import { TestDatabase } from "../support/TestDatabase.ts"

const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url))
const kills = 3

const numbers = (count: number) => Array.from({ length: count }, (_, at) => at)
const product = (id: number, price: number) => ({
  id,
  title: `P${id}`,
  handle: `p-${id}`,
  variants: [{ price: `${price}.00` }]
})
const ad = (id: number, link: string) => ({
  ad_archive_id: `${id}`,
  page_id: "9",
  page_name: "Page",
  is_active: true,
  start_date: 1_772_323_200,
  snapshot: { title: `Ad ${id}`, display_format: "IMAGE", link_url: link }
})

/** What was there before, and what comes then: more than one transaction holds, with what is gone, and ads that find their stores. */
const before = {
  "oakline.com.json": JSON.stringify({ products: numbers(45).map((id) => product(id, 5)) }),
  "ads.json": JSON.stringify({ data: [ad(1, "https://late.example.com/"), ad(2, "https://oakline.com/")] })
}
const stores = numbers(9_000).map((at) => `store-${at}.example.com`)
const next = {
  "ads.json": JSON.stringify({ data: [ad(2, "https://oakline.com/p"), ad(3, "https://store-7.example.com/")] }),
  "oakline.com.json": JSON.stringify({ products: numbers(40).map((id) => product(id + 10, 6)) }),
  "stores.csv": `domain,name,country_code,estimated_monthly_visits\n${["late.example.com", ...stores].map((domain) => `${domain},S,US,7\n`).join("")}`,
  "visits.csv": `domain,2026-01,2026-02,2026-03,2026-04\n${stores.map((domain) => `${domain},1,2,3,4\n`).join("")}`
}

/** Without what differs between two databases: ids, versions, and which import it was. */
const contents = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const own = sql.literal(
    `'{id,shop_id,version,items_version,figures_version,import_id,source_ids,first_seen}'::text[]`
  )
  const rows = yield* sql`
    SELECT 'shop' AS type, s.domain, to_jsonb(s) - ${own} AS row FROM shop s
    UNION ALL SELECT 'product', s.domain, to_jsonb(p) - ${own} FROM product p JOIN shop s ON s.id = p.shop_id
    UNION ALL SELECT 'ad', s.domain, to_jsonb(a) - ${own} FROM ad a LEFT JOIN shop s ON s.id = a.shop_id
    UNION ALL SELECT 'month', s.domain, to_jsonb(t) - ${own} FROM traffic_month t JOIN shop s ON s.id = t.shop_id`
  return rows.map((row) => JSON.stringify(row)).toSorted()
})

layer(NodeServices.layer, { excludeTestServices: true })("an import that is killed", (it) => {
  it.effect(
    "at any moment, again and again, ends at the same catalog once it runs to its end",
    () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const folders = yield* Effect.forEach([before, next], (files) =>
          Effect.gen(function* () {
            const folder = yield* fs.makeTempDirectoryScoped()
            for (const [name, content] of Object.entries(files)) yield* fs.writeFileString(`${folder}/${name}`, content)
            return folder
          })
        )
        const [old = "", fresh = ""] = folders
        const line = (folder: string, day: string) => [
          "import",
          folder,
          "--country",
          "DE",
          "--source",
          "s",
          "--as-of",
          day
        ]

        const finish = Effect.fnUntraced(function* (folder: string, day: string) {
          const { connection } = yield* TestDatabase
          const { code, err, out } = yield* ServerProcess.command(
            { DATABASE_URL: ServerProcess.urlOf(connection) },
            ...line(folder, day)
          ).pipe(
            // PostgreSQL notices a moment later that the process that had the lock is gone.
            Effect.filterOrFail(({ err, out }) => !`${err}${out}`.includes("Another import is running")),
            Effect.retry(Schedule.spaced("100 millis")),
            Effect.orDie
          )
          assert.strictEqual(code, 0, `${out}${err}`)
        })

        const killAfter = Effect.fnUntraced(function* (millis: number) {
          const { connection } = yield* TestDatabase
          const child = spawn(process.execPath, [main, ...line(fresh, "2026-06-30")], {
            env: { ...process.env, DATABASE_URL: ServerProcess.urlOf(connection) },
            stdio: "ignore"
          })
          const exited = new Promise<NodeJS.Signals | null>((resolve) =>
            child.on("exit", (_, signal) => resolve(signal))
          )
          yield* Effect.sleep(millis)
          child.kill("SIGKILL")
          return yield* Effect.promise(() => exited)
        })

        const [expected, millis] = yield* Effect.gen(function* () {
          yield* finish(old, "2026-06-01")
          const start = yield* Clock.currentTimeMillis
          yield* finish(fresh, "2026-06-30")
          return [yield* contents, (yield* Clock.currentTimeMillis) - start] as const
        }).pipe(Effect.provide(TestDatabase.layer, { local: true }))

        yield* Effect.gen(function* () {
          yield* finish(old, "2026-06-01")
          const moments = new Prng("import", "killed")
          const ends: Array<NodeJS.Signals | null> = []
          for (const _ of numbers(kills)) ends.push(yield* killAfter(millis * (0.35 + 0.6 * moments.unit())))
          assert.include(ends, "SIGKILL")
          yield* finish(fresh, "2026-06-30")
          assert.deepStrictEqual(yield* contents, expected)
        }).pipe(Effect.provide(TestDatabase.layer, { local: true }))
      }).pipe(Effect.scoped),
    300_000
  )
})

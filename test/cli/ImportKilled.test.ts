import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, layer } from "@effect/vitest"
import { Clock, Effect, FileSystem, Layer, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { Prng } from "../../demo/Prng.ts"
import { Importer, lockId } from "../../src/services/import/Importer.ts"
import { nobody, run } from "../support/FileImports.ts"
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
  "ads.json": JSON.stringify({ data: [ad(1, "https://late.example.com/"), ad(2, "https://oakline.com/")] }),
  "oakline.com.json": JSON.stringify({ products: numbers(45).map((id) => product(id, 5)) })
}
const stores = numbers(3_000).map((at) => `store-${at}.example.com`)
const months = numbers(16).map((at) => `${2024 + Math.floor(at / 12)}-${String((at % 12) + 1).padStart(2, "0")}`)
const next = {
  "ads.json": JSON.stringify({ data: [ad(2, "https://oakline.com/p"), ad(3, "https://store-7.example.com/")] }),
  "oakline.com.json": JSON.stringify({ products: numbers(40).map((id) => product(id + 10, 6)) }),
  "stores.csv": `domain,name,country_code,estimated_monthly_visits\n${["late.example.com", ...stores].map((domain) => `${domain},S,US,7\n`).join("")}`,
  "visits.csv": `domain,${months.join(",")}\n${stores.map((domain) => `${domain},${numbers(16).join(",")}\n`).join("")}`
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

/** Whether an import has begun, and is not known to have ended: PostgreSQL notices a moment later that a process is gone. */
const isRunning = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const locks = yield* sql`
    SELECT FROM pg_locks l JOIN pg_database d ON d.oid = l.database
    WHERE d.datname = current_database() AND l.locktype = 'advisory' AND l.objid = ${lockId}`
  return locks.length > 0
})

const until = <E, R>(isSo: Effect.Effect<boolean, E, R>) =>
  Effect.repeat(isSo, { schedule: Schedule.spaced("10 millis"), until: (is) => is })

const store = { ...nobody, country: "DE" }
const onFreshDatabase = Effect.provide(Importer.layer.pipe(Layer.provideMerge(TestDatabase.layer)), { local: true })

layer(NodeServices.layer, { excludeTestServices: true })("an import that is killed", (it) => {
  it.effect(
    "at any moment, again and again, ends at the same catalog once it runs to its end",
    () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const folder = yield* fs.makeTempDirectoryScoped()
        for (const [name, content] of Object.entries(next)) yield* fs.writeFileString(`${folder}/${name}`, content)
        const line = ["import", folder, "--country", "DE", "--source", "s", "--as-of", "2026-06-30"]
        const prepare = run(before, { store, source: "s", asOf: "2026-06-01" })

        const [expected, millis] = yield* onFreshDatabase(
          Effect.gen(function* () {
            yield* prepare
            const start = yield* Clock.currentTimeMillis
            yield* run(next, { store, source: "s" })
            return [yield* contents, (yield* Clock.currentTimeMillis) - start] as const
          })
        )

        /** `millis`: since the import has begun. */
        const killAfter = Effect.fnUntraced(function* (millis: number) {
          const { connection } = yield* TestDatabase
          yield* until(Effect.map(isRunning, (is) => !is))
          const child = spawn(process.execPath, [main, ...line], {
            env: ServerProcess.environment({ DATABASE_URL: ServerProcess.urlOf(connection) }),
            stdio: "ignore"
          })
          const exited = new Promise<NodeJS.Signals | null>((resolve) =>
            child.on("exit", (_, signal) => resolve(signal))
          )
          yield* until(Effect.map(isRunning, (is) => is || child.exitCode !== null))
          yield* Effect.sleep(millis)
          child.kill("SIGKILL")
          return yield* Effect.promise(() => exited)
        })

        yield* onFreshDatabase(
          Effect.gen(function* () {
            yield* prepare
            const moments = new Prng("import", "killed")
            const ends: Array<NodeJS.Signals | null> = []
            for (const at of numbers(kills)) ends.push(yield* killAfter((millis * (at + moments.unit())) / (kills + 1)))
            // The later ones find much that is there, and may end before.
            assert.include(ends, "SIGKILL")
            yield* until(Effect.map(isRunning, (is) => !is))
            yield* run(next, { store, source: "s" })
            assert.deepStrictEqual(yield* contents, expected)
          })
        )
      }).pipe(Effect.scoped),
    300_000
  )
})

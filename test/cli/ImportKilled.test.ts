import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, layer } from "@effect/vitest"
import { Clock, Effect, FileSystem, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Prng } from "../../demo/Prng.ts"
import { Importer } from "../../src/services/import/Importer.ts"
import { nobody, run } from "../support/FileImports.ts"
import { isOver, killed, until } from "../support/ImportProcess.ts"
import { TestDatabase } from "../support/TestDatabase.ts"

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
        const args = [folder, "--country", "DE", "--source", "s", "--as-of", "2026-06-30"]
        const prepare = run(before, { store, source: "s", asOf: "2026-06-01" })

        const [expected, millis] = yield* onFreshDatabase(
          Effect.gen(function* () {
            yield* prepare
            const start = yield* Clock.currentTimeMillis
            yield* run(next, { store, source: "s" })
            return [yield* contents, (yield* Clock.currentTimeMillis) - start] as const
          })
        )

        yield* onFreshDatabase(
          Effect.gen(function* () {
            yield* prepare
            const moments = new Prng("import", "killed")
            const ends: Array<NodeJS.Signals | null> = []
            for (const at of numbers(kills)) {
              ends.push(yield* killed(args, () => Effect.sleep((millis * (at + moments.unit())) / (kills + 1))))
            }
            // The later ones find much that is there, and may end before.
            assert.include(ends, "SIGKILL")
            yield* until(isOver)
            yield* run(next, { store, source: "s" })
            assert.deepStrictEqual(yield* contents, expected)
          })
        )
      }).pipe(Effect.scoped),
    300_000
  )
})

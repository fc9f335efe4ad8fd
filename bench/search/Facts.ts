/** What a page says of the data and the machine that were measured. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as os from "node:os"
import type { Results } from "./Results.ts"
import { settings } from "./ScaleDatabase.ts"

export const read = (shops: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const names = settings.map((setting) => setting.split("=")[0] ?? "")
    const [row] = yield* sql<{ products: number; ads: number; version: string; settings: Record<string, string> }>`
      SELECT (SELECT count(*)::int FROM product) AS products, (SELECT count(*)::int FROM ad) AS ads, current_setting('server_version') AS version,
        (SELECT json_object_agg(name, current_setting(name) ORDER BY name) FROM pg_settings
         WHERE name = ANY(${names}::text[]) OR name IN ('work_mem', 'random_page_cost', 'jit', 'max_parallel_workers_per_gather'))
          AS settings`
    const facts: Pick<Results, "shops" | "products" | "ads" | "machine"> = {
      shops,
      products: row?.products ?? 0,
      ads: row?.ads ?? 0,
      machine: {
        cores: os.availableParallelism(),
        node: process.version,
        postgres: row?.version ?? "",
        settings: row?.settings ?? {}
      }
    }
    return facts
  })

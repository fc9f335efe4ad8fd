import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as CatalogDigest from "../../bench/faults/CatalogDigest.ts"
import { TestDatabase } from "../support/TestDatabase.ts"

/** One row of each table. */
const rows = [
  "INSERT INTO niche (id, name) VALUES (1, 'Shoes'), (2, 'Hats')",
  "INSERT INTO category (name, niche_id) VALUES ('sandals', 1)",
  "INSERT INTO source (name) VALUES ('one'), ('two')",
  `INSERT INTO shop (domain, domain_extension, name, country, niche_id, source_ids)
    SELECT 'a.com', 'com', 'A', 'DE', 1, array_agg(id) FROM source WHERE name = 'one'`,
  "INSERT INTO shop (domain, domain_extension, name, country) VALUES ('b.com', 'com', 'B', 'DE')",
  "INSERT INTO traffic_month (shop_id, month, visits) SELECT id, '2026-01-01', 5 FROM shop WHERE domain = 'a.com'",
  `INSERT INTO product (shop_id, key, title, price, details)
    SELECT id, 'p', 'Sandal', 1.1, '{"sizes": [1, 2]}' FROM shop WHERE domain = 'a.com'`,
  `INSERT INTO ad (shop_id, key, page_name, is_active, media_type, started_on, last_seen_on)
    SELECT id, 'ad', 'A', true, 'image', '2026-01-01', '2026-01-02' FROM shop WHERE domain = 'a.com'`,
  "INSERT INTO page_store (page_id, shop_id) SELECT 'page', id FROM shop WHERE domain = 'a.com'"
]

const others = "(SELECT id FROM shop WHERE domain = 'b.com')"
/** Each changes one table. */
const changes = [
  ["niche", "UPDATE niche SET taxonomy_key = 'x' WHERE id = 2"],
  ["category", "UPDATE category SET niche_id = 2"],
  ["shop", "UPDATE shop SET languages = '{de}' WHERE domain = 'a.com'"],
  ["shop", "UPDATE shop SET niche_id = 2 WHERE domain = 'a.com'"],
  ["shop", "UPDATE shop SET source_ids = (SELECT array_agg(id) FROM source) WHERE domain = 'a.com'"],
  ["traffic_month", "UPDATE traffic_month SET visits = 6"],
  ["traffic_month", `UPDATE traffic_month SET shop_id = ${others}`],
  ["product", "UPDATE product SET price = 1.1000000000000003"],
  ["product", `UPDATE product SET details = '{"sizes": [2, 1]}'`],
  ["product", "UPDATE product SET created_at = '2026-01-01'"],
  ["product", `UPDATE product SET shop_id = ${others}`],
  ["ad", "UPDATE ad SET seen_on = '2026-01-02'"],
  ["ad", "UPDATE ad SET shop_id = NULL"],
  ["page_store", `UPDATE page_store SET shop_id = ${others}`],
  ["product", "DELETE FROM product"]
] as const

/** What the database assigns. */
const without = [
  "UPDATE shop SET version = version + 1",
  "UPDATE product SET version = version + 1, first_seen = '2000-01-01'",
  "UPDATE product SET id = id + 1000",
  "UPDATE ad SET version = version + 1, first_seen = '2000-01-01', id = id + 1000"
]

layer(TestDatabase.layer, { excludeTestServices: true })("the digest of a catalog", (it) => {
  it.effect("differs by every value that imports write, in its table alone", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      for (const statement of rows) yield* sql.unsafe(statement)
      let before = yield* CatalogDigest.read
      for (const statement of without) {
        yield* sql.unsafe(statement)
        assert.deepStrictEqual(CatalogDigest.differences(yield* CatalogDigest.read, before), [], statement)
      }
      for (const [table, statement] of changes) {
        yield* sql.unsafe(statement)
        const after = yield* CatalogDigest.read
        const found = CatalogDigest.differences(after, before)
        assert.deepStrictEqual(
          found.map((line) => line.split(" ", 1)[0]),
          [table],
          statement
        )
        before = after
      }
      assert.deepStrictEqual(before.get("product")?.rows, 0)
    })
  )
})

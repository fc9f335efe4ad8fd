/**
 * What imports have written to the catalog, in a form that is the same in every database: all columns of all its tables, with
 * domains and names of sources in place of ids that the database assigns, and without its versions and times.
 */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { rowOf } from "../../src/services/database/Rows.ts"

/** Of one table. */
interface TableDigest {
  readonly rows: number
  readonly digest: string
}

export type CatalogDigest = ReadonlyMap<string, TableDigest>

const decodeTable = rowOf(Schema.Struct({ rows: Schema.Int, digest: Schema.String }))

const ofSource = ["id", "import_id", "version"]

/** Each with the columns that are left out. Ids of niches are those of the file. */
const tables = [
  { name: "niche", without: [] },
  { name: "category", without: [] },
  { name: "shop", without: ofSource },
  { name: "traffic_month", without: [] },
  { name: "product", without: [...ofSource, "first_seen"] },
  { name: "ad", without: [...ofSource, "first_seen"] },
  { name: "page_store", without: [] }
]

/** Where a table has no such column, the name has no value. */
const names = `
  (SELECT s.domain FROM shop s WHERE s.id = (row_of ->> 'shop_id')::integer) AS domain,
  (SELECT jsonb_agg(s.name ORDER BY s.name) FROM source s WHERE row_of -> 'source_ids' @> to_jsonb(s.id)) AS sources`

export const read = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const found = new Map<string, TableDigest>()
  for (const { name, without } of tables) {
    const left = ["shop_id", "source_ids", ...without]
    const digest = yield* decodeTable(sql`
      SELECT count(*)::integer AS rows, md5(coalesce(string_agg(line, '' ORDER BY line), '')) AS digest
      FROM (
        SELECT md5(jsonb_build_array(row_of - ${left}::text[], domain, sources)::text) AS line
        FROM (SELECT to_jsonb(t) AS row_of FROM ${sql(name)} t) AS stored,
          LATERAL (SELECT ${sql.literal(names)}) AS named
      ) AS lines`)
    found.set(name, digest)
  }
  const digests: CatalogDigest = found
  return digests
})

/** The tables that differ, in words. */
export const differences = (found: CatalogDigest, expected: CatalogDigest): ReadonlyArray<string> =>
  Array.from(expected).flatMap(([name, { digest, rows }]) => {
    const other = found.get(name)
    if (other?.digest === digest) return []
    return [
      other?.rows === rows
        ? `${name} has other values in its ${rows} rows`
        : `${name} has ${other?.rows} rows of ${rows}`
    ]
  })

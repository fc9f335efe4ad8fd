/**
 * The tables of the catalog in ClickHouse, as text: on one node, or on all of a cluster.
 *
 * Each row holds from one version of the catalog until another one, so that a query of a version sees whole transactions. The items of a
 * generation are tables of their own: a rebuild fills those of the next one, and takes the place of the one before by one row of
 * `catalog_state`.
 *
 * On a cluster a table `<name>` is spread over the shards by store, so that a store and its items are on one; `<name>_local` has the
 * rows of a shard.
 */
import { storeNumbers } from "../../../domain/search/CatalogQuery.ts"
import type { StoreNumber } from "../../../domain/search/CatalogQuery.ts"
import { createHash } from "node:crypto"

export const kinds = ["store", "product", "ad"] as const
export type Kind = (typeof kinds)[number]

/** The end of a row that still holds. */
export const forever = 4_294_967_295

const versions = { from_version: "UInt32", until_version: "UInt32" } as const

/**
 * Every prefix of each word of a document, and the whole word with the mark of SearchText.ts. Searches read its index alone, so the
 * column is for merges, and takes less of the disk.
 */
const words = { words: "Array(String) CODEC(ZSTD(1))" } as const

/** A value for each column of a figure. */
export const byFigureColumn = <A>(of: (figure: StoreNumber) => A): Readonly<Record<`figure_${StoreNumber}`, A>> =>
  // Every figure has an entry.
  Object.fromEntries(storeNumbers.map((figure) => [`figure_${figure}`, of(figure)])) as Record<
    `figure_${StoreNumber}`,
    A
  >

/** Unknown numbers are NaN, codes 0 and texts empty. */
export const columns = {
  store: {
    id: "Int32",
    ...byFigureColumn(() => "Float64" as const),
    relevance: "Int32",
    niche: "UInt32",
    country: "UInt32",
    currency: "UInt32",
    languages: "UInt32",
    pixels: "UInt32",
    networks: "UInt32",
    theme: "LowCardinality(String)",
    extension: "LowCardinality(String)",
    apps: "Array(LowCardinality(String))",
    ...words,
    ...versions
  },
  product: {
    shop_id: "Int32",
    id: "Int32",
    price: "Float64",
    created: "Float64",
    recency: "Int32",
    ...words,
    ...versions
  },
  ad: {
    /** 0 for an ad without a store. */
    shop_id: "Int32",
    id: "Int32",
    running: "UInt8",
    media: "UInt8",
    cta: "UInt8",
    partnership: "UInt8",
    started: "UInt32",
    ...words,
    ...versions
  }
} as const satisfies Readonly<Record<Kind, Readonly<Record<string, string>>>>

export type Column<K extends Kind> = keyof (typeof columns)[K]

/** What is published: the row with the highest `sequence`. */
export const stateColumns = {
  generation: "UInt32",
  version: "UInt32",
  catalog_id: "String",
  token: "String",
  niches: "String",
  highest_store: "Int32",
  highest_product: "Int32",
  highest_ad: "Int32",
  /** By the clock of the engine. */
  published_at: "DateTime64(3) DEFAULT now64(3)",
  sequence: "UInt64"
} as const

export const stateTable = "catalog_state"

const orders: Readonly<Record<Kind, string>> = {
  store: "id, from_version",
  product: "shop_id, id, from_version",
  ad: "shop_id, id, from_version"
}

/** The column that decides on the shard. Ads without a store are together with none, and go anywhere. */
const shardingKeys: Readonly<Record<Kind, string>> = {
  store: "intHash32(id)",
  product: "intHash32(shop_id)",
  ad: "intHash32(if(shop_id = 0, id, shop_id))"
}

/** `undefined` is one node. */
export type Cluster = string | undefined

export const tableOf = (kind: Kind, generation: number): string => `${kind}_${generation}`

/** The tables that have the rows of a shard, which are changed and deleted there. */
export const localTableOf = (kind: Kind, generation: number, cluster: Cluster): string =>
  cluster === undefined ? tableOf(kind, generation) : `${tableOf(kind, generation)}_local`

const itemTable = new RegExp(`^(?:${kinds.join("|")})_(\\d{1,9})(?:_local)?$`, "u")

/** The generation of a table of items; `undefined` for others. */
export const generationOf = (table: string): number | undefined => {
  const digits = itemTable.exec(table)?.[1]
  return digits === undefined ? undefined : Number(digits)
}

const listOf = (types: Readonly<Record<string, string>>): string =>
  Object.entries(types)
    .map(([name, type]) => `  ${name} ${type}`)
    .join(",\n")

/** For statements that run on every node. */
export const onCluster = (cluster: Cluster): string => (cluster === undefined ? "" : ` ON CLUSTER \`${cluster}\``)

/** By the id of the table, which a later one of the same name does not have. */
const engineOf = (cluster: Cluster, shard: string, replica: string): string =>
  cluster === undefined ? "MergeTree" : `ReplicatedMergeTree('/clickhouse/tables/{uuid}/${shard}', '${replica}')`

/** What the values of a column mean. It is raised when that changes, so that the tables of servers before are built again. */
const layoutVersion = 1

/** What the rows of a table are, which its comment says. */
export const layoutOf = (kind: Kind): string => {
  const digest = createHash("sha256").update(JSON.stringify([columns[kind], orders[kind], shardingKeys[kind]]))
  return `layout ${layoutVersion}-${digest.digest("hex").slice(0, 12)}`
}

/** Parts of which many rows are deleted are merged, however large they are. */
const partSettings = "exclude_deleted_rows_for_part_size_in_merge = 1, load_existing_rows_count_for_old_parts = 1"

/** The statements that make the tables of a generation where they are missing. */
export const createItems = (generation: number, cluster: Cluster): ReadonlyArray<string> =>
  kinds.flatMap((kind) => {
    const local = localTableOf(kind, generation, cluster)
    const rows = `CREATE TABLE IF NOT EXISTS ${local}${onCluster(cluster)} (
${listOf(columns[kind])},
  INDEX words_index words TYPE text(tokenizer = 'array')
)
ENGINE = ${engineOf(cluster, "{shard}", "{replica}")}
ORDER BY (${orders[kind]})
SETTINGS ${partSettings}
COMMENT '${layoutOf(kind)}'`
    if (cluster === undefined) return [rows]
    const spread = `CREATE TABLE IF NOT EXISTS ${tableOf(kind, generation)}${onCluster(cluster)} AS ${local}
ENGINE = Distributed(\`${cluster}\`, currentDatabase(), ${local}, ${shardingKeys[kind]})`
    return [rows, spread]
  })

/** The statement that makes the table of what is published. Each node of a cluster has all of its rows. */
export const createState = (cluster: Cluster): string =>
  `CREATE TABLE IF NOT EXISTS ${stateTable}${onCluster(cluster)} (
${listOf(stateColumns)}
)
ENGINE = ${engineOf(cluster, "all", "{shard}-{replica}")}
ORDER BY sequence`

export const dropTable = (table: string, cluster: Cluster): string =>
  `DROP TABLE IF EXISTS ${table}${onCluster(cluster)} SYNC`

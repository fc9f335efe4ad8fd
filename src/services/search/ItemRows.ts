/** The derived rows of products and ads: their words, their place in every order, and nothing that only an answer needs. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import { relevance } from "../../domain/search/Relevance.ts"
import { document } from "../../domain/search/SearchText.ts"
import * as AdKey from "./AdKey.ts"
import { spellings } from "./DomainNames.ts"
import { countOf, upsert } from "./ShopRows.ts"
import type { Counted } from "./ShopRows.ts"

type Run = Effect.fn.Return<number, SqlError.SqlError, SqlClient.SqlClient>

const digestOf = (inputs: ReadonlyArray<string>): string =>
  `hashtextextended(concat_ws(E'\\x1f', ${inputs.map((input) => `coalesce(${input}::text, E'\\x1e')`).join(", ")}), 0)`

/** Of all that a product's row is derived from: record `p`, store `s` and its derived row `x`. */
const productDigest = digestOf([
  "p.shop_id",
  "p.title",
  "p.price",
  "p.created_at",
  "least(p.created_at, s.imported_at)",
  "s.name",
  "s.domain",
  "x.visits",
  "x.growth",
  "x.n_active"
])

/** Of all that an ad's row is derived from: record `a` and its store `s`, if any. */
const adDigest = digestOf([
  "a.shop_id",
  "a.is_active",
  "a.media_type",
  "a.cta",
  "a.is_partnership",
  "a.started_on",
  "a.page_name",
  "a.headline",
  "a.ad_text",
  "s.name"
])

const upsertProducts = upsert(
  "product_search",
  ["id", "shop_id", "price", "created", "score", "digest", "doc"],
  `SELECT p.id, p.shop_id, p.price, coalesce(p.created_at, '-infinity') AS created, d.score, ${productDigest} AS digest,
     d.doc
   FROM unnest($1::int[], $2::float8[], $3::text[]) d(id, score, doc)
   JOIN product p ON p.id = d.id JOIN shop s ON s.id = p.shop_id JOIN shop_search x ON x.id = s.id`
)

const upsertAds = upsert(
  "ad_search",
  ["pick", "digest", "id", "shop_id", "started", "flags", "doc"],
  `SELECT ${AdKey.sqlPick} AS pick, ${adDigest} AS digest, a.id, coalesce(a.shop_id, 0) AS shop_id,
     ${AdKey.sqlDay} AS started, ${AdKey.sqlFlags}::smallint AS flags, d.doc
   FROM unnest($1::int[], $2::text[]) d(id, doc) JOIN ad a ON a.id = d.id LEFT JOIN shop s ON s.id = a.shop_id`
)

interface Id {
  readonly id: number
}

/** The products of these stores whose rows are missing or were derived from something else. */
export const changedProducts = Effect.fnUntraced(function* (
  shopIds: ReadonlyArray<number>
): Effect.fn.Return<ReadonlyArray<number>, SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<Id>`
    SELECT p.id FROM product p JOIN shop s ON s.id = p.shop_id JOIN shop_search x ON x.id = s.id
    LEFT JOIN product_search o ON o.id = p.id
    WHERE p.shop_id = ANY(${shopIds}::int[]) AND o.digest IS DISTINCT FROM ${sql.literal(productDigest)}
    ORDER BY p.id`
  return rows.map(({ id }) => id)
})

/** The ads of these stores, and of these ads, whose rows are missing or were derived from something else. */
export const changedAds = Effect.fnUntraced(function* (
  shopIds: ReadonlyArray<number>,
  adIds: ReadonlyArray<number>
): Effect.fn.Return<ReadonlyArray<number>, SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<Id>`
    SELECT a.id FROM ad a LEFT JOIN shop s ON s.id = a.shop_id LEFT JOIN ad_search o ON o.id = a.id
    WHERE (a.shop_id = ANY(${shopIds}::int[]) OR a.id = ANY(${adIds}::int[]))
      AND o.digest IS DISTINCT FROM ${sql.literal(adDigest)}
    ORDER BY a.id`
  return rows.map(({ id }) => id)
})

/** Numbers as an array literal: an array parameter would have to be all integers or all fractions. */
const numbers = (values: ReadonlyArray<number>): string => `{${values.join(",")}}`

/**
 * Makes the rows of these products say what the records say. The rows of their stores have to be derived before. A
 * product from the future counts, in its score, as created when its store was imported.
 */
export const deriveProducts = Effect.fnUntraced(function* (ids: ReadonlyArray<number>): Run {
  const sql = yield* SqlClient.SqlClient
  const products = yield* sql<{
    id: number
    title: string
    created_day: number | null
    name: string
    domain: string
    visits: number
    growth: number
    n_active: number
  }>`
    SELECT p.id, p.title, s.name, s.domain, x.visits, x.growth, x.n_active,
      CASE WHEN p.created_at IS NOT NULL
        THEN extract(epoch FROM least(p.created_at, s.imported_at))::float8 / 86400 END AS created_day
    FROM product p JOIN shop s ON s.id = p.shop_id JOIN shop_search x ON x.id = s.id
    WHERE p.id = ANY(${ids}::int[])`
  const scores = products.map((product) =>
    relevance({
      monthlyVisits: product.visits < 0 ? null : product.visits,
      trafficGrowthPct: product.growth === Number.NEGATIVE_INFINITY ? null : product.growth,
      activeAds: product.n_active,
      createdDay: product.created_day
    })
  )
  return countOf(
    yield* sql.unsafe<Counted>(upsertProducts, [
      products.map((product) => product.id),
      numbers(scores),
      products.map((product) => document([product.title, product.name, ...spellings(product.domain)]))
    ])
  )
})

/** The usual page of ads has a third of it; but a text in Chinese can have a document two hundred times as long. */
const maxCharactersAtOnce = 10_000_000

/** As many at once as one statement should carry. */
const parts = <A extends { readonly doc: string }>(documents: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> => {
  const found: Array<Array<A>> = [[]]
  let characters = 0
  for (const each of documents) {
    characters += each.doc.length
    if (characters > maxCharactersAtOnce) {
      found.push([])
      characters = each.doc.length
    }
    found.at(-1)?.push(each)
  }
  return found
}

/** Makes the rows of these ads say what the records say. */
export const deriveAds = Effect.fnUntraced(function* (ids: ReadonlyArray<number>): Run {
  const sql = yield* SqlClient.SqlClient
  const ads = yield* sql<{
    id: number
    headline: string | null
    ad_text: string | null
    page_name: string
    shop_name: string | null
  }>`
    SELECT a.id, a.headline, a.ad_text, a.page_name, s.name AS shop_name
    FROM ad a LEFT JOIN shop s ON s.id = a.shop_id WHERE a.id = ANY(${ids}::int[])`
  const documents = ads.map((ad) => ({
    id: ad.id,
    // The text comes last: should a document be cut, it is cut there.
    doc: document([ad.page_name, ad.shop_name, ad.headline, ad.ad_text])
  }))
  let written = 0
  for (const part of parts(documents)) {
    const columns = [part.map(({ id }) => id), part.map(({ doc }) => doc)]
    written += countOf(yield* sql.unsafe<Counted>(upsertAds, columns))
  }
  return written
})

/** Deletes the rows of these stores' products that have no record any more. */
export const deleteProducts = Effect.fnUntraced(function* (shopIds: ReadonlyArray<number> | "all"): Run {
  const sql = yield* SqlClient.SqlClient
  return countOf(
    yield* sql<Counted>`
      WITH gone AS (
        DELETE FROM product_search o
        WHERE ${shopIds === "all" ? sql`true` : sql`o.shop_id = ANY(${shopIds}::int[])`}
          AND NOT EXISTS (SELECT FROM product p WHERE p.id = o.id)
        RETURNING 1
      )
      SELECT count(*)::int AS count FROM gone`
  )
})

/** Deletes the rows of these stores' ads, and of these ads, that have no record any more. */
export const deleteAds = Effect.fnUntraced(function* (
  scope: { readonly shopIds: ReadonlyArray<number>; readonly adIds: ReadonlyArray<number> } | "all"
): Run {
  const sql = yield* SqlClient.SqlClient
  return countOf(
    yield* sql<Counted>`
      WITH gone AS (
        DELETE FROM ad_search o
        WHERE ${
          scope === "all"
            ? sql`true`
            : sql`(o.shop_id = ANY(${scope.shopIds}::int[]) OR o.id = ANY(${scope.adIds}::int[]))`
        } AND NOT EXISTS (SELECT FROM ad a WHERE a.id = o.id)
        RETURNING 1
      )
      SELECT count(*)::int AS count FROM gone`
  )
})

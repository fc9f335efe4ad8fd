/**
 * Finds the store of an ad of an ad library or a table: the one that it names, else the one at the domain of its landing page,
 * else that of earlier ads of the same page, else none. When a store is imported later, it gets the unassigned ads that link to it.
 */
import { Effect, Schema } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import * as StoreDomain from "../../domain/catalog/StoreDomain.ts"
import { sqlHasNoStore, sqlPseudoStoreOf } from "../../domain/catalog/StorelessAds.ts"
import { rowsOf } from "../database/Rows.ts"
import type { Write } from "./BulkUpsert.ts"
import { logged, moves } from "./ChangeLog.ts"
import type { FoundLibraryAd } from "./CatalogTables.ts"
import type { Touched } from "./CatalogVersion.ts"
import type { LibraryAd } from "./ImportSource.ts"

const decodeStores = rowsOf(Schema.Struct({ id: Schema.Int, domain: Schema.String }))
const decodeKeys = rowsOf(Schema.Struct({ key: Schema.String }))
/** A page and its store. */
const Page = Schema.Struct({ page_id: Schema.String, shop_id: Schema.Int })
const decodePages = rowsOf(Page)
const decodeLinked = rowsOf(
  Schema.Struct({ shop_id: Schema.Int, left_shop_id: Schema.Int, page_id: Schema.NullOr(Schema.String) })
)

/**
 * How many ads that name no store were assigned to one, and by what. `later` counts stored ads whose store, or the store of whose
 * page, is known since this batch.
 */
export interface LinkCounts {
  readonly byDomain: number
  readonly byPage: number
  readonly without: number
  readonly later: number
}

export const none: LinkCounts = { byDomain: 0, byPage: 0, without: 0, later: 0 }

/** Domains that ads of many advertisers link to: apps, messages, forms and profiles. */
const shared = new Set([
  "facebook.com",
  "fb.com",
  "fb.me",
  "fb.watch",
  "instagram.com",
  "whatsapp.com",
  "wa.me",
  "m.me",
  "messenger.com",
  "google.com",
  "apple.com",
  "youtube.com",
  "tiktok.com",
  "bit.ly",
  "linktr.ee",
  "amazon.com",
  "t.me"
])

interface Target {
  readonly host: string
  /** The registrable domain, where a subdomain of a store platform counts as one. */
  readonly domain: string
}

const targetOf = ({ ad, caption }: LibraryAd): Target | null => {
  const address = ad.landing_url ?? (caption === null ? null : `https://${caption.replace(/^https?:\/\//iu, "")}`)
  const name = address === null ? undefined : URL.parse(address)?.hostname
  const host = name === undefined ? "" : StoreDomain.normalize(name)
  const domain = StoreDomain.registrable(host)
  return domain === null || shared.has(domain) ? null : { host, domain }
}

/** Adds to each ad the id of its store, if found, and the day it was seen: `asOf` or its `last_seen_on`. */
export const link = Effect.fn("AdLinks.link")(function* (
  sql: SqlClient.SqlClient,
  ads: ReadonlyArray<LibraryAd>,
  asOf: string | undefined
): Effect.fn.Return<{ readonly ads: ReadonlyArray<FoundLibraryAd>; readonly counts: LinkCounts }, SqlError.SqlError> {
  if (ads.length === 0) return { ads: [], counts: none }
  const targets = ads.map(targetOf)
  const domains = Array.from(
    new Set([
      ...targets.flatMap((target) => (target === null ? [] : [target.host, target.domain])),
      ...ads.flatMap(({ ad }) => ad.shop ?? [])
    ])
  )
  const pages = Array.from(new Set(ads.flatMap(({ page_id }) => (page_id === null ? [] : [page_id]))))
  const knownStores = yield* decodeStores(sql`SELECT id, domain FROM shop WHERE domain = ANY(${domains}::text[])`)
  const stores = new Map(knownStores.map(({ domain, id }) => [domain, id]))
  const knownPages = yield* decodePages(
    sql`SELECT page_id, shop_id FROM page_store WHERE page_id = ANY(${pages}::text[])`
  )
  const ofPages = new Map(knownPages.map(({ page_id, shop_id }) => [page_id, shop_id]))
  const ownStores = ads.map(({ ad }, at) => (ad.shop === null ? storeAt(stores, targets[at]) : stores.get(ad.shop)))
  const seenOn = (ad: LibraryAd["ad"]) => asOf ?? ad.last_seen_on
  const newer = yield* decodeKeys(sql`
    SELECT stored.key FROM unnest(${ads.map(({ ad }) => ad.key)}::text[], ${ads.map(({ ad }) => seenOn(ad))}::date[])
      AS input (key, seen_on)
    CROSS JOIN LATERAL (SELECT key, seen_on FROM ad WHERE key = input.key OFFSET 0) stored
    WHERE stored.seen_on > input.seen_on`)
  const isOlder = new Set(newer.map(({ key }) => key))
  // Ads of this batch also show which store a page belongs to.
  for (const [at, { ad, page_id }] of ads.entries()) {
    const shopId = ownStores[at]
    if (page_id !== null && shopId !== undefined && !isOlder.has(ad.key)) ofPages.set(page_id, shopId)
  }
  let byDomain = 0
  let byPage = 0
  let without = 0
  const linked = ads.map(({ ad, page_id }, at): FoundLibraryAd => {
    const ofAd = ownStores[at]
    const ofPage = page_id === null ? undefined : ofPages.get(page_id)
    if (ofAd === undefined && ofPage === undefined) without++
    else if (ofAd === undefined) byPage++
    else if (ad.shop === null) byDomain++
    return {
      record: ad,
      shopId: ofAd ?? ofPage ?? null,
      pageId: page_id,
      linkDomain: targets[at]?.domain ?? null,
      seenOn: seenOn(ad),
      isOlder: isOlder.has(ad.key)
    }
  })
  return { ads: linked, counts: { byDomain, byPage, without, later: 0 } }
})

const storeAt = (stores: ReadonlyMap<string, number>, target: Target | null | undefined): number | undefined =>
  target === null || target === undefined ? undefined : (stores.get(target.host) ?? stores.get(target.domain))

interface LinkedAds {
  readonly count: number
  readonly touched: Touched
}

const linkedAds = (ads: ReadonlyArray<{ readonly shop_id: number; readonly left_shop_id: number }>): LinkedAds => ({
  count: ads.length,
  touched: { items: ads.flatMap(({ left_shop_id, shop_id }) => [left_shop_id, shop_id]), figures: [], niches: false }
})

/** Assigns stored ads to stores: `found` selects their `ctid` and `shop_id`. */
const assign = (write: Write, found: Statement.Fragment) => {
  const { sql, version } = write
  return sql`
    WITH moved AS (
      UPDATE ad SET shop_id = found.shop_id, version = ${version}
      FROM (${found}) found
      WHERE ad.ctid = found.ctid
      RETURNING ad.id, ad.shop_id, ad.page_id, ad.is_active
    ), ${logged(sql, moves, write)}
    SELECT shop_id, ${sql.literal(sqlPseudoStoreOf("id"))} AS left_shop_id, page_id FROM moved`.pipe(decodeLinked)
}

/** Assigns the stored ads of pages that have no store. */
const assignPages = (write: Write, pages: ReadonlyArray<typeof Page.Type>) =>
  pages.length === 0
    ? Effect.succeed([])
    : assign(
        write,
        write.sql`
          SELECT stored.ctid, page.shop_id
          FROM ${pagesOf(write.sql, pages)}
          CROSS JOIN LATERAL (
            SELECT ctid FROM ad WHERE page_id = page.id AND ${write.sql.literal(sqlHasNoStore)} OFFSET 0
          ) stored`
      )

const pagesOf = (sql: SqlClient.SqlClient, pages: ReadonlyArray<typeof Page.Type>) =>
  sql`unnest(
    ${pages.map(({ page_id }) => page_id)}::text[], ${pages.map(({ shop_id }) => shop_id)}::int[]
  ) AS page (id, shop_id)`

const pagesFrom = (ads: ReadonlyArray<{ readonly page_id: string | null; readonly shop_id: number | null }>) =>
  Array.from(
    new Map(ads.flatMap(({ page_id, shop_id }) => (page_id === null || shop_id === null ? [] : [[page_id, shop_id]]))),
    ([page_id, shop_id]) => ({ page_id, shop_id })
  )

/** Saves which store each page advertises, and assigns stored ads of the pages to it; the last ad of a page decides. */
export const learnPages = Effect.fn("AdLinks.learnPages")(function* (
  write: Write,
  ads: ReadonlyArray<FoundLibraryAd>
): Effect.fn.Return<LinkedAds, SqlError.SqlError> {
  const { sql } = write
  const pages = pagesFrom(
    ads.flatMap(({ isOlder, pageId, shopId }) => (isOlder ? [] : [{ page_id: pageId, shop_id: shopId }]))
  )
  if (pages.length === 0) return linkedAds([])
  yield* sql`
    INSERT INTO page_store (page_id, shop_id) SELECT id, shop_id FROM ${pagesOf(sql, pages)}
    ON CONFLICT (page_id) DO UPDATE SET shop_id = excluded.shop_id WHERE page_store.shop_id <> excluded.shop_id`
  return linkedAds(yield* assignPages(write, pages))
})

/** Assigns stored ads to new stores: ads that link to them, and the other ads of their pages. */
export const linkEarlierAds = Effect.fn("AdLinks.linkEarlierAds")(function* (
  write: Write,
  stores: ReadonlyArray<{ readonly id: number; readonly domain: string }>
): Effect.fn.Return<LinkedAds, SqlError.SqlError> {
  if (stores.length === 0) return linkedAds([])
  const { sql } = write
  const registrable = stores.map(({ domain }) => StoreDomain.registrable(domain) ?? domain)
  const linked = yield* assign(
    write,
    sql`
      SELECT stored.ctid, store.id AS shop_id
      FROM unnest(
        ${stores.map(({ id }) => id)}::int[], ${stores.map(({ domain }) => domain)}::text[], ${registrable}::text[]
      ) AS store (id, domain, registrable)
      CROSS JOIN LATERAL (
        SELECT ctid, landing_url FROM ad
        WHERE link_domain = store.registrable AND ${sql.literal(sqlHasNoStore)} OFFSET 0
      ) stored
      WHERE store.domain = store.registrable
        OR substring(lower(stored.landing_url) FROM '^https?://(?:www\\.)?([^/?#:]+)') = store.domain`
  )
  const pages = pagesFrom(linked)
  const learned =
    pages.length === 0
      ? []
      : yield* decodePages(sql`
          INSERT INTO page_store (page_id, shop_id) SELECT id, shop_id FROM ${pagesOf(sql, pages)}
          ON CONFLICT (page_id) DO NOTHING
          RETURNING page_id, shop_id`)
  return linkedAds([...linked, ...(yield* assignPages(write, learned))])
})

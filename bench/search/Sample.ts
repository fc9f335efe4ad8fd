/**
 * What cases are drawn from: stores, products and ads of the data itself, taken at random but the same ones in every run.
 * Shares of a sample stand for shares of the whole.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import type { Cta, Language, MediaType, Pixel, SocialNetwork } from "../../src/domain/catalog/Enumerations.ts"
import { Prng } from "../../demo/Prng.ts"
import type { Subject } from "../../src/domain/search/CatalogQuery.ts"
import { findStore, record } from "../../src/services/search/index/Segment.ts"
import { numberFigures } from "../../src/domain/catalog/Figures.ts"
import type { Figure, NumberFigure } from "../../src/domain/catalog/Figures.ts"
import type { Items } from "../../src/services/search/index/Segment.ts"
import type { Published } from "../../src/services/search/runtime/IndexState.ts"
import * as Documents from "./Documents.ts"
import * as OwnSearch from "./OwnSearch.ts"
import * as WordTiers from "./WordTiers.ts"
import type { Words } from "./WordTiers.ts"

export interface Store extends Readonly<Record<Exclude<NumberFigure, "active_ads">, number | null>> {
  readonly domain_extension: string
  readonly country: string
  readonly currency: string | null
  /** Its niche and all above it. */
  readonly niches: ReadonlyArray<{ readonly id: number; readonly name: string }>
  readonly languages: ReadonlyArray<Language>
  readonly pixels: ReadonlyArray<Pixel>
  readonly social_networks: ReadonlyArray<SocialNetwork>
  readonly apps: ReadonlyArray<string>
  readonly theme: string | null
  readonly created_on: string | null
  readonly active_ads: number
  readonly n_products: number
  readonly n_ads: number
}

export interface Ad {
  readonly is_active: boolean
  readonly media_type: MediaType
  readonly cta: Cta | null
  readonly is_partnership: boolean
  readonly started_on: string
  readonly days: number
}

export interface Sample {
  readonly stores: ReadonlyArray<Store>
  readonly nicheNames: ReadonlyMap<number, string>
  readonly ads: ReadonlyArray<Ad>
  readonly prices: ReadonlyArray<number>
  readonly words: { readonly products: Words; readonly ads: Words; readonly shops: Words }
}

/** So that a thousandth of them is still a number that says something. */
const size = 20_000

/** Ids are dense: nearly every one that is drawn exists, and each row as likely as the next. */
const ids = (maxId: number, what: string): ReadonlyArray<number> => {
  if (maxId <= size) return Array.from({ length: maxId }, (_, index) => index + 1)
  const random = new Prng("sample", what)
  const drawn = new Set<number>()
  while (drawn.size < size) drawn.add(random.int(1, maxId))
  return Array.from(drawn)
}

interface StoreRow extends Pick<
  Store,
  | "domain_extension"
  | "country"
  | "currency"
  | "niches"
  | "languages"
  | "pixels"
  | "social_networks"
  | "apps"
  | "theme"
  | "created_on"
> {
  readonly id: number
  readonly name: string
  readonly domain: string
}

const known = (value: number | undefined): number | null => (value === undefined || Number.isNaN(value) ? null : value)

/** Figures that follow from other records are those of the index. */
const withFigures =
  ({ list }: Published) =>
  (row: StoreRow): ReadonlyArray<Store> => {
    const found = findStore(list, row.id)
    if (found === undefined) return []
    const { columns, segment } = found.view
    const figure = (name: Figure) => known(columns.figures[name][found.row])
    const count = ({ offsets }: Items) => (offsets[found.row + 1] ?? 0) - (offsets[found.row] ?? 0)
    return [
      {
        ...row,
        ...record(numberFigures, figure),
        active_ads: figure("active_ads") ?? 0,
        n_products: count(segment.products),
        n_ads: count(segment.ads)
      }
    ]
  }

const liveStores = ({ list }: Published): number =>
  list.reduce(
    (sum, { live, segment }) => sum + live.subarray(segment.pseudoStores).reduce((all, bit) => all + bit, 0),
    0
  )

/** Drawn from the records; how many documents have a word is asked of the index. */
export const read = Effect.fnUntraced(function* (
  published: Published
): Effect.fn.Return<Sample, SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  const idsOf = (table: "shop" | "product" | "ad") =>
    Effect.map(
      sql<{ max: number }>`SELECT coalesce(max(id), 0) AS max FROM ${sql(table)}`,
      ([row]) => sql`${ids(row?.max ?? 0, table)}::int[]`
    )
  const shopIds = yield* idsOf("shop")
  const productIds = yield* idsOf("product")
  const adIds = yield* idsOf("ad")
  const rows = yield* sql<StoreRow>`
    WITH RECURSIVE line AS (
      SELECT id, id AS above, parent_id, name FROM niche
      UNION ALL SELECT l.id, n.id, n.parent_id, n.name FROM line l JOIN niche n ON n.id = l.parent_id
    ),
    lines AS (SELECT id, json_agg(json_build_object('id', above, 'name', name) ORDER BY above) AS niches FROM line GROUP BY id)
    SELECT s.id, s.name, s.domain, s.domain_extension, s.country, s.currency, coalesce(l.niches, '[]') AS niches,
      s.languages, s.pixels, s.social_networks, s.apps, s.theme, s.created_on::text
    FROM shop s LEFT JOIN lines l ON l.id = s.niche_id
    WHERE s.id = ANY(${shopIds}) ORDER BY s.id`
  const products = yield* sql<{ price: number; name: string; domain: string; title: string }>`
    SELECT p.price, s.name, s.domain, p.title FROM product p JOIN shop s ON s.id = p.shop_id
    WHERE p.id = ANY(${productIds}) ORDER BY p.id`
  const ads = yield* sql<
    Ad & {
      readonly name: string | null
      readonly page_name: string
      readonly headline: string | null
      readonly ad_text: string | null
    }
  >`
    SELECT a.is_active, a.media_type, a.cta, a.is_partnership, a.started_on::text,
      greatest(0, current_date - a.started_on) AS days, s.name, a.page_name, a.headline, a.ad_text
    FROM ad a LEFT JOIN shop s ON s.id = a.shop_id WHERE a.id = ANY(${adIds}) ORDER BY a.id`
  const documents = (
    subject: Subject,
    docs: ReadonlyArray<ReadonlySet<string>>,
    count: number
  ): WordTiers.Documents => ({
    name: subject,
    docs: docs.map((words) => Array.from(words)),
    count,
    hits: (word) =>
      OwnSearch.run(published, {
        subject,
        stores: [],
        words: [[word]],
        order: { _tag: "ByStore", figures: ["visits"], isDescending: true },
        offset: 0,
        limit: 1
      }).total
  })
  const itemCount = (of: "products" | "ads") =>
    published.list.reduce((sum, { segment }) => sum + segment[of].ids.length, 0)
  const stores = rows.flatMap(withFigures(published))
  return {
    stores,
    nicheNames: new Map(stores.flatMap(({ niches }) => niches.map(({ id, name }) => [id, name] as const))),
    ads,
    prices: products.map(({ price }) => price),
    words: {
      products: WordTiers.make(documents("products", products.map(Documents.ofProduct), itemCount("products"))),
      ads: WordTiers.make(documents("ads", ads.map(Documents.ofAd), itemCount("ads"))),
      shops: WordTiers.make(documents("stores", rows.map(Documents.ofStore), liveStores(published)))
    }
  }
})

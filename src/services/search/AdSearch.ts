/** The search behind `search_ads` and the Ads page. */
import { Context, DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Statement } from "effect/sql"
import type { FoundAd } from "../../domain/catalog/AdItem.ts"
import { ctas } from "../../domain/catalog/Enumerations.ts"
import type { MediaType } from "../../domain/catalog/Enumerations.ts"
import * as AdQuery from "../../domain/search/AdQuery.ts"
import * as Narrowing from "../../domain/search/Narrowing.ts"
import * as Page from "../../domain/search/Page.ts"
import type { AdPagination } from "../../domain/search/Page.ts"
import type { InvalidArguments } from "../../domain/ToolError.ts"
import { SearchPermits } from "./SearchPermits.ts"
import type { SearchFailure } from "./SearchPermits.ts"
import * as SearchRequest from "./SearchRequest.ts"
import { SearchRunner } from "./SearchRunner.ts"

export interface AdPage {
  readonly ads: ReadonlyArray<FoundAd>
  readonly pagination: AdPagination
}

/** The record's CHECK constraints hold what the types say. */
interface AdRow {
  readonly version: number
  readonly id: number
  readonly ad_archive_id: string | null
  readonly page_name: string
  readonly is_active: boolean
  readonly media_type: MediaType
  readonly headline: string | null
  readonly ad_text: string | null
  readonly cta: string | null
  readonly landing_url: string | null
  readonly image_url: string | null
  readonly ad_library_url: string | null
  readonly started_on: string
  readonly last_seen_on: string
  readonly is_partnership: boolean
  readonly shop: {
    readonly id: number
    readonly name: string
    readonly domain: string
    readonly country: string
  } | null
  readonly active_ads: number
}

const hydrate = (sql: SqlClient.SqlClient) => (ids: Statement.Fragment) =>
  sql<AdRow>`
  WITH page AS MATERIALIZED (SELECT * FROM unnest(ARRAY(${ids})) WITH ORDINALITY p(id, position))
  SELECT c.version, a.id, a.ad_archive_id, a.page_name, a.is_active, a.media_type, a.headline, a.ad_text, a.cta,
    a.landing_url, a.image_url, a.ad_library_url, a.started_on::text, a.last_seen_on::text, a.is_partnership,
    CASE WHEN s.id IS NOT NULL
      THEN json_build_object('id', s.id, 'name', s.name, 'domain', s.domain, 'country', s.country) END AS shop,
    coalesce(x.n_active, 0) AS active_ads
  FROM page
  CROSS JOIN catalogue c
  JOIN ad a ON a.id = page.id
  LEFT JOIN shop s ON s.id = a.shop_id
  LEFT JOIN shop_search x ON x.id = a.shop_id
  ORDER BY page.position`

const toFound = (row: AdRow): FoundAd => ({
  id: row.id,
  adArchiveId: row.ad_archive_id,
  pageName: row.page_name,
  status: row.is_active ? "active" : "inactive",
  mediaType: row.media_type,
  headline: row.headline,
  adText: row.ad_text,
  // A label that is not one of the filter's is none.
  cta: ctas.find((cta) => cta === row.cta) ?? null,
  landingUrl: row.landing_url,
  imageUrl: row.image_url,
  adLibraryUrl: row.ad_library_url,
  startedOn: row.started_on,
  lastSeenOn: row.last_seen_on,
  isPartnership: row.is_partnership,
  shop: row.shop === null ? null : { ...row.shop, active_ads: row.active_ads }
})

export class AdSearch extends Context.Service<
  AdSearch,
  {
    search(query: AdQuery.AdQuery): Effect.Effect<AdPage, InvalidArguments | SearchFailure>
  }
>()("discovery/search/AdSearch") {
  static readonly layer: Layer.Layer<AdSearch, never, SqlClient.SqlClient | SearchRunner> = Layer.effect(
    AdSearch,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const runner = yield* SearchRunner
      const permits = yield* SearchPermits

      const search = Effect.fn("AdSearch.search")(
        function* (query: AdQuery.AdQuery) {
          const today = DateTime.formatIsoDateUtc(yield* DateTime.now)
          const found = yield* runner.run({
            resolve: (names) => SearchRequest.fromAdQuery(query, names, today),
            hydrate: hydrate(sql)
          })
          const mode = AdQuery.mode(query)
          const isGrouped = mode === "grouped_by_shop"
          return {
            ads: found.rows.map(toFound),
            pagination: {
              page: found.window.page,
              per_page: found.window.perPage,
              total: found.total,
              has_more: Page.hasMore(found.window, isGrouped ? found.stores : found.total),
              mode,
              ...(isGrouped ? { matching_shops: found.stores } : {})
            }
          }
        },
        (effect, query) => permits.query(effect, () => Narrowing.hint(query))
      )

      return AdSearch.of({ search })
    })
  ).pipe(Layer.provide(SearchPermits.layer))
}

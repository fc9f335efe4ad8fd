/**
 * `/dashboard/ads/export.csv?…` and similar addresses: the results of the same search as a file (D68). A file counts as the
 * pages of the largest size that its results would fill. An address that the page refuses redirects to the page. A file has no
 * pages, so `page` and `per_page` are refused.
 *
 * A file has the items that the tool returns on its largest pages, in the same order and of one version of the catalog.
 * Third-party text is truncated as in the tool's answer, which bounds the size of the file.
 */
import { DateTime, Effect, Layer, Result } from "effect"
import { HttpServerResponse } from "effect/http"
import type { HttpServerRequest } from "effect/http"
import { AppConfig } from "../../../Config.ts"
import type { AccountId } from "../../../domain/access/Account.ts"
import { issueAt } from "../../../domain/ArgumentIssue.ts"
import * as AdItem from "../../../domain/catalog/AdItem.ts"
import * as ProductItem from "../../../domain/catalog/ProductItem.ts"
import * as ShopItem from "../../../domain/catalog/ShopItem.ts"
import { ExportFormat, fileOf } from "../../../services/search/ExportFile.ts"
import type { Item } from "../../../services/search/ExportFile.ts"
import * as Page from "../../../domain/search/Page.ts"
import { searchKinds } from "../../../domain/search/SavedSearch.ts"
import type { SearchSubject } from "../../../domain/search/SavedSearch.ts"
import type { InvalidArguments } from "../../../domain/ToolError.ts"
import { DailyPageViews } from "../../../services/limits/DailyPageViews.ts"
import type { SearchFailure } from "../../../services/limits/SearchPermits.ts"
import { AdSearch, ProductSearch, ShopSearch } from "../../../services/search/Searches.ts"
import { links } from "../../../domain/catalog/DashboardUrl.ts"
import { inTime } from "../../../services/tools/ToolDefinition.ts"
import { CatalogAccess } from "./CatalogAccess.ts"
import { exportPath, searchPath } from "./SearchActions.ts"
import * as PageHeaders from "../shared/PageHeaders.ts"
import { addressRefused } from "../shared/PageRequests.ts"
import { PageRoutes, readsAll, seeOther } from "../shared/PageRoutes.ts"
import { pairsOf, queryOf } from "../../shared/QueryParameters.ts"
import type { SignedIn } from "../shared/Visitors.ts"

/** Replaces the page of the search. */
const whole = { page: 1, per_page: Page.lastPage * Page.maxPerPage }

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const routes = yield* PageRoutes
    const access = yield* CatalogAccess
    const ofTheDay = yield* DailyPageViews
    const [adSearch, productSearch, shopSearch] = yield* Effect.all([AdSearch, ProductSearch, ShopSearch])
    const context = links(yield* AppConfig)

    const add = Effect.fnUntraced(function* <Query>(
      subject: SearchSubject,
      decode: (query: string) => Result.Result<Query, unknown>,
      run: (query: Query, accountId: AccountId) => Effect.Effect<ReadonlyArray<Item>, InvalidArguments | SearchFailure>
    ) {
      for (const format of ExportFormat.literals) {
        const answer = (visitor: SignedIn, { url }: HttpServerRequest.HttpServerRequest) => {
          const { accountId } = visitor.session
          const page = seeOther(searchPath({ subject, query: queryOf(url) }))
          const query = decode(queryOf(url))
          if (Result.isFailure(query)) return Effect.succeed(page)
          const paging = pairsOf(url).flatMap(([name, value]) =>
            Object.hasOwn(whole, name) && value !== "" ? [name] : []
          )
          if (paging.length > 0) {
            return Effect.fail(
              addressRefused(
                url,
                paging.map((name) => issueAt(name, "unknown_argument"))
              )
            )
          }
          const file = Effect.gen(function* () {
            const items = yield* inTime(run(query.success, accountId))
            // One page has been counted before the search.
            const others = Math.ceil(items.length / Page.maxPerPage) - 1
            if (others > 0) yield* ofTheDay.take(accountId, others)
            const today = DateTime.formatIsoDateUtc(yield* DateTime.now)
            const { contentType, text } = yield* fileOf(format, subject, items)
            return HttpServerResponse.text(text, {
              contentType,
              headers: {
                ...PageHeaders.of(),
                "content-disposition": `attachment; filename="discovery-${subject}-${today}.${format}"`
              }
            })
          })
          return access.allow(
            visitor,
            subject,
            Effect.catchTag(file, "InvalidArguments", () => Effect.succeed(page))
          )
        }
        yield* routes.signedInPage(
          exportPath(subject, format),
          readsAll((visitor, request) => access.ifPlanned(visitor, subject, () => answer(visitor, request)))
        )
      }
    })

    yield* add("ads", searchKinds.ads.decode, (query) =>
      Effect.zipWith(adSearch.search({ ...query, ...whole }), DateTime.now, ({ ads }, now) =>
        ads.map((ad) => AdItem.present(ad, { ...context, today: DateTime.formatIsoDateUtc(now) }))
      )
    )
    yield* add("products", searchKinds.products.decode, (query, accountId) =>
      Effect.map(productSearch.search({ ...query, ...whole }, accountId), ({ products }) =>
        products.map((product) => ProductItem.present(product, context))
      )
    )
    yield* add("stores", searchKinds.stores.decode, (query, accountId) =>
      Effect.map(shopSearch.search({ ...query, ...whole }, accountId), ({ shops }) =>
        shops.map((shop) => ShopItem.present(shop, context))
      )
    )
  })
)

/**
 * `/dashboard/ads/export.csv?…` and similar addresses: the results of the same search as a file (D68). A file counts as the
 * pages of the largest size that its results would fill. An address that the page refuses redirects to the page.
 */
import { DateTime, Effect, Layer, Option } from "effect"
import { HttpServerResponse } from "effect/http"
import type { HttpServerRequest } from "effect/http"
import type { AccountId } from "../../../domain/access/Account.ts"
import { ExportFormat, fileOf } from "../../../services/search/ExportFile.ts"
import type { Item } from "../../../services/search/ExportFile.ts"
import * as Page from "../../../domain/search/Page.ts"
import { searchKinds } from "../../../domain/search/SavedSearch.ts"
import type { SearchSubject } from "../../../domain/search/SavedSearch.ts"
import type { InvalidArguments } from "../../../domain/ToolError.ts"
import { DailyPageViews } from "../../../services/limits/DailyPageViews.ts"
import type { SearchFailure } from "../../../services/limits/SearchPermits.ts"
import { SearchExport } from "../../../services/search/SearchExport.ts"
import { inTime } from "../../../services/tools/ToolDefinition.ts"
import { CatalogAccess } from "./CatalogAccess.ts"
import { exportPath, searchPath } from "./SearchActions.ts"
import * as PageHeaders from "../shared/PageHeaders.ts"
import { PageRoutes, seeOther } from "../shared/PageRoutes.ts"
import { queryOf } from "../shared/Query.ts"
import type { SignedIn } from "../shared/Visitors.ts"

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const routes = yield* PageRoutes
    const access = yield* CatalogAccess
    const ofTheDay = yield* DailyPageViews
    const exported = yield* SearchExport

    const add = Effect.fnUntraced(function* <Query>(
      subject: SearchSubject,
      decode: (query: string) => Option.Option<Query>,
      run: (query: Query, accountId: AccountId) => Effect.Effect<ReadonlyArray<Item>, InvalidArguments | SearchFailure>
    ) {
      for (const format of ExportFormat.literals) {
        const answer = (visitor: SignedIn, { url }: HttpServerRequest.HttpServerRequest) => {
          const { accountId } = visitor.session
          const page = seeOther(searchPath({ subject, query: queryOf(url) }))
          const query = decode(queryOf(url))
          if (Option.isNone(query)) return Effect.succeed(page)
          const file = Effect.gen(function* () {
            const items = yield* inTime(run(query.value, accountId))
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
        yield* routes.signedInPage(exportPath(subject, format), (visitor, request) =>
          access.ifPlanned(visitor, subject, () => answer(visitor, request))
        )
      }
    })

    yield* add("ads", searchKinds.ads.decode, (query) => exported.ads(query))
    yield* add("products", searchKinds.products.decode, (query, accountId) => exported.products(query, accountId))
    yield* add("stores", searchKinds.stores.decode, (query, accountId) => exported.stores(query, accountId))
  })
)

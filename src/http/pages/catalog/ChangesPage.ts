/** `/dashboard/changes`: what imports have changed, by day, kind and store (D111). The filters of stores come from the Stores page. */
import { Effect, Layer, Result, Schema, Struct } from "effect"
import { AppConfig } from "../../../Config.ts"
import { argumentDecoder } from "../../../domain/ArgumentDecoder.ts"
import { adKinds, productKinds, storeKinds } from "../../../domain/catalog/Changes.ts"
import { dashboardUrl } from "../../../domain/catalog/DashboardUrl.ts"
import * as ChangeQuery from "../../../domain/search/ChangeQuery.ts"
import { maxAddress } from "../../../domain/search/SavedSearch.ts"
import * as SearchAddress from "../../../domain/search/SearchAddress.ts"
import { ShopFilter } from "../../../domain/search/ShopQuery.ts"
import { ChangeFeed, present } from "../../../services/changes/ChangeFeed.ts"
import { noChoices, Vocabulary } from "../../../services/search/Vocabulary.ts"
import * as SearchWarnings from "../../../services/tools/SearchWarnings.ts"
import { inTime } from "../../../services/tools/ToolDefinition.ts"
import { pairsOf } from "../../shared/QueryParameters.ts"
import { problemSummary } from "../shared/Fields.ts"
import type { Refusal } from "../shared/Fields.ts"
import { html } from "../shared/Html.ts"
import type { Html } from "../shared/Html.ts"
import { Layout, sections } from "../shared/Layout.ts"
import type { Locale } from "../shared/Locale.ts"
import { PageRoutes, readsAll, seeOther } from "../shared/PageRoutes.ts"
import { select } from "../shared/Select.ts"
import type { SignedIn } from "../shared/Visitors.ts"
import { CatalogAccess } from "./CatalogAccess.ts"
import { changeTable } from "./ChangeTable.ts"
import * as FilterChips from "./FilterChips.ts"
import { typedOf } from "./FilterForm.ts"
import * as SearchRefusals from "./SearchRefusals.ts"
import { warningLines, worded } from "./WarningTexts.ts"

const perPage = 25

const PageQuery = Schema.Struct({ ...ChangeQuery.fields, ...ShopFilter.fields })
type PageQuery = typeof PageQuery.Type

const address = SearchAddress.make(PageQuery, { order: "newest", tracked_only: false })
const decode = argumentDecoder(PageQuery)

const path = sections.changes

/** The address of the changes of stores; `args` are those of a search for stores. */
export const changesOf = (args: object): string => FilterChips.hrefOf({ address, path }, address.canonical(args))

const kindGroups = [
  ["stores", storeKinds],
  ["products", productKinds],
  ["ads", adKinds]
] as const

/** Arguments that are no filters of stores. */
const ownFields = Struct.keys(ChangeQuery.fields)

const isOwn = (name: string): boolean => Object.hasOwn(ChangeQuery.fields, name)

const form = (args: Readonly<Record<string, unknown>>, locale: Locale): Html => {
  const { text } = locale
  const { kinds = [], order, since, tracked_only: isTracked } = args
  const chosen: ReadonlyArray<unknown> = Array.isArray(kinds) ? kinds : []
  // A page further on begins within the list; another list begins with a day.
  const day = typeof since === "string" && ChangeQuery.sinceOf(since)?._tag === "Day" ? since.trim() : ""
  const filters = address.toPairs(Object.fromEntries(Object.entries(args).filter(([name]) => !isOwn(name))))
  return html`<form method="get" action="${path}" class="panel change-form">
    ${filters.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
    <div class="fields">
      <div class="field">
        <label for="since">${text("changes.since")}</label>
        <input id="since" name="since" type="date" value="${day}" />
      </div>
      ${select({
        name: "order",
        label: text("changes.order"),
        options: ChangeQuery.orders.map((value) => ({ value, label: text(`changes.orders.${value}`) })),
        chosen: typeof order === "string" ? order : "newest"
      })}
      <label class="check">
        <input type="checkbox" name="tracked_only" value="true" ${isTracked === true && html`checked`} />
        ${text("changes.trackedOnly")}
      </label>
    </div>
    <details class="filter" ${chosen.length > 0 && html`open`}>
      <summary>
        ${text("changes.kindsLegend")}${chosen.length > 0 && html` <span class="badge">${chosen.length}</span>`}
      </summary>
      ${kindGroups.map(
        ([group, members]) =>
          html`<fieldset>
            <legend>${text(`layout.section.${group}`)}</legend>
            ${members.map(
              (kind) =>
                html`<label
                  ><input type="checkbox" name="kinds" value="${kind}" ${chosen.includes(kind) && html`checked`} />
                  ${text(`changes.kinds.${kind}`)}</label
                >`
            )}
          </fieldset>`
      )}
    </details>
    <button type="submit">${text("changes.show")}</button>
  </form>`
}

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const routes = yield* PageRoutes
    const access = yield* CatalogAccess
    const feed = yield* ChangeFeed
    const vocabulary = yield* Vocabulary
    const context = { dashboardUrl: dashboardUrl(yield* AppConfig) }
    const warningsOf = yield* SearchWarnings.make()
    const { page } = yield* Layout

    const show = (
      visitor: SignedIn,
      args: Readonly<Record<string, unknown>>,
      { body, refused }: { readonly body?: Html; readonly refused?: Refusal }
    ) => {
      const { locale } = visitor
      return page({
        refused,
        heading: locale.text("changes.heading"),
        account: visitor,
        section: "changes",
        width: "wide",
        body: html`${problemSummary(refused?.problems)}
          <p class="lead">${locale.text("changes.about")}</p>
          ${form(args, locale)} ${body}`
      })
    }

    const list = Effect.fnUntraced(function* (visitor: SignedIn, query: PageQuery) {
      const { locale, session } = visitor
      const { number, text } = locale
      const filters = Struct.omit(query, ownFields)
      const { changes, findings, known_since, pagination } = yield* inTime(
        feed.page({ ...Struct.pick(query, ownFields), filters, per_page: perPage }, session.accountId)
      )
      const { warnings = [] } = yield* worded(locale, warningsOf(filters, findings))
      const args = address.canonical(query)
      const popular = yield* Effect.orElseSucceed(vocabulary.popular, () => noChoices)
      const { has_more: hasMore, next, total, total_is_exact: isExact } = pagination
      const more = FilterChips.hrefOf({ address, path }, { ...args, since: next })
      const count = isExact
        ? text("changes.total", { count: total })
        : text("changes.moreThan", { count: number(total) })
      return html`${FilterChips.chipBar({ path, address, locale, popular, args })} ${warningLines(warnings)}
        <p class="total" role="status">${count}</p>
        ${known_since !== null && html`<p class="aside">${text("changes.knownSince", { day: locale.date(known_since) })}</p>`}
        ${
          changes.length === 0
            ? html`<div class="empty"><p>${text(known_since === null ? "changes.noneYet" : "changes.none")}</p></div>`
            : changeTable(
                changes.map((change) => present(change, context)),
                locale
              )
        }
        ${
          hasMore &&
          html`<nav class="paging" aria-label="${text("pageLinks.pages")}">
            <ul>
              <li>
                <a rel="next" href="${more}">${text(query.order === "oldest" ? "changes.later" : "changes.earlier")}</a>
              </li>
            </ul>
          </nav>`
        }`
    })

    yield* routes.signedInPage(
      path,
      readsAll((visitor, { url }) =>
        access.ifPlanned(visitor, "changes", () => {
          const { locale } = visitor
          const pairs = pairsOf(url)
          const raw = address.toArguments(pairs)
          if (url.length > maxAddress) {
            return access.allow(
              visitor,
              "changes",
              Effect.succeed(show(visitor, {}, { refused: SearchRefusals.tooLong(url.length, locale) }))
            )
          }
          const { args, result } = decode(raw)
          const issues = [...(Result.isFailure(result) ? result.failure : []), ...ChangeQuery.conflicts(args)]
          const typed = typedOf(pairs, raw, address)
          const refused = (found: Parameters<typeof SearchRefusals.invalid>[0]) =>
            show(visitor, raw, { refused: SearchRefusals.invalid(found, locale, typed) })
          if (Result.isFailure(result) || issues.length > 0) {
            return access.allow(visitor, "changes", Effect.succeed(refused(issues)))
          }
          const canonical = address.toPairs(address.canonical(result.success))
          // A form also sends its empty fields; the redirect leads to an address without them, which can be shared.
          if (JSON.stringify(canonical) !== JSON.stringify(pairs)) {
            return Effect.succeed(seeOther(FilterChips.hrefOf({ address, path }, address.canonical(result.success))))
          }
          return access.allow(
            visitor,
            "changes",
            list(visitor, result.success).pipe(
              Effect.map((body) => show(visitor, address.canonical(result.success), { body })),
              Effect.catchTag("InvalidArguments", (invalid) => Effect.succeed(refused(invalid.issues)))
            )
          )
        })
      )
    )
  })
)

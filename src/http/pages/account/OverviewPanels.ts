/** The panels of the overview below the account: tracked stores and saved searches (D121), changes, last searches and calls. */
import { Result } from "effect"
import type { Cause } from "effect"
import { defaultDays } from "../../../domain/search/ChangeQuery.ts"
import type { ChangeItem } from "../../../domain/search/ChangeQuery.ts"
import type { InvalidArguments } from "../../../domain/ToolError.ts"
import type { RecentSearch, SavedSearch } from "../../../services/accounts/SavedSearches.ts"
import { lightNames } from "../../../services/changes/History.ts"
import { maxCounted } from "../../../services/changes/TrackedNews.ts"
import type { TrackedStore } from "../../../services/changes/TrackedNews.ts"
import type { RecordedCall } from "../../../services/credits/CallHistory.ts"
import type { PageViewsUsedUp } from "../../../services/limits/DailyPageViews.ts"
import type { SearchFailure } from "../../../services/limits/SearchPermits.ts"
import type { Popular } from "../../../services/search/Vocabulary.ts"
import { changesOf } from "../catalog/ChangesPage.ts"
import { changeTable } from "../catalog/ChangeTable.ts"
import * as FilterChips from "../catalog/FilterChips.ts"
import { searchesPath, searchPath } from "../catalog/SearchActions.ts"
import { titleOf, writer } from "../catalog/StoreHistory.ts"
import { storePath, storesPath } from "../catalog/StorePaths.ts"
import * as Chart from "../shared/Chart.ts"
import { html } from "../shared/Html.ts"
import type { Html } from "../shared/Html.ts"
import { sections } from "../shared/Layout.ts"
import type { Locale } from "../shared/Locale.ts"
import { tableOf } from "../shared/Table.ts"
import { thirdPartyText } from "../shared/ThirdParty.ts"
import { labelOf, outcomeBadge } from "../usage/CallsTable.ts"

/** Kinds of changes that are named of a store, the most frequent ones. */
const shownKinds = 3

/** Why a part of the page has no data. */
export type Unread = PageViewsUsedUp | SearchFailure | InvalidArguments | Cause.TimeoutError

/** A part that was read, or why it was not. */
export type Part<A> = Result.Result<A, Unread>

export interface SavedNews {
  /** Those that were viewed last, each with what is new in it. */
  readonly shown: ReadonlyArray<{ readonly search: SavedSearch; readonly news: Html | undefined }>
  readonly total: number
  /** Why nothing was counted. */
  readonly uncounted: Unread | undefined
}

const panel = (id: string, heading: string, content: Html): Html =>
  html`<section class="panel" aria-labelledby="${id}">
    <h2 id="${id}">${heading}</h2>
    ${content}
  </section>`

const sentence = (unread: Unread, locale: Locale): Html =>
  html`<p class="aside">
    ${
      unread._tag === "PageViewsUsedUp"
        ? locale.html("dashboard.usedUp", { at: locale.dateTime(unread.renewsAt) })
        : locale.text("dashboard.unavailable")
    }
  </p>`

/** The figure that has changed, the first of them if several have; else how many ads are running. */
const trend = ({ currency, points }: TrackedStore, locale: Locale): Html | undefined => {
  const name = lightNames.find((each) => points[each].length > 1) ?? lightNames[0]
  const known = points[name]
  const [title, write] = [titleOf(name, locale), writer(name, currency, locale)]
  const now = known.at(-1)?.value ?? null
  if (now === null) return undefined
  return html`<div class="trend">
    ${Chart.sparkline({
      title,
      columns: known.map(({ on, value }) => ({ label: locale.date(on), short: locale.date(on), value })),
      write,
      locale
    })}
    <p><strong>${write(now)}</strong> <span class="aside">${title}</span></p>
  </div>`
}

const happened = ({ counts, id }: TrackedStore, locale: Locale): Html => {
  const { text } = locale
  if (counts.length === 0) return html`<p class="aside">${text("dashboard.nothingChanged")}</p>`
  const total = counts.reduce((sum, { count }) => sum + count, 0)
  const further = counts.length - shownKinds
  const what =
    total >= maxCounted
      ? text("dashboard.manyChanges", { most: maxCounted })
      : locale.list([
          ...counts.slice(0, shownKinds).map(({ count, kind }) => text(`mail.alerts.changes.${kind}`, { count })),
          ...(further > 0 ? [text("dashboard.moreKinds", { count: further })] : [])
        ])
  return html`<p class="aside"><a href="${changesOf({ shop_ids: [id] })}">${what}</a></p>`
}

const storeItem = (store: TrackedStore, locale: Locale): Html =>
  html`<li data-store-id="${store.id}">
    <div>
      <p>
        <a href="${storePath(store.id)}">${thirdPartyText(store.name)}</a>
        ${store.isOwn && html`<span class="badge">${locale.text("store.badges.own")}</span>`}
        <bdi class="aside">${store.domain}</bdi>
      </p>
      ${happened(store, locale)}
    </div>
    ${trend(store, locale)}
  </li>`

export const trackedStores = (part: Part<ReadonlyArray<TrackedStore>>, locale: Locale): Html => {
  const { text } = locale
  const content = Result.match(part, {
    onFailure: (unread) => sentence(unread, locale),
    onSuccess: (stores) =>
      stores.length === 0
        ? html`<p>${text("stores.empty")}</p>
            <p>
              ${locale.html("dashboard.storesNext", { stores: html`<a href="${storesPath}">${text("layout.section.stores")}</a>`, track: html`<strong>${text("store.track")}</strong>` })}
            </p>`
        : html`<p class="aside">${text("dashboard.storesAbout", { days: defaultDays })}</p>
            <ul class="kept-searches tracked-stores">
              ${stores.map((store) => storeItem(store, locale))}
            </ul>
            <p><a href="${storesPath}">${text("dashboard.allStores")}</a></p>`
  })
  return panel("tracked-stores", text("stores.followed"), content)
}

const searchItem = ({ news, search }: SavedNews["shown"][number], locale: Locale): Html =>
  html`<li data-saved-id="${search.id}">
    <p>
      <a href="${searchPath(search)}"><bdi>${search.name}</bdi></a>
      <span class="badge">${locale.text(`layout.section.${search.subject}`)}</span> ${news}
    </p>
    <p class="aside">${locale.html("saved.viewedAt", { at: locale.dateTime(search.viewedAt) })}</p>
  </li>`

export const savedSearches = (part: Part<SavedNews>, locale: Locale): Html => {
  const { text } = locale
  const toSearch = (subject: SavedSearch["subject"]) =>
    html`<a href="${sections[subject]}">${text(`layout.section.${subject}`)}</a>`
  const content = Result.match(part, {
    onFailure: (unread) => sentence(unread, locale),
    onSuccess: ({ shown, total, uncounted }) =>
      total === 0
        ? html`<p>${text("saved.empty")}</p>
            <p>
              ${locale.html("saved.emptyNext", { ads: toSearch("ads"), products: toSearch("products"), stores: toSearch("stores"), save: html`<strong>${text("saved.save")}</strong>` })}
            </p>`
        : html`${uncounted === undefined ? html`<p class="aside">${text("dashboard.searchesAbout")}</p>` : sentence(uncounted, locale)}
            <ul class="kept-searches">
              ${shown.map((each) => searchItem(each, locale))}
            </ul>
            <p><a href="${searchesPath}">${text("dashboard.allSearches", { count: total })}</a></p>`
  })
  return panel("saved-searches", text("saved.heading"), content)
}

/** The newest of the last days, of tracked stores; nothing without any. */
export const lastChanges = (part: Part<ReadonlyArray<ChangeItem>>, locale: Locale): Html | undefined => {
  const { text } = locale
  if (Result.isSuccess(part) && part.success.length === 0) return undefined
  const content = Result.match(part, {
    onFailure: (unread) => sentence(unread, locale),
    onSuccess: (changes) =>
      html`${changeTable(changes, locale)}
        <p><a href="${changesOf({ tracked_only: true })}">${text("dashboard.allChanges")}</a></p>`
  })
  return panel("last-changes", text("dashboard.changes"), content)
}

/** Those of the pages (D67). One that is refused by now, such as for a niche that is gone, is left out. */
export const lastSearches = (
  searches: ReadonlyArray<RecentSearch>,
  popular: Popular,
  locale: Locale
): Html | undefined => {
  const { text } = locale
  const items = searches.flatMap((search) => {
    const summary = FilterChips.summary(search, { locale, popular })
    if (summary === undefined) return []
    return html`<li>
      <p class="filters-of">
        <span class="badge">${text(`layout.section.${search.subject}`)}</span>
        <a href="${searchPath(search)}">${summary}</a>
      </p>
      <p class="aside">${locale.dateTime(search.at)}</p>
    </li>`
  })
  if (items.length === 0) return undefined
  return panel(
    "last-searches",
    text("dashboard.lastSearches"),
    html`<ul class="kept-searches">
      ${items}
    </ul>`
  )
}

/** Without arguments: the activity log has none (D53). */
export const lastCalls = (calls: ReadonlyArray<RecordedCall>, locale: Locale): Html => {
  const { text } = locale
  return panel(
    "last-calls",
    text("usage.lastCalls"),
    html`${tableOf<RecordedCall>({
        label: text("usage.lastCalls"),
        items: calls,
        columns: [
          [text("usage.time"), ({ at }) => locale.dateTime(at)],
          [text("usage.tool"), ({ tool }) => html`<code>${tool}</code>`],
          [text("usage.who"), ({ caller }) => labelOf(caller, locale)],
          [text("usage.outcome"), outcomeBadge]
        ]
      })}
      <p><a href="${sections.usage}">${text("dashboard.allCalls")}</a></p>`
  )
}

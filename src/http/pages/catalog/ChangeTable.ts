/** Changes of the catalog as rows of a table: what has changed, of which store and item, from what to what (D111). */
import { DateTime } from "effect"
import type { ChangeKind } from "../../../domain/catalog/Changes.ts"
import { numberFigures, storeFigures } from "../../../domain/catalog/Figures.ts"
import type { ChangeItem } from "../../../domain/search/ChangeQuery.ts"
import { html } from "../shared/Html.ts"
import type { Html } from "../shared/Html.ts"
import type { Locale } from "../shared/Locale.ts"
import { tableOf } from "../shared/Table.ts"
import type { Column } from "../shared/Table.ts"
import { thirdPartyText } from "../shared/ThirdParty.ts"
import { storePath } from "./StorePaths.ts"

const figures = new Map<string, (typeof numberFigures)[number]>(
  numberFigures.map((figure) => [storeFigures[figure].answer, figure])
)

const isMonth = (kind: ChangeKind): boolean => kind === "visits_added" || kind === "visits_corrected"

/** Such as "Price down" or "App added: Klaviyo". */
const what = ({ item_title: title, kind, name }: ChangeItem, locale: Locale): Html => {
  const { text } = locale
  const figure = kind === "figure_changed" ? figures.get(name ?? "") : undefined
  const label = figure === undefined ? text(`changes.kinds.${kind}`) : text(`store.figure.${figure}`)
  // Of an ad, whether it is running.
  const isApart = figure !== undefined || kind.startsWith("ad_") || name === null
  const detail = isApart ? undefined : isMonth(kind) ? html`${locale.month(name)}` : thirdPartyText(name)
  return html`<strong>${label}</strong>${detail !== undefined && html` ${detail}`}
    ${title !== null && html`<span class="aside">${thirdPartyText(title)}</span>`}`
}

/** Numbers before and after, in the currency of the store where they are money. */
const values = (change: ChangeItem, locale: Locale): Html | string => {
  const { currency, kind, old } = change
  const write = (value: number | null) =>
    value === null
      ? locale.text("store.unknown")
      : currency === null
        ? locale.number(value)
        : locale.money(value, currency)
  // Of an ad that moved, ids of stores.
  if (kind === "ad_moved" || (old === null && change.new === null)) return ""
  if (kind === "visits_added" || kind.startsWith("product_")) return write(change.new ?? old)
  return html`${write(old)} ${locale.text("changes.to")} <strong>${write(change.new)}</strong>`
}

const store = ({ shop }: ChangeItem, { text }: Locale): Html | string => {
  if (shop === null) return text("changes.noStore")
  const name = shop.name ?? shop.domain
  if (shop.name === null || name === null) {
    return html`${name === null ? text("changes.goneStore") : thirdPartyText(name)}
      <span class="badge">${text("changes.goneStore")}</span>`
  }
  return html`<a href="${storePath(shop.id)}">${thirdPartyText(name)}</a>
    ${shop.is_tracked && html`<span class="badge good">${text("store.badges.tracked")}</span>`}
    ${shop.domain !== null && html`<bdi class="aside">${shop.domain}</bdi>`}`
}

/** `isOfOneStore` leaves the column of the store out. */
export const changeTable = (
  changes: ReadonlyArray<ChangeItem>,
  locale: Locale,
  { isOfOneStore = false }: { readonly isOfOneStore?: boolean } = {}
): Html => {
  const { text } = locale
  const ofStore: Column<ChangeItem> = [text("changes.store"), (change) => store(change, locale), "wordy"]
  return tableOf<ChangeItem>({
    label: text("changes.heading"),
    size: "medium",
    items: changes,
    attributes: ({ kind }) => html`data-kind="${kind}"`,
    columns: [
      [text("changes.what"), (change) => what(change, locale), "name"],
      ...(isOfOneStore ? [] : [ofStore]),
      [text("changes.values"), (change) => values(change, locale), "figure"],
      [
        text("changes.when"),
        (change) =>
          html`${locale.dateTime(DateTime.makeUnsafe(change.at))}
            <span class="aside">${text("changes.asOf", { day: locale.date(change.data_as_of) })}</span>`,
        "moment"
      ]
    ]
  })
}

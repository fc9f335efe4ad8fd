/**
 * Quick filters (D119): filters that many searches have, as links above the results. Each adds its filter to the search, or takes it
 * away where the search has it. They need no script.
 */
import { DateTime, Equal } from "effect"
import type { MessageKey } from "../../../domain/Messages.ts"
import { chipBar, hrefOf } from "./FilterChips.ts"
import type { Context } from "./FilterChips.ts"
import type { ArgumentName } from "./FilterField.ts"
import type { Subject } from "./FilterForm.ts"
import { html } from "../shared/Html.ts"
import type { Html } from "../shared/Html.ts"

interface QuickFilter {
  readonly key: MessageKey
  readonly name: ArgumentName
  readonly value: (now: DateTime.Utc) => unknown
}

/** The days since then, with the first one and today (D32). */
const inDays = (days: number) => (now: DateTime.Utc) => ({
  from: DateTime.formatIsoDateUtc(DateTime.subtract(now, { days }))
})

const always = (value: unknown) => () => value

const growing: QuickFilter = { key: "quick.growing", name: "traffic_growth_pct", value: always({ min: 10 }) }
const advertised: QuickFilter = { key: "quick.advertised", name: "active_ads", value: always({ min: 50 }) }

const all: Readonly<Record<Subject, ReadonlyArray<QuickFilter>>> = {
  ads: [
    { key: "quick.running", name: "status", value: always("active") },
    { key: "quick.video", name: "media_types", value: always(["video"]) },
    { key: "quick.week", name: "ad_started_between", value: inDays(7) },
    { key: "quick.month", name: "ad_started_between", value: inDays(30) }
  ],
  products: [{ key: "quick.month", name: "product_created_between", value: inDays(30) }, growing, advertised],
  stores: [growing, advertised]
}

/** The links above the results: quick filters, and the other filters in use. */
export const narrowing = (subject: Subject | "market", context: Context, now: DateTime.Utc): Html => {
  if (subject === "market") return html`<div class="narrowing">${chipBar(context)}</div>`
  const { address, args, locale } = context
  const { text } = locale
  const quick = all[subject].map((each) => {
    const wanted = each.value(now)
    return { ...each, wanted, isOn: Equal.equals(args[each.name], wanted) }
  })
  const shown = new Set(quick.flatMap(({ isOn, name }) => (isOn ? [name] : [])))
  const links = quick.map(({ isOn, key, name, wanted }) => {
    // From the first page on.
    const href = hrefOf(context, address.canonical({ ...args, page: undefined, [name]: isOn ? undefined : wanted }))
    const label = text(key)
    const state = isOn && html` aria-current="true" aria-label="${text("search.remove", { filter: label })}"`
    return html`<li><a href="${href}" class="chip" ${state}>${label}</a></li>`
  })
  return html`<div class="narrowing">
    <nav class="quick" aria-label="${text("quick.heading")}">
      <ul>
        ${links}
      </ul>
    </nav>
    ${chipBar(context, shown)}
  </div>`
}

/** How many results of a saved search are new since it was last viewed, as pages say it (D67). */
import { Effect, Option } from "effect"
import type { Counting, NewResults } from "../../../services/search/NewResults.ts"
import { html } from "../shared/Html.ts"
import type { Html } from "../shared/Html.ts"
import type { Locale } from "../shared/Locale.ts"

/** `undefined` if the count took too long or is unavailable, `None` if the search is no longer valid. */
type Counted = Option.Option<number> | undefined

/** A page does not wait longer for the count of one search. */
const longestCount = "2 seconds"

const badge = (counted: Counted, { text }: Locale): Html => {
  if (counted === undefined) return html`<span class="badge">${text("saved.notCounted")}</span>`
  if (Option.isNone(counted)) return html`<span class="badge bad">${text("saved.refused")}</span>`
  return html`<span class="badge ${counted.value > 0 && "good"}">${text("saved.new", { count: counted.value })}</span>`
}

/** Never fails: a page has other things to show. */
export const newsOf = (results: NewResults["Service"], search: Counting, locale: Locale): Effect.Effect<Html> =>
  results.count(search).pipe(
    Effect.timeoutOption(longestCount),
    Effect.map(Option.getOrUndefined),
    Effect.orElseSucceed(() => undefined),
    Effect.map((counted) => badge(counted, locale))
  )

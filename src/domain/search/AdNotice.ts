/** Why a search for ads is empty (S33), if it used an app filter or a store creation date. */
import type { AdQuery } from "./AdQuery.ts"
import type { AdPagination } from "./Page.ts"

export type Reason = "past_the_last_result" | "unknown_app" | "unknown_creation_date"

/** The reasons of an empty page; none when neither filter was used. */
export const reasons = (
  { apps, shop_created_between: created }: Pick<AdQuery, "apps" | "shop_created_between">,
  { total }: Pick<AdPagination, "total">
): ReadonlyArray<Reason> => {
  const possible: Array<Reason> = []
  if (apps !== undefined && apps.length > 0) possible.push("unknown_app")
  if (created !== undefined && (created.from !== undefined || created.to !== undefined)) {
    possible.push("unknown_creation_date")
  }
  return possible.length > 0 && total > 0 ? ["past_the_last_result"] : possible
}

export const text = (reasons: ReadonlyArray<Reason>): string | undefined => {
  if (reasons.length === 0) return undefined
  const notices = reasons.map((reason) => sentences[reason])
  return reasons.includes("past_the_last_result") ? notices.join(" ") : ["No ad matches.", ...notices].join(" ")
}

const sentences: Readonly<Record<Reason, string>> = {
  past_the_last_result: "This page is past the last result; ask for an earlier page.",
  unknown_app:
    'An unknown app name matches nothing: look names up with list_filter_options, kind "apps" and a part of the name as query.',
  unknown_creation_date:
    "The creation date is not known of every store, and such stores never match shop_created_between: widen or drop it."
}

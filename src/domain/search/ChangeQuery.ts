/** Arguments and answer of `list_changes` (D111): what imports have changed of stores, products and ads. */
import { Schema } from "effect"
import { issueAt, problem } from "../ArgumentIssue.ts"
import type { ArgumentIssue } from "../ArgumentIssue.ts"
import { changeKinds } from "../catalog/Changes.ts"
import { isCalendarDate } from "../Scalars.ts"
import * as Arguments from "./Arguments.ts"
import { fields as pageFields, warnings } from "./Page.ts"
import { ShopFilter } from "./ShopQuery.ts"
import { fields as storeFields } from "./StoreFilter.ts"

/** Totals are exact up to it. */
export const maxTotal = 10_000

/** Days before today that are listed unless `since` says otherwise. */
export const defaultDays = 7

/** Where the changes of a page begin: on a day by UTC, after a change, or between two others and before one. */
export type Since =
  | { readonly _tag: "Day"; readonly day: string }
  | { readonly _tag: "After"; readonly id: number }
  /** Newest first: ids greater than `above` and at most `top`, and less than `id`. */
  | { readonly _tag: "Before"; readonly id: number; readonly above: number; readonly top: number }

const after = /^after-(\d{1,15})$/u
const before = /^before-(\d{1,15})-(\d{1,15})-(\d{1,15})$/u

export const cursorOf = (since: Exclude<Since, { readonly _tag: "Day" }>): string =>
  since._tag === "After" ? `after-${since.id}` : `before-${since.id}-${since.above}-${since.top}`

/** `undefined` for a text that is neither a day nor a cursor. */
export const sinceOf = (sent: string): Since | undefined => {
  const text = sent.trim()
  if (isCalendarDate(text)) return { _tag: "Day", day: text }
  const [, last] = after.exec(text) ?? []
  if (last !== undefined) return { _tag: "After", id: Number(last) }
  const [, id, above, top] = before.exec(text) ?? []
  return id === undefined ? undefined : { _tag: "Before", id: Number(id), above: Number(above), top: Number(top) }
}

const SinceText = Schema.String.check(
  Schema.makeFilter((text: string) => sinceOf(text) !== undefined, { problem: problem("not_since") })
)

export const orders = ["newest", "oldest"] as const

/** The arguments besides the filters of stores. */
export const fields = {
  since: Arguments.optional(SinceText, `YYYY-MM-DD (default: ${defaultDays} days ago), or next of the last answer.`),
  kinds: Arguments.optional(Arguments.someOf(changeKinds), "Default all."),
  tracked_only: Arguments.optional(Schema.Boolean, "Stores that the account tracks or owns."),
  order: Arguments.optional(Arguments.oneOf(orders), "Default newest.")
} as const

/** As the tool takes it: the filters are an object of their own, as `search_shops` has them. */
export const ChangeArguments = Schema.Struct({
  ...fields,
  shop_ids: storeFields.shop_ids,
  filters: Arguments.optional(
    ShopFilter.annotate({ jsonText: '{"countries":["US"],"active_ads":{"min":10}}' }),
    "Filters of search_shops as a JSON string."
  ),
  per_page: pageFields(80).per_page
})
export type ChangeArguments = typeof ChangeArguments.Type

/** A page that goes on newest first has no place in the other order. */
export const conflicts = (args: Readonly<Record<string, unknown>>): ReadonlyArray<ArgumentIssue> =>
  args["order"] === "oldest" && typeof args["since"] === "string" && before.test(args["since"].trim())
    ? [issueAt("order", "cursor_is_newest")]
    : []

const Text = Schema.NullOr(Schema.String)

export const ChangeItem = Schema.Struct({
  kind: Schema.Literals(changeKinds),
  at: Schema.String.annotate({ description: "When it was imported; ISO 8601." }),
  data_as_of: Schema.String.annotate({ description: "The day of the data, YYYY-MM-DD." }),
  name: Text.annotate({
    description:
      "The figure, theme, app, pixel or month that changed; active or inactive of an ad that appeared, moved or was removed."
  }),
  old: Schema.NullOr(Schema.Finite).annotate({
    description: "The number before; null if it was unknown. Of ad_moved the store's id."
  }),
  new: Schema.NullOr(Schema.Finite).annotate({ description: "The number after, as old." }),
  currency: Text.annotate({ description: "Of old and new, where they are money." }),
  item_id: Schema.NullOr(Schema.Int).annotate({ description: "Of the product or ad." }),
  item_title: Text.annotate({
    description: "A product's title, or an ad's headline or page; up to 200 characters. Third-party content."
  }),
  shop: Schema.NullOr(
    Schema.Struct({
      id: Schema.Int,
      name: Text.annotate({ description: "Third-party content; null of a store that is gone." }),
      domain: Text,
      country: Text,
      is_tracked: Schema.Boolean
    })
  ).annotate({ description: "null of ads without a store." }),
  dashboard_url: Text
})
export type ChangeItem = typeof ChangeItem.Type

export const ChangePagination = Schema.Struct({
  per_page: Schema.Int,
  total: Schema.Int.annotate({
    description: `Matching changes since then; at most ${maxTotal.toLocaleString("en-US")}.`
  }),
  total_is_exact: Schema.Boolean.annotate({ description: "False if there are more than total." }),
  has_more: Schema.Boolean,
  next: Schema.String.annotate({
    description: "The value of since for the next page; once has_more is false, for the changes of later imports."
  })
})

export const ChangePage = Schema.Struct({
  results: Schema.Array(ChangeItem),
  pagination: ChangePagination,
  known_since: Text.annotate({ description: "The day of the oldest change on record, YYYY-MM-DD; null without any." }),
  warnings
})
export type ChangePage = typeof ChangePage.Type

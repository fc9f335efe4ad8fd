/** Saved searches that are mailed when they have news (D113): how often, and what a mail says of them. */
import { Schema } from "effect"
import { changeKinds } from "../catalog/Changes.ts"
import { dayMillis } from "../Days.ts"
import { SearchSubject } from "./SavedSearch.ts"

export const AlertFrequency = Schema.Literals(["daily", "weekly"])
export type AlertFrequency = typeof AlertFrequency.Type

export const daysOf: Readonly<Record<AlertFrequency, number>> = { daily: 1, weekly: 7 }

/** What is new in a search. */
export const SearchNews = Schema.Struct({
  id: Schema.Int,
  name: Schema.String,
  subject: SearchSubject,
  results: Schema.Int,
  /** Of the stores that it finds; only kinds that have any. */
  changes: Schema.Array(Schema.Struct({ kind: Schema.Literals(changeKinds), count: Schema.Int }))
})
export type SearchNews = typeof SearchNews.Type

export const AlertNews = Schema.Struct({ searches: Schema.NonEmptyArray(SearchNews) })
export type AlertNews = typeof AlertNews.Type

export const hasNews = ({ changes, results }: SearchNews): boolean => results > 0 || changes.length > 0

/** A look that is later than planned by up to this time keeps its time of the day. */
const graceMillis = dayMillis / 24

/** When an account is looked at next: at the same time of a day, and nearly a day from now at the earliest. */
export const nextLook = (dueMillis: number, nowMillis: number): number =>
  dueMillis + (Math.ceil((nowMillis - graceMillis - dueMillis) / dayMillis) + 1) * dayMillis

/** The state of the usage page, encoded in its address. */
import { Option, Schema } from "effect"
import { UrlParams } from "effect/http"
import { Outcome } from "../../../domain/access/Activity.ts"
import { maxInteger } from "../../../domain/search/Arguments.ts"
import { sections } from "../shared/Layout.ts"
import { orEmpty, paramsOf } from "../shared/Query.ts"
import type { CallerId, Kind } from "../../../services/access/CallerNames.ts"
import type { CallFilter } from "../../../services/access/CallHistory.ts"
import { spans } from "../../../services/access/Usage.ts"
import type { Span } from "../../../services/access/Usage.ts"

export const usagePath = sections.usage

/** The default is a fixed number of days, because a period that has just begun is too short for a chart. */
export const usualSpan: Span = "30days"

export interface UsageView {
  readonly span: Span
  readonly filter: CallFilter
  /** Shows the calls before this one. */
  readonly before: number | undefined
}

const pattern = (regex: RegExp) => Schema.String.check(Schema.isPattern(regex))

const Query = Schema.Struct({
  span: orEmpty(Schema.Literals(spans)),
  tool: orEmpty(pattern(/^[a-z_]{1,64}$/u)),
  outcome: orEmpty(Outcome),
  who: orEmpty(pattern(/^(?:key|app)-[1-9]\d{0,9}$/u)),
  before: orEmpty(pattern(/^[1-9]\d{0,14}$/u))
})
const decode = Schema.decodeUnknownOption(Query)

const words = { api_key: "key", access_token: "app" } as const satisfies Record<Kind, string>

/** The caller in an address, such as `key-12`. */
export const wordOf = ({ id, kind }: CallerId): string => `${words[kind]}-${id}`

const callerOf = (word: string): CallerId => {
  const [kind = "", id = ""] = word.split("-")
  return { kind: kind === words.api_key ? "api_key" : "access_token", id: Number(id) }
}

/** Returns `None` for an address to which no page links. */
export const parse = (url: string): Option.Option<UsageView> => {
  const query = UrlParams.toRecord(UrlParams.fromInput(paramsOf(url)))
  return Option.filter(
    Option.map(decode(query), ({ before, outcome, span, tool, who }) => ({
      span: span === undefined || span === "" ? usualSpan : span,
      filter: {
        tool: tool === "" ? undefined : tool,
        outcome: outcome === "" ? undefined : outcome,
        caller: who === undefined || who === "" ? undefined : callerOf(who)
      },
      before: before === undefined || before === "" ? undefined : Number(before)
    })),
    ({ filter }) => filter.caller === undefined || filter.caller.id <= maxInteger
  )
}

/** The address of a view, without default values. */
export const format = ({ before, filter, span }: UsageView): string => {
  const query = new URLSearchParams()
  if (span !== usualSpan) query.set("span", span)
  if (filter.tool !== undefined) query.set("tool", filter.tool)
  if (filter.outcome !== undefined) query.set("outcome", filter.outcome)
  if (filter.caller !== undefined) query.set("who", wordOf(filter.caller))
  if (before !== undefined) query.set("before", String(before))
  return query.size === 0 ? usagePath : `${usagePath}?${query.toString()}`
}

export const isFiltered = ({ caller, outcome, tool }: CallFilter): boolean =>
  caller !== undefined || outcome !== undefined || tool !== undefined

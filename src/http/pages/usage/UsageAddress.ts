/** The state of the usage page, encoded in its address. */
import { Schema } from "effect"
import { Outcome } from "../../../domain/access/Activity.ts"
import { maxInteger } from "../../../domain/Scalars.ts"
import { sections } from "../shared/Layout.ts"
import { addressOf } from "../../shared/QueryParameters.ts"
import type { CallerId, Kind } from "../../../services/credits/CallerNames.ts"
import type { CallFilter } from "../../../services/credits/CallHistory.ts"
import { spans } from "../../../services/credits/Usage.ts"
import type { Span } from "../../../services/credits/Usage.ts"

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

/** The parameters of the address. */
export const Query = Schema.Struct({
  span: Schema.optionalKey(Schema.Literals(spans)),
  tool: Schema.optionalKey(pattern(/^[a-z_]{1,64}$/u)),
  outcome: Schema.optionalKey(Outcome),
  who: Schema.optionalKey(
    pattern(/^(?:key|app)-[1-9]\d{0,9}$/u).check(Schema.makeFilter((word) => callerOf(word).id <= maxInteger))
  ),
  before: Schema.optionalKey(pattern(/^[1-9]\d{0,14}$/u))
})

const words = { api_key: "key", access_token: "app" } as const satisfies Record<Kind, string>

/** The caller in an address, such as `key-12`. */
export const wordOf = ({ id, kind }: CallerId): string => `${words[kind]}-${id}`

const callerOf = (word: string): CallerId => {
  const [kind = "", id = ""] = word.split("-")
  return { kind: kind === words.api_key ? "api_key" : "access_token", id: Number(id) }
}

export const viewOf = ({ before, outcome, span = usualSpan, tool, who }: typeof Query.Type): UsageView => ({
  span,
  filter: { tool, outcome, caller: who === undefined ? undefined : callerOf(who) },
  before: before === undefined ? undefined : Number(before)
})

/** The address of a view, without default values. */
export const format = ({ before, filter: { caller, outcome, tool }, span }: UsageView): string =>
  addressOf(usagePath, {
    span: span === usualSpan ? undefined : span,
    tool,
    outcome,
    who: caller === undefined ? undefined : wordOf(caller),
    before
  })

export const isFiltered = ({ caller, outcome, tool }: CallFilter): boolean =>
  caller !== undefined || outcome !== undefined || tool !== undefined

/**
 * The closed union of tool errors: what a `tools/call` can answer instead of a result.
 *
 * Every handler's error type is a subset of {@link ToolError}. On the wire an error is a tool result with
 * `isError: true` and two text blocks: {@link toText} for a person or a model, and the JSON of {@link ToolErrorPayload}
 * for a program (docs/errors.md).
 */
import { Schema } from "effect"
import { ArgumentIssue, englishOf } from "./ArgumentIssue.ts"

/** The arguments do not fit the tool: all issues at once. Nothing was charged. */
export class InvalidArguments extends Schema.TaggedError<InvalidArguments>()("InvalidArguments", {
  message: Schema.String,
  issues: Schema.Array(ArgumentIssue),
  hint: Schema.optionalKey(Schema.String)
}) {
  static fromIssues(issues: ReadonlyArray<ArgumentIssue>, hint?: string): InvalidArguments {
    const [first, ...others] = issues
    const summary = first === undefined ? "the arguments are invalid" : formatIssue(first)
    return new InvalidArguments({
      message: others.length === 0 ? summary : `${summary} (and ${others.length} more, see issues)`,
      issues,
      ...(hint === undefined ? {} : { hint })
    })
  }
}

const formatIssue = (issue: ArgumentIssue): string =>
  issue.path === "" ? englishOf(issue) : `${issue.path}: ${englishOf(issue)}`

/** The account has no active Growth or Pro subscription (S36, D6). */
export class PlanUpgradeRequired extends Schema.TaggedError<PlanUpgradeRequired>()("PlanUpgradeRequired", {
  message: Schema.String,
  hint: Schema.String,
  upgradeUrl: Schema.String
}) {}

/** No credits are left in this period. */
export class InsufficientCredits extends Schema.TaggedError<InsufficientCredits>()("InsufficientCredits", {
  message: Schema.String,
  hint: Schema.String,
  retryAfterSeconds: Schema.Int,
  upgradeUrl: Schema.String
}) {}

/** The record asked for by id does not exist. */
export class NotFound extends Schema.TaggedError<NotFound>()("NotFound", {
  message: Schema.String,
  hint: Schema.optionalKey(Schema.String)
}) {}

/** `get_product` on a store that the caller neither tracks nor owns. */
export class ShopNotTracked extends Schema.TaggedError<ShopNotTracked>()("ShopNotTracked", {
  message: Schema.String,
  hint: Schema.String
}) {}

/** Too many calls in a short time by one account. */
export class RateLimited extends Schema.TaggedError<RateLimited>()("RateLimited", {
  message: Schema.String,
  retryAfterSeconds: Schema.Int
}) {}

/** The search ran into the statement timeout; no query is left running and nothing was charged. */
export class SearchTimeout extends Schema.TaggedError<SearchTimeout>()("SearchTimeout", {
  message: Schema.String,
  hint: Schema.String
}) {}

/** The database or another part that the call needs cannot be reached. The cause is in the log, never on the wire. */
export class ServiceUnavailable extends Schema.TaggedError<ServiceUnavailable>()("ServiceUnavailable", {
  message: Schema.String,
  retryAfterSeconds: Schema.Int,
  cause: Schema.optionalKey(Schema.Defect())
}) {}

/** A defect of ours. The log has the cause under the request id. */
export class InternalError extends Schema.TaggedError<InternalError>()("InternalError", {
  message: Schema.String,
  hint: Schema.String
}) {}

export const ToolError = Schema.Union([
  InvalidArguments,
  PlanUpgradeRequired,
  InsufficientCredits,
  NotFound,
  ShopNotTracked,
  RateLimited,
  SearchTimeout,
  ServiceUnavailable,
  InternalError
])
export type ToolError = typeof ToolError.Type

/** The wire's `code` of each error. A record keyed by `_tag`: a new member does not compile until it has its code. */
export const codes = {
  InvalidArguments: "invalid_arguments",
  PlanUpgradeRequired: "plan_upgrade_required",
  InsufficientCredits: "insufficient_credits",
  NotFound: "not_found",
  ShopNotTracked: "shop_not_tracked",
  RateLimited: "rate_limited",
  SearchTimeout: "search_timeout",
  ServiceUnavailable: "service_unavailable",
  InternalError: "internal_error"
} as const satisfies Record<ToolError["_tag"], string>

/** What a program reads (docs/errors.md); `request_id` is also the header `X-Request-Id`. */
export const ToolErrorPayload = Schema.Struct({
  error: Schema.Struct({
    code: Schema.Literals(Object.values(codes)),
    message: Schema.String,
    hint: Schema.optionalKey(Schema.String),
    issues: Schema.optionalKey(Schema.Array(Schema.Struct({ path: Schema.String, message: Schema.String }))),
    retry_after_seconds: Schema.optionalKey(Schema.Int),
    upgrade_url: Schema.optionalKey(Schema.String),
    request_id: Schema.String
  })
})
export type ToolErrorPayload = typeof ToolErrorPayload.Type

/** The one place that turns the union into its JSON. Only trusted text gets here: a `cause` never does. */
export const toPayload = (error: ToolError, requestId: string): ToolErrorPayload => ({
  error: {
    code: codes[error._tag],
    message: error.message,
    ...("hint" in error && error.hint !== undefined ? { hint: error.hint } : {}),
    ...("issues" in error
      ? { issues: error.issues.map((issue) => ({ path: issue.path, message: englishOf(issue) })) }
      : {}),
    ...("retryAfterSeconds" in error ? { retry_after_seconds: error.retryAfterSeconds } : {}),
    ...("upgradeUrl" in error ? { upgrade_url: error.upgradeUrl } : {}),
    request_id: requestId
  }
})

/**
 * What a person or a model reads: the message and its hint, ended by a newline. It comes first and is no JSON, because
 * clients take a first block that parses as JSON for structured content, and hold it against the tool's outputSchema.
 */
export const toText = (error: ToolError): string =>
  "hint" in error && error.hint !== undefined
    ? `${sentence(error.message)} ${error.hint}\n`
    : `${sentence(error.message)}\n`

const sentence = (text: string): string => (/[.!?]$/u.test(text) ? text : `${text}.`)

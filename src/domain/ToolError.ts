/**
 * The closed union of tool errors (D20, D21): what `tools/call` answers instead of a result (docs/errors.md).
 *
 * The error type of every handler is a subset of {@link ToolError}. On the wire an error is a tool result with `isError:
 * true` and two text blocks: {@link toText} for a person or a model, and the JSON of {@link ToolErrorPayload} for a
 * program.
 */
import { Schema } from "effect"
import { ArgumentIssue, englishOf } from "./ArgumentIssue.ts"

/** The arguments do not match the schema of the tool; all issues at once. */
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

export class InsufficientCredits extends Schema.TaggedError<InsufficientCredits>()("InsufficientCredits", {
  message: Schema.String,
  hint: Schema.String,
  /** Credits of the call. */
  cost: Schema.Int,
  retryAfterSeconds: Schema.Int,
  upgradeUrl: Schema.String
}) {}

export class NotFound extends Schema.TaggedError<NotFound>()("NotFound", {
  message: Schema.String,
  hint: Schema.optionalKey(Schema.String)
}) {}

/** `get_product` on a store that the caller neither tracks nor owns. */
export class ShopNotTracked extends Schema.TaggedError<ShopNotTracked>()("ShopNotTracked", {
  message: Schema.String,
  hint: Schema.String
}) {}

export class RateLimited extends Schema.TaggedError<RateLimited>()("RateLimited", {
  message: Schema.String,
  retryAfterSeconds: Schema.Int
}) {}

/** The search reached the statement timeout. No query is left running. */
export class SearchTimeout extends Schema.TaggedError<SearchTimeout>()("SearchTimeout", {
  message: Schema.String,
  hint: Schema.String
}) {}

/** The database or another dependency cannot be reached. The cause is logged and never sent. */
export class ServiceUnavailable extends Schema.TaggedError<ServiceUnavailable>()("ServiceUnavailable", {
  message: Schema.String,
  retryAfterSeconds: Schema.Int,
  cause: Schema.optionalKey(Schema.Defect())
}) {}

/** A defect. The cause is logged with the request id. */
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

/** The `code` on the wire. A new error does not compile until it has one. */
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

/** For programs. `request_id` is also the header `X-Request-Id`. */
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

/** Only trusted text is included, never a `cause`. */
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
 * The message and its hint, ended by a newline. This block comes first and is not JSON, because clients take a first
 * block that parses as JSON for structured content and validate it against the outputSchema.
 */
export const toText = (error: ToolError): string =>
  "hint" in error && error.hint !== undefined
    ? `${sentence(error.message)} ${error.hint}\n`
    : `${sentence(error.message)}\n`

const sentence = (text: string): string => (/[.!?]$/u.test(text) ? text : `${text}.`)

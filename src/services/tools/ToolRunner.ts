/**
 * Runs a call (P10, P26, D18, D23): check the plan, decode the arguments, check the balance, search, truncate, charge,
 * answer.
 *
 * The plan comes first, so that accounts without access cause no work. The charge comes last, so that a failure before
 * it costs nothing.
 *
 * Read next: ToolDefinition, what a tool is; SearchAds as an example, with its arguments, check and answer in one file; ToolRegistry,
 * the list of tools. A tool knows neither HTTP nor JSON-RPC, which are http/mcp's.
 */
import { Cause, Clock, Context, Effect, Layer, Result } from "effect"
import { AppConfig } from "../../Config.ts"
import type { Caller } from "../../domain/access/Account.ts"
import * as Credit from "../../domain/access/Credit.ts"
import * as Plan from "../../domain/access/Plan.ts"
import type { ArgumentIssue } from "../../domain/ArgumentIssue.ts"
import { InvalidArguments } from "../../domain/ToolError.ts"
import type { ToolError } from "../../domain/ToolError.ts"
import * as ToolErrors from "../../domain/ToolError.ts"
import { ActivityLog } from "../credits/ActivityLog.ts"
import { CreditLedger } from "../credits/CreditLedger.ts"
import { DataAsOf } from "../import/Sources.ts"
import { CurrentAccount } from "../limits/CurrentAccount.ts"
import * as Availability from "../database/Availability.ts"
import * as Metrics from "../metrics/Metrics.ts"
import type { Charge, Charged, IdempotencyKey } from "../../domain/access/Charge.ts"
import * as Idempotency from "./Idempotency.ts"
import * as Truncation from "../../domain/Truncation.ts"
import { inTime, prepare } from "./ToolDefinition.ts"
import type { Complaint, PreparedCall, RawArguments, RunnableTool } from "./ToolDefinition.ts"
import * as ToolErrorMessages from "../../domain/ToolErrorMessages.ts"

export interface ToolCall {
  readonly tool: RunnableTool
  readonly arguments: RawArguments
  /** `params._meta`. */
  readonly meta: Readonly<Record<string, unknown>> | undefined
  readonly caller: Caller
  /** Unique for each call, also within a batch; the ledger accepts each id once. */
  readonly requestId: string
  /** Called as soon as the call is charged. A caller that does not get its answer is refunded (CreditLedger). */
  readonly onCharge: (charge: Charge) => void
}

/** `json` is a page of results or the payload of an error. `cost` is 0 for every error. */
export interface ToolAnswer extends Charged {
  readonly json: string
  /** `undefined` for a result. */
  readonly error: ToolError | undefined
  /** The day that the catalog's data is of, `YYYY-MM-DD`; of results from the catalog, where it is known. */
  readonly dataAsOf?: string
}

export class ToolRunner extends Context.Service<
  ToolRunner,
  {
    /** Never fails: errors are answers, and a defect is one without its cause. */
    run(call: ToolCall): Effect.Effect<ToolAnswer>
    /** The answer to a call that is refused before it runs. */
    refuse(call: ToolCall, error: ToolError): Effect.Effect<ToolAnswer>
  }
>()("discovery/tools/ToolRunner") {
  static readonly layer = Layer.effect(
    ToolRunner,
    Effect.gen(function* () {
      const { billingUrl, supportUrl } = yield* AppConfig
      const ledger = yield* CreditLedger
      const activity = yield* ActivityLog
      const dataAsOf = yield* DataAsOf

      const measuredIn = yield* Effect.context()

      /** Logs and measures the call, and records it in the activity of the account. */
      const tell = (call: ToolCall, answer: ToolAnswer, atMillis: number, durationMillis: number) => {
        const outcome = answer.error === undefined ? "ok" : ToolErrors.codes[answer.error._tag]
        const { accountId, credential } = call.caller
        const { requestId } = call
        const tool = call.tool.name
        Metrics.calls.addUnsafe(measuredIn, { tool, outcome })
        activity.record({
          accountId,
          credential,
          tool,
          outcome,
          credits: answer.cost,
          atMillis,
          durationMillis,
          requestId
        })
        return Effect.logInfo({
          event: "tools/call",
          tool,
          outcome,
          cost: answer.cost,
          duration_ms: durationMillis,
          account: accountId,
          request_id: requestId
        })
      }

      /** Uninterruptible from the charge to `onCharge`. */
      const charge = (call: ToolCall, cost: number, idempotency: IdempotencyKey | undefined) =>
        Effect.uninterruptibleMask((restore) => {
          const price: Charge = {
            caller: call.caller,
            tool: call.tool.name,
            cost,
            requestId: call.requestId,
            ...(idempotency === undefined ? {} : { idempotency })
          }
          return Effect.map(restore(ledger.charge(price)), (charged) => {
            if (charged.cost > 0) {
              call.onCharge(price)
              Metrics.creditsCharged.addUnsafe(measuredIn, { tool: call.tool.name }, charged.cost)
            }
            return charged
          })
        })

      const succeed = Effect.fnUntraced(function* (call: ToolCall): Effect.fn.Return<ToolAnswer, ToolError> {
        const { caller, tool } = call
        const upgrade = Plan.missing(caller, billingUrl)
        if (upgrade !== undefined) return yield* upgrade
        const prepared = yield* prepare(tool, tool.decode(call.arguments))
        const key = Idempotency.keyOf(call.meta)
        if (Result.isFailure(prepared) || Result.isFailure(key)) return yield* complain(prepared, key)

        const { credits } = prepared.success
        const run = prepared.success.run(caller)
        if (tool.cost === 0) {
          const json = Truncation.toJson(yield* run)
          return { json, error: undefined, cost: 0, remaining: Credit.remaining(caller.credits) }
        }

        const idempotency =
          key.success === undefined
            ? undefined
            : { key: key.success, fingerprint: Idempotency.fingerprint(tool.name, call.arguments) }
        const paid = idempotency !== undefined && (yield* ledger.lookup(caller, idempotency)) === "repeat"
        const most = credits === "one" ? tool.cost : tool.cost * credits.perResult
        if (!paid && Credit.remaining(caller.credits) < most) {
          return yield* ToolErrorMessages.insufficientCredits({
            cost: most,
            remaining: Credit.remaining(caller.credits),
            periodEnd: caller.credits.periodEnd,
            nowMillis: yield* Clock.currentTimeMillis,
            billingUrl
          })
        }

        // While the charge waits, nothing keeps the envelope: collecting garbage would copy it each time.
        const {
          asOf,
          json,
          results = 0
        } = yield* Effect.map(inTime(Effect.all({ envelope: run, asOf: dataAsOf })), (found) => ({
          asOf: found.asOf,
          ...Truncation.truncated(found.envelope)
        }))
        const charged = yield* charge(call, credits === "one" ? tool.cost : tool.cost * results, idempotency)
        return {
          json,
          error: undefined,
          cost: charged.cost,
          remaining: charged.remaining,
          ...(asOf === null ? {} : { dataAsOf: asOf })
        }
      })

      return {
        run: (call) =>
          Effect.clockWith((clock) => {
            const startedAt = clock.currentTimeMillisUnsafe()
            const began = clock.monotonicTimeNanosUnsafe()
            const logged = (answer: ToolAnswer) => {
              const seconds = Number(clock.monotonicTimeNanosUnsafe() - began) / 1e9
              Metrics.callDuration.observeUnsafe(measuredIn, { tool: call.tool.name }, seconds)
              return Effect.as(tell(call, answer, startedAt, clock.currentTimeMillisUnsafe() - startedAt), answer)
            }
            return Effect.matchCauseEffect(
              Effect.provideService(succeed(call), CurrentAccount, call.caller.accountId),
              {
                onSuccess: logged,
                onFailure: (cause) => Effect.flatMap(fail(call, cause, supportUrl), logged)
              }
            )
          }),
        refuse: (call, error) =>
          Effect.clockWith((clock) => {
            const answer = failed(call, error)
            return Effect.as(tell(call, answer, clock.currentTimeMillisUnsafe(), 0), answer)
          })
      }
    })
  )
}

const complain = (
  prepared: Result.Result<PreparedCall, Complaint>,
  key: Result.Result<string | undefined, ArgumentIssue>
): InvalidArguments => {
  const complaint: Complaint = Result.isFailure(prepared) ? prepared.failure : { issues: [] }
  const issues = Result.isFailure(key) ? [...complaint.issues, key.failure] : complaint.issues
  return InvalidArguments.fromIssues(issues, complaint.hints?.join(" "))
}

/**
 * A typed failure is returned to the caller; a defect is logged and returned without details; an interruption is passed
 * on.
 */
const fail = (call: ToolCall, cause: Cause.Cause<ToolError>, supportUrl: string): Effect.Effect<ToolAnswer> => {
  const error = Cause.findErrorOption(cause)
  if (error._tag === "Some") {
    const answer = failed(call, error.value)
    return error.value._tag === "ServiceUnavailable" && error.value.cause !== undefined
      ? Effect.as(logCause("A service is unavailable", call, Cause.fail(error.value.cause)), answer)
      : Effect.succeed(answer)
  }
  if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause as Cause.Cause<never>)
  return Effect.flatMap(
    Effect.annotateLogs(Availability.isRefusedValue(cause), { request_id: call.requestId }),
    (isUnfit) =>
      isUnfit
        ? Effect.succeed(failed(call, ToolErrorMessages.unfitArguments()))
        : Effect.as(
            logCause("A call failed by a defect", call, cause),
            failed(call, ToolErrorMessages.internalError(supportUrl))
          )
  )
}

const failed = (call: ToolCall, error: ToolError): ToolAnswer => ({
  json: JSON.stringify(ToolErrors.toPayload(error, call.requestId)),
  error,
  cost: 0,
  remaining:
    error._tag === "InsufficientCredits"
      ? Math.min(Credit.remaining(call.caller.credits), Math.max(0, error.cost - 1))
      : Credit.remaining(call.caller.credits)
})

const logCause = (message: string, call: ToolCall, cause: Cause.Cause<unknown>) =>
  Effect.annotateLogs(Effect.logError(message, cause), { request_id: call.requestId, tool: call.tool.name })

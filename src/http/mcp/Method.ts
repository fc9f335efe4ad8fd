/** A method: the schema of its params, and what it makes of them, with the statuses of failures in each revision. */
import { Effect, Result } from "effect"
import type { Schema } from "effect"
import * as JsonRpc from "../../domain/mcp/JsonRpc.ts"
import type * as View from "../../domain/mcp/View.ts"
import type { InvalidPrompt, Prompts } from "../../services/tools/Prompts.ts"
import type { RawArguments, RunnableTool } from "../../services/tools/ToolDefinition.ts"
import type * as Cards from "./apps/Cards.ts"
import * as Params from "./Params.ts"

/** A failure of the protocol, with its HTTP status in the revision. */
export interface MethodFailure extends JsonRpc.Failure {
  readonly status: 200 | 400 | 404
}

export type Outcome =
  | { readonly _tag: "Json"; readonly json: string; readonly startsSession?: boolean }
  | { readonly _tag: "Card"; readonly card: Card }
  /** The result as JSON, from the catalog. */
  | { readonly _tag: "Prompt"; readonly result: Effect.Effect<string, MethodFailure | CatalogFailure> }
  | {
      readonly _tag: "ToolCall"
      readonly tool: RunnableTool
      readonly arguments: RawArguments
      readonly meta: Readonly<Record<string, unknown>> | undefined
    }

/** The catalog cannot answer now. */
export type CatalogFailure = Exclude<Effect.Error<ReturnType<Prompts["Service"]["get"]>>, InvalidPrompt>

export type Card = NonNullable<ReturnType<typeof Cards.find>>

export type MethodResult = Result.Result<Outcome, MethodFailure>

type Status = MethodFailure["status"]

/** P21: malformed params are HTTP 200 in legacy revisions, where HTTP is transport only, and 400 in the modern one. */
export const legacyStatus = 200
export const modernStatus = 400

export const invalid = (status: Status, message: string): MethodResult =>
  Result.fail({ code: JsonRpc.codes.invalidParams, message, status })

export const json = (value: unknown): MethodResult => {
  const outcome: Outcome = { _tag: "Json", json: JSON.stringify(value) }
  return Result.succeed(outcome)
}

/** The result that the catalog gives later. */
export const ofCatalog = (
  status: Status,
  result: Effect.Effect<object, InvalidPrompt | CatalogFailure>
): MethodResult =>
  Result.succeed({
    _tag: "Prompt",
    result: Effect.mapBoth(result, {
      onSuccess: (value) => JSON.stringify(value),
      onFailure: (failure): MethodFailure | CatalogFailure =>
        failure._tag === "InvalidPrompt"
          ? { code: JsonRpc.codes.invalidParams, message: failure.message, status }
          : failure
    })
  })

/** The params as they were sent, and the status for malformed ones. */
export interface Sent {
  readonly params: unknown
  readonly status: Status
}

type Method = (params: unknown, status: Status, view: View.View) => MethodResult

export const method = <S extends Schema.ConstraintDecoder<unknown>>(
  schema: S,
  run: (params: S["Type"], view: View.View, sent: Sent) => MethodResult
): Method => {
  const decode = Params.decoderOf(schema)
  return (params, status, view) => {
    const decoded = decode(params)
    return Result.isFailure(decoded) ? invalid(status, decoded.failure) : run(decoded.success, view, { params, status })
  }
}

export type Methods = ReadonlyArray<readonly [name: string, method: Method]>

export const revisionOf = (malformed: Status, unknown: Status, entries: Methods) => {
  const methods = new Map(entries)
  const notFound = Result.fail({
    code: JsonRpc.codes.methodNotFound,
    message: "there is no such method",
    status: unknown
  })
  const other = method(Params.AnyParams, () => notFound)
  return (name: string, params: unknown, view: View.View) => (methods.get(name) ?? other)(params, malformed, view)
}

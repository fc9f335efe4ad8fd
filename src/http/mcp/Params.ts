/** The params of each method: their schemas, and the sentence for each member that is wrong (P21). */
import { Predicate, Result, Schema, SchemaIssue } from "effect"
import { echoName } from "../../domain/ArgumentDecoder.ts"
import * as JsonRpc from "../../domain/mcp/JsonRpc.ts"
import * as Protocol from "../../domain/mcp/Protocol.ts"

/** Any JSON object, not copied: tools limit and decode their own arguments. */
export const JsonObject = Schema.declare(Protocol.isObjectOrEmpty)
export const optionalObject = Schema.optionalKey(Schema.NullOr(JsonObject))

type SentObject = typeof JsonObject.Type | null | undefined

export const objectOf = (sent: SentObject): Readonly<Record<string, unknown>> | undefined =>
  Predicate.isObject(sent) ? sent : undefined

/** What each member of params takes. Errors have no other texts, so that none of the schemas' own is sent. */
const sentences = {
  _meta: "params._meta must be an object",
  arguments: "params.arguments must be an object, not a string with the JSON of one",
  capabilities: "params.capabilities must be an object",
  clientInfo: "params.clientInfo must be an object",
  cursor: "there is one page of them: leave params.cursor out, or send an empty string",
  argument: "params.argument must be an object with name and value, two strings",
  name: "params.name must be a string",
  ref: 'params.ref must be {"type":"ref/prompt","name":...}: only arguments of prompts are completed',
  protocolVersion: "params.protocolVersion must be a string",
  uri: "params.uri must be a string"
}
type Member = keyof typeof sentences

const isMember = (name: PropertyKey | undefined): name is Member => name !== undefined && Object.hasOwn(sentences, name)

const paramsWith = <Fields extends { readonly [K in keyof Fields]: K extends Member ? Schema.Top : never }>(
  fields: Fields
) => Schema.Struct({ _meta: optionalObject, ...fields })

export const AnyParams = paramsWith({})
export const InitializeParams = paramsWith({
  protocolVersion: Schema.String,
  capabilities: optionalObject,
  clientInfo: optionalObject
})
export const ListParams = paramsWith({ cursor: Schema.optionalKey(Schema.NullOr(Schema.Literal(""))) })
export const ReadParams = paramsWith({ uri: Schema.String })
export const CallParams = paramsWith({ name: Schema.String, arguments: optionalObject })

export const PromptParams = paramsWith({ name: Schema.String, arguments: optionalObject })
export const CompleteParams = paramsWith({
  ref: Schema.Struct({ type: Schema.Literal("ref/prompt"), name: Schema.String }),
  argument: Schema.Struct({ name: Schema.String, value: Schema.String })
})

/** Members that some revision gives the params of `tools/call`. A server without tasks ignores `task`. */
const callMembers: ReadonlySet<string> = new Set([
  "_meta",
  "arguments",
  "inputResponses",
  "name",
  "requestState",
  "task"
])

/**
 * What is wrong with a member that was meant as arguments. Without `arguments`, that is any member that is none of the protocol;
 * beside them, one with the name of an argument, of which `properties` are the schemas. Others are ignored, since revisions to
 * come may have them.
 */
export const misplacedIn = (params: unknown, properties: unknown): string | undefined => {
  if (!Predicate.isObject(params)) return undefined
  const isMeant = (name: string) =>
    !callMembers.has(name) &&
    params[name] !== null &&
    (properties === undefined || (Predicate.isObject(properties) && Object.hasOwn(properties, name)))
  const name = Object.keys(params).find(isMeant)
  return name === undefined
    ? undefined
    : `params.${echoName(name)} is not known; the arguments of a tool are members of params.arguments`
}

const format = SchemaIssue.makeFormatterStandardSchemaV1()

export const decoderOf = <S extends Schema.ConstraintDecoder<unknown>>(schema: S) => {
  const decode = Schema.decodeUnknownResult(schema)
  return (params: unknown): Result.Result<S["Type"], string> =>
    Result.mapError(decode(Array.isArray(params) && params.length === 0 ? {} : (params ?? {})), ({ issue }) => {
      const name = format(issue).issues[0]?.path?.[0]
      const member = typeof name === "object" ? name.key : name
      return isMember(member) ? sentences[member] : "params must be an object"
    })
}

const decodeAny = decoderOf(AnyParams)

/** What is wrong with the params of any message, such as a notification. */
export const problemOf = (params: unknown): JsonRpc.Failure | undefined => {
  const decoded = decodeAny(params)
  return Result.isFailure(decoded) ? { code: JsonRpc.codes.invalidParams, message: decoded.failure } : undefined
}

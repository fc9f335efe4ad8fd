/**
 * Decoding of client metadata documents (R50; Client ID Metadata Documents, section 4; RFC 7591, section 2). Unknown
 * members are ignored.
 */
import { Option, Predicate, Result, Schema } from "effect"
import * as ArgumentDecoder from "../ArgumentDecoder.ts"
import type { OAuthClient } from "./Client.ts"
import * as ClientText from "./ClientText.ts"
import type { DocumentProblem } from "./DocumentProblem.ts"
import * as RedirectUri from "./RedirectUri.ts"

const maxRedirectUris = 50

const Document = Schema.Struct({
  client_id: Schema.String,
  client_name: Schema.String,
  redirect_uris: Schema.Array(Schema.String.check(Schema.makeFilter(RedirectUri.isRegistrable))).check(
    Schema.isBetweenLength(1, maxRedirectUris)
  ),
  token_endpoint_auth_method: Schema.optionalKey(Schema.String),
  token_endpoint_auth_methods_supported: Schema.optionalKey(Schema.Array(Schema.String))
})

const decode = ArgumentDecoder.decoder(Document, { unknownNames: "ignore" })

const parseJson = Option.liftThrowable((text: string): unknown => JSON.parse(text))

/** The client that a document describes, or what is wrong with the document. */
export const read = (text: string, clientId: string): Result.Result<OAuthClient, DocumentProblem> => {
  const json = parseJson(text)
  if (Option.isNone(json) || !Predicate.isObject(json.value)) return Result.fail({ code: "not_object" })
  if (!hasUniqueKeys(text)) return Result.fail({ code: "repeated_member" })
  // The document is public, so nothing in it can be a secret.
  if (Object.keys(json.value).some((name) => name.startsWith("client_secret"))) return Result.fail({ code: "secret" })
  const decoded = decode(json.value)
  if (Result.isFailure(decoded)) {
    return Result.fail({ code: "members", members: decoded.failure.map(({ path }) => path).join(", ") })
  }
  const document = decoded.success
  if (document.client_id !== clientId) return Result.fail({ code: "other_client_id" })
  if (!isPublicClient(document)) return Result.fail({ code: "auth_method" })
  const name = ClientText.clean(document.client_name)
  if (name === "") return Result.fail({ code: "unseen_name" })
  return Result.succeed({
    id: clientId,
    name,
    source: "document",
    publisher: new URL(clientId).host,
    redirectUris: document.redirect_uris,
    authMethod: "none"
  })
}

/**
 * Whether the client can do without authentication, which is the only method for documents because they share no secret
 * with this server. A client that prefers `private_key_jwt` is accepted if it also lists `none` (ChatGPT).
 */
const isPublicClient = (document: typeof Document.Type): boolean => {
  const method = document.token_endpoint_auth_method ?? "none"
  return (
    method === "none" ||
    (method === "private_key_jwt" && document.token_endpoint_auth_methods_supported?.includes("none") === true)
  )
}

const token = /"(?:[^"\\]|\\.)*"|[{}[\],:]/g

/**
 * Whether every object in a JSON text names each member once; `JSON.parse` keeps the last without an error. `json` must be
 * valid JSON. Different spellings of a name, such as `"a"` and `"\u0061"`, are equal.
 */
export const hasUniqueKeys = (json: string): boolean => {
  /** The objects and arrays around the token: for an object its names so far, for an array `undefined`. */
  const open: Array<Set<string> | undefined> = []
  let last = ""
  for (const [found] of json.matchAll(token)) {
    if (found === "{") open.push(new Set())
    else if (found === "[") open.push(undefined)
    else if (found === "}" || found === "]") open.pop()
    else if (found === ":") {
      const name: unknown = JSON.parse(last)
      const names = open.at(-1)
      if (names?.has(String(name)) === true) return false
      names?.add(String(name))
    }
    last = found
  }
  return true
}

/** An app that may ask for access, registered or described by a metadata document. */
import { Schema, SchemaTransformation } from "effect"

export const authMethods = ["none", "client_secret_basic", "client_secret_post"] as const
export type AuthMethod = (typeof authMethods)[number]

/** `undefined` in code, `null` in JSON. */
export const StringOrNone = Schema.NullOr(Schema.String).pipe(
  Schema.decodeTo(
    Schema.UndefinedOr(Schema.String),
    SchemaTransformation.transform({ decode: (text) => text ?? undefined, encode: (text) => text ?? null })
  )
)

export const OAuthClient = Schema.Struct({
  id: Schema.String,
  /** Cleaned text of 1 to 100 characters, chosen by the app. */
  name: Schema.String,
  source: Schema.Literals(["registered", "document"]),
  /**
   * The host of a metadata document, which is the only verified property of an app (R25). `undefined` for registered apps.
   */
  publisher: StringOrNone,
  redirectUris: Schema.Array(Schema.String),
  authMethod: Schema.Literals(authMethods)
})
export type OAuthClient = typeof OAuthClient.Type

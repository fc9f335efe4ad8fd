/** An app that may ask for access, registered or described by a metadata document. */

export const authMethods = ["none", "client_secret_basic", "client_secret_post"] as const
export type AuthMethod = (typeof authMethods)[number]

export interface OAuthClient {
  readonly id: string
  /** Cleaned text of 1 to 100 characters, chosen by the app. */
  readonly name: string
  readonly source: "registered" | "document"
  /**
   * The host of a metadata document, which is the only verified property of an app (R25). `undefined` for registered apps.
   */
  readonly publisher: string | undefined
  readonly redirectUris: ReadonlyArray<string>
  readonly authMethod: AuthMethod
}

/** An app that may ask for access, however it made itself known. */

export const authMethods = ["none", "client_secret_basic", "client_secret_post"] as const
export type AuthMethod = (typeof authMethods)[number]

export interface OAuthClient {
  readonly id: string
  /** Clean text of 1 to 100 characters. The app chose it. */
  readonly name: string
  readonly source: "registered" | "document"
  /** The host of a document's id: the only thing about an app that is verified (R25). */
  readonly publisher: string | undefined
  readonly redirectUris: ReadonlyArray<string>
  readonly authMethod: AuthMethod
}

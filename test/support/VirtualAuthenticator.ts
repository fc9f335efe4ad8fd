/** Chromium's virtual authenticator (WebAuthn, 11.2), in the window of a page. */
import { Effect } from "effect"
import type { Page } from "playwright-core"

export interface VirtualAuthenticator {
  /** Whether the person is recognized, by a PIN or a fingerprint. */
  readonly recognizes: (isVerified: boolean) => Effect.Effect<void>
  /** The number of passkeys that it keeps. */
  readonly count: Effect.Effect<number>
  /** Loses them, as a new device has none. */
  readonly clear: Effect.Effect<void>
}

export const plug = (page: Page): Effect.Effect<VirtualAuthenticator> =>
  Effect.promise(async () => {
    const client = await page.context().newCDPSession(page)
    await client.send("WebAuthn.enable")
    const { authenticatorId } = await client.send("WebAuthn.addVirtualAuthenticator", {
      options: {
        protocol: "ctap2",
        transport: "internal",
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true
      }
    })
    return {
      recognizes: (isUserVerified) =>
        Effect.promise(
          async () => void (await client.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified }))
        ),
      count: Effect.promise(
        async () => (await client.send("WebAuthn.getCredentials", { authenticatorId })).credentials.length
      ),
      clear: Effect.promise(async () => void (await client.send("WebAuthn.clearCredentials", { authenticatorId })))
    }
  })

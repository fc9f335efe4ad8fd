/**
 * Verifies what browsers send of passkeys (WebAuthn Level 3), for the host and origin of `BASE_URL` (D77). User
 * verification is always required, so that a passkey is two factors: the device, and its PIN or biometrics.
 */
import { Context, Effect, Layer, Result, Schema } from "effect"
import { Base64Url } from "effect/encoding"
import { AppConfig } from "../../../Config.ts"

/** Longer than any answer of an authenticator without attestation. */
export const maxCredentialCharacters = 16_000
/** EdDSA, ES256 and RS256: each authenticator has one of them. */
const algorithms = [-8, -7, -257]
/** How long the browser waits for the person. */
const timeoutMillis = 5 * 60_000

const base64Url = (maxCharacters: number) =>
  Schema.String.check(Schema.isMaxLength(maxCharacters), Schema.isPattern(/^[A-Za-z0-9_-]+$/))

const credentialId = base64Url(1_364)

/** As `toJSON()` of the browser gives it; other members are ignored. */
const credentialOf = <S extends Schema.Constraint>(response: S) =>
  Schema.fromJsonString(
    Schema.Struct({ id: credentialId, rawId: credentialId, type: Schema.Literal("public-key"), response })
  )

const Registration = credentialOf(
  Schema.Struct({
    clientDataJSON: base64Url(maxCredentialCharacters),
    attestationObject: base64Url(maxCredentialCharacters)
  })
)

const Assertion = credentialOf(
  Schema.Struct({
    clientDataJSON: base64Url(maxCredentialCharacters),
    authenticatorData: base64Url(maxCredentialCharacters),
    signature: base64Url(maxCredentialCharacters),
    userHandle: Schema.optionalKey(Schema.NullOr(base64Url(86)))
  })
)
export type Assertion = typeof Assertion.Type

const decodeRegistration = Schema.decodeUnknownEffect(Registration)
const decodeAssertion = Schema.decodeUnknownEffect(Assertion)

const ClientData = Schema.fromJsonString(
  Schema.Struct({ challenge: base64Url(200), crossOrigin: Schema.optionalKey(Schema.Boolean) })
)
const decodeClientData = Schema.decodeUnknownEffect(ClientData)

/** The answer is malformed, or not signed by the passkey for this service. The reason is for the log. */
export class PasskeyRejected extends Schema.TaggedError<PasskeyRejected>()("PasskeyRejected", {
  reason: Schema.String
}) {}

const rejected = (reason: string) => new PasskeyRejected({ reason })

export interface NewCredential {
  readonly credentialId: Uint8Array
  readonly publicKey: Uint8Array
  readonly signCount: number
}

/** For `PublicKeyCredential.parseCreationOptionsFromJSON` and `parseRequestOptionsFromJSON`. */
export type Options = Readonly<Record<string, unknown>>

const challengeOf = Effect.fnUntraced(function* (clientDataJSON: string) {
  const bytes = Base64Url.decode(clientDataJSON)
  if (Result.isFailure(bytes)) return yield* rejected("the client data is no base64url")
  const data = yield* Effect.mapError(decodeClientData(new TextDecoder().decode(bytes.success)), () =>
    rejected("the client data cannot be read")
  )
  // The library accepts a frame of another site where the browser does not name it.
  if (data.crossOrigin === true) return yield* rejected("the passkey was used in a frame of another site")
  return data.challenge
})

/** Browsers have no passkeys for IP addresses (WebAuthn, 5.1.2). */
const isIpAddress = (hostname: string): boolean => hostname.startsWith("[") || /^\d+(?:\.\d+){3}$/.test(hostname)

export class WebAuthn extends Context.Service<
  WebAuthn,
  {
    /** False where `BASE_URL` has an IP address: browsers have passkeys for names only. */
    readonly isAvailable: boolean
    creationOptions(request: {
      readonly challenge: string
      readonly userHandle: Uint8Array
      readonly email: string
      /** The account's passkeys, so that an authenticator does not make a second one. */
      readonly known: ReadonlyArray<Uint8Array>
    }): Options
    /** Without `allowed`, the browser offers every passkey that it has for this service. */
    requestOptions(request: { readonly challenge: string; readonly allowed?: ReadonlyArray<Uint8Array> }): Options
    /** `redeem` gets the challenge of the answer, and fails unless it was issued. */
    verifyNew<E, R>(
      json: string,
      redeem: (challenge: string) => Effect.Effect<void, E, R>
    ): Effect.Effect<NewCredential, PasskeyRejected | E, R>
    /** Decodes an answer, whose passkey is then looked up for {@link verify}. */
    read(json: string): Effect.Effect<{ readonly assertion: Assertion; readonly challenge: string }, PasskeyRejected>
    /** Returns the signature counter, which the caller compares with the last one. */
    verify(
      answer: { readonly assertion: Assertion; readonly challenge: string },
      passkey: { readonly credentialId: Uint8Array; readonly publicKey: Uint8Array }
    ): Effect.Effect<{ readonly signCount: number }, PasskeyRejected>
  }
>()("discovery/sessions/WebAuthn") {
  static readonly layer = Layer.effect(
    WebAuthn,
    Effect.gen(function* () {
      const { baseUrl } = yield* AppConfig
      const { hostname } = new URL(baseUrl)
      // When it is needed: with its parsers of certificates it is a fifth of all modules.
      const library = Effect.promise(() => import("@simplewebauthn/server"))
      const helpers = Effect.promise(() => import("@simplewebauthn/server/helpers"))
      const expected = { expectedOrigin: baseUrl, expectedRPID: hostname, requireUserVerification: true }

      const listed = (ids: ReadonlyArray<Uint8Array>) =>
        ids.map((id) => ({ type: "public-key", id: Base64Url.encode(id) }))

      const creationOptions: WebAuthn["Service"]["creationOptions"] = ({ challenge, email, known, userHandle }) => ({
        rp: { id: hostname, name: "Discovery" },
        user: { id: Base64Url.encode(userHandle), name: email, displayName: email },
        challenge,
        pubKeyCredParams: algorithms.map((alg) => ({ type: "public-key", alg })),
        timeout: timeoutMillis,
        excludeCredentials: listed(known),
        authenticatorSelection: { residentKey: "required", requireResidentKey: true, userVerification: "required" },
        attestation: "none"
      })

      const requestOptions: WebAuthn["Service"]["requestOptions"] = ({ allowed = [], challenge }) => ({
        rpId: hostname,
        challenge,
        timeout: timeoutMillis,
        allowCredentials: listed(allowed),
        userVerification: "required"
      })

      /**
       * Attestation was not asked for. Certificates in one would make the library fetch the lists of revoked ones from any
       * address that they name. Without certificates it is signed by the passkey itself.
       */
      const withoutCertificates = (
        attestationObject: string,
        { decodeAttestationObject }: Effect.Success<typeof helpers>
      ) => {
        const bytes = Base64Url.decode(attestationObject)
        if (Result.isFailure(bytes)) return false
        // A copy, because the library's type asks for a buffer that is not shared.
        const object = decodeAttestationObject(bytes.success.slice())
        const format = object.get("fmt")
        return format === "none" || (format === "packed" && object.get("attStmt").get("x5c") === undefined)
      }

      const attempt = <A>(what: string, run: () => Promise<A> | A) =>
        Effect.tryPromise({
          // Also what it throws at once, such as for malformed CBOR.
          try: async () => run(),
          catch: (cause) => rejected(`${what}: ${cause instanceof Error ? cause.message.slice(0, 300) : "unknown"}`)
        })

      const verifyNew: WebAuthn["Service"]["verifyNew"] = Effect.fnUntraced(function* (json, redeem) {
        const { id, rawId, response, type } = yield* Effect.mapError(decodeRegistration(json), () =>
          rejected("the answer cannot be read")
        )
        const challenge = yield* challengeOf(response.clientDataJSON)
        yield* redeem(challenge)
        const reading = yield* helpers
        const isPlain = yield* attempt("the attestation cannot be read", () =>
          withoutCertificates(response.attestationObject, reading)
        )
        if (!isPlain) return yield* rejected("it has an attestation with certificates, which was not asked for")
        const { verifyRegistrationResponse } = yield* library
        const { registrationInfo } = yield* attempt("not registered", () =>
          verifyRegistrationResponse({
            ...expected,
            expectedChallenge: challenge,
            supportedAlgorithmIDs: algorithms,
            response: { id, rawId, type, response, clientExtensionResults: {} }
          })
        )
        if (registrationInfo === undefined) return yield* rejected("the attestation is not signed by the passkey")
        const { credential } = registrationInfo
        const credentialId = Base64Url.decode(credential.id)
        if (Result.isFailure(credentialId)) return yield* rejected("the id is no base64url")
        return { credentialId: credentialId.success, publicKey: credential.publicKey, signCount: credential.counter }
      })

      const read: WebAuthn["Service"]["read"] = Effect.fnUntraced(function* (json) {
        const assertion = yield* Effect.mapError(decodeAssertion(json), () => rejected("the answer cannot be read"))
        return { assertion, challenge: yield* challengeOf(assertion.response.clientDataJSON) }
      })

      const verify: WebAuthn["Service"]["verify"] = Effect.fnUntraced(function* ({ assertion, challenge }, passkey) {
        const { id, rawId, response, type } = assertion
        const { authenticatorData, clientDataJSON, signature } = response
        const { verifyAuthenticationResponse } = yield* library
        const { authenticationInfo, verified } = yield* attempt("not verified", () =>
          verifyAuthenticationResponse({
            ...expected,
            expectedChallenge: challenge,
            response: {
              id,
              rawId,
              type,
              response: { authenticatorData, clientDataJSON, signature },
              clientExtensionResults: {}
            },
            // The counter is compared where it is stored, so that of two answers at once one is refused.
            credential: {
              id: Base64Url.encode(passkey.credentialId),
              publicKey: passkey.publicKey.slice(),
              counter: 0
            }
          })
        )
        if (!verified) return yield* rejected("the signature is wrong")
        return { signCount: authenticationInfo.newCounter }
      })

      return WebAuthn.of({
        isAvailable: !isIpAddress(hostname),
        creationOptions,
        requestOptions,
        verifyNew,
        read,
        verify
      })
    })
  )
}

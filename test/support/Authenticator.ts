/** An authenticator in software: makes passkeys and answers challenges as a browser sends them, and wrong answers on request. */
import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto"
import type { KeyObject } from "node:crypto"
import { Schema } from "effect"

interface Wrong {
  readonly origin?: string
  readonly type?: string
  readonly challenge?: string
  readonly crossOrigin?: boolean
  /** Of the page: the host that the passkey is made for, or answers to. */
  readonly rpId?: string
  /** Bits of the authenticator's data; 1 is presence, 4 is verification. */
  readonly flags?: number
  readonly signCount?: number
  readonly userHandle?: string | null
  readonly id?: string
  /** The format of the attestation, with a certificate in it. */
  readonly attestation?: string
}

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64url")
const sha256 = (bytes: Uint8Array | string) => createHash("sha256").update(bytes).digest()

const Creation = Schema.decodeUnknownSync(
  Schema.fromJsonString(
    Schema.Struct({
      rp: Schema.Struct({ id: Schema.String }),
      challenge: Schema.String,
      user: Schema.Struct({ id: Schema.String, name: Schema.String }),
      excludeCredentials: Schema.Array(Schema.Struct({ id: Schema.String })),
      authenticatorSelection: Schema.Struct({ userVerification: Schema.Literal("required") })
    })
  )
)
const Request = Schema.decodeUnknownSync(
  Schema.fromJsonString(
    Schema.Struct({
      rpId: Schema.String,
      challenge: Schema.String,
      allowCredentials: Schema.Array(Schema.Struct({ id: Schema.String })),
      userVerification: Schema.Literal("required")
    })
  )
)

const verified = 0x01 | 0x04

export class Authenticator {
  readonly id = randomBytes(32)
  readonly #origin: string
  readonly #privateKey: KeyObject
  readonly #coseKey: Uint8Array
  /** Raised by every answer, unless the authenticator does not count. */
  signCount: number
  readonly #counts: boolean
  userHandle: string | null = null

  constructor(origin: string, { counts = true } = {}) {
    this.#origin = origin
    this.#counts = counts
    this.signCount = counts ? 1 : 0
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
    this.#privateKey = privateKey
    const { x = "", y = "" } = publicKey.export({ format: "jwk" })
    const point = (coordinate: string) => Buffer.from(coordinate, "base64url")
    // {1: 2 (EC2), 3: -7 (ES256), -1: 1 (P-256), -2: x, -3: y}
    this.#coseKey = Buffer.concat([
      Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20]),
      point(x),
      Buffer.from([0x22, 0x58, 0x20]),
      point(y)
    ])
  }

  #clientData(type: string, challenge: string, wrong: Wrong): Buffer {
    return Buffer.from(
      JSON.stringify({
        type: wrong.type ?? type,
        challenge: wrong.challenge ?? challenge,
        origin: wrong.origin ?? this.#origin,
        crossOrigin: wrong.crossOrigin ?? false
      })
    )
  }

  #data(rpId: string, flags: number, wrong: Wrong): Buffer {
    const head = Buffer.alloc(5)
    head.writeUInt8(wrong.flags === undefined ? flags : (flags & 0x40) | wrong.flags, 0)
    head.writeUInt32BE(wrong.signCount ?? this.signCount, 1)
    return Buffer.concat([sha256(wrong.rpId ?? rpId), head])
  }

  /** The answer to the options of a new passkey, both in JSON. */
  create(options: string, wrong: Wrong = {}): string {
    const { challenge, rp, user } = Creation(options)
    this.userHandle = user.id
    const idLength = Buffer.alloc(2)
    idLength.writeUInt16BE(this.id.length)
    const data = Buffer.concat([
      this.#data(rp.id, verified | 0x40, wrong),
      Buffer.alloc(16),
      idLength,
      this.id,
      this.#coseKey
    ])
    const dataLength = Buffer.alloc(2)
    dataLength.writeUInt16BE(data.length)
    const format = wrong.attestation ?? "none"
    // Without a statement, or with {"x5c": [a byte]}.
    const statement =
      wrong.attestation === undefined
        ? Buffer.from([0xa0])
        : Buffer.concat([Buffer.from([0xa1, 0x63]), Buffer.from("x5c"), Buffer.from([0x81, 0x41, 0x00])])
    const attestation = Buffer.concat([
      Buffer.from([0xa3, 0x63]),
      Buffer.from("fmt"),
      Buffer.from([0x60 + format.length]),
      Buffer.from(format),
      Buffer.from([0x67]),
      Buffer.from("attStmt"),
      statement,
      Buffer.from([0x68]),
      Buffer.from("authData"),
      Buffer.from([0x59]),
      dataLength,
      data
    ])
    return JSON.stringify({
      id: wrong.id ?? text(this.id),
      rawId: wrong.id ?? text(this.id),
      type: "public-key",
      response: {
        clientDataJSON: text(this.#clientData("webauthn.create", challenge, wrong)),
        attestationObject: text(attestation),
        transports: ["internal"]
      },
      clientExtensionResults: {}
    })
  }

  /** The answer to the options of a sign-in, both in JSON. */
  answer(options: string, wrong: Wrong = {}): string {
    const { challenge, rpId } = Request(options)
    if (this.#counts) this.signCount++
    const data = this.#data(rpId, verified, wrong)
    const clientData = this.#clientData("webauthn.get", challenge, wrong)
    const userHandle = wrong.userHandle === undefined ? this.userHandle : wrong.userHandle
    return JSON.stringify({
      id: wrong.id ?? text(this.id),
      rawId: wrong.id ?? text(this.id),
      type: "public-key",
      response: {
        clientDataJSON: text(clientData),
        authenticatorData: text(data),
        signature: text(sign("sha256", Buffer.concat([data, sha256(clientData)]), this.#privateKey)),
        ...(userHandle === null ? {} : { userHandle })
      },
      clientExtensionResults: {}
    })
  }
}

/** The ids of the passkeys that the browser is to offer. */
export const allowedBy = (options: string): ReadonlyArray<string> =>
  Request(options).allowCredentials.map(({ id }) => id)

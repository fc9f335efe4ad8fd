/**
 * The format of secrets (S98, S99): a prefix that names the kind, 37 random base62 characters (220 bits), and 6 for the
 * CRC32 of those 37 (D2). So a mistyped or invented secret is refused without a query, secret scanners recognize a real
 * one, and a double click selects all of it.
 */
import { Option } from "effect"
import { crc32 } from "node:zlib"

/** Prefixes of the kinds that are accepted as bearer credentials. */
const bearerPrefixes = { api_key: "dsk_", access_token: "dat_" } as const
export type CredentialKind = keyof typeof bearerPrefixes

/** Prefixes of all kinds. A client id is not secret, but as hard to guess. */
export const prefixes = {
  ...bearerPrefixes,
  refresh_token: "drt_",
  authorization_code: "dac_",
  client: "doc_",
  client_secret: "dcs_"
} as const
export type Kind = keyof typeof prefixes

const kinds = Object.entries(bearerPrefixes) as ReadonlyArray<[CredentialKind, string]>

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const base = BigInt(alphabet.length)
const randomCharacters = 37
const checksumCharacters = 6
const bodyPattern = /^[0-9A-Za-z]{43}$/

/** Bytes that {@link make} needs. They are more than it keeps, so that all characters are equally likely. */
export const entropyBytes = 48

/** The same entropy gives the same secret, so use fresh entropy from a secure source. */
export const make = (kind: Kind, entropy: Uint8Array): string => {
  let number = 0n
  for (const byte of entropy) number = number * 256n + BigInt(byte)
  const random = encode(number, randomCharacters)
  return prefixes[kind] + random + checksum(random)
}

/** The kind of a secret with the right format and checksum, whether it was ever issued or not. */
export const kindOf = (secret: string): Option.Option<CredentialKind> => {
  const kind = kinds.find(([, prefix]) => secret.startsWith(prefix))?.[0]
  return kind !== undefined && is(kind, secret) ? Option.some(kind) : Option.none()
}

/** Whether a text has the format and checksum of this kind. */
export const is = (kind: Kind, text: string): boolean => {
  const prefix = prefixes[kind]
  if (!text.startsWith(prefix)) return false
  const body = text.slice(prefix.length)
  return bodyPattern.test(body) && body.slice(randomCharacters) === checksum(body.slice(0, randomCharacters))
}

const bearerStart = new RegExp(`^(?:${Object.values(bearerPrefixes).join("|")})`)
const anySecret = new RegExp(
  Object.entries(prefixes)
    .flatMap(([kind, prefix]) => (kind === "client" ? [] : [prefix]))
    .join("|"),
  "i"
)

/** Whether a text begins as a bearer credential does. */
export const isBearerLike = (text: string): boolean => bearerStart.test(text)

/** Whether there may be a secret anywhere in a text. */
export const mayHoldSecret = (text: string): boolean => anySecret.test(text)

/** The part of a secret that may be shown after its creation. */
export const lastFour = (secret: string): string => secret.slice(-4)

/** Such as `dsk_…x7Qa`. */
export const mask = (kind: Kind, lastFour: string): string => `${prefixes[kind]}…${lastFour}`

/** The lowest `length` digits of a number in base62. */
const encode = (number: bigint, length: number): string => {
  let text = ""
  for (let rest = number; text.length < length; rest /= base) text = alphabet.charAt(Number(rest % base)) + text
  return text
}

const checksum = (random: string): string => encode(BigInt(crc32(random)), checksumCharacters)

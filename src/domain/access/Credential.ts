/**
 * What a secret looks like: a prefix that names its kind, 37 random base62 characters (220 bits), and 6 that are the
 * CRC32 of those 37 (D2). A mistyped or made-up secret is refused without a query, secret scanners
 * can find a real one, and a double click selects the whole.
 */
import { Option } from "effect"
import { crc32 } from "node:zlib"

/** The kinds that are accepted as a bearer credential, each with its prefix. */
const bearerPrefixes = { api_key: "dsk_", access_token: "dat_" } as const
export type CredentialKind = keyof typeof bearerPrefixes

/** Everything that is given out in this form; a client's id is no secret, but is as hard to make up. */
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

/** Bytes that {@link make} takes: so many more than it keeps that no character is likelier than another. */
export const entropyBytes = 48

/** A new secret. The same entropy gives the same secret, so it must be fresh and secure. */
export const make = (kind: Kind, entropy: Uint8Array): string => {
  let number = 0n
  for (const byte of entropy) number = number * 256n + BigInt(byte)
  const random = encode(number, randomCharacters)
  return prefixes[kind] + random + checksum(random)
}

/** The kind of a secret whose form and checksum are right; says nothing about whether it was ever given out. */
export const kindOf = (secret: string): Option.Option<CredentialKind> => {
  const kind = kinds.find(([, prefix]) => secret.startsWith(prefix))?.[0]
  return kind !== undefined && is(kind, secret) ? Option.some(kind) : Option.none()
}

/** Whether a text has the form and checksum of this kind. */
export const is = (kind: Kind, text: string): boolean => {
  const prefix = prefixes[kind]
  if (!text.startsWith(prefix)) return false
  const body = text.slice(prefix.length)
  return bodyPattern.test(body) && body.slice(randomCharacters) === checksum(body.slice(0, randomCharacters))
}

/** All that is ever shown of a secret after its creation, besides the prefix. */
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

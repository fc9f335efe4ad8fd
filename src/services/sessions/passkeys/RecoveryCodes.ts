/**
 * Recovery codes (D82): ten for an account, each of which is a second step once. They have 120 random bits, so their
 * SHA-256 can be stored (OWASP ASVS 6.5.2).
 */
import { Effect, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import type { AccountId } from "../../../domain/access/Account.ts"
import { countOf, hasRow } from "../../database/Rows.ts"
import * as Secrets from "../../Secrets.ts"

export const count = 10
const groups = 6
const groupCharacters = 4
/** Of Crockford's base32: without letters that look like digits or like each other. */
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"
/** More than a code with any separators has. */
export const maxCharacters = 100

/** Such as `7k2m-q9xa-...`, of 24 characters. */
export const generate = Effect.gen(function* () {
  const random = yield* SecureRandom.SecureRandom
  const bytes = yield* random.randomBytes(groups * groupCharacters)
  const characters = Array.from(bytes, (byte) => alphabet.charAt(byte % alphabet.length)).join("")
  return Redacted.make(
    Array.from({ length: groups }, (_, index) =>
      characters.slice(index * groupCharacters, (index + 1) * groupCharacters)
    ).join("-")
  )
})

/** As people may type it: in capitals, without hyphens, with a letter that looks like a digit. */
const normalize = (text: string): string =>
  text
    .slice(0, maxCharacters)
    .toLowerCase()
    .replaceAll(/[^0-9a-z]/gu, "")
    .replaceAll("o", "0")
    .replaceAll(/[il]/gu, "1")

export const hashOf = (code: Redacted.Redacted) => Secrets.sha256(normalize(Redacted.value(code)))

/** Replaces all codes of the account. Within a transaction that locks the account. */
export const replace = Effect.fnUntraced(function* (accountId: AccountId) {
  const sql = yield* SqlClient.SqlClient
  const codes = yield* Effect.all(Array.from({ length: count }, () => generate))
  yield* remove(accountId)
  for (const code of codes) {
    yield* sql`INSERT INTO recovery_code (account_id, hash) VALUES (${accountId}, ${hashOf(code)})`
  }
  return codes
})

export const remove = Effect.fnUntraced(function* (accountId: AccountId) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`DELETE FROM recovery_code WHERE account_id = ${accountId}`
})

/** Whether it was a code of the account, which it is no more. */
export const redeem = Effect.fnUntraced(function* (accountId: AccountId, code: Redacted.Redacted) {
  const sql = yield* SqlClient.SqlClient
  const hash = hashOf(code)
  return yield* hasRow(sql`
    DELETE FROM recovery_code WHERE account_id = ${accountId} AND hash = ${hash} RETURNING hash`)
})

export const left = Effect.fnUntraced(function* (accountId: AccountId) {
  const sql = yield* SqlClient.SqlClient
  return yield* countOf(sql`SELECT count(*)::integer AS count FROM recovery_code WHERE account_id = ${accountId}`)
})

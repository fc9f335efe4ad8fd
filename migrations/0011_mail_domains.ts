/**
 * Domains of e-mail addresses in the one spelling that is stored from now on: lower case and ASCII. An address that another account
 * has in this spelling stays as it is: its owner signs in to the other account, which the same mailbox has.
 */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { domainToASCII } from "node:url"

const Row = Schema.Struct({ id: Schema.Int, email: Schema.String })
const decode = Schema.decodeUnknownEffect(Schema.Array(Row))

const mapped = (email: string): string => {
  const at = email.lastIndexOf("@") + 1
  const domain = email.slice(at)
  return /^[\p{L}\p{M}\p{N}._-]+$/u.test(domain) && domainToASCII(domain) !== ""
    ? email.slice(0, at) + domainToASCII(domain)
    : email
}

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const rows = yield* decode(
    yield* sql`SELECT id, email FROM account WHERE closed_at IS NULL AND email ~ '@.*[^a-z0-9.-]' ORDER BY id`
  )
  for (const { email, id } of rows) {
    const changed = yield* sql`
      UPDATE account SET email = ${mapped(email)} WHERE id = ${id}
        AND NOT EXISTS (SELECT FROM account WHERE id <> ${id} AND lower(email) = lower(${mapped(email)}))
      RETURNING 1`
    if (changed.length === 0) {
      yield* Effect.logWarning("Two accounts have one mailbox, in two spellings of its domain", { account_id: id })
    }
  }
  // They work for a day at most; who needs one asks again.
  yield* sql`DELETE FROM account_link WHERE email ~ '@.*[^ -~]'`
})

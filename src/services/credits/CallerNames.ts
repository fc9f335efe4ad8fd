/** Names of the keys and apps of an account, including revoked ones. */
import { Clock, Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import type { AccountId } from "../../domain/access/Account.ts"
import { rowsOf } from "../database/Rows.ts"
import { isActive } from "../credentials/ApiKeys.ts"

export const Kind = Schema.Literals(["api_key", "access_token"])
export type Kind = typeof Kind.Type

/** The id of a key, or of an app's grant. */
export interface CallerId {
  readonly kind: Kind
  readonly id: number
}

export interface NamedCaller extends CallerId {
  /** `null` when it is no longer stored. */
  readonly name: string | null
  /** Of a key's secret. */
  readonly lastFour: string | null
  /** Revoked, replaced, or over. */
  readonly isEnded: boolean
}

const Named = Schema.Struct({
  kind: Kind,
  id: Schema.Int,
  name: Schema.String,
  lastFour: Schema.NullOr(Schema.String),
  isEnded: Schema.Boolean
})
const decodeNamed = rowsOf(Named)

const keyOf = ({ id, kind }: CallerId): string => `${kind} ${id}`

/** Keys and apps of other accounts get no name. */
export const of = Effect.fnUntraced(function* (
  accountId: AccountId,
  callers: ReadonlyArray<CallerId>
): Effect.fn.Return<(caller: CallerId) => NamedCaller, SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  const idsOf = (wanted: Kind) => callers.filter(({ kind }) => kind === wanted).map(({ id }) => id)
  const keys = idsOf("api_key")
  const apps = idsOf("access_token")
  const now = new Date(yield* Clock.currentTimeMillis)
  const rows = yield* sql`
    SELECT 'api_key' AS kind, id, name, last_four AS "lastFour",
      NOT ${isActive(sql, now)} AS "isEnded"
    FROM api_key WHERE id = ANY(${keys}::integer[]) AND account_id = ${accountId}
    UNION ALL
    SELECT 'access_token', id, client_name, NULL, usable_until <= ${now}
    FROM oauth_grant WHERE id = ANY(${apps}::integer[]) AND account_id = ${accountId}
    UNION ALL
    SELECT 'access_token', id, client_name, NULL, true
    FROM oauth_ended_grant WHERE id = ANY(${apps}::integer[]) AND account_id = ${accountId}`.pipe(decodeNamed)
  const named = new Map(rows.map((each) => [keyOf(each), each]))
  return (caller) => named.get(keyOf(caller)) ?? { ...caller, name: null, lastFour: null, isEnded: true }
})

/** Every migration by its file's name. Those that have been released are never changed, only followed by others. */
import type { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import access from "./0001_access.ts"
import catalog from "./0002_catalog.ts"
import tracking from "./0003_tracking.ts"
import oauth from "./0004_oauth.ts"
import sessions from "./0005_sessions.ts"
import consent from "./0006_consent.ts"
import documentGrants from "./0007_document_grants.ts"
import oauthLimits from "./0008_oauth_limits.ts"
import keyEnds from "./0009_key_ends.ts"
import activity from "./0010_activity.ts"
import operator from "./0011_operator.ts"
import shares from "./0012_shares.ts"

export const migrations: Record<string, Effect.Effect<void, unknown, SqlClient.SqlClient>> = {
  "0001_access": access,
  "0002_catalog": catalog,
  "0003_tracking": tracking,
  "0004_oauth": oauth,
  "0005_sessions": sessions,
  "0006_consent": consent,
  "0007_document_grants": documentGrants,
  "0008_oauth_limits": oauthLimits,
  "0009_key_ends": keyEnds,
  "0010_activity": activity,
  "0011_operator": operator,
  "0012_shares": shares
}

/** Every migration by its file's name. Those that have been released are never changed, only followed by others. */
import type { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import access from "./0001_access.ts"
import catalog from "./0002_catalog.ts"
import search from "./0003_search.ts"
import tracking from "./0004_tracking.ts"
import shopRollups from "./0005_shop_rollups.ts"
import shopWords from "./0006_shop_words.ts"
import wordsInBulk from "./0007_words_in_bulk.ts"
import oauth from "./0008_oauth.ts"
import sessions from "./0009_sessions.ts"
import consent from "./0010_consent.ts"
import documentGrants from "./0011_document_grants.ts"
import oauthLimits from "./0012_oauth_limits.ts"
import keyEnds from "./0013_key_ends.ts"
import activity from "./0014_activity.ts"
import operator from "./0015_operator.ts"
import shares from "./0016_shares.ts"

export const migrations: Record<string, Effect.Effect<void, unknown, SqlClient.SqlClient>> = {
  "0001_access": access,
  "0002_catalog": catalog,
  "0003_search": search,
  "0004_tracking": tracking,
  "0005_shop_rollups": shopRollups,
  "0006_shop_words": shopWords,
  "0007_words_in_bulk": wordsInBulk,
  "0008_oauth": oauth,
  "0009_sessions": sessions,
  "0010_consent": consent,
  "0011_document_grants": documentGrants,
  "0012_oauth_limits": oauthLimits,
  "0013_key_ends": keyEnds,
  "0014_activity": activity,
  "0015_operator": operator,
  "0016_shares": shares
}

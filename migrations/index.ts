/** Every migration by its file's name. Those that have been released are never changed, only followed by others. */
import type { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import accounts from "./0001_accounts.ts"
import credits from "./0002_credits.ts"
import catalog from "./0003_catalog.ts"
import sessions from "./0004_sessions.ts"
import oauth from "./0005_oauth.ts"
import activity from "./0006_activity.ts"
import searches from "./0007_searches.ts"
import selfService from "./0008_self_service.ts"
import passkeys from "./0009_passkeys.ts"
import billing from "./0010_billing.ts"
import limits from "./0011_limits.ts"
import enrollment from "./0012_enrollment.ts"
import mail from "./0013_mail.ts"

export const migrations: Record<string, Effect.Effect<void, unknown, SqlClient.SqlClient>> = {
  "0001_accounts": accounts,
  "0002_credits": credits,
  "0003_catalog": catalog,
  "0004_sessions": sessions,
  "0005_oauth": oauth,
  "0006_activity": activity,
  "0007_searches": searches,
  "0008_self_service": selfService,
  "0009_passkeys": passkeys,
  "0010_billing": billing,
  "0011_limits": limits,
  "0012_enrollment": enrollment,
  "0013_mail": mail
}

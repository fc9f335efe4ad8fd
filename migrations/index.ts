/** Every migration by its file's name. Those that have been released are never changed, only followed by others. */
import type { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import accounts from "./0001_accounts.ts"
import signIn from "./0002_sign_in.ts"
import credits from "./0003_credits.ts"
import catalog from "./0004_catalog.ts"
import oauth from "./0005_oauth.ts"
import activity from "./0006_activity.ts"
import billing from "./0007_billing.ts"
import limits from "./0008_limits.ts"
import decisions from "./0009_decisions.ts"
import serverAddress from "./0010_server_address.ts"
import mailDomains from "./0011_mail_domains.ts"
import usedLinks from "./0012_used_links.ts"
import datesOfRecords from "./0013_dates_of_records.ts"
import changeLog from "./0014_change_log.ts"
import changeFeed from "./0015_change_feed.ts"
import alerts from "./0016_alerts.ts"
import boards from "./0017_boards.ts"
import historyStart from "./0018_history_start.ts"
import webhook from "./0019_webhook.ts"
import movers from "./0020_movers.ts"
import withStore from "./0021_with_store.ts"
import indexesOfChanges from "./0022_indexes_of_changes.ts"

export const migrations: Record<string, Effect.Effect<void, unknown, SqlClient.SqlClient>> = {
  "0001_accounts": accounts,
  "0002_sign_in": signIn,
  "0003_credits": credits,
  "0004_catalog": catalog,
  "0005_oauth": oauth,
  "0006_activity": activity,
  "0007_billing": billing,
  "0008_limits": limits,
  "0009_decisions": decisions,
  "0010_server_address": serverAddress,
  "0011_mail_domains": mailDomains,
  "0012_used_links": usedLinks,
  "0013_dates_of_records": datesOfRecords,
  "0014_change_log": changeLog,
  "0015_change_feed": changeFeed,
  "0016_alerts": alerts,
  "0017_boards": boards,
  "0018_history_start": historyStart,
  "0019_webhook": webhook,
  "0020_movers": movers,
  "0021_with_store": withStore,
  "0022_indexes_of_changes": indexesOfChanges
}

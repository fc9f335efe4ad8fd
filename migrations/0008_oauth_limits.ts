/** What is needed to forget, in time, what apps and connections leave behind. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // granted_at of oauth_client is from now on when the app was last let in.
  // Finds what is old enough to go; 0011 has the index that tells whether anything is still remembered of an app.
  yield* sql`CREATE INDEX oauth_ended_grant_ended ON oauth_ended_grant (ended_at)`
  yield* sql`CREATE INDEX oauth_client_granted ON oauth_client (granted_at) WHERE granted_at IS NOT NULL`
})

/**
 * Whether an app that is known by a document was ever let in is asked by anyone who sends its id to `/token`: an index of
 * hashes, as the ids are addresses of up to 2,048 characters.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE INDEX oauth_grant_client ON oauth_grant USING hash (client_id)`
  yield* sql`CREATE INDEX oauth_ended_grant_client ON oauth_ended_grant USING hash (client_id)`
})

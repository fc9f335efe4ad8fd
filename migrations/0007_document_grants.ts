/**
 * Whether an app that is known by a document was ever let in is asked by anyone who sends its id to `/token`. The ids are
 * addresses of at most 2,048 ASCII characters, for which an entry of the index has room (2,704 bytes); those of a popular
 * app are one entry for many rows, of which an index of hashes would make a chain.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE INDEX oauth_grant_client ON oauth_grant (client_id)`
  yield* sql`CREATE INDEX oauth_ended_grant_client ON oauth_ended_grant (client_id)`
})

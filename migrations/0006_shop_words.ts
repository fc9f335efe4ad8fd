/** The words of the stores' own names and domains, as those of products and ads have them: for `search_shops`. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE INDEX shop_search_words ON shop_search USING gin (search_words(doc)) WITH (fastupdate = off)`
})

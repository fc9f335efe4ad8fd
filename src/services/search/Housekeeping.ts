/** What rows that were written leave to be done, so that searches read the new state as fast as the old one. */
import { Effect } from "effect"
import type { Scope } from "effect"
import type { SqlClient, SqlError } from "effect/sql"

/** Indexes that keep what is added in a list at first, see 0007_words_in_bulk. */
const lists = ["product_search_words", "ad_search_words", "shop_search_words", "shop_search_apps"]

const tables = "catalogue, spelling, shop_search, shop_products, shop_ads, product_search, ad_search"

/** From this share on, enough pages have changed for a search to notice; PostgreSQL's own housekeeping waits for a fifth. */
const noticedShare = 0.02

interface Setting {
  readonly name: string
  readonly value: string
}

/** A statement may take as long as it needs here; and searches go first, as with PostgreSQL's own housekeeping. */
const settings: ReadonlyArray<Setting> = [
  { name: "statement_timeout", value: "1h" },
  { name: "lock_timeout", value: "10s" },
  { name: "vacuum_cost_delay", value: "2ms" }
]

/**
 * Outside of any transaction. Of few rows, sorts the new words in. Of many, tells PostgreSQL as well which pages every
 * transaction sees, without which an index alone no longer answers, and what the columns hold now. Nobody is kept waiting.
 */
export const settle = Effect.fn("Housekeeping.settle")(
  function* (sql: SqlClient.SqlClient, writtenRows: number): Effect.fn.Return<void, SqlError.SqlError, Scope.Scope> {
    if (writtenRows === 0) return
    const [row] = yield* sql<{ items: number }>`SELECT n_products + n_ads + n_shops AS items FROM catalogue`
    const connection = yield* sql.reserve
    const run = (statement: string) => connection.executeValuesUnprepared(statement, [])
    yield* Effect.acquireRelease(
      Effect.forEach(settings, ({ name, value }) => run(`SET ${name} = '${value}'`), { discard: true }),
      // A connection that cannot be reset is gone.
      () => Effect.ignore(Effect.forEach(settings, ({ name }) => run(`RESET ${name}`), { discard: true }))
    )
    if (writtenRows >= (row?.items ?? 0) * noticedShare) {
      yield* run(`VACUUM (ANALYZE, TRUNCATE false, PARALLEL 0) ${tables}`)
    } else {
      for (const index of lists) yield* run(`SELECT gin_clean_pending_list('${index}')`)
    }
  },
  Effect.scoped,
  // What is left undone makes searches slower for a while, and PostgreSQL's own housekeeping does it in the end.
  Effect.catchTag("SqlError", (error) => Effect.logWarning("The search tables could not be tidied up", error))
)

/** Whether this process can do its work right now: its database answers. */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { SearchTimeout, ServiceUnavailable } from "../../domain/ToolError.ts"
import * as Database from "./Database.ts"

export class Readiness extends Context.Service<
  Readiness,
  {
    readonly check: Effect.Effect<void, ServiceUnavailable | SearchTimeout>
  }
>()("discovery/database/Readiness") {
  static readonly layer = Layer.effect(
    Readiness,
    Effect.map(SqlClient.SqlClient, (sql) => ({
      check: Database.query(Effect.asVoid(sql`SELECT 1`), "2 seconds")
    }))
  )
}

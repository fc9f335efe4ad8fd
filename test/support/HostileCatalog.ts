/** A vocabulary as large as that of `npm run bench:hostile`: 6,000 themes and 18,000 apps, many of them close to each other. */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { stampAndIndex } from "./Stamps.ts"

export const themes = 6_000
export const appsPerStore = 3

/** One store for each theme, besides the stores that there are. */
export const load = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    INSERT INTO shop (id, domain, domain_extension, name, country, theme, apps)
    SELECT 1000000 + n, 'shop-' || n || '.hostile.com', '.com', 'Shop ' || n, 'US',
      'Theme ' || to_hex(n) || ' of Studio ' || n % 7,
      ARRAY(SELECT 'App ' || to_hex(n * ${appsPerStore}::int + app) || ' by Maker ' || app
        FROM generate_series(0, ${appsPerStore}::int - 1) app)
    FROM generate_series(1, ${themes}::int) n`
  yield* stampAndIndex
})

export const layer = Layer.effectDiscard(load)

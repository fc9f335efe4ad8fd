/** What answers searches: the index in memory, or ClickHouse, into which one server at a time projects the catalog (D109). */
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Option, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { AppConfig } from "../Config.ts"
import type { DatabaseSource } from "../services/database/Database.ts"
import { CatalogSearch } from "../services/search/CatalogSearch.ts"
import { ClickHouse } from "../services/search/clickhouse/ClickHouse.ts"
import * as EngineSearch from "../services/search/clickhouse/EngineSearch.ts"
import * as Projector from "../services/search/clickhouse/Projector.ts"
import { CatalogIndex } from "../services/search/runtime/CatalogIndex.ts"
import type { Emit } from "../services/search/runtime/CatalogIndex.ts"
import { CatalogReader, channel } from "../services/search/runtime/CatalogReader.ts"
import * as SearchIndex from "./SearchIndex.ts"

export class NoEngine extends Schema.TaggedError<NoEngine>()("NoEngine", { message: Schema.String }) {}

/** The client of `CLICKHOUSE_URL`. */
export const client = Layer.unwrap(
  Effect.gen(function* () {
    const { clickhouse } = yield* AppConfig
    if (Option.isSome(clickhouse)) return ClickHouse.layer(clickhouse.value)
    return yield* new NoEngine({
      message: "There is no ClickHouse. Set CLICKHOUSE_URL, for example to https://user:password@host:8443/discovery."
    })
  })
)

export const projector = Effect.gen(function* () {
  const { clickhouseCluster } = yield* AppConfig
  const pg = yield* PgClient.PgClient
  return yield* Projector.make({
    ...(Option.isSome(clickhouseCluster) ? { cluster: clickhouseCluster.value } : {}),
    listen: pg.listen(channel)
  })
})

/** The settings have an address if they have this engine. */
const ofServer = Layer.orDie(client)

const searching = Layer.unwrap(
  Effect.map(AppConfig, ({ clickhouseCluster }) => EngineSearch.layer(Option.getOrUndefined(clickhouseCluster)))
).pipe(Layer.provide(CatalogReader.layer))

const projecting = Layer.effectDiscard(Effect.flatMap(projector, ({ run }) => Effect.forkScoped(run))).pipe(
  Layer.provide(CatalogReader.layer)
)

/** Each thread asks the engine itself. */
const noIndex = Layer.effect(
  CatalogIndex,
  Effect.map(CatalogSearch, ({ current }) => ({
    current: Effect.flatMap(current, () => Effect.die(new Error("there is no index in memory"))),
    follow: () => Effect.void
  }))
)

type Searches<R> = Layer.Layer<CatalogIndex | CatalogSearch, never, R>

/** For the main thread of a server. */
export const layer = Layer.unwrap(
  Effect.map(
    AppConfig,
    ({ searchEngine }): Searches<AppConfig | PgClient.PgClient | SqlClient.SqlClient | DatabaseSource> =>
      searchEngine === "memory"
        ? SearchIndex.layer
        : Layer.merge(noIndex, projecting).pipe(Layer.provideMerge(searching), Layer.provide(ofServer))
  )
)

/** For another thread of it. `follow` emits the events of the main thread's index. */
export const layerOfThread = (follow: (emit: Emit) => Effect.Effect<void>) =>
  Layer.unwrap(
    Effect.map(AppConfig, ({ searchEngine }): Searches<AppConfig | SqlClient.SqlClient> =>
      searchEngine === "memory"
        ? SearchIndex.followed(follow)
        : noIndex.pipe(Layer.provideMerge(searching), Layer.provide(ofServer))
    )
  )

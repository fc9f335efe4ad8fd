/** `discovery engine`: the tables of ClickHouse, and projecting the catalog into them beside the servers. */
import { Effect, Layer, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { AppConfig } from "../Config.ts"
import { ClickHouse } from "../services/search/clickhouse/ClickHouse.ts"
import * as EngineTables from "../services/search/clickhouse/EngineTables.ts"
import { CatalogReader } from "../services/search/runtime/CatalogReader.ts"
import * as Output from "./Output.ts"
import { client, projector } from "./SearchEngine.ts"
import { asUserError } from "./UserErrors.ts"

/** Of the first build. Each later one has tables of its own, which the projector makes. */
const firstGeneration = 1

const cluster = Flag.String("cluster").pipe(
  Flag.withDescription("Name of the cluster; default: CLICKHOUSE_CLUSTER"),
  Flag.optional
)

const apply = Flag.Boolean("apply").pipe(
  Flag.withDescription("Make the tables that are missing, instead of printing"),
  Flag.withDefault(false)
)

const schema = Command.make("schema", { cluster, apply }, ({ apply, cluster }) =>
  Effect.gen(function* () {
    const config = yield* AppConfig
    const name = Option.getOrUndefined(Option.orElse(cluster, () => config.clickhouseCluster))
    const statements = [EngineTables.createState(name), ...EngineTables.createItems(firstGeneration, name)]
    if (!apply) return yield* Effect.forEach(statements, (sql) => Output.line(`${sql};\n`), { discard: true })
    const engine = yield* Effect.provide(ClickHouse, client)
    for (const sql of statements) yield* engine.command({ name: "create", sql })
    return yield* Output.line("The tables are there.")
  }).pipe(Effect.scoped, asUserError)
).pipe(Command.withDescription("Print the statements that make the tables in ClickHouse, or run them with --apply"))

const once = Flag.Boolean("once").pipe(
  Flag.withDescription("End when ClickHouse has the newest version"),
  Flag.withDefault(false)
)

const rebuild = Flag.Boolean("rebuild").pipe(
  Flag.withDescription("Build all tables again from the records, beside those that are searched, and end"),
  Flag.withDefault(false)
)

const project = Command.make("project", { once, rebuild }, ({ once, rebuild }) =>
  Effect.gen(function* () {
    const projection = yield* projector
    if (!once && !rebuild) return yield* projection.run
    return yield* Option.match(rebuild ? Option.some(yield* projection.rebuild) : yield* projection.refresh, {
      onNone: () => Output.line("Another server projects the catalog."),
      onSome: ({ version }) => Output.line(`ClickHouse has version ${version} of the catalog.`)
    })
  }).pipe(Effect.provide(Layer.merge(client, CatalogReader.layer)), Effect.scoped, asUserError)
).pipe(
  Command.withDescription(
    "Follow the catalog into ClickHouse until it is stopped, as a server with SEARCH_ENGINE=clickhouse does"
  )
)

export const engineCommand = Command.make("engine").pipe(
  Command.withDescription("ClickHouse, for catalogs that no machine holds"),
  Command.withSubcommands([schema, project])
)

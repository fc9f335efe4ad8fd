/**
 * `npm run bench:search:check`: whether the peers answer the benchmark's own cases as the index does, ids and totals. One
 * that answers something else is no peer, or the index is wrong.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Console, DateTime, Effect, Layer } from "effect"
import { Command, Flag } from "effect/cli"
import * as Database from "../../../src/services/database/Database.ts"
import * as Migrations from "../../../src/services/database/Migrations.ts"
import * as Cases from "../Cases.ts"
import * as OwnSearch from "../OwnSearch.ts"
import * as Peers from "../Peers.ts"
import * as Sample from "../Sample.ts"
import * as ScaleIndex from "../ScaleIndex.ts"
import { tools } from "../SearchCase.ts"
import * as Target from "../Target.ts"

const flags = {
  shops: Flag.Int("shops").pipe(Flag.withDescription("Which data set"), Flag.withDefault(20_000)),
  cases: Flag.Int("cases").pipe(Flag.withDescription("Cases of a tool and class"), Flag.withDefault(20)),
  peers: Flag.String("peers").pipe(
    Flag.withDescription("Peers, separated by commas"),
    Flag.withDefault(Peers.names.join(","))
  ),
  seed: Flag.String("seed").pipe(Flag.withDescription("Another seed, other cases"), Flag.withDefault("check"))
}

const check = Command.make(
  "bench:search:check",
  flags,
  Effect.fnUntraced(function* ({ cases: perClass, peers, seed, shops }) {
    const connection = yield* Target.database(shops)
    yield* Effect.gen(function* () {
      const published = yield* ScaleIndex.read()
      const sample = yield* Sample.read(published)
      const today = DateTime.formatIsoDateUtc(yield* DateTime.now)
      const cases = Cases.generate(sample, { seed, perClass, tools, classes: Peers.classes })
      for (const name of Peers.names.filter((one) => peers.split(",").includes(one))) {
        const peer = yield* Peers.make(name, connection, shops, published)
        for (const searchCase of cases) {
          const query = OwnSearch.queryOf(published, searchCase, today)
          const own = OwnSearch.run(published, query)
          yield* Peers.compare(peer, searchCase, query, own, yield* peer.search(query))
        }
        yield* Console.log(`${shops} stores, ${cases.length} searches: "${peer.name}" answers as the index does.`)
      }
    }).pipe(
      Effect.provide(
        Migrations.layer.pipe(
          Layer.provideMerge(Database.layer({ source: connection, maxConnections: 6, statementTimeoutMillis: 600_000 }))
        )
      )
    )
  }, Effect.scoped)
)

check.pipe(Command.run({ version: "1" }), Effect.provide(NodeServices.layer), NodeRuntime.runMain)

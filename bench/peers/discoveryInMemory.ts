/** Our endpoint over services in memory: what the protocol, the schemas and the way of a call cost by themselves. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Effect, Layer } from "effect"
import { AppConfig } from "../../src/Config.ts"
import { PageRateLimit } from "../../src/services/limits/PageRateLimit.ts"
import { RequestRate } from "../../src/services/limits/RequestRate.ts"
import { Readiness } from "../../src/services/database/Readiness.ts"
import { Prompts } from "../../src/services/tools/Prompts.ts"
import { ToolRegistry } from "../../src/services/tools/ToolRegistry.ts"
import { ToolRunner } from "../../src/services/tools/ToolRunner.ts"
import * as FakeAccess from "../../test/support/FakeAccess.ts"
import * as FakeOAuth from "../../test/support/FakeOAuth.ts"
import * as FakeRates from "../../test/support/FakeRates.ts"
import * as FakeSearch from "../../test/support/FakeSearch.ts"
import * as DiscoveryPeer from "../support/DiscoveryPeer.ts"

const rates = Layer.merge(RequestRate.layerNoDeps, PageRateLimit.layerNoDeps).pipe(Layer.provide(FakeRates.layer))

const services = Layer.mergeAll(ToolRegistry.layer, Prompts.layer, ToolRunner.layer, rates).pipe(
  Layer.provideMerge(
    Layer.mergeAll(
      FakeAccess.credentials({ key: FakeAccess.caller(1) }),
      FakeAccess.ledger({ charges: [] }),
      FakeAccess.usage(),
      FakeAccess.nobodySignedIn,
      FakeAccess.unvisited,
      FakeOAuth.unused,
      FakeSearch.ads([]),
      FakeSearch.products([]),
      FakeSearch.shops,
      FakeSearch.vocabulary,
      FakeSearch.index(),
      Layer.succeed(Readiness, { check: Effect.void }),
      AppConfig.layerOf({ port: 0, rateLimitPerMinute: 1_000_000_000 })
    )
  )
)

DiscoveryPeer.layer(["Bearer key"]).pipe(Layer.provide(services), Layer.launch, NodeRuntime.runMain)

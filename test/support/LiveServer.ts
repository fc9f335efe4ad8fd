/** The endpoint over the live services, a real database and a catalog: a tiny one of demo data, unless another is given. */
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Effect, Layer, Logger, Redacted } from "effect"
import { HttpServer } from "effect/http"
import { demoSource } from "../../demo/DemoData.ts"
import * as Live from "../../src/cli/Live.ts"
import { AppConfig } from "../../src/Config.ts"
import type { AppSettings } from "../../src/Config.ts"
import * as Router from "../../src/http/Router.ts"
import * as Server from "../../src/http/Server.ts"
import { Importer } from "../../src/services/import/Importer.ts"
import { loadCatalog } from "../oracle/loadCatalog.ts"
import type { NaiveCatalog } from "../oracle/NaiveCatalog.ts"
import * as Access from "./Access.ts"
import { indexed } from "./Stamps.ts"
import { TestDatabase } from "./TestDatabase.ts"
import * as TestIndex from "./TestIndex.ts"

const demo = Layer.effectDiscard(
  Effect.gen(function* () {
    const importer = yield* Importer
    yield* importer.run(demoSource({ size: "tiny", seed: "live", asOf: "2026-01-15" }), {
      provenance: { source: "demo", license: null, asOf: "2026-01-15" },
      maxRejects: 0,
      onRejects: () => Effect.void,
      onProgress: () => Effect.void
    })
  })
)

/** As a process starts it, whether its index is ready or not. */
export const starting = <A, E, R>(catalog: Layer.Layer<A, E, R>, settings: Partial<AppSettings> = {}) =>
  Router.layer.pipe(
    Layer.provideMerge(Server.layer),
    Layer.provideMerge(Live.service),
    Layer.provideMerge(catalog),
    Layer.provideMerge(Live.operation),
    Layer.provideMerge(Access.layerUnhashed),
    Layer.provide(NodeCrypto.layer),
    Layer.provideMerge(TestDatabase.layer),
    Layer.provideMerge(
      AppConfig.layerOf({ port: 0, baseUrl: "https://discovery.test", ...TestIndex.settings(), ...settings })
    ),
    Layer.provideMerge(Logger.layer([]))
  )

const layerOf = <E, R>(catalog: Layer.Layer<never, E, R>, settings: Partial<AppSettings> = {}) =>
  Layer.effectDiscard(indexed).pipe(Layer.provideMerge(starting(catalog, settings)))

/** Live services, a tiny catalog, and the listening endpoint. */
export const layer = layerOf(demo)

/** The same by another engine. */
export const searchedBy = (settings: Partial<AppSettings>) => layerOf(demo, settings)

export const naive = (catalog: NaiveCatalog) => layerOf(Layer.effectDiscard(loadCatalog(catalog)))

export const url = Effect.map(HttpServer.HttpServer, ({ address }) =>
  address._tag === "UnixPathAddress" ? "" : `http://127.0.0.1:${address.port}`
)

export const post = Effect.fnUntraced(function* (
  secret: Redacted.Redacted,
  message: unknown,
  query = "",
  headers: Readonly<Record<string, string>> = {}
) {
  const address = yield* url
  return yield* Effect.promise(async () => {
    const response = await fetch(`${address}/mcp${query}`, {
      method: "POST",
      headers: { authorization: `Bearer ${Redacted.value(secret)}`, "content-type": "application/json", ...headers },
      body: JSON.stringify(message)
    })
    const text = await response.text()
    const json: unknown = text === "" ? undefined : JSON.parse(text)
    return { status: response.status, headers: response.headers, text, json }
  })
})

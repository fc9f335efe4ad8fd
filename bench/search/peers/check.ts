/**
 * `npm run bench:search:check`: whether the peers answer as our own services do, on small catalogues and arguments at
 * random. A peer that answers something else is no peer.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Console, Effect, Layer, Schema } from "effect"
import * as fs from "node:fs/promises"
import * as os from "node:os"
import * as path from "node:path"
import type { AccountId } from "../../../src/domain/access/Account.ts"
import * as AdQuery from "../../../src/domain/search/AdQuery.ts"
import * as ProductQuery from "../../../src/domain/search/ProductQuery.ts"
import * as ShopQuery from "../../../src/domain/search/ShopQuery.ts"
import * as Database from "../../../src/services/database/Database.ts"
import { EmbeddedPostgres } from "../../../src/services/database/EmbeddedPostgres.ts"
import type { EmbeddedConnection } from "../../../src/services/database/EmbeddedPostgres.ts"
import * as Migrations from "../../../src/services/database/Migrations.ts"
import { AdSearch } from "../../../src/services/search/AdSearch.ts"
import { Catalogue } from "../../../src/services/search/Catalogue.ts"
import { DerivedData } from "../../../src/services/search/DerivedData.ts"
import { ProductSearch } from "../../../src/services/search/ProductSearch.ts"
import { SearchRunner } from "../../../src/services/search/SearchRunner.ts"
import { ShopSearch } from "../../../src/services/search/ShopSearch.ts"
import { loadCatalogue } from "../../../test/oracle/loadCatalogue.ts"
import * as NaiveCatalogue from "../../../test/oracle/NaiveCatalogue.ts"
import { matcher } from "../../../test/oracle/NaiveText.ts"
import * as Random from "../../../test/oracle/Random.ts"
import { generators } from "../../../test/oracle/RandomArguments.ts"
import { SetClock } from "../../../test/support/SetClock.ts"
import type { SearchPeer } from "../Peer.ts"
import type { Answer, SearchCase } from "../SearchCase.ts"
import * as DuckDb from "./DuckDb.ts"
import * as Normalised from "./Normalised.ts"

const casesOfEachTool = 400
const catalogueSizes = [30, 120]
/** Pages of any case, mostly the first. */
const pages = [1, 1, 1, 2, 3, 20]

class Disagreement extends Schema.TaggedError<Disagreement>()("Disagreement", { message: Schema.String }) {}

const temporaryFolder = Effect.acquireRelease(
  Effect.promise(() => fs.mkdtemp(path.join(os.tmpdir(), "discovery-check-"))),
  (folder) => Effect.promise(() => fs.rm(folder, { recursive: true, force: true }))
)

const services = (source: EmbeddedConnection) =>
  Layer.mergeAll(AdSearch.layer, ProductSearch.layer, ShopSearch.layer).pipe(
    Layer.provide(SearchRunner.layer),
    Layer.provide(Catalogue.layer),
    Layer.provideMerge(DerivedData.layer),
    Layer.provideMerge(Migrations.layer.pipe(Layer.provideMerge(Database.layer({ source, maxConnections: 8 })))),
    Layer.provideMerge(SetClock.layer(`${NaiveCatalogue.today}T12:00:00Z`))
  )

/** Nobody: an account that tracks nothing. */
const accountId = 0 as AccountId

const idsOf = (found: ReadonlyArray<{ readonly id: number }>): ReadonlyArray<number> => found.map(({ id }) => id)

const ours = Effect.fnUntraced(function* (searchCase: SearchCase) {
  switch (searchCase.tool) {
    case "search_ads": {
      const { ads, pagination } = yield* (yield* AdSearch).search(searchCase.arguments)
      const stores = pagination.matching_shops
      return { ids: idsOf(ads), total: pagination.total, ...(stores === undefined ? {} : { stores }) }
    }
    case "search_products": {
      const { pagination, products } = yield* (yield* ProductSearch).search(searchCase.arguments, accountId)
      return { ids: idsOf(products), total: pagination.total }
    }
    case "search_shops": {
      const { pagination, shops } = yield* (yield* ShopSearch).search(searchCase.arguments, accountId)
      return { ids: idsOf(shops), total: pagination.total }
    }
  }
})

const asksSomething = (args: Record<string, unknown>): boolean =>
  typeof args["query"] !== "string" || matcher(args["query"]) !== undefined

const casesOf = (seed: number, catalogue: NaiveCatalogue.NaiveCatalogue): ReadonlyArray<SearchCase> => {
  const random = Random.make(seed)
  const make = generators(random, catalogue)
  const draw = (tool: "ad" | "product" | "shop") =>
    Array.from({ length: casesOfEachTool }, (_, index) => ({ ...make[tool](index), page: random.pick(pages) })).filter(
      asksSomething
    )
  const label = (args: object) => ({ id: JSON.stringify(args), class: "random" })
  return [
    ...draw("ad").map((args): SearchCase => ({
      ...label(args),
      tool: "search_ads",
      arguments: Schema.decodeSync(AdQuery.AdQuery)(args)
    })),
    ...draw("product").map((args): SearchCase => ({
      ...label(args),
      tool: "search_products",
      arguments: Schema.decodeSync(ProductQuery.ProductQuery)(args)
    })),
    ...draw("shop").map((args): SearchCase => ({
      ...label(args),
      tool: "search_shops",
      arguments: Schema.decodeSync(ShopQuery.ShopQuery)(args)
    }))
  ]
}

const told = ({ ids, stores, total }: Answer): string => JSON.stringify({ ids, stores, total })

const compare = Effect.fnUntraced(function* (peers: ReadonlyArray<SearchPeer>, cases: ReadonlyArray<SearchCase>) {
  for (const searchCase of cases) {
    const expected = told(yield* ours(searchCase))
    for (const peer of peers) {
      const found = told(yield* peer.search(searchCase))
      if (found === expected) continue
      return yield* new Disagreement({
        message: `${searchCase.tool} ${searchCase.id}: ${peer.name} says ${found}, our services say ${expected}`
      })
    }
  }
})

const check = Effect.fnUntraced(function* (shops: number) {
  const seed = shops * 1_000 + 7
  const folder = yield* temporaryFolder
  const { connection } = yield* EmbeddedPostgres.make({ dataFolder: path.join(folder, "data"), flags: ["fsync=off"] })
  const catalogue = NaiveCatalogue.generate(seed, shops)
  yield* Effect.gen(function* () {
    yield* loadCatalogue(catalogue)
    yield* (yield* DerivedData).rebuild()
    const peerFolder = path.join(folder, "duckdb")
    yield* Effect.promise(() => fs.mkdir(peerFolder))
    const environment = { connection, folder: peerFolder, today: NaiveCatalogue.today }
    const peers = [yield* Normalised.make(environment), yield* DuckDb.make(environment)]
    for (const peer of peers) yield* peer.prepare
    const cases = casesOf(seed, catalogue)
    yield* compare(peers, cases)
    yield* Console.log(
      `${shops} stores, ${cases.length} searches: ${peers.map(({ name }) => `"${name}"`).join(" and ")} answer as our services do.`
    )
  }).pipe(Effect.provide(services(connection)))
})

NodeRuntime.runMain(Effect.forEach(catalogueSizes, (shops) => Effect.scoped(check(shops)), { discard: true }))

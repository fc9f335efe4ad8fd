/**
 * Two server processes, an import in a third, and other changes of the catalog, searches throughout: each answer is the naive
 * search's at one committed version, no server goes back in time, and each answer costs one credit.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, FileSystem, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as AdQuery from "../../../src/domain/search/AdQuery.ts"
import * as ProductQuery from "../../../src/domain/search/ProductQuery.ts"
import * as ShopQuery from "../../../src/domain/search/ShopQuery.ts"
import { randomChange } from "../../oracle/changes.ts"
import { loadCatalog } from "../../oracle/loadCatalog.ts"
import * as NaiveCatalog from "../../oracle/NaiveCatalog.ts"
import * as NaiveSearch from "../../oracle/NaiveSearch.ts"
import * as Random from "../../oracle/Random.ts"
import * as Messages from "../../support/Messages.ts"
import { temporaryFolder } from "../../support/PrivatePostgres.ts"
import * as ServerProcess from "../../support/ServerProcess.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const imports = 3
const perPage = 10

/** A trigger that stores a copy of the catalog for each version, at the commit of the transaction that makes it. */
const keepVersions = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const tables = {
    niches: "niche",
    shops: "shop",
    traffic: "traffic_month",
    products: "product",
    ads: "ad",
    movers: "mover"
  }
  const rows = Object.entries(tables).map(
    ([name, table]) => `'${name}', (SELECT coalesce(json_agg(t), '[]') FROM ${table} t)`
  )
  yield* sql.unsafe("CREATE TABLE kept_version (version int PRIMARY KEY, catalog json NOT NULL)")
  yield* sql.unsafe(`CREATE FUNCTION keep_version() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO kept_version SELECT NEW.version, json_build_object(${rows.join(", ")}); RETURN NULL; END $$`)
  yield* sql.unsafe(`CREATE CONSTRAINT TRIGGER keep_version AFTER UPDATE ON catalog DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN (OLD.version <> NEW.version) EXECUTE FUNCTION keep_version()`)
})

interface Version {
  readonly version: number
  readonly catalog: NaiveCatalog.NaiveCatalog
}

const keptVersions = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const kept = yield* sql<Version>`SELECT version, catalog FROM kept_version ORDER BY version`
  const utc = (time: string | null) => time && new Date(time).toISOString()
  return kept.map(({ catalog, version }): Version => {
    const products = catalog.products.map((product) => ({ ...product, created_at: utc(product.created_at) }))
    return { version, catalog: { ...catalog, products } }
  })
})

interface Question {
  readonly tool: "search_ads" | "search_products" | "search_shops"
  readonly args: Readonly<Record<string, unknown>>
}

const searches: Record<Question["tool"], (catalog: NaiveCatalog.NaiveCatalog, args: unknown) => Expected> = {
  search_ads: (catalog, args) => NaiveSearch.searchAds(catalog, Schema.decodeUnknownSync(AdQuery.AdQuery)(args)),
  search_products: (catalog, args) =>
    NaiveSearch.searchProducts(catalog, Schema.decodeUnknownSync(ProductQuery.ProductQuery)(args)),
  search_shops: (catalog, args) => NaiveSearch.searchShops(catalog, Schema.decodeUnknownSync(ShopQuery.ShopQuery)(args))
}

interface Expected {
  readonly items: ReadonlyArray<{ readonly id: number }>
  readonly total: number
}

/** Words, filters and orders of every kind, and none that depends on the day. */
const questions: ReadonlyArray<Question> = [
  { tool: "search_ads", args: {} },
  { tool: "search_ads", args: { sort_by: "newest", page: 2 } },
  { tool: "search_ads", args: { sort_by: "traffic", status: "active" } },
  { tool: "search_ads", args: { query: "red", sort_by: "oldest" } },
  { tool: "search_products", args: {} },
  { tool: "search_products", args: { sort_by: "price", sort_order: "asc", price: { min: 10 } } },
  { tool: "search_products", args: { query: "title", sort_by: "newest" } },
  { tool: "search_products", args: { sort_by: "traffic", countries: ["US", "DE"] } },
  { tool: "search_shops", args: {} },
  { tool: "search_shops", args: { sort_by: "revenue", monthly_revenue: { min: 100 } } },
  { tool: "search_shops", args: { apps: ["Klaviyo"], sort_by: "traffic" } },
  { tool: "search_shops", args: { query: "name" } }
].map(({ args, tool }) => ({ tool: tool as Question["tool"], args: { per_page: perPage, ...args } }))

interface Answer {
  readonly ids: ReadonlyArray<number>
  readonly total: number
}

/** What a search answers at a version. */
const answerAt = ({ catalog }: Version, { args, tool }: Question): Answer => {
  const { items, total } = searches[tool](catalog, args)
  const page = typeof args["page"] === "number" ? args["page"] : 1
  return { ids: items.slice((page - 1) * perPage, page * perPage).map(({ id }) => id), total }
}

const once = <A>(make: () => A): (() => A) => {
  let made: { readonly value: A } | undefined
  return () => (made ??= { value: make() }).value
}

/** A busy machine may exceed the limits of a call, which then costs nothing: it is asked again. */
const call = async (port: number, key: string, question: Question, tries = 20): Promise<Answer> => {
  const { args, tool } = question
  const response = await fetch(`http://127.0.0.1:${port}/mcp`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(Messages.call(tool, args))
  })
  const text = await response.text()
  const { result } = JSON.parse(text) as {
    readonly result: {
      readonly isError?: boolean
      readonly structuredContent: {
        readonly results: ReadonlyArray<{ readonly id: number }>
        readonly pagination: { readonly total: number }
      }
    }
  }
  if (result.isError === true && tries > 1) return call(port, key, question, tries - 1)
  assert.notStrictEqual(result.isError, true, text)
  const { pagination, results } = result.structuredContent
  return { ids: results.map(({ id }) => id), total: pagination.total }
}

/** New stores, and other prices and months for those of the delivery before. */
const delivery = (number: number): string => {
  const records = Array.from({ length: 40 }, (_, at) => {
    const domain = `imported${number * 20 + at}.example.com`
    return [
      { type: "shop", domain, name: `Name ${at}`, country: "US", currency: "USD", monthly_revenue: 100 * number + at },
      { type: "traffic_month", shop: domain, month: "2031-02", visits: 1_000 * number + at },
      { type: "product", shop: domain, key: "p", title: `Title ${at}`, price: number + at },
      {
        type: "ad",
        key: `ad ${domain}`,
        shop: domain,
        page_name: "Red",
        status: number % 2 === 0 ? "active" : "inactive",
        media_type: "image",
        started_on: "2026-01-01",
        last_seen_on: "2026-01-02"
      }
    ]
  })
  return records
    .flat()
    .map((record) => JSON.stringify(record))
    .join("\n")
}

layer(TestDatabase.layer, { excludeTestServices: true })("two servers and an import", (it) => {
  it.effect(
    "answer each search as of one committed version, never go back in time, and charge each answer once",
    () =>
      Effect.gen(function* () {
        yield* loadCatalog(NaiveCatalog.generate(11, 60))
        yield* keepVersions
        // So that the version that the servers begin with is kept too.
        const random = Random.make(11)
        yield* randomChange(random)
        const { connection } = yield* TestDatabase
        const fs = yield* FileSystem.FileSystem
        const folder = yield* temporaryFolder
        const environment = {
          DATABASE_URL: ServerProcess.urlOf(connection),
          INDEX_DIR: folder,
          RATE_LIMIT_PER_MINUTE: "0",
          PLAN_CREDITS_GROWTH: "100000"
        }
        const command = Effect.fnUntraced(function* (...args: ReadonlyArray<string>) {
          const { code, err, out } = yield* ServerProcess.command(environment, ...args)
          return code === 0 ? out : yield* Effect.fail(out + err)
        })
        const ports = [yield* ServerProcess.freePort, yield* ServerProcess.freePort]
        yield* Effect.all(
          ports.map((port, at) =>
            Effect.andThen(
              ServerProcess.start({ ...environment, INDEX_DIR: `${folder}/${at}`, PORT: String(port) }),
              ServerProcess.ready(port)
            )
          ),
          { concurrency: 2 }
        )
        yield* command("account", "create", "two@example.com", "--plan", "growth")
        const [key = ""] = /dsk_[0-9A-Za-z]{43}/u.exec(yield* command("key", "create", "two@example.com", "test")) ?? []

        const delivered = yield* Deferred.make<void>()
        const search = Effect.fnUntraced(function* (port: number) {
          const answers: Array<{ readonly question: Question; readonly answer: Answer }> = []
          const ask = (question: Question) =>
            Effect.map(
              Effect.promise(() => call(port, key, question)),
              (answer) => answers.push({ question, answer })
            )
          while (!(yield* Deferred.isDone(delivered))) {
            yield* Effect.forEach(questions, ask, { discard: true })
            yield* randomChange(random)
          }
          yield* Effect.forEach(questions, ask, { discard: true })
          return answers
        })
        const searching = yield* Effect.forkChild(Effect.forEach(ports, search, { concurrency: 2 }))
        for (let number = 1; number <= imports; number++) {
          const file = `${folder}/${number}.ndjson`
          yield* fs.writeFileString(file, delivery(number))
          // On a busy machine it may wait too long for the catalog; it can be repeated.
          yield* Effect.retry(command("import", file, "--source", "deliveries", "--as-of", "2026-01-03"), { times: 5 })
        }
        yield* Deferred.succeed(delivered, undefined)
        const answers = yield* Fiber.join(searching)

        const versions = yield* keptVersions
        const idsOf = versions.map(({ catalog: { ads, products, shops } }) => ({
          search_ads: new Set(ads.map(({ id }) => id)),
          search_products: new Set(products.map(({ id }) => id)),
          search_shops: new Set(shops.map(({ id }) => id))
        }))
        const expected = versions.map((version) => questions.map((question) => once(() => answerAt(version, question))))
        /** A record that is gone before it is read is left out of an answer. */
        const isAnswer = (at: number, question: Question, { ids, total }: Answer): boolean => {
          const wanted = expected[at]?.[questions.indexOf(question)]?.()
          const isGone = (id: number) => idsOf.slice(at + 1).some((version) => !version[question.tool].has(id))
          const left = wanted?.ids.filter((id) => ids.includes(id) || !isGone(id))
          return wanted?.total === total && left?.join() === ids.join()
        }
        for (const ofServer of answers) {
          let at = 0
          for (const { answer, question } of ofServer) {
            while (at < versions.length && !isAnswer(at, question, answer)) at++
            assert.isBelow(at, versions.length, `${JSON.stringify(question)} ${JSON.stringify(answer)}`)
          }
          // More than one version was searched.
          assert.isAbove(at, 0)
        }

        const sql = yield* SqlClient.SqlClient
        const calls = answers.flat().length
        const [charged] = yield* sql<{ credits: number }>`SELECT sum(used)::int AS credits FROM credit_period`
        assert.strictEqual(charged?.credits, calls)
        yield* command("credits", "verify")
        yield* command("catalog", "verify")
      }).pipe(Effect.scoped, Effect.provide(NodeServices.layer)),
    { timeout: 600_000 }
  )
})

/** D110: whenever an import is killed, the log of changes leads from what was known before to what is known then. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem, Path } from "effect"
import { SqlClient } from "effect/sql"
import { Prng } from "../../demo/Prng.ts"
import { apply } from "../services/import/ChangeLaw.ts"
import { changesAfter, known, Services } from "../services/import/Deliveries.ts"
import { nobody, runNames } from "../support/FileImports.ts"
import { isOver, killed, until } from "../support/ImportProcess.ts"

/** The first day is the baseline. Ads that are not seen for more than a week stop. */
const days = ["2026-05-01", "2026-05-09", "2026-05-17"]
const stores = 30
const products = 12

const numbers = (count: number) => Array.from({ length: count }, (_, at) => at)
const domainOf = (at: number) => `store-${at}.example.com`

/** The files of a day: figures, prices, products and ads differ from day to day. The products that each store loses are removed in one transaction a store. */
const filesOf = (day: number): Readonly<Record<string, string>> => {
  const prng = new Prng("killed", "day", day)
  const drawn = <A>(of: ReadonlyArray<A>) => of.filter(() => prng.chance(0.5))
  const facts = numbers(stores + day).flatMap((at) => [
    {
      type: "shop",
      domain: domainOf(at),
      name: "S",
      country: "DE",
      monthly_revenue: prng.int(1, 3),
      theme: prng.pick(["Dawn", "Prestige"]),
      apps: drawn(["Loox", "Klaviyo"]),
      pixels: drawn(["TikTok", "Facebook"])
    },
    { type: "traffic_month", shop: domainOf(at), month: `2026-0${1 + (day % 3)}`, visits: prng.int(1, 3) }
  ])
  const ads = drawn(numbers(2 * stores)).map((at) => ({
    ad_archive_id: `${at}`,
    page_id: `${at}`,
    page_name: "Page",
    is_active: prng.chance(0.7),
    start_date: 1_772_323_200,
    snapshot: { title: "Ad", display_format: "IMAGE", link_url: `https://${domainOf(prng.int(0, stores))}/` }
  }))
  const storefronts = numbers(stores).map((at) => [
    `${domainOf(at)}.json`,
    {
      products: numbers(products).map((id) => ({
        id: id + day,
        title: "P",
        handle: `p-${id + day}`,
        variants: [{ price: `${prng.int(1, 3)}.00` }]
      }))
    }
  ])
  return {
    "ads.json": JSON.stringify({ data: ads }),
    "facts.ndjson": facts.map((record) => `${JSON.stringify(record)}\n`).join(""),
    ...Object.fromEntries(storefronts.map(([name, content]) => [name, JSON.stringify(content)]))
  }
}

const version = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ version: number }>`SELECT version FROM catalog`
  return row?.version ?? 0
})

/** In one snapshot: PostgreSQL may end a transaction whose commit it has got after the process is gone. */
const seen = Effect.fnUntraced(function* (lastId: number) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql.withTransaction(
    Effect.andThen(
      sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ`,
      Effect.all({ kept: known, changes: changesAfter(lastId) })
    )
  )
})

layer(NodeServices.layer, { excludeTestServices: true })("the log of an import that is killed", (it) => {
  it.effect(
    "D110 has what was imported until then, and once the import is repeated all of it, each change once",
    () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const path = yield* Path.Path
        const folder = yield* fs.makeTempDirectoryScoped()
        const prng = new Prng("killed", "moments")

        /** Once so many versions are committed, and some milliseconds later. */
        const killAfter = Effect.fnUntraced(function* (names: ReadonlyArray<string>, asOf: string, versions: number) {
          yield* until(isOver)
          const before = yield* version
          return yield* killed([...names, "--country", "DE", "--source", "s", "--as-of", asOf], (hasEnded) =>
            Effect.andThen(
              until(Effect.map(version, (now) => now - before >= versions || hasEnded())),
              Effect.sleep(prng.int(0, versions === 0 ? 150 : 10))
            )
          )
        })

        const ends: Array<NodeJS.Signals | null> = []
        let told = 0
        let partial = 0
        let { kept } = yield* seen(0)
        /** Applies what was told since, and gives how much it was. */
        const check = Effect.gen(function* () {
          const now = yield* seen(told)
          for (const change of now.changes) apply(kept, change)
          assert.deepStrictEqual(kept, now.kept)
          told = now.changes.at(-1)?.id ?? told
          return now.changes.length
        })
        for (const [day, asOf] of days.entries()) {
          const names: Array<string> = []
          for (const [name, content] of Object.entries(filesOf(day))) {
            names.push(path.join(folder, `${day}`, name))
            yield* fs.makeDirectory(path.join(folder, `${day}`), { recursive: true })
            yield* fs.writeFileString(path.join(folder, `${day}`, name), content)
          }
          if (day > 0) {
            // Within the transaction of most records, and between those of the stores.
            for (const versions of [0, prng.int(1, stores - 1)]) {
              ends.push(yield* killAfter(names, asOf, versions))
              partial += Math.sign(yield* check)
            }
            yield* until(isOver)
          }
          const { rejects } = yield* runNames(names, { store: { ...nobody, country: "DE" }, source: "s", asOf })
          assert.deepStrictEqual(rejects, [])
          if (day === 0) kept = (yield* seen(0)).kept
          else yield* check
        }
        assert.include(ends, "SIGKILL")
        assert.isAbove(partial, 0)
        const kinds = new Set((yield* changesAfter(0)).map(({ kind }) => kind))
        assert.includeMembers(
          [...kinds],
          [
            "store_appeared",
            "figure_changed",
            "product_appeared",
            "product_removed",
            "price_up",
            "ad_appeared",
            "ad_stopped"
          ]
        )
      }).pipe(Effect.scoped, Effect.provide(Services, { local: true })),
    120_000
  )
})

/**
 * Imports in processes of their own, one edition of a file after the other; one that was stopped is run again. What each leaves in the
 * catalog is compared with what it leaves in a database of its own, without faults.
 */
import { Effect, Schedule, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { spawn } from "node:child_process"
import type { ChildProcess } from "node:child_process"
import { once } from "node:events"
import { createReadStream } from "node:fs"
import * as path from "node:path"
import { createInterface } from "node:readline"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import * as ServerProcess from "../../test/support/ServerProcess.ts"
import { rowOf } from "../../src/services/database/Rows.ts"
import * as ImportFile from "../import/ImportFile.ts"
import * as CatalogDigest from "./CatalogDigest.ts"
import type { Cluster } from "./Cluster.ts"
import type { Record } from "./Record.ts"
import { inTime } from "./Servers.ts"

const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url))
const editions = 4
const pauseMillis = 1_000
const pollMillis = 20
const again = "500 millis"
const maxRuns = 30
const source = "faults"
const reference = "reference"

const Sum = Schema.Struct({ products: Schema.Int, prices: Schema.Finite })
type Sum = typeof Sum.Type
const decodeSum = rowOf(Sum)

const Line = Schema.fromJsonString(Schema.Struct({ type: Schema.String, price: Schema.optionalKey(Schema.Finite) }))
const lineIn = Schema.decodeUnknownSync(Line)

/** Of the products in a file. */
const sumOf = async (file: string): Promise<Sum> => {
  let products = 0
  let prices = 0
  for await (const line of createInterface({ input: createReadStream(file) })) {
    const { price, type } = lineIn(line)
    if (type !== "product") continue
    products += 1
    prices += price ?? 0
  }
  return { products, prices }
}

/** Of the products in the catalog that came from such files. */
const stored = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* decodeSum(sql`
    SELECT count(*)::integer AS products, coalesce(sum(price), 0) AS prices
    FROM product p JOIN shop s ON s.id = p.shop_id WHERE s.domain LIKE 'new-%'`)
})

/** Prices are sums of binary fractions, in another order. */
const isSame = (one: Sum, other: Sum) => one.products === other.products && Math.abs(one.prices - other.prices) < 0.01

export interface Imports {
  /** SIGKILL for the next import, so many milliseconds after its start. If it has ended by then, the one after it gets half the time. */
  readonly kill: (millis: number) => Promise<void>
  /** SIGSTOP in the same way; gives what lets the import go on. */
  readonly freeze: (millis: number) => Promise<() => void>
  /** Of the import that runs, if one does. */
  readonly processIds: () => ReadonlyArray<number>
  /** Until the load is over, and the last import has ended well. */
  readonly run: (isOver: () => boolean) => Promise<void>
}

export const make = Effect.fnUntraced(function* (folder: string, cluster: Cluster, record: Record, products: number) {
  const today = Math.floor(Date.now() / 86_400_000)
  /** One, or none. */
  const running: Array<ChildProcess> = []
  yield* Effect.addFinalizer(() => Effect.sync(() => running[0]?.kill("SIGKILL")))

  const runOnce = async (file: string, url = cluster.url): Promise<number | null> => {
    const started = spawn(
      process.execPath,
      [main, "import", file, "--source", source, "--rejects", `${file}.rejects`],
      {
        env: ServerProcess.environment({ DATABASE_URL: url }),
        stdio: "ignore"
      }
    )
    running.push(started)
    await once(started, "exit")
    running.pop()
    return started.exitCode
  }
  const look = () =>
    Effect.runPromise(
      cluster
        .onPrimary(CatalogDigest.read)
        .pipe(Effect.retry(Schedule.spaced(again)), inTime("the database did not answer"))
    )

  /** What the catalog holds after this edition where nothing disturbs it. That it is what the file says, is checked apart from imports. */
  const undisturbed = Effect.fnUntraced(function* (number: number) {
    const file = path.join(folder, `edition-${number}.ndjson`)
    yield* ImportFile.write(file, { products, today, edition: number })
    const code = yield* Effect.promise(() => runOnce(file, cluster.urlOf(reference)))
    const inFile = yield* Effect.promise(() => sumOf(file))
    const [found, digest] = yield* cluster.onPrimary(Effect.all([stored, CatalogDigest.read]), reference)
    if (code !== 0 || !isSame(found, inFile)) {
      return yield* Effect.die(new Error(`an import without faults ended with ${code}: ${JSON.stringify(found)}`))
    }
    return { file, digest }
  })
  const administer = (statement: string) =>
    cluster.onPrimary(Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(statement)))
  yield* administer(`CREATE DATABASE ${reference} TEMPLATE postgres`)
  const files = yield* Effect.forEach(
    Array.from({ length: editions }, (_, number) => number),
    undisturbed
  )
  yield* administer(`DROP DATABASE ${reference} WITH (FORCE)`)

  /** Sends a signal to the next import that still runs so many milliseconds after its start. */
  const strike = async (signal: NodeJS.Signals, millis: number): Promise<ChildProcess> => {
    let before = running.at(-1)
    for (let wait = millis; ;) {
      await sleep(pollMillis)
      const started = running.at(-1)
      if (started === undefined || started === before) continue
      before = started
      await sleep(wait)
      if (started.kill(signal)) return started
      // That one had ended.
      wait /= 2
    }
  }

  const imports: Imports = {
    processIds: () => running.flatMap(({ pid }) => pid ?? []),
    kill: async (millis) => void (await strike("SIGKILL", millis)),
    freeze: async (millis) => {
      const frozen = await strike("SIGSTOP", millis)
      return () => void frozen.kill("SIGCONT")
    },
    run: async (isOver) => {
      for (let edition = 0; !isOver(); edition = (edition + 1) % editions) {
        const next = files[edition]
        if (next === undefined) return
        for (let runs = 1; ; runs++) {
          const code = await runOnce(next.file)
          if (code === 0) break
          if (runs > maxRuns) return record.incident("an import did not end well, however often it was run")
          record.count(code === null ? "import: killed, and run again" : "import: stopped, and run again")
          await sleep(pauseMillis)
        }
        record.count("import: done")
        for (const difference of CatalogDigest.differences(await look(), next.digest)) {
          record.incident(`an import is not whole: ${difference}`)
        }
        await sleep(pauseMillis)
      }
    }
  }
  return imports
})

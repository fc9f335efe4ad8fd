/** Imports in processes of their own, one edition of a file after the other; one that was stopped is run again. */
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
import * as ImportFile from "../import/ImportFile.ts"
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

interface Sum {
  readonly products: number
  readonly prices: number
}

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
  const [row] = yield* sql<Sum>`
    SELECT count(*)::integer AS products, coalesce(sum(price), 0) AS prices
    FROM product p JOIN shop s ON s.id = p.shop_id WHERE s.domain LIKE 'new-%'`
  return row ?? { products: 0, prices: 0 }
})

/** Prices are sums of binary fractions, in another order. */
const isSame = (one: Sum, other: Sum) => one.products === other.products && Math.abs(one.prices - other.prices) < 0.01

export interface Imports {
  /** SIGKILL for the next import, so many milliseconds after its start. One that has ended by then is followed by another. */
  readonly kill: (millis: number) => Promise<void>
  /** Until the load is over, and the last import has ended well. */
  readonly run: (isOver: () => boolean) => Promise<void>
}

export const make = Effect.fnUntraced(function* (folder: string, cluster: Cluster, record: Record, products: number) {
  const today = Math.floor(Date.now() / 86_400_000)
  const files = yield* Effect.forEach(
    Array.from({ length: editions }, (_, edition) => edition),
    (edition) =>
      Effect.gen(function* () {
        const file = path.join(folder, `edition-${edition}.ndjson`)
        yield* ImportFile.write(file, { products, today, edition })
        return { file, sum: yield* Effect.promise(() => sumOf(file)) }
      })
  )
  /** One, or none. */
  const running: Array<ChildProcess> = []
  yield* Effect.addFinalizer(() => Effect.sync(() => running[0]?.kill("SIGKILL")))

  const runOnce = async (file: string): Promise<number | null> => {
    const started = spawn(
      process.execPath,
      [main, "import", file, "--source", source, "--rejects", `${file}.rejects`],
      {
        env: ServerProcess.environment({ DATABASE_URL: cluster.url }),
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
      cluster.onPrimary(stored).pipe(Effect.retry(Schedule.spaced(again)), inTime("the database did not answer"))
    )

  const imports: Imports = {
    kill: async (millis) => {
      for (const before = running.at(-1); ;) {
        await sleep(pollMillis)
        const started = running.at(-1)
        if (started === undefined || started === before) continue
        await sleep(millis)
        if (started.kill("SIGKILL")) return
      }
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
        const found = await look()
        if (!isSame(found, next.sum)) {
          record.incident(`an import is not whole: ${JSON.stringify(found)} instead of ${JSON.stringify(next.sum)}`)
        }
        await sleep(pauseMillis)
      }
    }
  }
  return imports
})

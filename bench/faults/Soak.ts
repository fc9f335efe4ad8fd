/** Whether memory, descriptors, connections and tables stay what they are under a load of good, refused and hostile requests. */
import { Effect, Fiber, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import * as fs from "node:fs/promises"
import { setTimeout as sleep } from "node:timers/promises"
import { Prng } from "../../demo/Prng.ts"
import * as HostileInputs from "../../test/support/HostileInputs.ts"
import * as Messages from "../../test/support/Messages.ts"
import { median } from "../support/Median.ts"
import * as Http from "./Http.ts"
import { Record } from "./Record.ts"
import * as Run from "./Run.ts"

export interface Measure {
  readonly name: string
  /** The medians of the second quarter of the time and of the last one. */
  readonly before: number
  readonly after: number
  readonly isFlat: boolean
}

export interface Soak {
  readonly minutes: number
  readonly calls: number
  readonly failed: number
  readonly refused: number
  readonly measures: ReadonlyArray<Measure>
  /** Tables that grew by more than {@link tableBytes} from the second quarter to the end. */
  readonly grown: ReadonlyArray<{ readonly table: string; readonly before: number; readonly after: number }>
}

const sampleEvery = "5 seconds"
const hostilePauseMillis = 400
/** What garbage collection alone makes of memory. */
const tolerated = 0.1
const toleratedCount = 5
export const tableBytes = 1 << 20

/** Growth that the calls that succeed and their documented retention explain. */
export const growing: ReadonlySet<string> = new Set([
  "activity",
  "credit_entry",
  "idempotency_key",
  "oauth_access_token",
  "oauth_refresh_token",
  "catalog_version",
  "import",
  "import_product"
])

interface Request extends Http.Request {
  readonly mayAnswer: (status: number) => boolean
}

const json = { "content-type": "application/json" }
const form = { "content-type": "application/x-www-form-urlencoded" }

/** Requests that must be refused, without a crash. `secret` is a key that works. */
const unwanted = (secret: string): ReadonlyArray<Request> => {
  const answered = (status: number) => status < 500
  const bearer = { authorization: `Bearer ${secret}` }
  const call = JSON.stringify(Messages.call("search_shops", {}))
  return [
    { path: "/mcp", headers: json, body: call, mayAnswer: (status) => status === 401 },
    {
      path: "/mcp",
      headers: { ...json, authorization: `Bearer dsk_${"x".repeat(43)}` },
      body: call,
      mayAnswer: (status) => status === 401
    },
    {
      path: "/mcp",
      headers: { ...json, ...bearer },
      body: JSON.stringify(Messages.call("search_shops", { countries: ["Nowhere"], page: 99 })),
      mayAnswer: answered
    },
    { path: "/mcp", headers: { ...json, ...bearer }, body: "x".repeat(300_000), mayAnswer: answered },
    ...HostileInputs.ofProtocol.map(({ body }) => ({
      path: "/mcp",
      headers: { ...json, ...bearer },
      body,
      mayAnswer: answered
    })),
    ...HostileInputs.formRoutes.open.flatMap(({ bytes, fields, route }) =>
      HostileInputs.forms(fields, bytes).map(({ body }) => ({ path: route, headers: form, body, mayAnswer: answered }))
    ),
    { path: "/dashboard", method: "GET" as const, mayAnswer: answered },
    { path: "/nowhere", method: "GET" as const, mayAnswer: (status) => status === 404 }
  ]
}

/** Sends them in turns; every tenth is cut off before its answer. */
const hostile = async (port: number, secret: string, record: Record, isOver: () => boolean): Promise<void> => {
  const requests = unwanted(secret)
  const prng = new Prng("faults", "hostile")
  let client = Http.client(port)
  while (!isOver()) {
    const { mayAnswer, ...request } = prng.pick(requests)
    if (prng.chance(0.1)) {
      const cut = client.send(request)
      await sleep(prng.unit() * 20)
      client.close()
      client = Http.client(port)
      await cut
    } else {
      const answer = await client.send(request)
      // A body that is refused early may end in a reset before its answer is read.
      if (answer === undefined) client = Http.client(port)
      else if (!mayAnswer(answer.status))
        record.incident(`${request.path} answered ${answer.status} to a hostile request`)
      record.count("refused")
    }
    await sleep(hostilePauseMillis * prng.unit() * 2)
  }
  client.close()
}

interface Point {
  readonly values: ReadonlyMap<string, number>
  readonly tables: ReadonlyMap<string, number>
}

const ofProcess = async (pid: number | undefined) => {
  const status = await fs.readFile(`/proc/${pid}/status`, "utf8")
  const descriptors = await fs.readdir(`/proc/${pid}/fd`)
  return { bytes: Number(/^VmRSS:\s+(\d+) kB$/mu.exec(status)?.[1] ?? 0) * 1024, descriptors: descriptors.length }
}

const sizes = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* sql<{ name: string; bytes: number }>`
    SELECT relname AS name, pg_total_relation_size(relid)::float8 AS bytes FROM pg_stat_user_tables`
  const [row] = yield* sql<{ count: number }>`
    SELECT count(*)::integer AS count FROM pg_stat_activity WHERE application_name = 'discovery'`
  return { tables: new Map(tables.map(({ bytes, name }) => [name, bytes])), connections: row?.count ?? 0 }
})

export const run = Effect.fnUntraced(function* (options: Run.Options, minutes: number) {
  const record = new Record()
  const prepared = yield* Run.prepare(options, record)
  const { cluster, everyone, servers } = prepared
  const stop = yield* Run.load(prepared, record)
  let isOver = false
  const secret = everyone.scripts[0]?.secret ?? ""
  const attack = hostile(servers.port, secret, record, () => isOver)

  const points: Array<Point> = []
  const look = Effect.gen(function* () {
    const { connections, tables } = yield* cluster.onPrimary(sizes)
    const values = new Map([["connections to the database", connections]])
    for (const { name, pid } of servers.all) {
      const { bytes, descriptors } = yield* Effect.promise(() => ofProcess(pid()))
      values.set(`memory of server ${name}, MiB`, bytes / 2 ** 20)
      values.set(`descriptors of server ${name}`, descriptors)
    }
    points.push({ values, tables })
  })
  const watching = yield* Effect.forkChild(Effect.repeat(look, Schedule.spaced(sampleEvery)))
  yield* Effect.sleep(`${minutes} minutes`)
  yield* Fiber.interrupt(watching)
  isOver = true
  yield* Effect.promise(() => attack)
  yield* stop

  const quarter = Math.max(1, points.length >> 2)
  const before = points.slice(quarter, 2 * quarter)
  const after = points.slice(-quarter)
  const names = Array.from(points[0]?.values.keys() ?? [])
  const tables = Array.from(points[0]?.tables.keys() ?? [])
  const valueIn = (some: ReadonlyArray<Point>, name: string) => median(some.map(({ values }) => values.get(name) ?? 0))
  const sizeIn = (some: ReadonlyArray<Point>, table: string) => median(some.map(({ tables }) => tables.get(table) ?? 0))
  const soak: Soak = {
    minutes,
    calls: record.calls.length,
    failed: record.calls.filter(({ key, outcome }) => key !== undefined && outcome !== "ok").length,
    refused: record.counts.get("refused") ?? 0,
    measures: names.map((name) => {
      const [first, last] = [valueIn(before, name), valueIn(after, name)]
      return {
        name,
        before: first,
        after: last,
        isFlat: last <= Math.max(first * (1 + tolerated), first + toleratedCount)
      }
    }),
    grown: tables
      .map((table) => ({ table, before: sizeIn(before, table), after: sizeIn(after, table) }))
      .filter(({ after, before }) => after - before > tableBytes)
  }
  return { soak, incidents: record.incidents.map(({ what }) => what) }
}, Effect.scoped)

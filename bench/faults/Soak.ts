/** Whether memory, descriptors, connections and tables stay what they are under a load of good, refused and hostile requests. */
import { Clock, Effect, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import * as fs from "node:fs/promises"
import { setTimeout as sleep } from "node:timers/promises"
import { Prng } from "../../demo/Prng.ts"
import * as HostileInputs from "../../test/support/HostileInputs.ts"
import * as HostileRoutes from "../../test/support/HostileRoutes.ts"
import * as Messages from "../../test/support/Messages.ts"
import type { Books } from "./Books.ts"
import * as Http from "./Http.ts"
import { Record } from "./Record.ts"
import * as Run from "./Run.ts"
import * as Trend from "./Trend.ts"

export interface Measure extends Trend.Trend {
  readonly name: string
}

export interface Soak {
  readonly minutes: number
  readonly calls: number
  readonly failed: number
  readonly refused: number
  readonly measures: ReadonlyArray<Measure>
  /** Tables that grew by more than {@link tableBytes} an hour. */
  readonly grown: ReadonlyArray<Measure>
  readonly books: Books
  /** Checks that failed, and what must not be besides. */
  readonly incidents: ReadonlyArray<string>
}

const sampleEvery = "5 seconds"
const hostilePauseMillis = 400
/** In an hour, of the value. */
export const tolerated = 0.1
/** In an hour, of connections and the like where there are few. */
export const toleratedCount = 5
/** In an hour. */
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
    ...HostileRoutes.formRoutes.open.flatMap(({ bytes, fields, route }) =>
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
  readonly hours: number
  readonly values: ReadonlyMap<string, number>
  readonly tables: ReadonlyMap<string, number>
}

/** The trend of each name that the points have. */
export const trendsOf = (
  points: ReadonlyArray<Point>,
  which: "values" | "tables",
  allowed: (start: number) => number
): ReadonlyArray<Measure> => {
  const names = new Set(points.flatMap((point) => Array.from(point[which].keys())))
  return Array.from(names, (name) => {
    const samples = points.flatMap(({ hours, [which]: found }) => {
      const value = found.get(name)
      return value === undefined ? [] : [{ hours, value }]
    })
    return { name, ...Trend.judge(samples, allowed) }
  })
}

/** What must not be at the end of a soak. Without faults, no call may fail. */
export const wrong = ({ books, failed, grown, incidents, measures }: Soak): ReadonlyArray<string> => [
  ...incidents,
  ...books.disagreements,
  ...(failed === 0 ? [] : [`${failed} calls failed`]),
  ...measures
    .filter(({ isFlat }) => !isFlat)
    .map(({ atMost, name, perHour }) => `${name}: ${perHour.toFixed(1)} more per hour, at most ${atMost.toFixed(1)}`),
  ...grown
    .filter(({ name }) => !growing.has(name))
    .map(
      ({ atMost, name, perHour }) => `${name}: ${perHour.toFixed(0)} bytes more per hour, at most ${atMost.toFixed(0)}`
    )
]

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

  yield* Effect.addFinalizer(() => Effect.sync(() => void (isOver = true)))

  const points: Array<Point> = []
  const look = Effect.gen(function* () {
    const { connections, tables } = yield* cluster.onPrimary(sizes)
    const values = new Map([["connections to the database", connections]])
    for (const { name, pid } of servers.all) {
      const found = yield* Effect.promise(() => ofProcess(pid()).catch(() => undefined))
      if (found === undefined) return record.incident(`server ${name} ended by itself`)
      values.set(`memory of server ${name}, MiB`, found.bytes / 2 ** 20)
      values.set(`descriptors of server ${name}`, found.descriptors)
    }
    points.push({ hours: (yield* Clock.currentTimeMillis) / 3_600_000, values, tables })
  })
  yield* Effect.timeoutOption(Effect.repeat(look, Schedule.spaced(sampleEvery)), `${minutes} minutes`)
  isOver = true
  yield* Effect.promise(() => attack)
  yield* stop
  const books = yield* Run.check(prepared, record)

  const soak: Soak = {
    minutes,
    calls: record.calls.length,
    failed: record.calls.filter(({ key, outcome }) => key !== undefined && outcome !== "ok").length,
    refused: record.counts.get("refused") ?? 0,
    measures: trendsOf(points, "values", (start) => Math.max(tolerated * start, toleratedCount)),
    grown: trendsOf(points, "tables", () => tableBytes).filter(({ isFlat }) => !isFlat),
    books,
    incidents: [...new Set(record.incidents.map(({ what }) => what))]
  }
  return soak
}, Effect.scoped)

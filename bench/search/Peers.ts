/** Our statements and a peer's, for the same cases over the same data, in turns; both must give the same answer. */
import { Console, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import type { AccountId } from "../../src/domain/access/Account.ts"
import type { EmbeddedConnection } from "../../src/services/database/EmbeddedPostgres.ts"
import { median } from "../support/Median.ts"
import * as Cases from "./Cases.ts"
import type { CaseOptions } from "./Cases.ts"
import type { MakePeer, SearchPeer } from "./Peer.ts"
import * as DuckDb from "./peers/DuckDb.ts"
import * as Normalised from "./peers/Normalised.ts"
import { Recorder, recordIfAnswered } from "./Recorder.ts"
import * as Replay from "./Replay.ts"
import type { PeerRow } from "./Results.ts"
import type { Sample } from "./Sample.ts"
import { benchFolder } from "./ScaleDatabase.ts"
import type { Answer, SearchCase } from "./SearchCase.ts"
import { quantile } from "./Summary.ts"

export const names = ["normalised", "duckdb"] as const
export type Name = (typeof names)[number]

const makers: Readonly<Record<Name, MakePeer>> = { normalised: Normalised.make, duckdb: DuckDb.make }

class OtherAnswer extends Schema.TaggedError<OtherAnswer>()("OtherAnswer", { message: Schema.String }) {}

const patienceMillis = 20_000
/** A class in which a peer has taken so long already is left after its case; the row tells how many cases it had. */
const classMillis = 20_000

interface Trial {
  readonly case: SearchCase
  readonly own: number
  /** No less than the patience: given up. */
  readonly peer: number
}

const isSame = (own: Answer, other: Answer): boolean =>
  own.total === other.total && own.stores === other.stores && JSON.stringify(own.ids) === JSON.stringify(other.ids)

const compare = (peer: SearchPeer, searchCase: SearchCase, own: Answer, other: Option.Option<Answer>) =>
  Option.isNone(other) || isSame(own, other.value)
    ? Effect.void
    : new OtherAnswer({
        message:
          `${peer.name} answers ${searchCase.id} otherwise.\n${JSON.stringify(searchCase.arguments)}\n` +
          `ours:  ${JSON.stringify(own)}\ntheirs: ${JSON.stringify(other.value)}`
      })

/** None when it was given up. */
const ask = Effect.fnUntraced(function* (peer: SearchPeer, searchCase: SearchCase) {
  const start = performance.now()
  const elapsed = () => performance.now() - start
  const answer = yield* peer.search(searchCase).pipe(
    Effect.timeoutOption(patienceMillis),
    // A peer gives up by itself too.
    Effect.catch((error) => (elapsed() >= patienceMillis * 0.99 ? Effect.succeedNone : Effect.fail(error)))
  )
  return { answer, millis: Option.isNone(answer) ? patienceMillis : elapsed() }
})

const beside = Effect.fnUntraced(
  function* (peer: SearchPeer, cases: ReadonlyArray<SearchCase>, accountId: AccountId) {
    const sql = yield* SqlClient.SqlClient
    const connection = yield* sql.reserve
    const trials: Array<Trial> = []
    const spent = new Map<string, number>()
    for (const [index, searchCase] of cases.entries()) {
      const group = `${searchCase.tool} ${searchCase.class}`
      if ((spent.get(group) ?? 0) >= classMillis) continue
      const recording = yield* recordIfAnswered(searchCase, accountId)
      if (Option.isNone(recording)) continue
      const { answer, statements } = recording.value
      const ours = Replay.time(connection, statements)
      const before = index % 2 === 0 ? yield* ours : undefined
      const theirs = yield* ask(peer, searchCase)
      const own = before ?? (yield* ours)
      yield* compare(peer, searchCase, answer, theirs.answer)
      spent.set(group, (spent.get(group) ?? 0) + theirs.millis)
      trials.push({ case: searchCase, own, peer: theirs.millis })
    }
    return trials
  },
  Effect.provide(Layer.fresh(Recorder.layer)),
  Effect.scoped
)

const tabulate = (trials: ReadonlyArray<Trial>): ReadonlyArray<PeerRow> =>
  Cases.groups(trials.map((trial) => trial.case)).map((group) => {
    const own = trials.filter((trial) => trial.case.tool === group.tool && trial.case.class === group.class)
    const times = own.map((trial) => trial.peer)
    const ours = own.map((trial) => trial.own)
    return {
      ...group,
      cases: own.length,
      p50: quantile(times, 0.5),
      p95: quantile(times, 0.95),
      timeouts: times.filter((time) => time >= patienceMillis).length,
      own50: quantile(ours, 0.5),
      own95: quantile(ours, 0.95),
      ratio: median(own.map((trial) => trial.peer / trial.own))
    }
  })

const tell = (peer: string) => (row: PeerRow) =>
  Console.log(
    `${peer}: ${row.tool} ${row.class}: ${row.p50.toFixed(0)} / ${row.p95.toFixed(0)} ms, ours ` +
      `${row.own50.toFixed(1)} / ${row.own95.toFixed(1)} ms, ${row.ratio.toFixed(1)}x, ${row.cases} cases, ${row.timeouts} given up`
  )

export const run = Effect.fnUntraced(function* (
  connection: EmbeddedConnection,
  shops: number,
  today: string,
  sample: Sample,
  options: CaseOptions & { readonly peers: ReadonlyArray<Name> },
  accountId: AccountId
) {
  const cases = Cases.generate(sample, options)
  const warmUp = Cases.generate(sample, { ...options, seed: `${options.seed} warm-up`, perClass: 1 })
  return yield* Effect.forEach(options.peers, (name) =>
    Effect.scoped(
      Effect.gen(function* () {
        const folder = path.join(benchFolder, "peers", `${shops}-${name}`)
        yield* Effect.promise(() => fs.mkdir(folder, { recursive: true }))
        const peer = yield* makers[name]({ connection, folder, today })
        yield* Console.log(`${peer.name}: preparing`)
        yield* peer.prepare
        // Reads what it keeps into memory; how long that takes is nobody's concern.
        yield* Effect.forEach(warmUp, (searchCase) => ask(peer, searchCase), { discard: true })
        const rows = tabulate(yield* beside(peer, cases, accountId))
        yield* Effect.forEach(rows, tell(peer.name), { discard: true })
        return { name: peer.name, description: peer.description, seed: options.seed, rows }
      })
    )
  )
})

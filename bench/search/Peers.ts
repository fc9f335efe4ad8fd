/** The index and a peer, for the same cases over the same data, in turns; both must give the same answer. */
import { Console, Effect, Option, Schema } from "effect"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import type { EmbeddedConnection } from "../../src/services/database/EmbeddedPostgres.ts"
import type { Query } from "../../src/domain/search/CatalogQuery.ts"
import type { SearchResult } from "../../src/domain/search/CatalogAnswer.ts"
import type { Published } from "../../src/services/search/runtime/IndexState.ts"
import { median } from "../support/Median.ts"
import * as Cases from "./Cases.ts"
import type { CaseClass, CaseOptions } from "./Cases.ts"
import * as OwnSearch from "./OwnSearch.ts"
import type { Found, MakePeer, SearchPeer } from "./Peer.ts"
import * as BareLoop from "./peers/BareLoop.ts"
import * as DuckDb from "./peers/DuckDb.ts"
import * as Normalized from "./peers/Normalized.ts"
import type { PeerRow } from "./Results.ts"
import type { Sample } from "./Sample.ts"
import { benchFolder } from "./ScaleDatabase.ts"
import type { SearchCase } from "./SearchCase.ts"
import { quantile } from "./Summary.ts"

export const names = ["loop", "normalized", "duckdb"] as const
export type Name = (typeof names)[number]

const makers: Readonly<Record<Name, MakePeer>> = {
  loop: BareLoop.make,
  normalized: Normalized.make,
  duckdb: DuckDb.make
}

/** What the peers were written for; they know no alternatives of words, no days of creation and no ads without a store. */
export const classes: ReadonlyArray<CaseClass> = Cases.everyClass.filter(
  (name) => name !== "any of words" && name !== "days or none"
)

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

type Answered = Pick<Found, "total" | "ids"> & { readonly stores?: number }

const told = (found: Answered, query: Query, withIds: boolean): string =>
  JSON.stringify({
    total: found.total,
    ...(query.order._tag === "Grouped" ? { stores: found.stores } : {}),
    ...(withIds ? { ids: found.ids } : {})
  })

/** Fails where they differ. */
export const compare = (peer: SearchPeer, searchCase: SearchCase, query: Query, own: SearchResult, other: Found) => {
  const withIds = other.ids !== undefined
  const ours = told({ ...own, ids: own.page.map(({ id }) => id) }, query, withIds)
  const theirs = told(other, query, withIds)
  return ours === theirs
    ? Effect.void
    : new OtherAnswer({
        message:
          `${peer.name} answers ${searchCase.id} otherwise.\n${JSON.stringify(searchCase.arguments)}\n` +
          `ours:   ${ours}\ntheirs: ${theirs}`
      })
}

/** None when it was given up. */
const ask = Effect.fnUntraced(function* (peer: SearchPeer, query: Query) {
  const start = performance.now()
  const elapsed = () => performance.now() - start
  const answer = yield* peer.search(query).pipe(
    Effect.timeoutOption(patienceMillis),
    // A peer gives up by itself too.
    Effect.catch((error) => (elapsed() >= patienceMillis * 0.99 ? Effect.succeedNone : Effect.fail(error)))
  )
  return { answer, millis: Option.isNone(answer) ? patienceMillis : elapsed() }
})

const askIndex = (published: Published, query: Query) =>
  Effect.sync(() => {
    const start = performance.now()
    const answer = OwnSearch.run(published, query)
    return { answer, millis: performance.now() - start }
  })

const beside = Effect.fnUntraced(function* (
  peer: SearchPeer,
  published: Published,
  cases: ReadonlyArray<SearchCase>,
  today: string
) {
  const trials: Array<Trial> = []
  const spent = new Map<string, number>()
  for (const [index, searchCase] of cases.entries()) {
    const group = `${searchCase.tool} ${searchCase.class}`
    if ((spent.get(group) ?? 0) >= classMillis) continue
    const query = OwnSearch.queryOf(published, searchCase, today)
    let own = Number.POSITIVE_INFINITY
    let theirs = Number.POSITIVE_INFINITY
    for (let round = 0; round < peer.rounds; round++) {
      const isFirst = (index + round) % 2 === 0
      const before = isFirst ? yield* askIndex(published, query) : undefined
      const other = yield* ask(peer, query)
      const ours = before ?? (yield* askIndex(published, query))
      if (Option.isSome(other.answer)) yield* compare(peer, searchCase, query, ours.answer, other.answer.value)
      own = Math.min(own, ours.millis)
      theirs = Math.min(theirs, other.millis)
    }
    spent.set(group, (spent.get(group) ?? 0) + theirs)
    trials.push({ case: searchCase, own, peer: theirs })
  }
  return trials
})

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
    `${peer}: ${row.tool} ${row.class}: ${row.p50.toFixed(1)} / ${row.p95.toFixed(1)} ms, ours ` +
      `${row.own50.toFixed(1)} / ${row.own95.toFixed(1)} ms, ${row.ratio.toFixed(2)}x, ${row.cases} cases, ${row.timeouts} given up`
  )

export const make = Effect.fnUntraced(function* (
  name: Name,
  connection: EmbeddedConnection,
  shops: number,
  published: Published
) {
  const folder = path.join(benchFolder, "peers", `${shops}-${name}`)
  yield* Effect.promise(() => fs.mkdir(folder, { recursive: true }))
  const peer = yield* makers[name]({ connection, folder, published })
  yield* Console.log(`${peer.name}: preparing`)
  yield* peer.prepare
  return peer
})

export const run = Effect.fnUntraced(function* (
  connection: EmbeddedConnection,
  shops: number,
  today: string,
  published: Published,
  sample: Sample,
  options: CaseOptions & { readonly peers: ReadonlyArray<Name> }
) {
  const cases = Cases.generate(sample, options)
  const warmUp = Cases.generate(sample, { ...options, seed: `${options.seed} warm-up`, perClass: 3 })
  return yield* Effect.forEach(options.peers, (name) =>
    Effect.scoped(
      Effect.gen(function* () {
        const peer = yield* make(name, connection, shops, published)
        // Reads what it keeps into memory, and compiles the index; how long that takes is nobody's concern.
        yield* beside(peer, published, warmUp, today)
        const rows = tabulate(yield* beside(peer, published, cases, today))
        yield* Effect.forEach(rows, tell(peer.name), { discard: true })
        return { name: peer.name, description: peer.description, seed: options.seed, rows }
      })
    )
  )
})

/** Runs the same cases over the same catalog on the index in memory and on ClickHouse, in turns. */
import { Effect, Result } from "effect"
import type { CatalogSearch } from "../../src/services/search/CatalogSearch.ts"
import { median } from "../support/Median.ts"
import * as Cases from "../search/Cases.ts"
import * as OwnSearch from "../search/OwnSearch.ts"
import type { SearchCase } from "../search/SearchCase.ts"
import { quantile } from "../search/Summary.ts"

type Search = CatalogSearch["Service"]

/** The shortest counts: a run that another process interrupts does not. */
const rounds = 3

interface Trial {
  readonly case: SearchCase
  readonly memory: number
  readonly engine: number
  /** Of one that has failed, most likely by its time, nothing is known. */
  readonly outcome: "equal" | "unequal" | "failed"
}

export interface Row {
  readonly tool: string
  readonly class: string
  readonly cases: number
  readonly memory50: number
  readonly memory95: number
  readonly engine50: number
  readonly engine95: number
  readonly ratio: number
  readonly unequal: number
  readonly failed: number
}

/** Each layer has its own codes of names, so each gets its own query. */
const ask = Effect.fnUntraced(function* (search: Search, searchCase: SearchCase, today: string) {
  const query = OwnSearch.queryOf(yield* search.current, searchCase, today)
  const began = performance.now()
  const found = yield* Effect.result(search.search(query))
  const millis = performance.now() - began
  return { millis, told: Result.isFailure(found) ? undefined : told(found.success) }
})

/** Ids with their stores in order, totals, currencies, and the figures of the stores on the page. */
const told = ({ answer, figures }: Effect.Success<ReturnType<Search["search"]>>): string =>
  JSON.stringify({
    page: answer.page.map(({ id, storeId }) => [id, storeId]),
    total: answer.total,
    stores: answer.stores,
    storeless: answer.storeless,
    unknownIds: answer.unknownIds,
    currencies: answer.currencies,
    figures: Array.from(figures).toSorted(([one], [other]) => one - other)
  })

/** A class in which ClickHouse has taken `classMillis` is left; the row tells how many cases it had. */
export const run = Effect.fnUntraced(function* (
  memory: Search,
  engine: Search,
  cases: ReadonlyArray<SearchCase>,
  today: string,
  classMillis: number
) {
  const trials: Array<Trial> = []
  const spent = new Map<string, number>()
  for (const [index, searchCase] of cases.entries()) {
    const group = `${searchCase.tool} ${searchCase.class}`
    const before = spent.get(group) ?? 0
    if (before >= classMillis) continue
    const [ours, theirs]: [Array<number>, Array<number>] = [[], []]
    let outcome: Trial["outcome"] = "equal"
    for (let round = 0; round < rounds; round++) {
      const isFirst = (index + round) % 2 === 0
      const first = yield* ask(isFirst ? memory : engine, searchCase, today)
      const second = yield* ask(isFirst ? engine : memory, searchCase, today)
      const [one, other] = isFirst ? [first, second] : [second, first]
      ours.push(one.millis)
      theirs.push(other.millis)
      if (one.told === undefined || other.told === undefined) outcome = "failed"
      else if (one.told !== other.told) {
        outcome = "unequal"
        yield* Effect.logError(`${searchCase.id}: ${JSON.stringify(searchCase.arguments)}\n${one.told}\n${other.told}`)
      }
    }
    spent.set(group, before + theirs.reduce((sum, each) => sum + each, 0))
    trials.push({ case: searchCase, memory: Math.min(...ours), engine: Math.min(...theirs), outcome })
  }
  return trials
})

const summarize = (labels: Pick<Row, "tool" | "class">, trials: ReadonlyArray<Trial>): Row => {
  const memory = trials.map((trial) => trial.memory)
  const engine = trials.map((trial) => trial.engine)
  const countOf = (outcome: Trial["outcome"]) => trials.filter((trial) => trial.outcome === outcome).length
  return {
    ...labels,
    cases: trials.length,
    memory50: quantile(memory, 0.5),
    memory95: quantile(memory, 0.95),
    engine50: quantile(engine, 0.5),
    engine95: quantile(engine, 0.95),
    ratio: median(trials.map((trial) => trial.engine / trial.memory)),
    unequal: countOf("unequal"),
    failed: countOf("failed")
  }
}

/** By tool and class, and at the end all of them. */
export const tabulate = (trials: ReadonlyArray<Trial>): ReadonlyArray<Row> => [
  ...Cases.groups(trials.map((trial) => trial.case)).map((group) =>
    summarize(
      group,
      trials.filter((trial) => trial.case.tool === group.tool && trial.case.class === group.class)
    )
  ),
  summarize({ tool: "all", class: "" }, trials)
]

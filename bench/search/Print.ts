/** What was measured, for a terminal. */
import { Console } from "effect"
import type { Effect } from "effect"
import type { FacetRow, LatencyRow, Soak } from "./Results.ts"
import * as Tables from "./Tables.ts"

export const latency = (rows: ReadonlyArray<LatencyRow>): Effect.Effect<void> =>
  Console.log(
    Tables.plain(
      ["tool", "class", "calls", "mean", "p50", "p95", "p99", "max", "undisturbed", "p95", "failures"],
      rows.map((row) => [
        row.tool,
        row.class,
        String(row.calls),
        ...[row.mean, row.p50, row.p95, row.p99, row.max].map(Tables.millis),
        String(row.undisturbed.calls),
        Tables.millis(row.undisturbed.p95),
        Tables.failures(row.failures)
      ])
    )
  )

export const facets = (rows: ReadonlyArray<FacetRow>): Effect.Effect<void> =>
  Console.log(
    Tables.plain(
      ["tool", "words", "calls", "mean", "p50", "p95", "p99", "max"],
      rows.map((row) => [
        row.tool,
        row.words ? "with" : "without",
        String(row.calls),
        ...[row.mean, row.p50, row.p95, row.p99, row.max].map(Tables.millis)
      ])
    )
  )

const mebibytes = (bytes: number): string => (bytes / 2 ** 20).toFixed(1)

export const soak = (found: Soak): Effect.Effect<void> =>
  Console.log(
    `${found.calls} calls, p95 ${Tables.millis(found.p95)} ms ${Tables.failures(found.failures)}; ` +
      `${mebibytes(found.firstMinute)} MiB in the first minute, ${mebibytes(found.lastMinute)} in the last, ` +
      `${mebibytes(found.lowest)} to ${mebibytes(found.highest)}, ${mebibytes(found.slopePerMinute)} more a minute`
  )

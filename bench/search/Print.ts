/** What was measured, for a terminal. */
import { Console } from "effect"
import type { Effect } from "effect"
import type { LatencyRow, Raw, Soak } from "./Results.ts"
import * as Tables from "./Tables.ts"

export const latency = (rows: ReadonlyArray<LatencyRow>): Effect.Effect<void> =>
  Console.log(
    Tables.plain(
      ["tool", "class", "calls", "mean", "p50", "p95", "p99", "max", "failures"],
      rows.map((row) => [
        row.tool,
        row.class,
        String(row.calls),
        ...[row.mean, row.p50, row.p95, row.p99, row.max].map(Tables.millis),
        Tables.failures(row.failures)
      ])
    )
  )

export const raw = ({ ofLongOnes, overall, rows }: Omit<Raw, "seed">): Effect.Effect<void> =>
  Console.log(
    Tables.plain(
      ["tool", "class", "cases", "tool call", "by hand", "ratio", "added"],
      rows.map((row) => [
        row.tool,
        row.class,
        String(row.cases),
        Tables.millis(row.tool50),
        Tables.millis(row.raw50),
        Tables.times(row.ratio),
        Tables.millis(row.addedMillis)
      ])
    ) + `\nall together ${Tables.times(overall)}, statements of 10 ms or more ${Tables.times(ofLongOnes)}`
  )

const mebibytes = (bytes: number): string => (bytes / 2 ** 20).toFixed(1)

export const soak = (found: Soak): Effect.Effect<void> =>
  Console.log(
    `${found.calls} calls, p95 ${Tables.millis(found.p95)} ms ${Tables.failures(found.failures)}; ` +
      `${mebibytes(found.firstMinute)} MiB in the first minute, ${mebibytes(found.lastMinute)} in the last, ` +
      `${mebibytes(found.lowest)} to ${mebibytes(found.highest)}, ${mebibytes(found.slopePerMinute)} more a minute`
  )

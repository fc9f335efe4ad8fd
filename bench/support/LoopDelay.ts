/**
 * For `node --import`: a server process that tells its event loop delay. On each SIGUSR2 it appends a line of JSON to
 * `BENCH_LOOP_FILE`, milliseconds since the last, and begins again.
 */
import { appendFileSync } from "node:fs"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { isMainThread } from "node:worker_threads"

const file = process.env["BENCH_LOOP_FILE"]
/** The histogram's values are intervals between two looks, which are this far apart when nothing delays them. */
const resolution = 1

if (isMainThread && file !== undefined) {
  const delay = monitorEventLoopDelay({ resolution })
  delay.enable()
  const millis = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e6 - resolution)
  process.on("SIGUSR2", () => {
    const line = {
      p50: millis(delay.percentile(50)),
      p99: millis(delay.percentile(99)),
      max: millis(delay.max)
    }
    appendFileSync(file, `${JSON.stringify(line)}\n`)
    delay.reset()
  })
}

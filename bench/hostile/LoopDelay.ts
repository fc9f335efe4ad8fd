/**
 * Loaded into the server's process before the program (`--import`): on SIGUSR2 it writes a line with the longest time that
 * the event loop was kept from its work since the last line, and how much of the processor its longest turn took, and begins
 * again. Nothing of the program knows of it.
 */
import * as fs from "node:fs"
import { monitorEventLoopDelay } from "node:perf_hooks"

const delay = monitorEventLoopDelay({ resolution: 1 })
delay.enable()

const cpuMicros = () => {
  const { system, user } = process.threadCpuUsage()
  return system + user
}

// Each turn of the loop runs this once, as long as it takes longer than a millisecond.
let before = cpuMicros()
let longest = 0
setInterval(() => {
  const now = cpuMicros()
  longest = Math.max(longest, now - before)
  before = now
}, 1).unref()

process.on("SIGUSR2", () => {
  // The timer of the histogram itself is set for every millisecond.
  const stood = Math.max(0, delay.max / 1e6 - 1)
  fs.writeSync(1, `loop-delay-ms ${stood.toFixed(2)} ${(longest / 1000).toFixed(2)}\n`)
  delay.reset()
  longest = 0
})

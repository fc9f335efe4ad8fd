/**
 * Steal time: how long the host of a virtual machine gave its cores to others while this machine wanted them. Linux
 * counts it in /proc/stat, in ticks of 10 ms over all cores; elsewhere it reads as 0.
 */
import { readFileSync } from "node:fs"
import { availableParallelism } from "node:os"

const tickMillis = 10
const stealField = 8

let readAt = Number.NEGATIVE_INFINITY
let latest = 0

/** Milliseconds of all cores since the machine started; read at most once a tick, since a read takes 0.07 ms. */
export const millis = (): number => {
  const now = performance.now()
  if (now - readAt < tickMillis) return latest
  readAt = now
  try {
    latest = Number(readFileSync("/proc/stat", "latin1").split("\n", 1)[0]?.split(/\s+/)[stealField] ?? 0) * tickMillis
  } catch {
    latest = 0
  }
  return latest
}

/** The share of all cores' time that the host took away since `start`. */
export const share = (start: { readonly stolen: number; readonly at: number }): number =>
  (millis() - start.stolen) / Math.max(1, performance.now() - start.at) / availableParallelism()

export const start = () => ({ stolen: millis(), at: performance.now() })

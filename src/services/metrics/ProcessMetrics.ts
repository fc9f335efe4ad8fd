/**
 * What is measured without a request: the process, its event loop, and whether the database answers. Only for servers whose
 * metrics are collected (Live.ts), because it is work of its own.
 */
import { Clock, Effect, Layer, Schedule } from "effect"
import * as fs from "node:fs"
import * as os from "node:os"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { PoolSize } from "../database/Database.ts"
import { Readiness } from "../database/Readiness.ts"
import * as Family from "./Family.ts"
import * as Metrics from "./Metrics.ts"

const probeEvery = "5 seconds"

/** In milliseconds. The monitor measures the time between two of its timers, so this interval is subtracted. */
const resolution = 10
const sampleEvery = "1 second"

const descriptors = "/proc/self/fd"

/** 0 for no limit. */
const descriptorLimit = (): number =>
  Number(/^Max open files\s+(\d+)/mu.exec(fs.readFileSync("/proc/self/limits", "utf8"))?.[1] ?? 0)

/** A container without a limit reports nothing, or more than the machine has. */
const memoryLimit = (): number => {
  const ofContainer = process.constrainedMemory()
  return ofContainer > 0 ? Math.min(ofContainer, os.totalmem()) : os.totalmem()
}

const ofProcess = Effect.gen(function* () {
  yield* Metrics.residentMemory.follow({}, () => process.memoryUsage.rss())
  yield* Metrics.heapUsed.follow({}, () => process.memoryUsage().heapUsed)
  yield* Metrics.memoryLimit.set({}, memoryLimit())
  yield* Metrics.cpu.follow({}, () => {
    const { system, user } = process.cpuUsage()
    return (system + user) / 1e6
  })
  yield* Metrics.startTime.set({}, (yield* Clock.currentTimeMillis) / 1000 - process.uptime())
  if (!fs.existsSync(descriptors)) return
  yield* Metrics.openDescriptors.follow({}, () => fs.readdirSync(descriptors).length)
  yield* Metrics.maxDescriptors.set({}, descriptorLimit())
})

const ofEventLoop = Effect.gen(function* () {
  const delay = yield* Effect.acquireRelease(
    Effect.sync(() => {
      const monitor = monitorEventLoopDelay({ resolution })
      monitor.enable()
      return monitor
    }),
    (monitor) => Effect.sync(() => monitor.disable())
  )
  const sample = Effect.suspend(() => {
    const seconds = Math.max(0, delay.max / 1e6 - resolution) / 1000
    delay.reset()
    return Metrics.eventLoopDelay.observe({}, seconds)
  })
  yield* Effect.forkScoped(Effect.schedule(sample, Schedule.spaced(sampleEvery)))
})

const ofPool = Effect.flatMap(PoolSize, (size) => Metrics.databaseConnectionsMax.set({}, size))

const ofDatabase = Effect.gen(function* () {
  const { check } = yield* Readiness
  const probe = Effect.gen(function* () {
    const began = yield* Clock.monotonicTimeNanos
    const up = yield* Effect.match(check, { onFailure: () => 0, onSuccess: () => 1 })
    const seconds = Number((yield* Clock.monotonicTimeNanos) - began) / 1e9
    yield* Metrics.databaseProbe.observe({}, seconds)
    yield* Metrics.databaseUp.set({}, up)
  })
  yield* probe
  yield* Effect.forkScoped(Effect.schedule(probe, Schedule.spaced(probeEvery)))
})

export const layer = Layer.effectDiscard(Effect.all([Family.registered, ofProcess, ofPool, ofEventLoop, ofDatabase]))

/** What each thread has for itself. */
export const layerOfThread = Layer.effectDiscard(Effect.all([ofPool, ofEventLoop]))

/**
 * A program, run with `--expose-gc`, that prints by how many bytes the old generation grows while 1,600 requests of 8 kB are batched,
 * and while 480 answers of 40 kB are sent. V8 copies objects that are reachable, also from old objects that are garbage themselves, and
 * moves them to the old generation. It runs alone, because what other tests leave in the heap can keep objects as well.
 */
import { Deferred, Effect, Exit, Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { SqlClient } from "effect/sql"
import { Agent, request } from "node:http"
import { getHeapSpaceStatistics } from "node:v8"
import { AppConfig } from "../../src/Config.ts"
import * as Router from "../../src/http/Router.ts"
import * as Server from "../../src/http/Server.ts"
import { batched } from "../../src/services/database/BatchedRequests.ts"
import { freePort } from "./ServerProcess.ts"

const { gc } = globalThis
if (gc === undefined) throw new Error("Run it with --expose-gc")

const oldBytes = (): number =>
  getHeapSpaceStatistics().reduce(
    (sum, { space_name: name, space_used_size: used }) =>
      name === "old_space" || name === "large_object_space" ? sum + used : sum,
    0
  )

/**
 * Bytes by which the old generation grows while `one` runs `atOnce` times concurrently, in each of `rounds` rounds, with a young
 * collection after each round. Each round has its own root fiber: a common parent would keep the fibers of all rounds as its children.
 */
const promotedBytes = async (rounds: number, atOnce: number, one: Effect.Effect<unknown>): Promise<number> => {
  const round = () =>
    Effect.runPromise(
      Effect.all(
        Array.from({ length: atOnce }, () => one),
        { concurrency: "unbounded", discard: true }
      )
    )
  // The first rounds compile code, and make what is kept for good.
  for (let warmUp = 0; warmUp < 20; warmUp++) await round()
  gc()
  const before = oldBytes()
  for (let number = 0; number < rounds; number++) {
    await round()
    gc({ type: "minor", execution: "sync" })
  }
  return oldBytes() - before
}

const ask = batched<ReadonlyArray<number>, number, never>({
  sql: { transactionService: SqlClient.TransactionConnection(0) },
  maxInFlight: 1,
  maxSize: 100,
  run: (entries) =>
    Effect.sync(() => {
      for (const { completeUnsafe, request } of entries) completeUnsafe(Exit.succeed(request.length))
    })
})
const requests = () =>
  promotedBytes(
    100,
    16,
    Effect.suspend(() => ask(Array.from({ length: 1_000 }, () => 0.5)))
  )

const answers = Effect.gen(function* () {
  const port = yield* freePort
  // Later, so that requests are answered side by side.
  const answer = Effect.map(Effect.sleep("1 milli"), () => HttpServerResponse.text("soft ".repeat(8_000)))
  const isRunning = Deferred.makeUnsafe<void>()
  const routes = Layer.mergeAll(
    HttpRouter.add("GET", "/answer", answer),
    HttpRouter.add("GET", "/late", Effect.andThen(Deferred.succeed(isRunning, undefined), Effect.never))
  )
  yield* Layer.build(Layer.provide(Router.layerOf(routes), [Layer.provide(Server.layer, AppConfig.layerOf({ port }))]))
  const agent = new Agent({ keepAlive: true, maxSockets: 8 })
  // The server is never without a request.
  const late = request({ port, path: "/late" })
    .on("error", () => {})
    .end()
  yield* Deferred.await(isRunning)
  // What this client receives is outside of the heap.
  const call = Effect.callback<void>((resume) => {
    request({ agent, port, path: "/answer" }, (response) => {
      response.resume().on("end", () => resume(Effect.void))
    }).end()
  })
  const bytes = yield* Effect.promise(() => promotedBytes(60, 8, call))
  late.destroy()
  agent.destroy()
  return bytes
}).pipe(Effect.scoped)

process.stdout.write(JSON.stringify({ requests: await requests(), answers: await Effect.runPromise(answers) }))
process.exit(0)

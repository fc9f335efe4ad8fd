/** The program with `DATABASE_READ_URL`: a replica that is killed under load costs nobody an answer, and nobody a credit. */
import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Ref, Schedule } from "effect"
import type { SqlClient } from "effect/sql"
import * as Migrations from "../src/services/database/Migrations.ts"
import { DerivedData } from "../src/services/search/DerivedData.ts"
import { loadCatalogue } from "./oracle/loadCatalogue.ts"
import * as NaiveCatalogue from "./oracle/NaiveCatalogue.ts"
import * as ServerProcess from "./support/ServerProcess.ts"
import { StreamingPair } from "./support/StreamingPair.ts"

interface Answer {
  readonly isError?: boolean
  readonly content: ReadonlyArray<{ readonly text: string }>
  readonly structuredContent: {
    readonly pagination?: { readonly total: number }
    readonly credits?: { readonly used: number }
  }
}

const filled: Effect.Effect<void, unknown, SqlClient.SqlClient> = Effect.gen(function* () {
  yield* Migrations.run
  yield* loadCatalogue(NaiveCatalogue.generate(7, 40))
  yield* (yield* DerivedData).rebuild()
}).pipe(Effect.provide(DerivedData.layer))

const call = (port: number, key: string, name: string, args: object = {}): Effect.Effect<Answer> =>
  Effect.promise(async () => {
    const response = await fetch(`http://127.0.0.1:${port}/mcp`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } })
    })
    const { result }: { readonly result: Answer } = JSON.parse(await response.text())
    assert.isUndefined(result.isError, JSON.stringify(result))
    return result
  })

const isReady = (port: number) => Effect.promise(async () => (await fetch(`http://127.0.0.1:${port}/health/ready`)).ok)

it.live(
  "searches on, charges right and stays ready while its replica is away, killed, and back",
  () =>
    Effect.gen(function* () {
      const pair = yield* StreamingPair.make(Effect.orDie(filled))
      const port = yield* ServerProcess.freePort
      const environment = {
        DATABASE_URL: ServerProcess.urlOf(pair.primary.connection),
        DATABASE_READ_URL: ServerProcess.urlOf(pair.replica.connection),
        PORT: String(port),
        RATE_LIMIT_PER_MINUTE: "0",
        PLAN_CREDITS_PRO: "1000000"
      }
      yield* ServerProcess.command(environment, "account", "create", "ada@example.com", "--plan", "pro")
      const made = yield* ServerProcess.command(environment, "key", "create", "ada@example.com", "test")
      const key = /dsk_[0-9A-Za-z]{43}/u.exec(made.out)?.[0] ?? assert.fail(made.err)

      yield* pair.replica.stop
      const server = yield* ServerProcess.start(environment)
      const logged = (text: string, times: number) =>
        Effect.suspend(() =>
          server.logged().split(text).length - 1 >= times ? Effect.void : Effect.fail("not logged")
        ).pipe(Effect.retry({ schedule: Schedule.spaced("20 millis") }))
      const onPrimary = "Searches go to the primary: the replica cannot be reached"
      const onReplica = "Searches go to the replica"

      const first = yield* call(port, key, "search_products")
      const total = first.structuredContent.pagination?.total
      assert.isAbove(total ?? 0, 0)
      yield* logged(onPrimary, 1)
      yield* pair.replica.start
      yield* logged(onReplica, 1)

      const isOver = yield* Ref.make(false)
      const searching = Effect.gen(function* () {
        let answered = 0
        while (!(yield* Ref.get(isOver))) {
          const { structuredContent } = yield* call(port, key, "search_products", { page: 1 + (answered % 5) })
          assert.strictEqual(structuredContent.pagination?.total, total)
          yield* call(port, key, "search_ads", { query: "re", page: 1 + (answered % 3) })
          answered += 2
        }
        return answered
      })
      const load = yield* Effect.forkChild(
        Effect.all(
          Array.from({ length: 6 }, () => searching),
          { concurrency: "unbounded" }
        )
      )
      yield* pair.replica.kill
      yield* logged(onPrimary, 2)
      assert.isTrue(yield* isReady(port))
      yield* pair.replica.start
      yield* logged(onReplica, 2)
      yield* Ref.set(isOver, true)
      const answered = yield* Fiber.join(load)

      const usage = yield* call(port, key, "get_usage")
      assert.strictEqual(
        usage.structuredContent.credits?.used,
        answered.reduce((sum, each) => sum + each, 1)
      )
      const verified = yield* ServerProcess.command(environment, "credits", "verify")
      assert.strictEqual(verified.code, 0, verified.out + verified.err)
      // A line for each change, not for each search.
      assert.lengthOf(server.logged().split(onPrimary), 3)
      assert.strictEqual(yield* server.end("SIGTERM"), 0)
    }).pipe(Effect.scoped),
  600_000
)

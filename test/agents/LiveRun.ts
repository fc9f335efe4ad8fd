/** A run of the benchmark against the live server of a test, with one question. */
import { Effect, Redacted } from "effect"
import * as fs from "node:fs/promises"
import * as os from "node:os"
import * as path from "node:path"
import type { Run } from "../../bench/agents/Run.ts"
import { Accounts } from "../../src/services/accounts/Accounts.ts"
import { ApiKeys } from "../../src/services/credentials/ApiKeys.ts"
import * as LiveServer from "../support/LiveServer.ts"

let number = 0

export const of = Effect.fnUntraced(function* (question: string) {
  const folder = yield* Effect.acquireRelease(
    Effect.promise(() => fs.mkdtemp(path.join(os.tmpdir(), "discovery-agents-"))),
    (made) => Effect.promise(() => fs.rm(made, { recursive: true, force: true }))
  )
  const { id } = yield* Effect.flatMap(Accounts, (accounts) =>
    accounts.create({
      email: `agent${++number}@discovery.test`,
      plan: "pro",
      status: "active",
      password: Redacted.make("nine green whales")
    })
  )
  const { secret } = yield* Effect.flatMap(ApiKeys, (keys) => keys.create(id, question))
  const key = Redacted.value(secret)
  const url = `${yield* LiveServer.url}/mcp`
  return { folder, url, asOf: "2026-01-15", demoKey: key, keys: { [question]: key } } satisfies Run
})

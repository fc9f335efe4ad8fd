/** The program as it is run, with the demo data. */
import { Array, Effect, Schedule, Schema } from "effect"
import { execFile } from "node:child_process"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import * as DemoAccounts from "../../src/services/accounts/DemoAccounts.ts"
import * as ServerProcess from "../../test/support/ServerProcess.ts"
import { temporaryFolder } from "./BenchDatabase.ts"

const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url))

/** The API key of the first demo account whose label begins so, from the data folder of a server. */
export const keyOf = Effect.fnUntraced(function* (folder: string, label: string) {
  const text = yield* Effect.tryPromise(() => fs.readFile(path.join(folder, "demo-access.json"), "utf8"))
  const { accounts } = yield* Schema.decodeEffect(DemoAccounts.AccessJson)(text)
  const { key } = yield* Effect.fromOption(Array.findFirst(accounts, (account) => account.label.startsWith(label)))
  return key
})

/** Starts it with an empty data folder, and waits until searches are answered. `nodeOptions` are for the server alone. */
export const start = Effect.fnUntraced(function* (own: Readonly<Record<string, string>> = {}, nodeOptions = "") {
  const port = yield* ServerProcess.freePort
  const folder = yield* temporaryFolder
  const settings = { PORT: String(port), DATA_DIR: folder, LOG_LEVEL: "Warn", ...own }
  const server = yield* ServerProcess.start({ ...settings, NODE_OPTIONS: nodeOptions })
  const url = `http://localhost:${port}`
  yield* Effect.promise(async () => (await fetch(`${url}/health/ready`)).ok).pipe(
    Effect.repeat({ schedule: Schedule.spaced("50 millis"), until: (isReady) => isReady })
  )

  /** Runs a command of the program, and returns what it prints. */
  const command = (args: ReadonlyArray<string>, input = ""): Promise<string> =>
    new Promise((resolve, reject) => {
      const env = { ...process.env, ...settings }
      const child = execFile(process.execPath, [main, ...args], { env }, (error, out, err) =>
        error === null ? resolve(out) : reject(new Error(`${args.join(" ")}: ${out} ${err}`))
      )
      child.stdin?.end(input)
    })

  return { server, url, folder, command }
})

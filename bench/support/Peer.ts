/** The bench's side of a server under test: it runs in a process of its own, so that its CPU is its own. */
import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { openSync } from "node:fs"
import { devNull } from "node:os"
import * as ProcessCpu from "./ProcessCpu.ts"

/** What a peer sends when it listens, and when it is asked for its CPU time so far (user and system, microseconds). */
export type PeerMessage =
  | { readonly port: number; readonly authorizations: ReadonlyArray<string> }
  | { readonly cpuMicros: number }

export interface Peer {
  readonly name: string
  readonly port: number
  /** Of its accounts, which call one after the other. */
  readonly authorizations: ReadonlyArray<string>
  readonly cpuMicros: () => Promise<number>
  /** Of its PostgreSQL, if it has one. */
  readonly databaseMicros: () => number
  readonly stop: () => Promise<void>
}

const isPeerMessage = (message: unknown): message is PeerMessage =>
  typeof message === "object" && message !== null && ("port" in message || "cpuMicros" in message)

const nextMessage = async (child: ChildProcess): Promise<PeerMessage> => {
  const [message]: Array<unknown> = await once(child, "message")
  if (!isPeerMessage(message)) throw new Error(`a peer sent ${JSON.stringify(message)}`)
  return message
}

export const start = async (name: string, module: string, args: ReadonlyArray<string> = []): Promise<Peer> => {
  // Lines of log are written as in earnest, but nobody wants to read them here.
  const log = openSync(devNull, "w")
  const child = fork(new URL(`../peers/${module}`, import.meta.url), args, {
    stdio: ["ignore", "inherit", log, "ipc"]
  })
  const ready = await Promise.race([
    nextMessage(child),
    once(child, "exit").then(([code]) =>
      Promise.reject(new Error(`${name} ended with ${String(code)} before it listened`))
    )
  ])
  if (!("port" in ready)) throw new Error(`${name} did not tell its port`)
  return {
    name,
    port: ready.port,
    authorizations: ready.authorizations,
    cpuMicros: async () => {
      child.send("cpu")
      const message = await nextMessage(child)
      if (!("cpuMicros" in message)) throw new Error(`${name} did not tell its CPU time`)
      return message.cpuMicros
    },
    databaseMicros: () => (child.pid === undefined ? 0 : ProcessCpu.ofDescendants(child.pid)),
    stop: async () => {
      const exited = once(child, "exit")
      child.disconnect()
      await exited
    }
  }
}

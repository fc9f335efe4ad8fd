/**
 * A program that is a ClickHouse for tests: the engine of chdb behind the HTTP interface, as far as the official client uses it.
 *
 * Its arguments are a folder and a database. It says what happens, and is told how to fail, by messages (Messages.ts).
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import * as Answers from "./Answers.ts"
import * as Engine from "./Engine.ts"
import type { Fault, Order, Report } from "./Messages.ts"
import * as Requests from "./Requests.ts"

const [folder = "", database = ""] = process.argv.slice(2)
const engine = Engine.open(folder, database)

/** In chdb each statement takes a thread of Node's pool, which has four. One is left to write files. */
const maxRunning = 3

let fault: Fault = { kind: "none" }
let running = 0
const waiting: Array<() => void> = []
/** Statements that a fault holds, by id. */
const held = new Map<string, { readonly release: () => void; readonly kill: () => void }>()

const say = (report: Report): void => void process.send?.(report)

const turn = async <A>(work: () => Promise<A>): Promise<A> => {
  if (running >= maxRunning) await new Promise<void>((resolve) => waiting.push(resolve))
  running++
  try {
    return await work()
  } finally {
    running--
    waiting.shift()?.()
  }
}

/** Ends with `release`, or as a query that was killed. */
const hold = (queryId: string): Promise<void> =>
  new Promise<void>((resolve, reject) => {
    held.set(queryId, {
      release: resolve,
      kill: () => reject(new Engine.Exception(394, Answers.textOf(394, "QUERY_WAS_CANCELLED")))
    })
    say({ report: "held", queryId })
  }).finally(() => held.delete(queryId))

const kill = async (queryId: string): Promise<string> => {
  const statement = held.get(queryId)
  statement?.kill()
  return statement !== undefined || (await engine.kill(queryId)) ? `waiting\t${queryId}\n` : ""
}

const answer = async (target: Answers.Target): Promise<void> => {
  const { request, response, url } = target
  Requests.authenticate(request, url)
  const statement = await Requests.read(request, url)
  const { queryId, settings, sql } = statement
  const chosen = fault
  say({ report: "began", queryId, sql, settings })
  const end = (code?: number) => say({ report: "ended", queryId, code })
  const victim = Requests.killed(statement)
  if (victim !== undefined) {
    response.end(await kill(victim))
    return end()
  }
  try {
    if (chosen.kind === "exception") throw new Engine.Exception(chosen.code, Answers.textOf(chosen.code, chosen.name))
    if (chosen.kind === "proxy") {
      response.writeHead(chosen.status, { "Content-Type": "text/html" }).end(chosen.body)
      return end()
    }
    if (chosen.kind === "hold" && chosen.after === "statement") await hold(queryId)
    const bytes = await turn(() => engine.run({ ...statement, isReadOnly: chosen.kind === "read-only" }))
    await Answers.send(target, bytes, chosen, () => hold(queryId))
    end()
  } catch (cause) {
    end(cause instanceof Engine.Exception ? cause.code : 0)
    throw cause
  }
}

const respond = (request: IncomingMessage, response: ServerResponse): void => {
  const url = new URL(request.url ?? "/", "http://localhost")
  if (url.pathname === "/ping") {
    response.end("Ok.\n")
    return
  }
  answer({ request, response, url }).catch((cause: unknown) => {
    if (response.headersSent) response.destroy()
    else if (cause instanceof Engine.Exception) Answers.sendException(response, cause)
    else
      Answers.sendException(
        response,
        new Engine.Exception(1002, `Code: 1002. DB::Exception: ${String(cause)}. (UNKNOWN_EXCEPTION)`)
      )
  })
}

// As ClickHouse: a URL may have 1 MiB.
const server = createServer({ maxHeaderSize: 1024 * 1024 }, respond)
const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve))

await listen(0)
// A server that listens on an address of the network has one of this form.
const { port } = server.address() as AddressInfo

const obey = async ({ id, order }: Order): Promise<void> => {
  if (order === "release") for (const { release } of held.values()) release()
  else {
    fault = order.fault
    if (fault.kind === "closed" && server.listening) {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    } else if (fault.kind !== "closed" && !server.listening) await listen(port)
  }
  say({ report: "done", id })
}

process.on("message", (order: Order) => void obey(order))
// The process of the test has ended.
process.on("disconnect", () => process.exit())
say({ report: "listening", port })

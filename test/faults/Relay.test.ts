import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { once } from "node:events"
import * as net from "node:net"
import * as Relay from "../../bench/faults/Relay.ts"
import * as ServerProcess from "../support/ServerProcess.ts"

/** Sends back what it receives. */
const echo = Effect.gen(function* () {
  const port = yield* ServerProcess.freePort
  yield* Effect.acquireRelease(
    Effect.promise(async () => {
      const server = net.createServer((socket) => socket.on("error", () => undefined).pipe(socket))
      server.listen(port, "127.0.0.1")
      await once(server, "listening")
      return server
    }),
    (server) => Effect.sync(() => server.close())
  )
  return port
})

/** What becomes of one connection: its answer, or the code of its error. */
const outcomeAt = (port: number) =>
  Effect.callback<string>((resume) => {
    const socket = net.connect(port, "127.0.0.1", () => socket.write("hello"))
    socket.on("error", (error: NodeJS.ErrnoException) => resume(Effect.succeed(error.code ?? "")))
    socket.on("data", (bytes: Buffer) => {
      resume(Effect.succeed(bytes.toString("utf8")))
      socket.destroy()
    })
  })

it.live("a relay that is restarted cuts its connections, refuses others, and opens the same port again", () =>
  Effect.gen(function* () {
    const port = yield* echo
    const relay = yield* Relay.make(() => [{ name: "echo", address: { host: "127.0.0.1", port } }])
    for (let times = 0; times < 3; times++) {
      const kept = net.connect(relay.port, "127.0.0.1", () => kept.write("hello"))
      kept.on("error", () => undefined)
      yield* Effect.promise(() => once(kept, "data"))
      const cut = new Promise((resolve) => kept.once("close", resolve))
      yield* relay.stop
      yield* Effect.promise(() => cut)
      assert.strictEqual(relay.connections(), 0)
      assert.strictEqual(yield* outcomeAt(relay.port), "ECONNREFUSED")
      yield* relay.start
      assert.strictEqual(yield* outcomeAt(relay.port), "hello")
    }
  })
)

/**
 * A proxy in front of PostgreSQL that drops or delays responses: a network failure after the server has done its work.
 */
import { Effect, Latch } from "effect"
import type { Scope } from "effect"
import * as net from "node:net"
import * as path from "node:path"
import type { EmbeddedConnection } from "../../src/services/database/EmbeddedPostgres.ts"
import { temporaryFolder } from "./PrivatePostgres.ts"

export interface LossyConnection {
  readonly connection: EmbeddedConnection
  /** Closes the connection instead of passing on each of the next `count` responses. */
  readonly lose: (count: number) => Effect.Effect<void>
  /** Delays all responses from the next message on that contains `text`. */
  readonly hold: (text: string) => Effect.Effect<void>
  /** Waits until a response is delayed: the server has done its work. */
  readonly held: Effect.Effect<void>
  /** Number of messages that the client has sent. */
  readonly messages: Effect.Effect<number>
  /** Passes on the delayed responses and all further ones. */
  readonly release: Effect.Effect<void>
}

const socketName = ".s.PGSQL.5432"

export const make = (server: EmbeddedConnection): Effect.Effect<LossyConnection, never, Scope.Scope> =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    let toLose = 0
    let trigger: string | undefined
    let holding = false
    let messages = 0
    const waiting: Array<() => void> = []
    const someHeld = Latch.makeUnsafe(false)

    const relay = net.createServer((client) => {
      const upstream = net.createConnection(path.join(server.host, socketName))
      const breakOff = () => {
        client.destroy()
        upstream.destroy()
      }
      for (const socket of [client, upstream]) socket.on("error", breakOff).on("close", breakOff)
      client.on("data", (bytes) => {
        messages += 1
        if (trigger !== undefined && bytes.includes(trigger)) holding = true
        upstream.write(bytes)
      })
      upstream.on("data", (bytes) => {
        if (toLose > 0) {
          toLose -= 1
          breakOff()
        } else if (holding) {
          waiting.push(() => client.write(bytes))
          someHeld.openUnsafe()
        } else {
          client.write(bytes)
        }
      })
    })
    yield* Effect.acquireRelease(
      Effect.callback<void>((resume) => {
        relay.listen(path.join(folder, socketName), () => resume(Effect.void))
      }),
      () => Effect.sync(() => relay.close())
    )
    return {
      connection: { ...server, host: folder },
      lose: (count) => Effect.sync(() => void (toLose = count)),
      hold: (text) => Effect.sync(() => void (trigger = text)),
      held: someHeld.await,
      messages: Effect.sync(() => messages),
      release: Effect.sync(() => {
        trigger = undefined
        holding = false
        someHeld.closeUnsafe()
        for (const pass of waiting.splice(0)) pass()
      })
    }
  })

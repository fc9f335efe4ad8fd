/** A TCP relay in this process, whose connections can be cut: the load balancer, and the virtual address of the database. */
import { Effect, Schedule } from "effect"
import type { Scope } from "effect"
import * as net from "node:net"
import * as ServerProcess from "../../test/support/ServerProcess.ts"

/** Where a relay may connect to. */
export interface Upstream {
  readonly name: string
  readonly address: net.NetConnectOpts
}

interface Pair {
  readonly upstream: string
  readonly reset: () => void
}

export interface Relay {
  readonly port: number
  /** Resets the connections to an upstream, or all of them; gives how many there were. */
  readonly cut: (upstream?: string) => number
  /** Each of the next `count` answers is cut in the middle: half of its bytes arrive, then the connection is reset. */
  readonly cutAnswers: (count: number) => void
  /** How many of them are still to come. */
  readonly toCut: () => number
  readonly connections: () => number
  /** Closes the port and every connection, as the end of the program does. */
  readonly stop: Effect.Effect<void>
  /** Opens the same port again. */
  readonly start: Effect.Effect<void>
}

/**
 * Takes connections and connects each to the first of `upstreams` that accepts it. Only a connection that was refused is tried on
 * the next: nothing of the client was sent by then.
 */
export const make = (upstreams: () => ReadonlyArray<Upstream>): Effect.Effect<Relay, never, Scope.Scope> =>
  Effect.gen(function* () {
    // Below the ephemeral range: no connection of this machine takes the port while it is closed.
    const port = yield* ServerProcess.freePort
    const relay = relayAt(port, upstreams)
    yield* Effect.acquireRelease(relay.start, () => relay.stop)
    return relay
  })

const relayAt = (port: number, upstreams: () => ReadonlyArray<Upstream>): Relay => {
  const clients = new Set<net.Socket>()
  const pairs = new Set<Pair>()
  let toCut = 0

  const joined = (client: net.Socket, upstream: net.Socket, { address, name }: Upstream) => {
    // A Unix socket knows no reset. Nor does Node reset a socket that is being ended: it fails with EINVAL, the socket is never
    // closed, and a process with such a socket does not exit.
    const drop = (socket: net.Socket) =>
      socket.writableEnded || (socket === upstream && "path" in address) ? socket.destroy() : socket.resetAndDestroy()
    const reset = () => {
      drop(client)
      drop(upstream)
    }
    const pair = { upstream: name, reset }
    pairs.add(pair)
    const pass = (from: net.Socket, to: net.Socket) => (bytes: Buffer) => {
      if (to.write(bytes)) return
      from.pause()
      to.once("drain", () => from.resume())
    }
    const answer = pass(upstream, client)
    upstream.on("data", (bytes: Buffer) => {
      if (toCut === 0) return answer(bytes)
      toCut -= 1
      client.write(bytes.subarray(0, bytes.length >> 1), reset)
    })
    client.on("data", pass(client, upstream))
    for (const [one, other] of [
      [client, upstream],
      [upstream, client]
    ] as const) {
      one.on("end", () => other.end())
      one.on("close", (hadError) => {
        pairs.delete(pair)
        // What was received before an orderly end is still delivered.
        if (hadError) drop(other)
        else other.destroySoon()
      })
    }
    client.resume()
  }

  const connect = (client: net.Socket, [first, ...others]: ReadonlyArray<Upstream>) => {
    if (first === undefined || client.destroyed) return void client.resetAndDestroy()
    const upstream = net.connect(first.address)
    upstream.setNoDelay(true)
    const refused = () => connect(client, others)
    upstream.once("error", refused)
    upstream.once("connect", () => {
      upstream.off("error", refused)
      upstream.on("error", () => undefined)
      if (client.destroyed) upstream.destroy()
      else joined(client, upstream, first)
    })
  }

  const server = net.createServer({ pauseOnConnect: true, noDelay: true }, (client) => {
    clients.add(client)
    client.on("close", () => clients.delete(client))
    client.on("error", () => undefined)
    connect(client, upstreams())
  })
  const cut = (name?: string) => {
    const found = [...pairs].filter(({ upstream }) => name === undefined || upstream === name)
    for (const { reset } of found) reset()
    return found.length
  }
  const listen = Effect.callback<void, Error>((resume) => {
    const refused = (error: Error) => resume(Effect.fail(error))
    server.once("error", refused)
    server.listen(port, "127.0.0.1", () => {
      server.off("error", refused)
      resume(Effect.void)
    })
  })
  return {
    port,
    cut,
    cutAnswers: (count) => void (toCut = count),
    toCut: () => toCut,
    connections: () => pairs.size,
    stop: Effect.sync(() => {
      server.close()
      cut()
      // Those that were still being connected.
      for (const client of clients) client.destroy()
    }),
    start: listen.pipe(Effect.retry({ schedule: Schedule.spaced("50 millis"), times: 200 }), Effect.orDie)
  }
}

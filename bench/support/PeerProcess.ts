/** The peer's side of the channel to the bench. */
import type { AddressInfo } from "node:net"
import type { Server } from "node:http"
import type { PeerMessage } from "./Peer.ts"

const send = (message: PeerMessage) => process.send?.(message)

/** Tells the port, answers questions for the CPU time, and ends the process when the bench goes. */
export const announce = (port: number, onStop: () => void, authorizations: ReadonlyArray<string> = []): void => {
  process.on("message", () => {
    const { system, user } = process.cpuUsage()
    send({ cpuMicros: user + system })
  })
  process.on("disconnect", onStop)
  send({ port, authorizations })
}

export const announceServer = (server: Server): void => {
  server.listen(0, "127.0.0.1", () => {
    // A server that listens on a TCP port has an address with one.
    const { port } = server.address() as AddressInfo
    announce(port, () => process.exit(0))
  })
}

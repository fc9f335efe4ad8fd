/** Our own server as a peer: the layer `http` on a port of its own, over the given services. */
import { Effect, Layer, Logger, References } from "effect"
import { HttpServer } from "effect/http"
import * as Router from "../../src/http/Router.ts"
import * as Server from "../../src/http/Server.ts"
import * as LogLines from "../../src/services/LogLines.ts"
import { announce } from "./PeerProcess.ts"

/** With `quiet`, the line that each call logs is left out; the other peers write none either. */
const logs = (quiet: boolean) =>
  Layer.merge(
    Logger.layer([LogLines.toStandardError(LogLines.json)]),
    Layer.succeed(References.MinimumLogLevel, quiet ? ("Warn" as const) : ("Info" as const))
  )

/** The server layer tells the bench its port once it listens; `authorizations` are what the load sends. */
export const layer = (authorizations: ReadonlyArray<string>) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const { address } = yield* HttpServer.HttpServer
      if (address._tag === "UnixPathAddress") return yield* Effect.die(new Error("the server does not listen on TCP"))
      // SIGTERM is what stops the server elsewhere too.
      announce(address.port, () => process.kill(process.pid, "SIGTERM"), authorizations)
    })
  ).pipe(
    Layer.provideMerge(Router.layer),
    Layer.provide(Server.layer),
    Layer.provideMerge(logs(process.argv.includes("--quiet")))
  )

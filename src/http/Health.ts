/** For whoever watches the process: `/health/live` that it runs, `/health/ready` that it can do its work. */
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { Readiness } from "../services/database/Readiness.ts"

const live = HttpRouter.add("GET", "/health/live", HttpServerResponse.jsonUnsafe({ status: "live" }))

const ready = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const { check } = yield* Readiness
    yield* router.add(
      "GET",
      "/health/ready",
      Effect.match(check, {
        onSuccess: () => HttpServerResponse.jsonUnsafe({ status: "ready" }),
        onFailure: () => HttpServerResponse.jsonUnsafe({ status: "unavailable" }, { status: 503 })
      })
    )
  })
)

export const layer = Layer.merge(live, ready)

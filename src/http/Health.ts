/** For whoever watches the process: `/health/live` that it runs, `/health/ready` that it can do its work. */
import { Cause, Effect, Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { Readiness } from "../services/database/Readiness.ts"

const live = HttpRouter.add("GET", "/health/live", HttpServerResponse.jsonUnsafe({ status: "live" }))

const ready = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const { check } = yield* Readiness
    let isReady = true

    // Changes only: whoever watches asks every few seconds.
    const logReady = Effect.suspend(() => {
      if (isReady) return Effect.void
      isReady = true
      return Effect.logInfo("Ready again")
    })
    const logUnready = (error: Effect.Error<typeof check>) =>
      Effect.suspend(() => {
        if (!isReady) return Effect.void
        isReady = false
        const cause = "cause" in error ? error.cause : undefined
        return Effect.logError("Not ready: the database does not answer", Cause.fail(cause ?? error))
      })

    yield* router.add(
      "GET",
      "/health/ready",
      Effect.matchEffect(check, {
        onSuccess: () => Effect.as(logReady, HttpServerResponse.jsonUnsafe({ status: "ready" })),
        onFailure: (error) =>
          Effect.as(logUnready(error), HttpServerResponse.jsonUnsafe({ status: "unavailable" }, { status: 503 }))
      })
    )
  })
)

export const layer = Layer.merge(live, ready)

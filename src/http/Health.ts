/** Health checks (D56, D107): `/health/live` says that the process runs, `/health/ready` that it can answer calls. */
import { Cause, Effect, Layer, Option } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { Readiness } from "../services/database/Readiness.ts"
import { MainThread } from "./HttpThread.ts"
import { CatalogSearch } from "../services/search/CatalogSearch.ts"
import type { SearchStatus } from "../services/search/CatalogSearch.ts"

/** A main thread that is stuck is replaced with the process alone, which its own health checks do not reach. */
const live = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const { isThere } = yield* MainThread
    const answers = {
      live: HttpServerResponse.jsonUnsafe({ status: "live" }),
      stuck: HttpServerResponse.jsonUnsafe({ status: "unavailable" }, { status: 503 })
    }
    yield* router.add(
      "GET",
      "/health/live",
      Effect.map(isThere, (isLive) => (isLive ? answers.live : answers.stuck))
    )
  })
)

/** An index that lags still answers searches; `progress` is for one that is not ready. */
const described = ({ isReady, lagSeconds, lagVersions, progress, version }: SearchStatus) => ({
  version: Option.getOrNull(version),
  lag_versions: lagVersions,
  lag_seconds: lagSeconds,
  ...(isReady ? {} : { progress })
})

const ready = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const { check } = yield* Readiness
    const catalogSearch = yield* CatalogSearch
    const { isThere } = yield* MainThread
    /** What was missing at the last check. */
    let missing: "database" | "index" | "searches" | "main thread" | undefined

    // Log changes only: checks come every few seconds.
    const logChange = (now: typeof missing, line: Effect.Effect<void>) =>
      Effect.suspend(() => {
        if (missing === now) return Effect.void
        missing = now
        return line
      })
    const logReady = logChange(undefined, Effect.logInfo("Ready again"))
    const logNoIndex = logChange("index", Effect.logInfo("Not ready: there is no search index yet"))
    const logNoSearches = logChange("searches", Effect.logError("Not ready: nothing answers searches"))
    const logNoMainThread = logChange("main thread", Effect.logError("Not ready: the main thread does not answer"))
    const logNoDatabase = (error: Effect.Error<typeof check>) =>
      logChange(
        "database",
        Effect.logError("Not ready: the database does not answer", Cause.fail(error.cause ?? error))
      )

    const answer = (isReady: boolean, status: SearchStatus) =>
      HttpServerResponse.jsonUnsafe(
        { status: isReady ? "ready" : "unavailable", index: described(status) },
        { status: isReady ? 200 : 503 }
      )

    yield* router.add(
      "GET",
      "/health/ready",
      Effect.flatMap(Effect.all([catalogSearch.status, isThere]), ([status, isMainThreadThere]) =>
        Effect.matchEffect(check, {
          onSuccess: () => {
            if (!isMainThreadThere) return Effect.as(logNoMainThread, answer(false, status))
            const log = !status.isReady ? logNoIndex : status.isAnswering ? logReady : logNoSearches
            return Effect.as(log, answer(status.isReady && status.isAnswering, status))
          },
          onFailure: (error) => Effect.as(logNoDatabase(error), answer(false, status))
        })
      )
    )
  })
)

export const layer = Layer.merge(live, ready)
